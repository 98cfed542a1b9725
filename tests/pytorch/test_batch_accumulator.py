"""Accumulators of tensors: the same bits as all rows at once, and no waiting for a device."""

import copy
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import assay
from assay.errors import AssayError, ColumnError, InputError, LabelError, LengthError, MergeError

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from assay.torch import Accumulator  # noqa: E402
from assay.torch.logits import probabilities  # noqa: E402
from assay.torch.repeated_rows import without_repeats  # noqa: E402

N = 1000
WAITS = ("local_scalar_dense", "item", "nonzero", "unique", "masked_select", "bincount", "equal", "is_nonzero",
         "repeat_interleave", "histc")  # fmt: skip


class NoWaiting(TorchDispatchMode):
    """Refuse operations that read a value, or whose result's shape depends on values."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.overloadpacket.__name__
        assert not name.lstrip("_").startswith(WAITS), f"{name} waits for the device"
        return func(*args, **(kwargs or {}))


def columns(task, seed=0, n=N):
    """Return tensors by role, and the settings, of a task."""
    random = np.random.default_rng(seed)
    if task == "binary":
        actual = random.integers(0, 2, n)
        roles = {"actual": actual, "score": np.clip(0.3 * actual + 0.7 * random.random(n), 0, 1).astype("f4")}
        return roles, {"task": "binary", "labels": [0, 1]}
    if task == "weighted":
        roles, settings = columns("binary", seed, n)
        return {**roles, "weight": random.random(n)}, settings
    if task == "labels":
        return {role: random.integers(0, 5, n) for role in ("actual", "predicted")}, {"task": "multiclass"}
    if task == "multiclass":
        score = random.random((n, 4))
        score /= score.sum(axis=1, keepdims=True)
        return {"actual": random.integers(0, 4, n), "score": score}, {
            "task": "multiclass",
            "labels": [0, 1, 2, 3],
        }
    if task == "multilabel":
        return {"actual": random.integers(0, 2, (n, 3)), "score": random.random((n, 3))}, {
            "task": "multilabel"
        }
    if task == "regression":
        actual = random.normal(size=n)
        return {"actual": actual, "predicted": actual + random.normal(size=n)}, {"task": "regression"}
    roles = {
        "actual": random.integers(0, 2, n),
        "score": random.random(n),
        "query": random.integers(0, 40, n),
    }
    return roles, {"task": "ranking", "k": 5}


TASKS = ("binary", "weighted", "labels", "multiclass", "multilabel", "regression", "ranking")


def accumulated(roles, settings, size, order=None, **options):
    """Return an accumulator of the rows in batches of a size."""
    order = np.arange(len(roles["actual"])) if order is None else order
    accumulator = Accumulator(**settings, **options)
    for start in range(0, len(order), size):
        rows = order[start : start + size]
        accumulator.update(
            **{role: torch.from_numpy(np.ascontiguousarray(v[rows])) for role, v in roles.items()}
        )
    return accumulator


@pytest.mark.parametrize("task", TASKS)
def test_any_batches_in_any_order_equal_all_rows_at_once(task):
    """Tallies are `==`, whatever the batch size, the order of rows and the parts that were merged."""
    roles, settings = columns(task)
    whole = assay.evaluate(**roles, **settings)
    shuffled = np.random.default_rng(1).permutation(N)
    for size, order in ((1, None), (64, shuffled), (N, shuffled)):
        ev = accumulated(roles, settings, size, order).evaluate()
        assert ev.tallies == whole.tallies
        assert ev.task == whole.task
    halves = [accumulated({r: v[part] for r, v in roles.items()}, settings, 100)
              for part in (slice(400), slice(400, None))]  # fmt: skip
    merged = halves[1].merge(halves[0])
    assert merged.n == N
    assert merged.evaluate().tallies == whole.tallies
    assert str(merged.evaluate()) == str(whole)
    assert halves[0].n == 400, "an argument of merge was changed"


@pytest.mark.parametrize("task", TASKS)
def test_update_never_waits_for_the_device(task):
    """No operation reads a value or sizes its result by values: tensors without values serve as well."""
    roles, settings = columns(task)
    with NoWaiting():
        accumulated(roles, settings, 128)
    accumulator = Accumulator(**settings)
    for _ in range(3):
        accumulator.update(**{role: torch.from_numpy(v).to("meta") for role, v in roles.items()})
    assert accumulator.n == 3 * N


def test_the_guard_against_waiting_notices_what_waits():
    """The test above could fail."""
    for wait in (lambda x: x.sum().item(), torch.nonzero, torch.unique):
        with pytest.raises(AssertionError, match="waits"), NoWaiting():
            wait(torch.arange(3))


def test_rows_go_through_several_blocks():
    """More rows than one block has, in batches that do not divide it."""
    roles, settings = columns("binary", n=150_000)
    assert (
        accumulated(roles, settings, 40_001).evaluate().tallies == assay.evaluate(**roles, **settings).tallies
    )


def test_logits_become_probabilities_at_the_end():
    """By sigmoid or softmax in float64: as PyTorch has them, to the last digits."""
    random = np.random.default_rng(3)
    one, several = random.normal(0, 4, N), random.normal(0, 4, (N, 4))
    assert np.allclose(probabilities(one), torch.sigmoid(torch.from_numpy(one)), rtol=4e-16, atol=0)
    softmax = torch.softmax(torch.from_numpy(several), 1)
    assert np.allclose(probabilities(several), softmax, rtol=2e-15, atol=0)
    each = torch.sigmoid(torch.from_numpy(several))
    assert np.allclose(probabilities(several, multilabel=True), each, rtol=4e-16, atol=0)
    roles = {"actual": random.integers(0, 4, N), "score": several}
    settings = {"task": "multiclass", "labels": [0, 1, 2, 3]}
    ev = accumulated(roles, settings, 33, random.permutation(N), logits=True).evaluate()
    assert ev.tallies == assay.evaluate(**{**roles, "score": probabilities(several)}, **settings).tallies


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
def test_scores_of_any_float_type(dtype):
    """They are the numbers that they hold."""
    roles, settings = columns("binary")
    score = torch.from_numpy(roles["score"]).to(getattr(torch, dtype))
    accumulator = Accumulator(**settings)
    accumulator.update(actual=torch.from_numpy(roles["actual"]), score=score.requires_grad_())
    exact = score.detach().to(torch.float64 if dtype == "float64" else torch.float32).numpy()
    assert accumulator.evaluate().tallies == assay.evaluate(**{**roles, "score": exact}, **settings).tallies


def test_ignored_and_named_classes():
    """Rows of the ignored class are left out, and classes shown by their names, in their order."""
    actual = torch.tensor([[2, 0, 255], [1, 1, 0]])
    accumulator = Accumulator(
        task="multiclass", classes=["sky", "road", "car"], ignore_index=255, logits=True
    )
    score = torch.randn(1, 3, 2, 3, generator=torch.Generator().manual_seed(0))
    accumulator.update(actual=actual[None], score=score)
    ev = accumulator.evaluate()
    assert ev.n == 5
    assert ev.task.labels == ("sky", "road", "car")
    highest = score.argmax(1).reshape(-1)[actual.reshape(-1) != 255]
    table = np.zeros((3, 3), dtype=int)
    np.add.at(table, (actual[actual != 255].numpy(), highest.numpy()), 1)
    assert ev.confusion.counts.tolist() == table.tolist()


def test_repeated_rows_are_evaluated_once():
    """Whatever the order, also where the copies differ in the last bits."""
    roles, settings = columns("binary")
    keys = np.arange(N)
    padded = {role: np.concatenate([v, v[:24]]) for role, v in {**roles, "key": keys}.items()}
    whole = assay.evaluate(**roles, **settings)
    assert accumulated(padded, settings, 128).evaluate().tallies == whole.tallies
    padded["score"][-1] = np.nextafter(padded["score"][-1], np.float32(2))
    orders = (np.arange(N + 24), np.random.default_rng(0).permutation(N + 24))
    for order in orders:
        assert accumulated(padded, settings, 100, order).evaluate().tallies == whole.tallies


def test_a_key_of_rows_that_are_no_copies_is_refused():
    """Such as one that begins anew in each batch: rows would be lost."""
    accumulator = Accumulator(task="binary")
    for actual in ([0, 1, 1], [1, 1, 0]):
        accumulator.update(actual=torch.tensor(actual), score=torch.rand(3), key=torch.arange(3))
    with pytest.raises(ColumnError, match="the key 0 have different actual values"):
        accumulator.evaluate()


def test_many_repeated_rows_of_any_shape():
    """Classes, several labels and missing numbers among them; the least of the copies, in any order."""
    random = np.random.default_rng(0)
    keys = random.permutation(np.repeat(np.arange(N), 3))
    actual, score = random.integers(0, 2, (N, 2))[keys], random.random((3 * N, 2))
    expected = np.array([min(score[keys == key].tolist()) for key in range(N)])
    whole = assay.evaluate(
        actual=actual[np.unique(keys, return_index=True)[1]], score=expected, task="multilabel"
    )
    roles = {"actual": actual, "score": score, "key": keys}
    assert accumulated(roles, {"task": "multilabel"}, 500).evaluate().tallies == whole.tallies
    nothing = np.array([float("nan"), 1.0, float("nan")])
    columns = {"actual": nothing, "predicted": np.arange(3.0), "key": np.array([5, 6, 5])}
    assert without_repeats(columns)["predicted"].tolist() == [0, 1]


@pytest.mark.parametrize("counts", [False, True])
def test_inference_mode_may_be_entered_and_left(counts):
    """As where a model is tried in it before it is trained."""
    actual, score = torch.tensor([0, 1, 1]), torch.tensor([0.2, 0.9, 0.4])
    accumulator = Accumulator(task="binary", counts=counts)
    with torch.inference_mode():
        accumulator.update(actual=actual, score=score)
    accumulator.update(actual=actual, score=score)
    with torch.inference_mode():
        accumulator.update(actual=actual, score=score)
        assert accumulator.evaluate().n == 9
        merged = accumulator.merge(accumulator)
    merged.update(actual=actual, score=score)
    assert merged.evaluate().n == 21


@pytest.mark.parametrize("counts", [False, True])
def test_copies_and_pickles_have_rows_of_their_own(counts):
    """And not the room that is kept for more."""
    roles, settings = columns("binary")
    accumulator = accumulated(roles, settings, 300, counts=counts)
    whole = accumulator.evaluate().tallies
    pickled = pickle.dumps(accumulator)
    copies = [copy.deepcopy(accumulator), pickle.loads(pickled)]  # noqa: S301 - our own
    accumulator.update(actual=torch.tensor([1]), score=torch.tensor([0.5]))
    for other in copies:
        assert other.evaluate().tallies == whole
        other.update(actual=torch.tensor([1]), score=torch.tensor([0.5]))
        assert other.evaluate().tallies == accumulator.evaluate().tallies
    if not counts:
        assert len(pickled) < 20 * N


@pytest.mark.parametrize("counts", [False, True])
def test_threads_lose_no_rows(counts):
    """Batches of several threads at once."""
    actual, score = torch.tensor([0, 1, 1]), torch.tensor([0.2, 0.9, 0.4])
    accumulator = Accumulator(task="binary", counts=counts)

    def work():
        for _ in range(1000):
            accumulator.update(actual=actual, score=score)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ev = accumulator.evaluate()
    assert accumulator.n == ev.n == 12_000
    assert ev.confusion.counts.tolist() == [[4000, 0], [4000, 4000]]


@pytest.mark.parametrize("counts", [False, True])
def test_what_cannot_be_added_is_refused(counts):
    """Batches on another device than those before, and sparse tensors."""
    actual, score = torch.tensor([0, 1]), torch.tensor([0.2, 0.9])
    accumulator = Accumulator(task="binary", counts=counts)
    accumulator.update(actual=actual, score=score)
    with pytest.raises(ColumnError, match="on meta"):
        accumulator.update(actual=actual.to("meta"), score=score.to("meta"))
    with pytest.raises(ColumnError, match="sparse"):
        accumulator.update(actual=actual.to_sparse(), score=score)
    assert accumulator.evaluate().n == 2
    accumulator.reset()
    accumulator.update(actual=actual.to("meta"), score=score.to("meta"))
    assert accumulator.n == 2


@pytest.mark.parametrize("counts", [False, True])
def test_columns_of_one_value_a_row(counts):
    """Shape ``(n, 1)``, as models have it."""
    actual, score = torch.tensor([0, 1, 1]), torch.tensor([0.2, 0.9, 0.4])
    accumulator = Accumulator(task="binary", counts=counts)
    accumulator.update(actual=actual[:, None], score=score[:, None])
    assert accumulator.evaluate().confusion.counts.tolist() == [[1, 0], [1, 1]]


def test_scores_of_a_class_that_no_row_has():
    """The classes are the columns of the scores, unless they are named."""
    score = torch.tensor([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]])
    accumulator = Accumulator(task="multiclass")
    accumulator.update(actual=torch.tensor([0, 1]), score=score)
    ev = accumulator.evaluate()
    assert ev.task.labels == (0, 1, 2)
    assert ev["accuracy"].value == 1


def test_settings_may_be_arrays():
    """Such as labels: they are compared as a whole when accumulators are merged."""
    made = [Accumulator(task="multiclass", labels=np.arange(size)) for size in (3, 3, 4)]
    for accumulator in made:
        accumulator.update(actual=torch.tensor([0, 1]), predicted=torch.tensor([0, 2]))
    assert made[0].merge(made[1]).evaluate().n == 4
    with pytest.raises(MergeError, match="different settings"):
        made[0].merge(made[2])


def test_reset_forgets_the_rows():
    """And with them which roles there were."""
    roles, settings = columns("binary")
    accumulator = accumulated(roles, settings, 500)
    accumulator.reset()
    assert len(accumulator) == 0
    accumulator.update(actual=torch.tensor([0, 1]), predicted=torch.tensor([0, 1]))
    assert accumulator.evaluate().n == 2


def test_later_changes_of_a_tensor_do_not_matter():
    """A batch is copied: a buffer that the loop uses again is no danger."""
    buffer = torch.tensor([0.2, 0.8])
    accumulator = Accumulator(task="binary")
    accumulator.update(actual=torch.tensor([0, 1]), score=buffer)
    buffer.zero_()
    assert accumulator.evaluate()["auc"].value == 1


def test_mistakes_are_named():
    """With what to do."""
    ones = torch.ones(3, dtype=torch.int64)
    accumulator = Accumulator(task="binary")
    cases = [
        (ColumnError, "not a tensor", {"actual": [0, 1], "score": ones}),
        (InputError, "predicted= or score=", {"actual": ones}),
        (LengthError, "3 rows and score 2", {"actual": ones, "score": torch.ones(2)}),
        (
            ColumnError,
            "one value per row",
            {"actual": ones, "score": torch.ones(3), "weight": torch.ones(3, 2)},
        ),
        (ColumnError, "one value per row", {"actual": torch.tensor(1), "score": torch.tensor(0.5)}),
    ]
    for error, words, roles in cases:
        with pytest.raises(error, match=words):
            accumulator.update(**roles)
    with pytest.raises(InputError, match="no rows"):
        accumulator.evaluate()
    accumulator.update(actual=ones, score=torch.ones(3))
    with pytest.raises(InputError, match="same roles"):
        accumulator.update(actual=ones, predicted=ones)
    with pytest.raises(InputError, match="score changed between batches"):
        accumulator.update(actual=ones, score=torch.ones(3, dtype=torch.float64))
    assert accumulator.n == 3
    with pytest.raises(MergeError, match="different settings"):
        accumulator.merge(Accumulator(task="multiclass"))
    with pytest.raises(MergeError, match="not with a list"):
        accumulator.merge([])
    with pytest.raises(InputError, match=r"no setting .top"):
        Accumulator(top=3)
    with pytest.raises(LabelError, match="named twice"):
        Accumulator(classes=["a", "a"])
    named = Accumulator(task="multiclass", classes=["a", "b"])
    named.update(actual=torch.tensor([0, 2]), predicted=torch.tensor([0, 1]))
    with pytest.raises(LabelError, match=r"actual holds 2 \(row 1"):
        named.evaluate()
    broken = Accumulator(task="binary")
    broken.update(actual=torch.tensor([0, 1]), score=torch.tensor([0.5, float("nan")]))
    with pytest.raises(AssayError):
        broken.evaluate()
    keyed = Accumulator(task="binary")
    keyed.update(actual=ones, score=torch.ones(3), key=torch.ones(3))
    with pytest.raises(ColumnError, match="number the rows with integers"):
        keyed.evaluate()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here")
def test_on_a_cuda_device_nothing_waits_and_the_bits_are_the_same():
    """With CUDA's own check of waiting, and with rows that are moved to the host on the way."""
    roles, settings = columns("binary", n=300_000)
    tensors = {role: torch.from_numpy(v).cuda() for role, v in roles.items()}
    accumulator = Accumulator(**settings)
    accumulator._store.device_bytes = 2 << 20
    torch.cuda.set_sync_debug_mode("error")
    try:
        for start in range(0, 300_000, 1024):
            accumulator.update(**{role: v[start : start + 1024] for role, v in tensors.items()})
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert accumulator.evaluate().tallies == assay.evaluate(**roles, **settings).tallies


def test_without_pytorch_the_import_says_what_to_install():
    """In our own words, by an ImportError that is ours."""
    script = (
        "import sys; sys.modules['torch'] = None\n"
        "from assay.errors import MissingDependencyError\n"
        "try:\n    import assay.torch\nexcept MissingDependencyError as error:\n    print(error)"
    )
    out = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert "assay-metrics[torch]" in out
