"""The estimate of few labels and many proxies: with what each of them says alone."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from assay.formatting.json_values import json_safe
from assay.inference.estimate import Estimate

if TYPE_CHECKING:
    from assay.metrics import Value

__all__ = ["ProxyEstimate"]


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class ProxyEstimate(Estimate):
    """An estimate from labels and proxies, with that of the labels alone and the proxy's value.

    ``effective_labels`` is how many labels alone would be as precise, ``tuning`` how much of the proxy's
    correction was used, for each proxy. Where the labels alone are the estimate, ``powered`` is False and the
    note says why.
    """

    labels_alone: Estimate | None = None
    proxy_alone: tuple[Value, ...] = ()
    tuning: tuple[float, ...] = ()
    effective_labels: float = 0.0
    powered: bool = False
    balance_p: float | None = None

    def __repr__(self) -> str:
        return Estimate.__repr__(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with what labels and proxy say alone."""
        alone = self.labels_alone
        data = Estimate.to_dict(self) | {
            "powered": self.powered,
            "labels_alone": None if alone is None else [alone.value, alone.low, alone.high],
            "proxy_alone": list(self.proxy_alone),
            "tuning": list(self.tuning),
            "effective_labels": self.effective_labels,
            "balance_p_value": self.balance_p,
        }
        return dict(json_safe(data))
