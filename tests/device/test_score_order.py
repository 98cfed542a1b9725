"""The order of scores by PyTorch's operations: pairs and distinct scores as the kernels of the CPU find them."""

import numpy as np
import pytest

import assay

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from assay.device.score_order import ScoreOrder  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("n", [1, 2, 255, 4096, 4097, 20_000])
@pytest.mark.parametrize("kind", ["continuous", "ties", "constant", "either sign", "one class"])
def test_pairs_and_distinct_scores(kind, n, dtype):
    """At the edges of blocks, with scores that begin in one and end in another."""
    random = np.random.default_rng(n)
    actual, score = random.integers(0, 2, n), random.random(n)
    score = {
        "continuous": score, "ties": np.round(score, 1), "constant": np.full(n, 0.25), "either sign": score - 0.5,
        "one class": score,
    }[kind].astype(dtype)  # fmt: skip
    if kind == "one class":
        actual[:] = 1
    order = ScoreOrder(torch.from_numpy(actual).to(DEVICE), torch.from_numpy(score).to(DEVICE), 1)
    tally = assay.Scores.of(assay.rows(actual=actual, score=score, labels=[0, 1]))
    assert not order.has_nan
    assert order.concordant() == tally.concordance()[:3]
    scores, positives, negatives = order.distinct()
    assert np.array_equal(scores, tally.scores)
    assert np.array_equal(positives, tally.positives)
    assert np.array_equal(negatives, tally.negatives)


def test_a_score_that_is_no_number_is_noticed():
    """So that its row is looked for on the CPU."""
    score = torch.tensor([0.1, float("nan")], device=DEVICE)
    assert ScoreOrder(torch.tensor([0, 1], device=DEVICE), score, 1).has_nan
