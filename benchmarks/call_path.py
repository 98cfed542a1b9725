"""Count the files that a call crosses and its changes of stage: ``python benchmarks/call_path.py``.

Every Python call inside the package is followed. A file counts once, however often it is entered. A change
is a call from a function of one stage (a folder of ``src/assay``) to one of another. There are 200 rows, and
the second of two equal calls is counted, so that imports and caches are left out.

``--source FOLDER`` follows another copy of the package, to compare two states of the code; ``--top 20`` also
prints the most frequent changes.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import io
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable


class CallPath:
    """The files and the changes of stage of what runs inside a ``with`` block."""

    def __init__(self, package: Path) -> None:
        self.package = f"{package}/"
        self.files: set[str] = set()
        self.changes: collections.Counter[tuple[str, str]] = collections.Counter()
        self._stack: list[tuple[str, str]] = []

    def __enter__(self) -> Self:
        sys.setprofile(self._follow)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _follow(self, frame: Any, event: str, _: Any) -> None:
        path = frame.f_code.co_filename
        if event not in ("call", "return") or not path.startswith(self.package):
            return
        if event == "return":
            if self._stack:
                self._stack.pop()
            return
        file = path[len(self.package) :]
        stage, place = file.partition("/")[0], f"{file}:{frame.f_code.co_name}"
        self.files.add(file)
        if self._stack and self._stack[-1][0] != stage:
            self.changes[self._stack[-1][1], place] += 1
        self._stack.append((stage, place))


def calls(folder: Path) -> dict[str, Callable[[], object]]:
    """Return the calls that are followed, by name."""
    import numpy as np
    import pandas as pd

    import assay
    from assay.cli import main

    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 200)
    frame = pd.DataFrame(
        {"y": label, "p": np.clip(0.3 * label + 0.7 * rng.random(200), 0, 1), "q": rng.random(200)}
    )
    file = folder / "predictions.parquet"
    frame.to_parquet(file)
    features = frame[["p", "q"]].to_numpy()

    class Model:
        def fit(self, _features, target):
            self.classes_ = np.unique(target)
            return self

        def predict(self, features):
            return (features[:, 0] > 0.5).astype(int)

    task = {"kind" if "kind" in assay.evaluate.__wrapped__.__kwdefaults__ else "task": "binary"}
    metrics = ["accuracy", "kappa"]
    return {
        "evaluate and print": lambda: print(assay.evaluate(frame, actual="y", score="p")),
        "Parquet by the command line": lambda: main(["evaluate", str(file), "--actual", "y", "--score", "p"]),
        "compare and print": lambda: print(assay.compare(frame, actual="y", score=["p", "q"])),
        "crossval": lambda: assay.crossval(Model(), features, label, split=5, metrics=metrics, **task),
        "sklearn.roc_auc_score": lambda: assay.sklearn.roc_auc_score(label, frame["p"].to_numpy()),
    }


def main() -> int:
    """Follow each call and print what it crosses."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--source", type=Path, help="a folder with another copy of the package assay")
    parser.add_argument("--top", type=int, default=0, help="print so many of the most frequent changes")
    arguments = parser.parse_args()
    if arguments.source is not None:
        sys.path.insert(0, str(arguments.source.resolve()))
    import assay

    package = Path(assay.__file__).parent
    print(f"{'call':<30}{'files':>8}{'changes':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for name, call in calls(Path(folder)).items():
            with contextlib.redirect_stdout(io.StringIO()):
                call()
                with CallPath(package) as path:
                    call()
            print(f"{name:<30}{len(path.files):>8}{path.changes.total():>10}")
            for (caller, callee), times in path.changes.most_common(arguments.top):
                print(f"{times:>8}  {caller} -> {callee}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
