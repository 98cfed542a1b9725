"""An entry of a ledger: what it says, and the hash that chains it to the entry before."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import TYPE_CHECKING, Any, Final

from assay.errors import LedgerError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["EVALUATION", "Entry", "canonical_json", "digest", "entry_hash"]

EVALUATION: Final = "evaluation"  # the kind of the entries that are looks


@dataclasses.dataclass(frozen=True)
class Entry:
    """An entry of a ledger. ``blobs`` are the SHA-256 hashes of its binary data by name."""

    number: int
    time: str  # UTC, ISO 8601
    kind: str
    payload: Mapping[str, Any]
    blobs: Mapping[str, str]
    previous: str
    hash: str

    @property
    def model(self) -> str:
        """The name of the model."""
        return str(self.payload.get("model") or "")

    @property
    def test(self) -> str:
        """The identity of the test set (:attr:`assay.Fingerprint.test_set`)."""
        return str(self.payload.get("test") or "")

    @property
    def predictions(self) -> str:
        """The identity of the predictions."""
        return str(self.payload.get("predictions") or "")

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags that it was recorded with."""
        found = self.payload.get("tags")
        return tuple(map(str, found)) if isinstance(found, (list, tuple)) else ()

    @property
    def content(self) -> str:
        """The hash of what it says, wherever it stands: equal in every ledger that it was copied to."""
        return digest(_content(self.time, self.kind, self.payload, self.blobs))

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as plain data."""
        return dataclasses.asdict(self)


def canonical_json(value: Any) -> str:
    r"""Return plain data as JSON that equal data always give: keys sorted, no spaces, ASCII.

    >>> canonical_json({"b": 1, "a": [True, "é"]})
    '{"a":[true,"\\u00e9"],"b":1}'
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise LedgerError(
            f"an entry of a ledger holds plain data only (text, numbers, lists): {error}."
        ) from None


def digest(data: bytes | str) -> str:
    """Return the SHA-256 of bytes or text."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def entry_hash(  # noqa: PLR0917 - the fields of an entry
    number: int, time: str, kind: str, payload: Mapping[str, Any], blobs: Mapping[str, str], previous: str
) -> str:
    """Return the hash of an entry, which covers the hash of the one before."""
    return digest(canonical_json([number, previous, digest(_content(time, kind, payload, blobs))]))


def _content(time: str, kind: str, payload: Mapping[str, Any], blobs: Mapping[str, str]) -> str:
    return canonical_json([time, kind, payload, blobs])
