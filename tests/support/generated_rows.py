"""Made-up rows with the counts of two well-known examples, the same on every machine.

The spam filter has 1,390 messages with the confusion table of the textbook example, the credit records are
1,000 of which 300 defaulted. Only ``Random.random``, whose values Python guarantees for a seed, and arithmetic
that IEEE 754 fixes are used. R computes the figures in tests/figures on exactly these rows.

    python tests/support/generated_rows.py FOLDER    # writes spam.csv and credit.csv
"""

import csv
import sys
from pathlib import Path
from random import Random

HAM, SPAM = 1207, 183
DEFAULTS, RECORDS = 300, 1000
# Where a false positive costs five misses, the best threshold is 0.68603: it saves three of five false
# positives for three more misses, and the two that stay lie above dozens of spam messages.
FALSE_POSITIVES = [0.519, 0.5604, 0.6413, 0.9371, 0.9902]
FIRST_HITS = [0.5008, 0.5831, 0.6127, 0.68603]


def spam_rows():
    """Return 1,390 messages with the probability of spam by three filters.

    ``prob_spam`` has 1202 true negatives, 5 false positives, 29 misses and 154 hits at 0.5; ``prob_other``
    has 1203, 4, 31 and 152; ``share_knn`` is a vote of ten neighbours.
    """
    draw = Random(1399).random
    hits = FIRST_HITS + [_near_one(draw, 0.69) for _ in range(150)]
    spam = hits + [_near_zero(draw, 2 if i < 24 else 7) for i in range(29)]
    ham = FALSE_POSITIVES + [_near_zero(draw, 2 if i < 40 else 7) for i in range(1202)]
    rows = [("spam", score) for score in spam] + [("ham", score) for score in ham]
    others = _other_scores(draw, rows)
    rows = [
        {
            "actual_type": actual,
            "predict_type": "spam" if score >= 0.5 else "ham",
            "prob_spam": score,
            "prob_other": other,
            "share_knn": _vote(draw, actual, score),
        }
        for (actual, score), other in zip(rows, others, strict=True)
    ]
    return _shuffled(draw, rows)


def credit_rows():
    """Return 1,000 credit records: words and numbers, and whether the loan defaulted."""
    draw = Random(1000).random
    return _shuffled(draw, [_record(draw, "yes" if i < DEFAULTS else "no") for i in range(RECORDS)])


def write_csv(rows, path):
    """Write rows to a file, numbers with all their digits."""
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def _near_zero(draw, power):
    """Draw a probability below one half, the nearer to 0 the higher the power."""
    score = 0.499
    for _ in range(power):
        score *= draw()
    return max(round(score, 6), 1e-6)


def _near_one(draw, lowest):
    """Draw a probability of at least ``lowest``, most of them near 1."""
    gap = 1 - lowest
    for _ in range(4):
        gap *= draw()
    return min(round(1 - gap, 6), 1 - 1e-6)


def _other_scores(draw, rows):
    """Move each score a little; then let two hits become misses and one false positive a true negative."""
    moved = []
    for _, score in rows:
        low, high = (0.5, 1 - 1e-6) if score >= 0.5 else (1e-6, 0.499)
        other = score + (draw() - 0.5) * min(score - low, high - score)
        moved.append(round(min(max(other, low), 0.9999), 4) if low == 0.5 else round(max(other, 1e-4), 4))
    moved[0], moved[1], moved[SPAM] = 0.4411, 0.3207, 0.4702
    return moved


def _vote(draw, actual, score):
    """Draw a share of ten neighbours: few of spam's neighbours are spam, and hardly any of ham's."""
    chance = 0.02 + 0.2 * (actual == "spam") * (0.2 + 0.8 * score)
    return sum(draw() < chance for _ in range(10)) / 10


def _record(draw, default):
    """Draw a record whose words and numbers lean to one side where the loan defaulted."""
    lean = 0.28 if default == "yes" else 0.0

    def word(*words):
        share = draw()
        return words[int(len(words) * (share * (1 - lean) if draw() < 0.8 else share))]

    def number(low, high):
        share = draw() * draw() if draw() > lean else draw()
        return low + int((high - low + 1) * share)

    return {
        "checking_balance": word("< 0 DM", "1 - 200 DM", "> 200 DM", "unknown"),
        "months_loan_duration": number(4, 60),
        "credit_history": word("critical", "delayed", "repaid", "fully repaid"),
        "purpose": word("business", "car", "education", "furniture", "radio"),
        "amount": number(250, 15_000),
        "savings_balance": word("< 100 DM", "101 - 500 DM", "> 1000 DM"),
        "installment_rate": 1 + int(4 * draw()),
        "age": 19 + int(50 * draw()),
        "housing": ("own", "rent", "for free")[int(3 * draw())],
        "default": default,
    }


def _shuffled(draw, rows):
    """Return the rows in another order (Fisher and Yates)."""
    rows = list(rows)
    for last in range(len(rows) - 1, 0, -1):
        other = int(draw() * (last + 1))
        rows[last], rows[other] = rows[other], rows[last]
    return rows


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    write_csv(spam_rows(), folder / "spam.csv")
    write_csv(credit_rows(), folder / "credit.csv")
