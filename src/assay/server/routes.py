"""From an address to a page: what is there, and what is answered where nothing is."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from assay import __version__
from assay.errors import AssayError, LedgerError
from assay.formatting.width import LINE, short
from assay.reports.page.document import PAGE, Assets, as_html, content_policy
from assay.server.list_pages import runs_page
from assay.server.looks_pages import LooksPages
from assay.server.plan_pages import plans_page
from assay.server.run_index import RunIndex
from assay.server.run_pages import RunPages
from assay.server.trend_pages import SliceReader, slices_page, trends_page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.ledgers.ledger import Ledger

__all__ = ["Response", "Site"]

_SHARED: Final = tuple(
    f"reports/page/{name}.js" for name in ("data", "elements", "downloads", "charts", "tables")
)
_STYLES: Final = ("reports/page/page.css", "server/server.css")
LISTS: Final = Assets(
    (
        "server/theme.js",
        *_SHARED,
        *(
            f"server/{name}.js"
            for name in ("navigation", "filters", "runs", "trends", "looks", "plans", "start")
        ),
    ),
    _STYLES,
    has_forms=True,
)
RUNS: Final = Assets(
    ("server/theme.js", *PAGE.scripts, "server/navigation.js", "server/run_header.js"), _STYLES
)
_NO_SCRIPT: Final = (
    "<p>The pages of a ledger are drawn by the script within them: let it run for this address.</p>"
)
_NUMBER: Final = re.compile(r"[0-9]{1,12}")
_MAX_FIELDS: Final = 200  # of an address
_MISSING: Final = "There is no such page."


@dataclasses.dataclass(frozen=True)
class Response:
    """A document with its HTTP status, and what it may do."""

    status: int
    body: str
    policy: str


class Site:
    """The pages of a ledger under a path that all of them begin with."""

    def __init__(self, ledger: Ledger, base: str = "/") -> None:
        self.index = RunIndex(ledger)
        self.base = base
        self._runs = RunPages(self.index)
        self._slices = SliceReader(ledger)
        self._looks = LooksPages(self.index)

    def respond(self, address: str) -> Response:
        """Return the page of an address, which is relative to the base."""
        try:
            self.index.refresh()
            return self._page(address)
        except LedgerError as error:
            return self._message(503, "The ledger cannot be read", str(error))
        except AssayError as error:
            return self._message(400, "This cannot be shown", str(error))

    def _page(self, address: str) -> Response:
        parts = urlsplit(f"/{address}")
        try:
            parameters = parse_qs(parts.query, max_num_fields=_MAX_FIELDS)
        except ValueError:
            return self._message(400, "This cannot be shown", "The address has too many parts.")
        name, _, rest = unquote(parts.path).removeprefix("/").partition("/")
        data: dict[str, Any] | None = None
        if name == "run" and _NUMBER.fullmatch(rest):
            return self._run(int(rest))
        if name == "compare" and not rest:
            return self._compare(parameters.get("run", []))
        if name == "tests" and rest:
            data = self._looks.one(rest)
        elif not rest:
            data = self._list(name, parameters)
        if data is None:
            return self._message(404, "Nothing here", _MISSING)
        return self._document(200, {"kind": "test" if rest else name or "runs", **data}, LISTS)

    def _list(self, name: str, parameters: Mapping[str, list[str]]) -> dict[str, Any] | None:
        if name == "":
            return runs_page(self.index, parameters)
        if name == "tests":
            return self._looks.all()
        if name == "trends":
            return trends_page(self.index, parameters)
        if name == "slices":
            return slices_page(self.index, self._slices, parameters)
        return plans_page(self.index) if name == "plans" else None

    def _run(self, number: int) -> Response:
        run = self.index.run(number)
        if run is None:
            return self._message(404, "Nothing here", f"The ledger has no run #{number}.")
        return self._document(200, *self._with_assets(self._runs.one(run)))

    def _compare(self, numbers: list[str]) -> Response:
        wanted = list(dict.fromkeys(int(one) for one in numbers if _NUMBER.fullmatch(one)))
        runs = [self.index.run(number) for number in wanted]
        absent = [f"#{number}" for number, run in zip(wanted, runs, strict=True) if run is None]
        if absent:
            return self._message(404, "Nothing here", f"The ledger has no run {', '.join(absent)}.")
        if len(runs) < 2:  # noqa: PLR2004
            return self._message(400, "This cannot be shown", "Choose two runs or more to compare them.")
        return self._document(200, *self._with_assets(self._runs.several([run for run in runs if run])))

    @staticmethod
    def _with_assets(made: tuple[dict[str, Any], str]) -> tuple[dict[str, Any], Assets, str]:
        page, still = made
        return page, RUNS, still

    def _message(self, status: int, title: str, text: str) -> Response:
        return self._document(status, {"kind": "message", "title": title, "text": short(text, LINE)}, LISTS)

    def _document(
        self, status: int, page: dict[str, Any], assets: Assets, still: str = _NO_SCRIPT
    ) -> Response:
        site = {"base": self.base, "ledger": self.name, "assay": __version__}
        return Response(status, as_html(page | {"site": site}, still, assets), content_policy(assets))

    @property
    def name(self) -> str:
        """What the ledger is called: the name of its file, or the address on a server."""
        url = self.index.ledger.url
        return short(url if "://" in url else Path(url).name)
