"""``serve``: a local web page on a ledger."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from assay.cli.ledger import add_address
from assay.cli.options import whole_number
from assay.cli.output import finish_output, print_output
from assay.cli.parser import Command, StoreOnce

if TYPE_CHECKING:
    from assay.cli.parser import Parser

__all__ = ["SERVE"]

_MAX_PORT = 65_535


def _port(word: str) -> int:
    port = whole_number(word)
    if not 0 <= port <= _MAX_PORT:
        raise argparse.ArgumentTypeError(f"{port} is no port: name one up to {_MAX_PORT}, or 0 for any")
    return port


def _options(parser: Parser) -> None:
    add_address(parser)
    parser.add_argument(
        "--port",
        action=StoreOnce,
        type=_port,
        metavar="NUMBER",
        help="where to listen (8765; 0: any free one)",
    )
    parser.add_argument(
        "--host", action=StoreOnce, metavar="ADDRESS",
        help="where from (127.0.0.1: this machine alone); others need the token in the printed address",
    )  # fmt: skip
    parser.add_argument("--token", action="store_true", help="need the token on this machine, too")
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")


def _run(arguments: argparse.Namespace) -> int:
    from assay.ledgers.ledger import ledger
    from assay.server.http_server import LedgerServer

    host = "127.0.0.1" if arguments.host is None else arguments.host
    port = 8765 if arguments.port is None else arguments.port
    with (
        ledger(arguments.ledger, read_only=True) as book,
        LedgerServer(book, host, port, token=arguments.token) as server,
    ):
        runs = len(server.site.index.runs)
        print_output(f"{runs:,} run{'' if runs == 1 else 's'} of {book.url}\n{server.url}\nCtrl-C ends it.")
        finish_output()
        if arguments.open:
            import webbrowser

            webbrowser.open(server.url)
        server.serve_forever()
    return 0


SERVE = Command(
    "serve",
    "show a ledger as a local web page",
    "Shows the evaluations of a ledger as web pages: runs to sort, filter and compare, test sets and their\n"
    "looks, metrics and slices over time. It only reads, and answers to this machine alone unless --host is\n"
    "given.",
    ("assay serve", "assay serve --ledger .assay/ledger.db --port 8000 --open"),
    _options,
    _run,
)
