"""The server of `ivme play`: loopback only, one page, and a refusal in JSON for everything else."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import pytest

from ivme.play.demo import Demo
from ivme.play.server import LONGEST_BODY, PlayServer
from ivme_spec.errors import InputError


@pytest.fixture
def server() -> Iterator[PlayServer]:
    with PlayServer() as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def ask(
    server: PlayServer, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b""
) -> tuple[HTTPResponse, bytes]:
    """A request with exactly these headers, and a Host and a length unless they are given."""
    given = {"Host": f"127.0.0.1:{server.server_port}", "Content-Length": str(len(body)), **(headers or {})}
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in given.items():
            if value:
                connection.putheader(name, value)
        connection.endheaders(body)
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def act(server: PlayServer, request: object) -> tuple[int, dict[str, Any]]:
    headers = {"X-Ivme-Token": server.token, "Content-Type": "application/json"}
    response, body = ask(server, "POST", "/act", headers, json.dumps(request).encode())
    found = json.loads(body)
    assert isinstance(found, dict)
    return response.status, found


def test_the_page_is_served_with_a_policy_and_the_token(server: PlayServer) -> None:
    response, body = ask(server, "GET", "/")
    assert response.status == 200
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert "Access-Control-Allow-Origin" not in response.headers
    text = body.decode()
    assert server.token in text
    assert "@" not in text.replace("@media", "")  # no placeholder is left

    class Reader(HTMLParser):
        scripts = 0

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            given = dict(attrs)
            self.scripts += tag == "script"
            assert "src" not in given
            assert tag not in ("script", "style") or f"'nonce-{given['nonce']}'" in policy

    reader = Reader()
    reader.feed(text)
    assert reader.scripts == 2


def test_tokens_and_nonces_are_not_repeated(server: PlayServer) -> None:
    with PlayServer() as other:
        assert other.token != server.token
    first, second = (ask(server, "GET", "/")[0].headers["Content-Security-Policy"] for _ in range(2))
    assert first != second


def test_a_request_changes_the_state(server: PlayServer) -> None:
    assert act(server, {"do": "look"})[1]["total"] == 1
    status, state = act(server, {"do": "insert", "relation": "R", "x": "a1", "y": "b1", "copies": 4})
    assert (status, state["total"]) == (200, 5)
    assert act(server, {"do": "look"})[1] == state


def test_it_listens_on_loopback_only(server: PlayServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert server.url == f"http://127.0.0.1:{server.server_port}/"


INSERT = json.dumps({"do": "insert", "relation": "R", "x": "a1", "y": "b1"}).encode()

REFUSED: dict[str, tuple[str, str, dict[str, str], bytes, int, str]] = {
    "no token": ("POST", "/act", {"X-Ivme-Token": ""}, INSERT, 403, "token"),
    "wrong token": ("POST", "/act", {"X-Ivme-Token": "guess"}, INSERT, 403, "token"),
    "token that is not ASCII": ("POST", "/act", {"X-Ivme-Token": "gu\xe9ss"}, INSERT, 403, "token"),
    "other host": ("POST", "/act", {"Host": "evil.example"}, INSERT, 403, "host"),
    "other port": ("POST", "/act", {"Host": "127.0.0.1:1"}, INSERT, 403, "host"),
    "no host": ("POST", "/act", {"Host": ""}, INSERT, 403, "host"),
    "page with other host": ("GET", "/", {"Host": "evil.example"}, b"", 403, "host"),
    "other origin": ("POST", "/act", {"Origin": "http://evil.example"}, INSERT, 403, "other pages"),
    "null origin": ("POST", "/act", {"Origin": "null"}, INSERT, 403, "other pages"),
    "form": ("POST", "/act", {"Content-Type": "text/plain"}, INSERT, 415, "application/json"),
    "no length": ("POST", "/act", {"Content-Length": ""}, b"", 411, "length"),
    "negative length": ("POST", "/act", {"Content-Length": "-1"}, b"", 411, "length"),
    "length in other digits": ("POST", "/act", {"Content-Length": "\xb2"}, b"", 411, "length"),
    "chunked": ("POST", "/act", {"Transfer-Encoding": "chunked"}, INSERT, 411, "length"),
    "too long": ("POST", "/act", {"Content-Length": str(LONGEST_BODY + 1)}, b"", 413, "4096 bytes"),
    "far too long": ("POST", "/act", {"Content-Length": "9" * 5000}, b"", 413, "4096 bytes"),
    "not JSON": ("POST", "/act", {}, b"{", 400, "not JSON"),
    "not UTF-8": ("POST", "/act", {}, b"\xff\xfe\xfd", 400, "not JSON"),
    "deep": ("POST", "/act", {}, b"[" * LONGEST_BODY, 400, "not JSON"),
    "huge number": ("POST", "/act", {}, b'{"do": "look", "x": ' + b"9" * 4050 + b"}x", 400, "not JSON"),
    "empty": ("POST", "/act", {}, b"", 400, "not JSON"),
    "no object": ("POST", "/act", {}, b"3", 400, "not a JSON object"),
    "refused delete": (
        "POST",
        "/act",
        {},
        INSERT.replace(b"insert", b"delete").replace(b"b1", b"b2"),
        400,
        "",
    ),
    "other path": ("GET", "/etc/passwd", {}, b"", 404, "nothing here"),
    "path upwards": ("GET", "/../demo.py", {}, b"", 404, "nothing here"),
    "query": ("GET", "/?x", {}, b"", 404, "nothing here"),
    "act by GET": ("GET", "/act", {}, b"", 404, "nothing here"),
    "page by POST": ("POST", "/", {}, INSERT, 404, "nothing here"),
    "other method": ("PUT", "/act", {}, INSERT, 501, "PUT"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(server: PlayServer, case: str) -> None:
    method, path, headers, body, status, said = REFUSED[case]
    before = act(server, {"do": "look"})
    proper = {"X-Ivme-Token": server.token, "Content-Type": "application/json"}
    response, content = ask(server, method, path, {**proper, **headers}, body)
    assert response.status == status
    assert response.headers["Content-Type"] == "application/json"
    found = json.loads(content)
    assert list(found) == ["error"]
    assert said in found["error"]
    assert "\n" not in found["error"]
    assert server.token not in content.decode()
    assert act(server, {"do": "look"}) == before


def test_own_origin_and_localhost_are_accepted(server: PlayServer) -> None:
    for host in (f"127.0.0.1:{server.server_port}", f"localhost:{server.server_port}"):
        proper = {"X-Ivme-Token": server.token, "Content-Type": "application/json"}
        response, _ = ask(
            server, "POST", "/act", {**proper, "Host": host, "Origin": f"http://{host}"}, INSERT
        )
        assert response.status == 200


def test_two_hosts_are_refused(server: PlayServer) -> None:
    own = f"127.0.0.1:{server.server_port}"
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as connection:
        connection.sendall(f"GET / HTTP/1.1\r\nHost: {own}\r\nHost: {own}\r\n\r\n".encode())
        assert connection.recv(64).startswith(b"HTTP/1.0 403")


def test_a_body_that_ends_early_is_refused(server: PlayServer) -> None:
    head = (
        f"POST /act HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\nX-Ivme-Token: {server.token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(INSERT) + 1}\r\n\r\n"
    )
    before = act(server, {"do": "look"})
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as connection:
        connection.sendall(head.encode() + INSERT)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(64).startswith(b"HTTP/1.0 400")
    assert act(server, {"do": "look"}) == before


def test_a_port_that_is_taken_is_said(server: PlayServer) -> None:
    with pytest.raises(InputError, match=f"port {server.server_port} is not available"):
        PlayServer(server.server_port)


class Slow(Demo):
    """Notes how many requests are under way at the same time."""

    def __init__(self) -> None:
        super().__init__()
        self.under_way = self.most = 0

    def act(self, request: object) -> dict[str, object]:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        time.sleep(0.02)
        state = super().act(request)
        self.under_way -= 1
        return state


def test_requests_take_turns(server: PlayServer) -> None:
    server.demo = slow = Slow()
    request = {"do": "insert", "relation": "R", "x": "a1", "y": "b1"}
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.extend(act(server, request)[0] for _ in range(3)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [200] * 12
    assert slow.most == 1
    assert act(server, {"do": "look"})[1]["total"] == 13
