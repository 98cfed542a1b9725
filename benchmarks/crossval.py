"""Cross-validation with ten metrics beside scikit-learn's, and what either costs beyond the model's own work.

``python benchmarks/crossval.py`` measures and writes the table into docs/how-to/crossval.md.
"""

from __future__ import annotations

import functools
import sys
import time
from pathlib import Path

import numpy as np
from harness import Line, measure
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import assay
from assay.resampling import as_cv, kfold

METRICS = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
    "precision": "precision",
    "recall": "recall",
    "f1": "f1",
    "mcc": "matthews_corrcoef",
    "auc": "roc_auc",
    "average_precision": "average_precision",
    "log_loss": "neg_log_loss",
    "brier": "neg_brier_score",
}
PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "crossval.md"
BEGIN, END = "<!-- overhead: written by benchmarks/crossval.py -->", "<!-- end of overhead -->"


class Clock:
    """The processor's seconds that models spend in their own methods, whoever calls them.

    They are the processor's, so that what else runs on the machine counts less.
    """

    def __init__(self):
        self.seconds, self.inside = 0.0, False

    def timed(self, kind):
        """Return a kind of model whose fitting and answering is counted here."""

        def counted(method):
            @functools.wraps(method)
            def call(model, *args, **more):
                if self.inside:  # predict may call decision_function
                    return method(model, *args, **more)
                self.inside, start = True, time.process_time()
                try:
                    return method(model, *args, **more)
                finally:
                    self.seconds += time.process_time() - start
                    self.inside = False

            return call

        verbs = ("fit", "predict", "predict_proba", "decision_function")
        return type(kind.__name__, (kind,), {
            verb: counted(getattr(kind, verb)) for verb in verbs if hasattr(kind, verb)
        })  # fmt: skip

    def beyond(self, run):
        """Return a function that runs and keeps the seconds beyond the models' own, and these."""
        found = []

        def call():
            self.seconds = 0.0
            start = time.process_time()
            result = run()
            found.append((time.process_time() - start - self.seconds, self.seconds))
            return result

        return call, found


CLOCK = Clock()
MODELS = {
    "naive Bayes": CLOCK.timed(GaussianNB)(),
    "logistic regression": CLOCK.timed(LogisticRegression)(),
    "tree": CLOCK.timed(DecisionTreeClassifier)(max_depth=5, min_samples_leaf=500, random_state=0),
}


def problem(n, seed=6):
    rng = np.random.default_rng(seed)
    features = rng.normal(1, 2, size=(n, 20))
    return features, (features[:, :4].sum(axis=1) + rng.normal(0, 4, size=n) > 4).astype(int)


def run(sizes: tuple[int, ...] = (100_000,), runs: int = 3) -> list[Line]:
    lines = []
    for n in sizes:
        features, target = problem(n)
        for name, model in MODELS.items():

            def ours(model=model, features=features, target=target):
                return assay.crossval(
                    model, features, target, split=kfold(10), metrics=list(METRICS), resubstitution=False
                )

            def theirs(model=model, features=features, target=target):
                return cross_validate(
                    model, features, target, cv=as_cv(kfold(10)), scoring=list(METRICS.values()),
                    error_score="raise",
                )  # fmt: skip

            found, peer = ours(), theirs()
            for mine, other in METRICS.items():
                assert np.allclose(found.per_fold(mine), np.abs(peer[f"test_{other}"]), rtol=1e-9)
            (own, beyond), (peer_run, peer_beyond) = CLOCK.beyond(ours), CLOCK.beyond(theirs)
            line = measure(f"10 folds, 10 metrics, {name}", n, own, {"sklearn": peer_run}, runs=runs)
            costs = [min(found) for found in (beyond, peer_beyond)]
            work = min(seconds for _, seconds in beyond)
            line.note = (
                f"beyond the model's own {work * 1e3:,.0f} ms: {costs[0][0] * 1e3:,.0f} ms "
                f"({costs[0][0] / work:.1%}), sklearn {costs[1][0] * 1e3:,.0f} ms ({costs[1][0] / work:.1%})"
            )
            print(f"  {line.note}")
            line.row = f"| {name} | {work:.2f} s | " + " | ".join(
                f"{cost * 1e3:,.0f} ms, {cost / work:.1%}" for cost, _ in costs
            ) + " |"  # fmt: skip
            lines.append(line)
    return lines


def main() -> int:
    written = "\n".join([
        "| processor time | the model's own work | beyond it | scikit-learn beyond it |",
        "|---|---|---|---|",
        *(line.row for line in run(runs=1)),
    ])  # fmt: skip
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    if not rest:
        print(f"{PAGE.name} lacks the line {BEGIN}", file=sys.stderr)
        return 1
    PAGE.write_text(f"{before}{BEGIN}\n{written}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
