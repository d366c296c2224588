"""The one address to listen at, and the HTTP server there.

Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import socket
import socketserver
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from .exposition import CONTENT_TYPE

METADATA = "169.254.169.254:80"
_SECONDS = 5.0
_MOST_CONNECTIONS = 8
_SHARED = ipaddress.IPv4Network("100.64.0.0/10")
"""RFC 6598: not private, not global, and a range that VPCs have."""

Page = Callable[[], tuple[int, str]]


class ListenError(Exception):
    """There is no address to listen at."""


def address_of(where: str, metadata: str = METADATA) -> str:
    """The address for `loopback` or `private`.

    Args:
        where: `loopback`, or `private` for the primary private IPv4 address of the node.
        metadata: Host and port of the instance metadata service.

    Raises:
        ListenError: The metadata service does not say, or says what is no address of one node.
    """
    if where == "loopback":
        return "127.0.0.1"
    try:
        token = _ask(
            metadata,
            "PUT",
            "/latest/api/token",
            {"X-aws-ec2-metadata-token-ttl-seconds": "60"},
        )
        text = _ask(
            metadata,
            "GET",
            "/latest/meta-data/local-ipv4",
            {"X-aws-ec2-metadata-token": token},
        )
        address = ipaddress.IPv4Address(text.strip())
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise ListenError(f"the instance metadata has no private address: {error}") from error
    if not _is_private(address):
        raise ListenError(f"the instance metadata has no private address, got {address}")
    return str(address)


def _is_private(address: ipaddress.IPv4Address) -> bool:
    """Whether a node may have it, and the internet has no way there."""
    of_no_node = (address.is_unspecified, address.is_loopback, address.is_link_local)
    if any(of_no_node) or address.is_multicast or address.is_reserved:
        return False
    return (address.is_private and not address.is_global) or address in _SHARED


def _ask(metadata: str, method: str, path: str, headers: dict[str, str]) -> str:
    host, _, port = metadata.rpartition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=_SECONDS)
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        body = answer.read(4096).decode("ascii")
        if answer.status != 200:
            raise ValueError(f"{path} answered {answer.status}")
        return body
    finally:
        connection.close()


class MetricsServer(socketserver.ThreadingMixIn, HTTPServer):
    """Serves pages at one address, to a few at a time, each for a few seconds at most."""

    daemon_threads = True
    request_queue_size = 32

    def __init__(self, address: str, port: int, pages: dict[str, Page]) -> None:
        """Args: address: an IPv4 address; port: 0 for any; pages: what is served, by path."""
        self.pages = pages
        self._places = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        super().__init__((address, port), _Handler)

    def server_bind(self) -> None:
        """Bind without HTTPServer's look-up of a name, for which an isolated node waits."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.socket.getsockname()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve in a thread, when there is a place."""
        if not self._places.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._places.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve one request, cut off after a while however slowly it comes."""
        try:
            timer = threading.Timer(_SECONDS * 2, _hang_up, [request])
            timer.daemon = True
            timer.start()
            super().process_request_thread(request, client_address)
            timer.cancel()
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that hang up; what else goes wrong is a fault of ours."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def _hang_up(request: socket.socket) -> None:
    with contextlib.suppress(OSError):  # It may have ended by itself.
        request.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server_version = "trn-metrics"
    sys_version = ""
    timeout = _SECONDS

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        assert isinstance(self.server, MetricsServer)
        page = self.server.pages.get(self.path.partition("?")[0])
        status, text = page() if page is not None else (404, "not found\n")
        body = text.encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", CONTENT_TYPE)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """A line for each scrape would be all that the journal holds."""
