"""The callback for Lightning: with Lightning where it is installed, else called in its order."""

import importlib.util
import subprocess
import sys
import types

import pytest

import assay

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

NAMES = [name for name in ("lightning", "pytorch_lightning") if importlib.util.find_spec(name)]
N = 60
FEATURES = torch.randn(N, 3, generator=torch.Generator().manual_seed(0))
LABELS = (FEATURES[:, 0] + torch.randn(N, generator=torch.Generator().manual_seed(1)) > 0).long()


@pytest.fixture(name="callback")
def _callback(monkeypatch):
    """Return the callback's class on a stand-in for Lightning's base of callbacks."""
    stand_in = types.ModuleType("lightning.pytorch")
    stand_in.Callback = type("Callback", (), {})
    monkeypatch.delitem(sys.modules, "pytorch_lightning", raising=False)
    monkeypatch.setitem(sys.modules, "lightning.pytorch", stand_in)
    monkeypatch.delitem(sys.modules, "assay.torch.lightning", raising=False)
    yield importlib.import_module("assay.torch.lightning").EvaluationCallback
    sys.modules.pop("assay.torch.lightning", None)


class Module:
    """What a callback calls of Lightning's module."""

    def __init__(self):
        self.logged = {}

    def log_dict(self, values):
        """Keep what is logged."""
        self.logged |= values


def epoch(callback, stage="validation", *, sanity=False, loaders=1, outputs=None):
    """Call the hooks of an epoch, and return what was logged."""
    trainer, module = types.SimpleNamespace(sanity_checking=sanity), Module()
    getattr(callback, f"on_{stage}_epoch_start")(trainer, module)
    for loader in range(loaders):
        for index, part in enumerate(torch.arange(N).split(16)):
            output = {"loss": 0.0, "actual": LABELS[part], "score": FEATURES[part, 0]}
            end = getattr(callback, f"on_{stage}_batch_end")
            end(trainer, module, output if outputs is None else outputs, (FEATURES[part], LABELS[part]), index,
                dataloader_idx=loader)  # fmt: skip
    getattr(callback, f"on_{stage}_epoch_end")(trainer, module)
    return module.logged


def test_metrics_of_all_rows_are_logged(callback):
    """Of validation and of test, once an epoch."""
    made = callback(["auc", "average precision"], task="binary", logits=True, intervals=True)
    whole = assay.evaluate(actual=LABELS, score=FEATURES[:, 0], task="binary")["auc"].value
    for _ in range(2):
        logged = epoch(made)
        assert list(logged) == [
            "val_auc", "val_auc_low", "val_auc_high", "val_average_precision", "val_average_precision_low",
            "val_average_precision_high",
        ]  # fmt: skip
        assert logged["val_auc"] == whole
    assert "test_auc" in epoch(made, "test")
    assert {name: ev.n for name, ev in made.evaluations.items()} == {"val": N, "test": N}


def test_the_first_batches_that_are_tried_are_not_evaluated(callback):
    """A class may be missing in them."""
    made = callback("auc", task="binary", logits=True)
    assert epoch(made, sanity=True) == {}
    assert epoch(made)["val_auc"] > 0.5
    assert made.evaluations["val"].n == N


def test_several_loaders_are_evaluated_apart(callback):
    """Under the names that Lightning gives them."""
    logged = epoch(callback("auc", task="binary", logits=True), loaders=2)
    assert list(logged) == ["val_auc/dataloader_idx_0", "val_auc/dataloader_idx_1"]


def test_rows_are_found_in_what_the_step_returned(callback):
    """By a function, where it is no dictionary of roles."""
    made = callback(
        "auc", task="binary", logits=True,
        rows=lambda loss, batch: {"actual": batch[1], "score": batch[0][:, 0]},  # noqa: ARG005
    )  # fmt: skip
    assert epoch(made, outputs=torch.tensor(0.5))["val_auc"] > 0.5
    for outputs, words in ((torch.tensor(0.5), "Tensor"), ({"loss": 1}, "loss")):
        with pytest.raises(assay.errors.InputError, match=words):
            epoch(callback("auc", task="binary"), outputs=outputs)
    with pytest.raises(assay.errors.AssayError, match="no setting"):
        callback("auc", top=3)


def test_without_lightning_the_import_says_what_to_install():
    """By an ImportError that is ours."""
    script = (
        "import sys; sys.modules.update(dict.fromkeys(['lightning', 'pytorch_lightning']))\n"
        "from assay.errors import MissingDependencyError\n"
        "try:\n    import assay.torch.lightning\nexcept MissingDependencyError as error:\n    print(error)"
    )
    out = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    assert "pip install lightning" in out


SCRIPT = """
import sys, warnings, torch
warnings.simplefilter("ignore")
if sys.argv[1] == "lightning":
    import lightning.pytorch as pl
else:
    import pytorch_lightning as pl
from assay.torch.lightning import EvaluationCallback

features = torch.randn(60, 3, generator=torch.Generator().manual_seed(0))
labels = (features[:, 0] + torch.randn(60, generator=torch.Generator().manual_seed(1)) > 0).long()
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(features, labels), batch_size=16)

class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)
    def training_step(self, batch, index):
        logits = self.layer(batch[0])[:, 0]
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, batch[1].float())
    def validation_step(self, batch, index):
        return {"actual": batch[1], "score": self.layer(batch[0])[:, 0]}
    test_step = validation_step
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)

made = EvaluationCallback(["auc", "f1"], task="binary", logits=True)
stop = pl.callbacks.EarlyStopping("val_auc", mode="max")
trainer = pl.Trainer(max_epochs=3, accelerator="cpu", logger=False, enable_checkpointing=False,
                     enable_progress_bar=False, enable_model_summary=False, callbacks=[made, stop])
model = Model()
trainer.fit(model, loader, loader)
assert made.evaluations["val"].n == 60
assert abs(float(trainer.callback_metrics["val_auc"]) - made.evaluations["val"]["auc"].value) < 1e-6
trainer.test(model, loader, verbose=False)
assert "test_f1" in trainer.callback_metrics, trainer.callback_metrics
print("done")
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES or [pytest.param("none", marks=pytest.mark.skip(reason="Lightning is not installed"))])  # fmt: skip
def test_lightning_itself(name, tmp_path):
    """Fit with early stopping on a logged metric, then test, by either name of the package."""
    run = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, "-c", SCRIPT, name], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert run.stdout.strip().endswith("done"), run.stderr[-3000:]
