"""What stands for Lightning and for Hugging Face's Trainer where the documents' examples run without them."""

import importlib
import importlib.util
import sys
import types


class Module:
    """A model that returns its first feature."""

    def __call__(self, features):
        """Return a logit a row."""
        return features[:, 0]

    def log_dict(self, values):
        """Log nothing."""


class Trainer:
    """One epoch of validation, or the metrics of predictions, in the order of the calls."""

    sanity_checking = False

    def __init__(self, *_, callbacks=(), eval_dataset=None, compute_metrics=None):
        self._callbacks, self._rows, self._metrics = callbacks, eval_dataset, compute_metrics

    def fit(self, model, _, loader):
        """Validate once."""
        for callback in self._callbacks:
            callback.on_validation_epoch_start(self, model)
            for index, batch in enumerate(loader):
                outputs = model.validation_step(batch, index)
                callback.on_validation_batch_end(self, model, outputs, batch, index)
            callback.on_validation_epoch_end(self, model)

    def evaluate(self):
        """Return the metrics of the rows, which are logits and labels."""
        return self._metrics(self._rows)


class EarlyStopping:
    """A callback that never stops."""

    def __init__(self, name, mode):
        self.name, self.mode = name, mode

    def __getattr__(self, hook):
        return lambda *_: None


def names(torch):
    """Return the names that the examples use."""
    load_callback()
    features, labels = torch.randn(40, 3), torch.arange(40) % 2
    return {
        "LightningModule": Module, "Trainer": Trainer, "EarlyStopping": EarlyStopping, "train_loader": None,
        "validation_loader": [(features, labels)], "arguments": None,
        "rows": (torch.randn(40, 3), torch.arange(40) % 3),
    }  # fmt: skip


def load_callback():
    """Load the callback on a stand-in for the base of callbacks, where Lightning is not installed."""
    if importlib.util.find_spec("lightning") or importlib.util.find_spec("pytorch_lightning"):
        return
    stand_in = types.ModuleType("lightning.pytorch")
    stand_in.Callback = object
    sys.modules["lightning.pytorch"] = stand_in
    importlib.import_module("assay.torch.lightning")
    del sys.modules["lightning.pytorch"]
