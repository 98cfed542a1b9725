"""Tests of who may read: names of the server, origins, and the token."""

import socket

import pytest

from assay.server.access import Access, is_loopback


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8765", "localhost:8765", "LOCALHOST", "[::1]:9", "localhost:9000"]
)
def test_a_server_on_loopback_answers_to_names_of_loopback(host):
    """Any port will do: a tunnel has another than the server."""
    assert Access("127.0.0.1").refusal({"Host": host}) is None


@pytest.mark.parametrize(
    "host", ["", "evil.example", "evil.example:8765", "192.168.0.7:8765", "localhost.evil.example", "[", "0x7f.1", "127.0.0.1.evil.example",
     "evil.example@127.0.0.1"]
)  # fmt: skip
def test_a_name_that_somebody_else_points_here_is_refused(host):
    """DNS rebinding needs a name of the attacker's, which is none of ours."""
    refused = Access("127.0.0.1").refusal({"Host": host})
    assert refused is not None
    assert refused.status == 421


def test_with_a_token_addresses_and_the_machine_s_own_name_are_answered():
    """A server for other machines is known by addresses, by the name it was given, and by the machine's."""
    access = Access("ml-box.example", token="t" * 32)
    for host in ("192.168.0.7:80", "ml-box.example:80", socket.gethostname(), "localhost:80"):
        assert access.refusal({"Host": host}) is None, host
    assert access.refusal({"Host": "evil.example"}).status == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost:9", "https://localhost:8765", ""]
)
def test_requests_from_another_origin_are_refused(origin):
    """Scheme, name and port are those of the request itself."""
    headers = {"Host": "localhost:8765", "Origin": origin}
    assert Access("127.0.0.1").refusal(headers).status == 403


def test_its_own_origin_is_answered():
    """A form of the page says where it comes from."""
    assert Access("127.0.0.1").refusal({"Host": "localhost:80", "Origin": "http://localhost:80"}) is None


def test_parts_of_other_sites_are_refused_and_their_links_are_not():
    """A picture or a frame on another site gets nothing; a link there opens a page of its own."""
    access, host = Access("127.0.0.1"), {"Host": "localhost:80"}
    picture = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    frame = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert access.refusal(host | picture).status == 403
    assert access.refusal(host | frame).status == 403
    assert access.refusal(host | link) is None


def test_without_the_token_no_path_is_found():
    """A missing, wrong, shortened or doubled token leads nowhere."""
    access = Access("0.0.0.0", token="right")  # noqa: S104, S106
    assert access.base == "/right/"
    assert access.within("/right/run/3?x=1") == "run/3?x=1"
    assert access.within("/right") == ""
    for path in ("/", "/run/3", "/wrong/", "/righ/", "/rightt/", "//right/", "/%72ight/", "/?token=right"):
        assert access.within(path) is None, path


def test_loopback_is_known():
    """All of 127.0.0.0/8 and ::1 are this machine alone."""
    assert [is_loopback(host) for host in ("127.9.9.9", "::1", "::", "10.0.0.1", "example.org")] == [
        True, True, False, False, False,
    ]  # fmt: skip
