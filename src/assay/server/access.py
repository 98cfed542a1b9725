"""Who may read: requests to a name of this server, of its own pages, with the token where there is one."""

from __future__ import annotations

import dataclasses
import hmac
import ipaddress
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Access", "Refusal", "is_loopback"]


@dataclasses.dataclass(frozen=True)
class Refusal:
    """Why a request is refused, with its HTTP status."""

    status: int
    reason: str


@dataclasses.dataclass(frozen=True)
class Access:
    """The rules for requests to a server that was opened under a host, with a token or none.

    A page of another site cannot read from it: its requests carry that site's origin, and a name that
    its owner points to this machine (DNS rebinding) is no name of this server.
    """

    host: str
    token: str = ""

    @property
    def base(self) -> str:
        """The path under which all pages are: it holds the token."""
        return f"/{self.token}/" if self.token else "/"

    def refusal(self, headers: Mapping[str, str]) -> Refusal | None:
        """Return why a request with these headers is refused, None where it is not."""
        host = headers.get("Host", "")
        if not self._is_ours(host):
            return Refusal(421, "This server does not answer to that name: open the address that it printed.")
        origin = headers.get("Origin")
        if origin is not None and origin.casefold() != f"http://{host}".casefold():
            return Refusal(403, "Requests of other sites are refused.")
        navigates = (
            headers.get("Sec-Fetch-Mode") == "navigate" and headers.get("Sec-Fetch-Dest") == "document"
        )
        if headers.get("Sec-Fetch-Site", "none") not in {"none", "same-origin"} and not navigates:
            return Refusal(403, "Requests of other sites are refused.")
        return None

    def within(self, path: str) -> str | None:
        """Return a path without the token, None where the token is missing or wrong.

        >>> Access("0.0.0.0", token="secret").within("/secret/run/3"), Access("localhost").within("/run/3")
        ('run/3', 'run/3')
        """
        if not self.token:
            return path.removeprefix("/")
        given, _, rest = path.removeprefix("/").partition("/")
        return rest if hmac.compare_digest(given.encode(), self.token.encode()) else None

    def _is_ours(self, host: str) -> bool:
        """Tell whether a Host header names this server; its port may be that of a tunnel."""
        if "@" in host:  # a user's name, which no browser sends here
            return False
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name == "localhost" or _is_address(name):
            # An address is not looked up by name, which is what rebinding changes.
            return name == "localhost" or bool(self.token) or is_loopback(name)
        return bool(self.token) and name in {self.host.casefold(), socket.gethostname().casefold()}


def is_loopback(host: str) -> bool:
    """Tell whether a host can be reached from this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
