"""What is promised with confidence is kept on other rows, although the threshold was chosen on the same."""

import math

import numpy as np
import pytest

import assay
from assay.decisions import choose_threshold
from assay.decisions.guarantees import lower_limit_reaches
from assay.decisions.sequential_testing import start_sizes


def beyond(z):
    """The share of a normal distribution above z."""
    return math.erfc(z / math.sqrt(2)) / 2


class Normal:
    """Scores of negatives around 0, of positives so much higher: at no distance they tell nothing."""

    def __init__(self, prevalence, distance, digits=None):
        self.prevalence, self.distance, self.digits = prevalence, distance, digits

    def draw(self, random, n):
        """Classes and scores of a sample."""
        actual = random.random(n) < self.prevalence
        score = random.normal(size=n) + self.distance * actual
        return actual, score if self.digits is None else score.round(self.digits)

    def true(self, measure, threshold):
        """The measure in all of the population."""
        if self.digits is not None:
            threshold -= 0.5 * 10**-self.digits
        recall, alarms = beyond(threshold - self.distance), beyond(threshold)
        found = self.prevalence * recall
        precision = found / (found + (1 - self.prevalence) * alarms)
        return {"recall": recall, "specificity": 1 - alarms, "precision": precision}[measure]


class Backwards:
    """Uniform scores of which the second tenth is worse than the third: precision falls, rises and falls."""

    edges, rates = np.array([0.0, 0.1, 0.25, 0.5, 1.0]), np.array([0.8, 0.3, 0.7, 0.05])

    def draw(self, random, n):
        """Classes and scores of a sample."""
        depth = random.random(n)
        rate = self.rates[np.searchsorted(self.edges, depth, side="right") - 1]
        return random.random(n) < rate, -depth

    def true(self, _, threshold):
        """The precision in all of the population."""
        depth = -threshold
        return float(np.clip(depth - self.edges[:-1], 0, np.diff(self.edges)) @ self.rates) / depth


def judged(world, measure, share, n, samples):
    """The share of samples in which the promise was made and broken, and the recall, 0 where none was made."""
    random, broken, recall = np.random.default_rng(0), 0, 0.0
    for _ in range(samples):
        actual, score = world.draw(random, n)
        rows = assay.rows(actual=actual, score=score, labels=[False, True], positive=True)
        try:
            found = choose_threshold(rows, confidence=0.95, **{f"min_{measure}": share})
        except assay.MetricError:  # nothing is promised
            continue
        broken += world.true(measure, found.threshold) < share
        recall += found.counts.tp / max(found.counts.tp + found.counts.fn, 1)
    return broken / samples, recall / samples


WORLDS = [
    (Normal(0.3, 0), "precision", 0.305, 1000, 200),
    (Normal(0.05, 0), "precision", 0.051, 200, 200),
    (Normal(0.3, 1.5), "precision", 0.6, 200, 200),
    (Normal(0.3, 1.5), "precision", 0.6, 1000, 200),
    (Normal(0.3, 1.5, digits=0), "precision", 0.5, 1000, 200),
    (Normal(0.1, 1.5), "precision", 0.5, 5000, 100),
    (Normal(0.01, 2.5), "precision", 0.3, 5000, 100),
    (Backwards(), "precision", 0.5, 1000, 200),
    (Normal(0.3, 1), "recall", 0.8, 200, 200),
    (Normal(0.3, 1), "specificity", 0.8, 200, 200),
]


@pytest.mark.parametrize(
    ("world", "measure", "share", "n", "samples"),
    WORLDS,
    ids=lambda x: type(x).__name__ if isinstance(x, Normal | Backwards) else None,
)
def test_a_promise_is_broken_no_more_often_than_was_said(world, measure, share, n, samples):
    """In no more than 5% of the samples, within what chance does to so many."""
    broken, _ = judged(world, measure, share, n, samples)
    assert broken <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / samples)


def naive_recall(actual, score, share):
    """The recall at the last cutoff whose own limit is enough."""
    hits = np.cumsum(actual[np.argsort(-score)])
    enough = np.flatnonzero(
        lower_limit_reaches(hits, 1 + np.arange(len(hits)), share, 0.95, "clopper-pearson")
    )
    return hits[enough[-1]] / hits[-1] if len(enough) else 0.0


def test_the_walk_gives_little_away_where_scores_rank():
    """Of a thousand rows it finds nearly as many positives as the rule that breaks its promise would."""
    world, random = Normal(0.3, 1.5), np.random.default_rng(0)
    _, recall = judged(world, "precision", 0.6, 1000, 100)
    naive = np.mean([naive_recall(*world.draw(random, 1000), 0.6) for _ in range(100)])
    assert naive - 0.04 < recall <= naive


@pytest.mark.parametrize("n", [3_000, 60_000])
@pytest.mark.parametrize("share", [0.35, 0.6, 0.8])
def test_the_walk_by_blocks_is_the_walk_by_rows(n, share):
    """Stretches that pass as a whole are not read, and where it ends is the same."""
    actual, score = Normal(0.3, 1.5).draw(np.random.default_rng(n), n)
    order = np.argsort(-score)
    hits = np.cumsum(actual[order])
    called = 1 + np.arange(n)
    named = start_sizes(n, share, 0.05)
    level, begin, best = 0.0, 0, None
    for number, start in enumerate(named):
        end = named[number + 1] if number + 1 < len(named) else n + 1
        level += 0.05 / len(named)
        some = slice(start - 1, end - 1)
        passed = lower_limit_reaches(hits[some], called[some], share, 1 - level, "clopper-pearson")
        begin = start - 1 if not best or best < start - 2 else begin
        if passed.all():
            best = end - 2
            continue
        level, first = 0.0, int(np.argmin(passed))
        best = start - 2 + first if first else best
    index = int(np.argmax(hits == hits[best]))
    found = choose_threshold(assay.rows(actual=actual, score=score), min_precision=share, confidence=0.95)
    assert found.threshold == score[order][index]


def test_what_is_said_of_a_precision():
    """The promise holds, or it is said what would have been enough beforehand."""
    actual, score = Normal(0.5, 2).draw(np.random.default_rng(0), 300)
    found = choose_threshold(assay.rows(actual=actual, score=score), min_precision=0.7, confidence=0.9)
    assert found.note.startswith("The precision of at least 0.7 holds although the threshold was chosen")
    lucky = assay.rows(actual=[0] * 6 + [1] * 11 + [0] * 50, score=range(67, 0, -1))
    with pytest.raises(assay.MetricError, match="fixed beforehand, but not for the best of many"):
        choose_threshold(lucky, min_precision=0.4, confidence=0.9)


def test_a_whole_share_cannot_be_promised():
    """A hundred hits of a hundred do not show that there are no others."""
    with pytest.raises(assay.MetricError, match="100 of 100 leaves a lower limit of "):
        choose_threshold(
            assay.rows(actual=[1] * 100 + [0], score=range(101, 0, -1)), min_precision=1, confidence=0.95
        )
