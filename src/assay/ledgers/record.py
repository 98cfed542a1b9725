"""What a ledger records of an evaluation: settings, estimates, the tallies' bytes; never its rows."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.errors import LedgerError
from assay.evaluation.default_metrics import flatten
from assay.evaluation.merge import completed
from assay.evaluation.storage import from_bytes, to_bytes
from assay.evaluation.task_tallies import FINGERPRINT
from assay.formatting.json_values import json_safe
from assay.hints import param
from assay.tallies import BoundedTally, Collection, Confusion, Fingerprint, Grouped, Scores, StoredRows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.evaluation.evaluation import Evaluation
    from assay.tallies import Tally

__all__ = ["FINGERPRINT", "evaluation_of", "fingerprint_of", "recorded"]

_NO_ROWS: Final = "a ledger stores no rows"
_MAX_EXACT_SCORES: Final = 1 << 21  # different ones; more are stored in bins, as of files beyond the memory


def fingerprint_of(ev: Evaluation) -> Fingerprint:
    """Return the fingerprint of an evaluation's test set: that of its scan, or of the rows it holds.

    A table of counts has one too: its rows are known by their labels.
    """
    tally = ev.by_name.get(FINGERPRINT)
    if isinstance(tally, Fingerprint):
        return tally
    rows = ev.source_rows if ev.gathered is None else ev.gathered
    if rows is not None:
        return Fingerprint.of(rows)
    table = ev.by_name.get("confusion")
    if isinstance(table, Confusion) and len(ev.tallies) == 1:
        # No rows to hash: the table itself is the identity, of the test set by its actual counts.
        totals = [str(total) for total in table.counts.sum(axis=1).tolist()]
        return _of_texts("counts", (*map(str, ev.task.labels), *totals), table.to_bytes(), ev.n)
    if "queries" in ev.by_name:
        return _of_texts("lists", (), ev.by_name["queries"].to_bytes(), ev.n)
    raise LedgerError(
        "this evaluation has no fingerprint of its test set, because its rows are not held: evaluate them "
        f"with {param('ledger')} or {param('key')}, which make it in the same pass."
    )


def _of_texts(basis: str, test: tuple[str, ...], tally: bytes, n: int) -> Fingerprint:
    """Return a fingerprint by what is known where rows were never there."""
    sums = [_sum(repr(test or tally).encode()), _sum(tally)]
    return dataclasses.replace(Fingerprint(), n=n, basis=(basis,), row_sum=sums[0], prediction_sum=sums[1])


def _sum(data: bytes) -> int:
    return int.from_bytes(hashlib.sha256(data).digest()[:16], "little")


def recorded(
    ev: Evaluation, fingerprint: Fingerprint, model: str, tags: Iterable[str]
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the plain data and the binary data of an evaluation's entry."""
    from assay import __version__  # noqa: PLC0415 - loads the package's metadata

    words = sorted({_storable(tag) for tag in ([tags] if isinstance(tags, str) else tags or ())})
    ev.estimate_all(flatten(ev.groups))  # while the rows are there
    whole = _without_rows(completed(ev))
    estimates = {
        name: json_safe(
            {
                "value": estimate.value, "low": estimate.low, "high": estimate.high,
                "confidence": estimate.confidence, "method": estimate.method,
            }
        )
        for name, estimate in whole.items()
    }  # fmt: skip
    settings = {
        field.name: value
        for field in dataclasses.fields(whole.settings)
        if (value := getattr(whole.settings, field.name)) != field.default
    }
    payload = {
        "model": _storable(model), "test": fingerprint.test_set, "predictions": fingerprint.predictions,
        "basis": list(fingerprint.basis), "rows": ev.n, "task": whole.task.name,
        "title": whole.task.title, "settings": json_safe(settings), "estimates": estimates,
        "by": list(whole.settings.by), "tags": words, "version": __version__,
        "commit": git_commit(str(Path.cwd())),
    }  # fmt: skip
    return payload, {"evaluation": to_bytes(whole), FINGERPRINT: fingerprint.to_bytes()}


def _storable(name: Any) -> str:
    r"""Return a name as every database takes it: bytes of a file's name that are no text, and NUL, are spelt.

    >>> _storable("caf\udce9"), _storable("naïve")
    ('caf\\udce9', 'naïve')
    """
    return str(name).encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")


def _without_rows(ev: Evaluation) -> Evaluation:
    """Return an evaluation whose tallies hold no rows; the fingerprint is stored beside them."""
    tallies: dict[str, Tally] = {}
    for name, tally in ev.by_name.items():
        if isinstance(tally, StoredRows):
            tallies[name] = BoundedTally.lost(ev.n, _NO_ROWS)
        elif name != FINGERPRINT:
            tallies[name] = _small(tally)
    return dataclasses.replace(
        ev, tallies=Collection.of_mapping(tallies), source_rows=None, gathered=None, saved=ev.estimates
    )


def _small(tally: Tally) -> Tally:
    """Return a tally whose bytes do not grow with the rows: very many different scores in bins.

    Of ten million scores that are 2 MB instead of 100, in which the area under the ROC curve is known to five
    digits. Estimates are stored beside it as they were.
    """
    if isinstance(tally, Scores) and len(tally.scores) > _MAX_EXACT_SCORES:
        return tally.binned()
    if isinstance(tally, Collection):
        return Collection.of_mapping({name: _small(part) for name, part in tally.items()})
    if isinstance(tally, Grouped) and _different_scores(tally) > _MAX_EXACT_SCORES:
        return Grouped.of_mapping({key: _binned(part) for key, part in tally.items()})
    return tally


def _binned(tally: Tally) -> Tally:
    if isinstance(tally, Collection):
        return Collection.of_mapping({name: _binned(part) for name, part in tally.items()})
    return tally.binned() if isinstance(tally, Scores) else tally


def _different_scores(tally: Tally) -> int:
    if isinstance(tally, (Collection, Grouped)):
        return sum(_different_scores(part) for part in tally.tallies)
    return len(tally.scores) if isinstance(tally, Scores) else 0


def evaluation_of(data: bytes, fingerprint: bytes) -> Evaluation:
    """Return the evaluation that was recorded, with its fingerprint."""
    ev = from_bytes(data)
    tallies = {**ev.by_name, FINGERPRINT: Fingerprint.from_bytes(fingerprint)}
    return dataclasses.replace(ev, tallies=Collection.of_mapping(tallies))


@functools.lru_cache(maxsize=16)
def git_commit(folder: str) -> str:
    """Return the commit that is checked out in a folder, "" where there is none; read without running git."""
    for parent in (Path(folder), *Path(folder).parents):
        git = parent / ".git"
        if not git.exists():
            continue
        try:
            if git.is_file():  # a worktree
                git = (parent / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()).resolve()
            head = (git / "HEAD").read_text(encoding="utf-8").strip()
            if not head.startswith("ref: "):
                return head
            shared = git / "commondir"
            folders = [git, *([git / shared.read_text(encoding="utf-8").strip()] if shared.exists() else [])]
            return _resolved(folders, head.removeprefix("ref: "))
        except (OSError, UnicodeDecodeError):
            return ""
    return ""


def _resolved(folders: list[Path], ref: str) -> str:
    for folder in folders:
        if (folder / ref).exists():
            return (folder / ref).read_text(encoding="utf-8").strip()
        packed = folder / "packed-refs"
        if packed.exists():
            for line in packed.read_text(encoding="utf-8").splitlines():
                if line.endswith(f" {ref}"):
                    return line.split(" ")[0]
    return ""
