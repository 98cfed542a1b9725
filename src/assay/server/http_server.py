"""HTTP for the pages of a ledger, on Python's own server: GET alone, after the rules of access."""

from __future__ import annotations

import contextlib
import errno
import http.server
import os
import secrets
import socket
import sys
import traceback
from typing import TYPE_CHECKING, Any, Final

from assay import __version__
from assay.errors import InputError
from assay.escape import printable
from assay.server.access import Access, Refusal, is_loopback
from assay.server.routes import Response, Site

if TYPE_CHECKING:
    from assay.ledgers.ledger import Ledger

__all__ = ["LedgerServer"]

_PLAIN: Final = "default-src 'none'"
_TOKEN_BYTES: Final = 24
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class _Handler(http.server.BaseHTTPRequestHandler):
    """One connection; every request passes the rules of access before anything else is looked at."""

    server: LedgerServer
    server_version = f"assay/{__version__}"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = 30  # seconds that a client may take for its request

    def do_GET(self) -> None:
        """Answer with a page."""
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        """Answer with the headers of a page."""
        self._answer(with_body=False)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):  # the server is read-only
            return self._refuse_method
        raise AttributeError(name)

    def _refuse_method(self) -> None:
        self.close_connection = True  # what else was sent is not read
        self._refuse(Refusal(405, "This server is only read from."), {"Allow": "GET, HEAD"})

    def _answer(self, *, with_body: bool) -> None:
        refusal = self.server.access.refusal(self.headers)  # type: ignore[arg-type]
        path = self.server.access.within(self.path)
        if refusal is None and not self.path.startswith("/"):
            refusal = Refusal(400, "The address is no path.")
        if refusal is None and path is None:
            refusal = Refusal(403, "Open the whole address that assay serve printed: it holds a token.")
        if refusal is not None:
            self._refuse(refusal)
            return
        if path == "favicon.ico":
            self._send(204, "", "text/plain", _PLAIN)
            return
        response = self._respond(path or "")
        policy = f"{response.policy}; frame-ancestors 'none'"
        self._send(response.status, response.body, "text/html", policy, with_body=with_body)

    def _respond(self, path: str) -> Response:
        try:
            return self.server.site.respond(path)
        except Exception as error:  # noqa: BLE001 - one page that fails must not end the others
            name = type(error).__name__
            self.server.report(error)
            return Response(
                500, f"<!doctype html><title>assay</title><p>This should not have happened: {name}.", _PLAIN
            )

    def _refuse(self, refusal: Refusal, headers: dict[str, str] | None = None) -> None:
        self._send(refusal.status, f"{refusal.reason}\n", "text/plain", _PLAIN, headers)

    def _send(
        self, status: int, text: str, kind: str, policy: str, headers: dict[str, str] | None = None, *,
        with_body: bool = True,
    ) -> None:  # fmt: skip
        body = text.encode("utf-8", "backslashreplace")
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Security-Policy": policy, **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if with_body and self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Print nothing: addresses hold the token."""


class LedgerServer(http.server.ThreadingHTTPServer):
    """A server of the pages of a ledger; the port is taken at once, and ``serve_forever`` answers.

    It opens the ledger for reading only. Whoever can reach a host that is not this machine's loopback needs
    the token, which is part of :attr:`url`.
    """

    daemon_threads = True
    request_queue_size = 64
    allow_reuse_address = os.name != "nt"  # there it would let two programs have one port

    def __init__(
        self, ledger: Ledger, host: str = "127.0.0.1", port: int = 8765, *, token: bool = False
    ) -> None:
        needed = token or not is_loopback(host)
        self.access = Access(host, secrets.token_urlsafe(_TOKEN_BYTES) if needed else "")
        self.site = Site(ledger, self.access.base)
        self.site.index.refresh()
        self.address_family, address = _resolved(host, port)
        try:
            super().__init__(address, _Handler)
        except OSError as error:
            raise InputError(_not_opened(host, port, error)) from None

    def server_bind(self) -> None:
        """Take the port, without asking a name server what this machine is called."""
        with contextlib.suppress(OSError, AttributeError):
            if self.address_family == socket.AF_INET6:
                self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super(http.server.HTTPServer, self).server_bind()
        self.server_name, self.server_port = self.access.host, self.server_address[1]

    @property
    def url(self) -> str:
        """The address to open in a browser."""
        host = self.access.host
        if host in {"0.0.0.0", "::", ""}:  # noqa: S104 - all addresses of this machine
            host = socket.gethostname()
        return f"http://{f'[{host}]' if ':' in host else host}:{self.server_port}{self.access.base}"

    @staticmethod
    def report(error: Exception) -> None:
        """Print an error of ours on standard error."""
        text = "".join(traceback.format_exception(error))
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stderr.write(printable(text, lines=True))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Leave out what a client that goes away causes."""
        del request, client_address
        error = sys.exc_info()[1]
        if isinstance(error, Exception) and not isinstance(error, (ConnectionError, TimeoutError)):
            self.report(error)


def _resolved(host: str, port: int) -> tuple[socket.AddressFamily, tuple[Any, ...]]:
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise InputError(_no_address(host)) from None
    # localhost is 127.0.0.1 where it is both that and ::1: every browser tries it.
    family, *_, address = min(found, key=lambda one: one[0] != socket.AF_INET)
    return family, address


def _no_address(host: str) -> str:
    return f"{host} is no address of this machine: name one, as 0.0.0.0 for all, or leave --host out."


def _not_opened(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} is in use by another program, perhaps another assay serve: choose one with --port, "
            "or --port 0 for any that is free."
        )
    if error.errno == errno.EACCES:
        return f"port {port} is reserved by the system: choose one above 1023 with --port."
    if error.errno == errno.EADDRNOTAVAIL:
        return _no_address(host)
    return f"port {port} of {host} cannot be opened: {error.strerror or error}."
