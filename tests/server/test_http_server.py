"""Tests of the server over HTTP: headers, refusals, and what goes wrong."""

import http.client
import re
import socket

import pytest
from support.ledger_server import SECRET, serving, write_ledger

import assay
from assay.errors import InputError
from assay.server.http_server import LedgerServer


def request(server, path="/", method="GET", headers=None, body=None):
    """Return status, headers and text of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=120)
    try:
        connection.request(method, path, body=body, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()
    finally:
        connection.close()


def test_a_page_comes_with_strict_headers(server):
    """Scripts and styles are allowed by their hash alone, and nothing may frame, keep or sniff the page."""
    status, headers, text = request(server)
    policy = headers["Content-Security-Policy"]
    assert status == 200
    assert "default-src 'none'" in policy
    assert "'unsafe" not in policy
    assert "connect-src" not in policy
    assert re.search(r"script-src 'sha256-[\w+/=]+'", policy)
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Python" not in headers["Server"]
    assert "Access-Control-Allow-Origin" not in headers
    assert text.startswith("<!doctype html>")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
def test_the_server_is_only_read_from(server, method):
    """No other method is answered, whatever it sends."""
    status, headers, _ = request(server, "/" if method != "CONNECT" else "x:1", method, body="model=x")
    assert status == 405
    assert headers["Allow"] == "GET, HEAD"


def test_head_has_the_headers_of_get(server):
    """And no body."""
    status, headers, text = request(server, method="HEAD")
    assert (status, text) == (200, "")
    assert int(headers["Content-Length"]) > 10_000


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
    ],
)
def test_other_sites_get_nothing(server, headers, status):
    """Not even a page that says so with names in it."""
    found, answered, text = request(server, headers=headers)
    assert found == status
    assert len(text) < 200
    assert answered["Content-Type"].startswith("text/plain")
    assert "baseline" not in text


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/run/../../x", "/run/1/", "/run/-1", "/run/1e9", "/run/" + "9" * 400,
        "/run/%D9%A1", "//evil.example/", "/%00", "/run/1%00", "/nothing", "/tests/../runs", "/server/server.css",
        "/tests/%3Cscript%3E", "/compare/x",
    ],
)  # fmt: skip
def test_no_path_leads_to_a_file_or_an_error_of_ours(server, path):
    """Every address that is none is not found, and the answer does not repeat it."""
    status, _, text = request(server, path)
    assert status == 404, text[-300:]
    assert "root:x:" not in text
    assert "<script>window" not in text


def test_addresses_with_too_much_in_them_are_refused(server):
    """Very many parameters, and a line that is too long."""
    assert request(server, "/?" + "&".join(f"a{i}=1" for i in range(300)))[0] == 400
    assert request(server, "/?q=" + "x" * 70_000)[0] == 414
    assert request(server, "http://127.0.0.1/")[0] in {400, 404}


def test_broken_requests_end_nothing(server):
    """Garbage is refused, and the next request is answered."""
    for garbage in (b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=60) as raw:
            raw.sendall(garbage)
            raw.shutdown(socket.SHUT_WR)
            raw.recv(1_000)
    assert request(server)[0] == 200


def test_no_answer_holds_a_row(server, ledger_path):
    """Keys of rows are in no page, nor in the ledger itself."""
    numbers = range(1, 22)
    paths = [
        "/",
        "/tests",
        "/trends",
        "/slices",
        "/plans",
        "/compare?run=1&run=2",
        *(f"/run/{n}" for n in numbers),
    ]
    for path in paths:
        status, _, text = request(server, path)
        assert status == 200
        assert SECRET not in text
    with assay.ledger(ledger_path, read_only=True) as book:
        for entry in book.entries():
            for name in entry.blobs.values():
                assert SECRET.encode() not in book.blob(name)


def test_with_a_token_everything_is_under_it(ledger_path):
    """Without the token nothing is answered, and every link in the pages has it."""
    with serving(ledger_path, token=True) as server:
        assert server.url.startswith("http://127.0.0.1:")
        base = server.access.base
        assert len(base) > 30
        assert request(server, base)[0] == 200
        assert f'"base":"{base}"' in request(server, f"{base}run/1")[2]
        for path in ("/", "/run/1", "/x" + base, base[:-2] + "/", "/favicon.ico"):
            status, _, text = request(server, path)
            assert status == 403, path
            assert "baseline" not in text
            assert base.strip("/") not in text


def test_another_host_always_has_a_token(ledger_path):
    """Whoever opens the server to other machines does not choose whether."""
    with assay.ledger(ledger_path, read_only=True) as book, LedgerServer(book, "0.0.0.0", 0) as server:  # noqa: S104
        assert server.access.token
        assert server.access.token in server.url
        assert "0.0.0.0" not in server.url  # noqa: S104
    with assay.ledger(ledger_path, read_only=True) as book, LedgerServer(book, "localhost", 0) as server:
        assert not server.access.token


def test_a_port_in_use_is_named(ledger_path, server):
    """With what to do."""
    with assay.ledger(ledger_path, read_only=True) as book:
        with pytest.raises(InputError, match=rf"port {server.server_port} is in use .* --port"):
            LedgerServer(book, port=server.server_port)
        with pytest.raises(InputError, match=r"no\.such\.host\.invalid is no address"):
            LedgerServer(book, "no.such.host.invalid", 0)
        with pytest.raises(InputError, match="is no address of this machine"):
            LedgerServer(book, "192.0.2.1", 0)


def test_runs_that_are_recorded_meanwhile_are_shown(tmp_path):
    """The next request has them."""
    path = tmp_path / "ledger.db"
    with assay.ledger(path) as book:
        book.append("note", {})
        with serving(path) as server:
            assert '"total":0' in request(server)[2]
            book.record(assay.evaluate(actual=[0, 1], predicted=[0, 1], name="late"))
            assert '"total":1' in request(server)[2]
            assert request(server, "/run/2")[0] == 200


def test_a_ledger_that_goes_bad_is_named(tmp_path):
    """A page in words, and the server goes on."""
    path = write_ledger(tmp_path / "ledger.db")
    with serving(path) as server:
        server.site.index.ledger.close()
        path.rename(tmp_path / "moved.db")
        status, _, text = request(server, "/run/1")
        assert status == 503
        assert "there is no ledger" in text
        (tmp_path / "moved.db").rename(path)
        assert request(server, "/run/1")[0] == 200


def test_an_error_of_ours_is_one_page(server, monkeypatch, capsys):
    """It is reported where the server runs, without the address, and the next request is answered."""
    monkeypatch.setattr(server.site, "respond", lambda _: 1 / 0)
    status, _, text = request(server)
    assert status == 500
    assert "ZeroDivisionError" in text
    assert "ZeroDivisionError" in capsys.readouterr().err
    monkeypatch.undo()
    assert request(server)[0] == 200
