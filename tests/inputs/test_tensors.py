"""Tensors of other libraries wherever columns and tables enter."""

import numpy as np
import pytest

import assay

SCORES = [0.25, 0.75, 0.5, 0.875]
ACTUAL, PREDICTED = [[1, 0, 1], [0, 1, 0], [1, 1, 0]], [[1, 0, 0], [0, 1, 1], [1, 0, 0]]


class Half:
    """A tensor whose type NumPy does not have, as PyTorch shows it."""

    dtype = "torch.bfloat16"

    def __init__(self, values):
        self.values = np.array(values, dtype=np.float32)
        self.shape = self.values.shape

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **_):
        raise BufferError("bfloat16 is not supported")

    def float(self):
        """Return the same numbers in a type that NumPy has."""
        return self.values


class Sparse(Half):
    """A tensor that cannot be read in place."""

    dtype = "torch.sparse_float"


@pytest.fixture(params=["stand-in", "torch"])
def half(request):
    """Make a tensor of bfloat16."""
    if request.param == "stand-in":
        return Half
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    return lambda values: torch.tensor(values, dtype=torch.bfloat16)


def test_bfloat16_is_read_as_the_numbers_it_holds(half):
    """Scores, weights, scores of classes and tables of labels."""
    assert assay.column(half(SCORES)).values.tolist() == SCORES
    assert assay.column(half(SCORES)).values.dtype == np.float32
    weighted = assay.rows(actual=[0, 1, 0, 1], score=half(SCORES), weight=half([0.5, 1.5, 2.0, 1.0]))
    assert weighted.weight.values.tolist() == [0.5, 1.5, 2.0, 1.0]
    several = assay.rows(actual=["a", "b"], score=half([[0.25, 0.75], [0.5, 0.5]]))
    assert several.score.values.tolist() == [[0.25, 0.75], [0.5, 0.5]]
    ev = assay.evaluate(actual=half(ACTUAL), predicted=half(PREDICTED), task="multilabel")
    assert ev["hamming_loss"].value == pytest.approx(3 / 9)


def test_what_cannot_be_read_is_refused_in_our_own_words():
    """With the tensor's type, the library's reason and what to do."""
    for refused in (
        lambda: assay.column(Sparse(SCORES), "p"),
        lambda: assay.rows(actual=["a", "b"], score=Sparse([[0.25, 0.75], [0.5, 0.5]])),
        lambda: assay.evaluate(actual=Sparse(ACTUAL), predicted=Sparse(PREDICTED), task="multilabel"),
        lambda: assay.LabelSets.of_indicators(actual=Sparse(ACTUAL), predicted=PREDICTED),
    ):
        with pytest.raises(assay.ColumnError, match=r"is a tensor of torch\.sparse_float that NumPy cannot"):
            refused()


@pytest.mark.parametrize(
    "kind", ["int64", "int32", "uint8", "bool", "float32", "float64", "float16", "bfloat16"]
)
def test_tables_of_labels_may_be_tensors(kind):
    """Truth values, whole numbers or floats; scores of labels with a threshold; a list of rows."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    actual, predicted = (torch.tensor(one).to(getattr(torch, kind)) for one in (ACTUAL, PREDICTED))
    expected = assay.evaluate(actual=np.array(ACTUAL), predicted=np.array(PREDICTED), task="multilabel")
    found = assay.evaluate(actual=actual, predicted=predicted, task="multilabel")
    assert str(found) == str(expected)
    rows = assay.evaluate(actual=list(actual), predicted=list(predicted), task="multilabel")
    assert rows["micro f1"].value == expected["micro f1"].value
    cut = assay.evaluate(actual=actual, score=predicted.float() * 0.75, threshold=0.5, task="multilabel")
    assert cut["micro f1"].value == expected["micro f1"].value
    tally = assay.LabelSets.of_indicators(actual=actual, predicted=predicted)
    assert tally == assay.LabelSets.of_indicators(actual=ACTUAL, predicted=PREDICTED)


def test_a_table_of_a_model_in_training_is_detached():
    """Scores of classes come from a network as they are."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    scores = torch.tensor([[0.25, 0.75], [0.5, 0.5]], requires_grad=True)
    assert assay.rows(actual=["a", "b"], score=scores).score.values.tolist() == [[0.25, 0.75], [0.5, 0.5]]
    with pytest.raises(assay.ColumnError, match="is on a device"):
        assay.rows(actual=["a", "b"], score=torch.empty((2, 2), device="meta"))
