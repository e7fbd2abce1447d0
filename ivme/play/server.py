"""The HTTP server of `ivme play`: two paths, loopback only, nothing but the standard library.

    GET  /      the page, with this server's token in it
    POST /act   a request of the page as JSON; the answer is the new state, or {"error": …}

Refused up front: a Host other than the server's own (against DNS rebinding), an Origin other than the page's,
a POST without the token, without a length, or longer than LONGEST_BODY, and every other path and method.
Every refusal is JSON with one line.
"""

from __future__ import annotations

import json
import secrets
import sys
import threading
from functools import cache
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files

from ivme.play.demo import EPSILONS, LONGEST_VALUE, MOST_COPIES, QUERIES, Demo
from ivme.play.presets import PRESETS
from ivme_spec.errors import InputError, IvmeError

ADDRESS = "127.0.0.1"
LONGEST_BODY = 4096
PATIENCE = 20
"""Seconds before an idle connection is dropped."""


class PlayServer(ThreadingHTTPServer):
    """Serves one `Demo` at http://127.0.0.1:port/; port 0 picks a free one.

    Bad input: an `InputError` for a port that is not available.
    """

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        self.demo = Demo()
        self.turn = threading.Lock()
        self.token = secrets.token_urlsafe(24)
        try:
            super().__init__((ADDRESS, port), Handler)
        except (OSError, OverflowError) as error:
            raise InputError(f"port {port} is not available: {error}; use --port 0 for a free one") from error

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{ADDRESS}:{self.server_port}/"

    @property
    def hosts(self) -> frozenset[str]:
        """The Host headers that mean this server."""
        return frozenset(f"{name}:{self.server_port}" for name in (ADDRESS, "localhost"))

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a browser that disconnects in the middle."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # the names are private

    def page(self, nonce: str) -> str:
        """The page, with the token that its requests must carry."""
        settings = {
            "token": self.token,
            "epsilons": EPSILONS,
            "queries": [(query.free, query.partitioning, str(query)) for query in QUERIES],
            "presets": list(PRESETS),
            "longest": LONGEST_VALUE,
            "most": MOST_COPIES,
        }
        filled = _asset("page.html").replace("@NONCE@", nonce).replace("@STYLE@", _asset("page.css"))
        # "</" would end the script element
        data = json.dumps(settings).replace("</", "<\\/")
        return filled.replace("@SETTINGS@", data).replace("@SCRIPT@", _asset("page.js"))


@cache
def _asset(name: str) -> str:
    return (files("ivme.play") / name).read_text(encoding="utf-8")


class Refusal(Exception):
    """A request that is rejected before it is read."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: PlayServer
    server_version = "ivme-play"
    sys_version = ""
    timeout = PATIENCE

    def do_GET(self) -> None:
        """The page."""
        try:
            self._known_place("/")
        except Refusal as refusal:
            self._answer(refusal.status, {"error": str(refusal)})
            return
        nonce = secrets.token_urlsafe(16)
        policy = (
            f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; "
            "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        body = self.server.page(nonce).encode()
        self._send(HTTPStatus.OK, "text/html; charset=utf-8", body, {"Content-Security-Policy": policy})

    def do_POST(self) -> None:
        """A request of the page."""
        try:
            self._known_place("/act")
            request = self._request()
            with self.server.turn:
                state = self.server.demo.act(request)
        except Refusal as refusal:
            self._answer(refusal.status, {"error": str(refusal)})
        except InputError as error:
            self._answer(HTTPStatus.BAD_REQUEST, {"error": str(error)})
        except IvmeError as error:
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": f"a bug of ivme: {error}"})
        else:
            self._answer(HTTPStatus.OK, state)

    def _known_place(self, path: str) -> None:
        """Refuse cross-site requests, and every path but one."""
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or hosts[0].lower() not in self.server.hosts:
            raise Refusal(HTTPStatus.FORBIDDEN, f"the host of the address must be {self.server.url}")
        origin = self.headers.get("Origin")
        if origin is not None and origin not in {f"http://{host}" for host in self.server.hosts}:
            raise Refusal(HTTPStatus.FORBIDDEN, "requests of other pages are refused")
        if self.path != path:
            where = "GET /" if path == "/" else "POST /act"
            raise Refusal(HTTPStatus.NOT_FOUND, f"there is nothing here but {where} for this method")

    def _request(self) -> object:
        """The JSON of the body."""
        if not compare_digest(self.headers.get("X-Ivme-Token", "").encode(), self.server.token.encode()):
            raise Refusal(HTTPStatus.FORBIDDEN, "the token is not that of this server: load the page again")
        if self.headers.get_content_type() != "application/json":
            raise Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "the body must be application/json")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdecimal()) or "Transfer-Encoding" in self.headers:
            raise Refusal(HTTPStatus.LENGTH_REQUIRED, "the request must say its length")
        if len(length) > 9 or int(length) > LONGEST_BODY:
            raise Refusal(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body is longer than {LONGEST_BODY} bytes"
            )
        body = self.rfile.read(int(length))
        if len(body) != int(length):
            raise Refusal(HTTPStatus.BAD_REQUEST, "the body is shorter than the request says")
        try:
            request: object = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise Refusal(HTTPStatus.BAD_REQUEST, "the body is not JSON") from error
        return request

    # --- answers ----------------------------------------------------------------------------------------

    def _answer(self, status: HTTPStatus, content: dict[str, object]) -> None:
        self._send(status, "application/json", json.dumps(content).encode(), {})

    def _send(self, status: HTTPStatus, kind: str, body: bytes, extra: dict[str, str]) -> None:
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Connection": "close",
            **extra,
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What http.server refuses on its own, as JSON too."""
        status = HTTPStatus(code)
        self._answer(status, {"error": message or status.phrase})

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: the terminal shows only the address."""
