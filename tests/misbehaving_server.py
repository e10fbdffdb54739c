"""An HTTP server on 127.0.0.1 that misbehaves on purpose, over raw sockets.

Each path has a script: one act per request, with the last act repeated. An act gets the Exchange and may send
anything or nothing, or break the connection.
"""

from __future__ import annotations

import contextlib
import socket
import socketserver
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

RESET = struct.pack("ii", 1, 0)  # SO_LINGER with zero seconds: close() sends RST instead of FIN


@dataclass(frozen=True)
class Exchange:
    """One request, and the socket to answer on."""

    path: str
    headers: dict[str, str]
    sock: socket.socket
    closing: threading.Event

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def head(self, status: str, headers: dict[str, str]) -> None:
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers.items())]
        self.send(("\r\n".join(lines) + "\r\nConnection: close\r\n\r\n").encode("latin-1"))

    def reset(self) -> None:
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)


Act = Callable[[Exchange], None]


class MisbehavingServer:
    """`script(path, *acts)` returns the address of that path."""

    def __init__(self, port: int, scheme: str = "http") -> None:
        self.port, self.scheme = port, scheme
        self.requests: list[Exchange] = []
        self.closing = threading.Event()
        self._scripts: dict[str, list[Act]] = {}
        self._lock = threading.Lock()

    def script(self, path: str, *acts: Act) -> str:
        self._scripts[path] = list(acts)
        return self.address(path)

    def address(self, path: str) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}{path}"

    def headers(self, name: str) -> list[str]:
        """The values of one request header, by request."""
        return [request.headers.get(name.lower(), "") for request in self.requests]

    def handle(self, sock: socket.socket) -> None:
        exchange = self._read(sock)
        if exchange is None:
            return
        with self._lock:
            self.requests.append(exchange)
            acts = self._scripts[exchange.path]
            act = acts.pop(0) if len(acts) > 1 else acts[0]
        with contextlib.suppress(OSError):  # the client has hung up, as it should
            act(exchange)

    def _read(self, sock: socket.socket) -> Exchange | None:
        data = b""
        while b"\r\n\r\n" not in data:
            more = sock.recv(4096)
            if not more:
                return None
            data += more
        first, *lines = data.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")
        pairs = (line.split(": ", 1) for line in lines)
        return Exchange(first.split()[1], {k.lower(): v for k, v in pairs}, sock, self.closing)


class _Listener(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = True
    request_queue_size = 64


@contextlib.contextmanager
def serve(tls: ssl.SSLContext | None = None) -> Iterator[MisbehavingServer]:
    """A server on 127.0.0.1, behind TLS if a context is given."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.settimeout(5)
            with contextlib.suppress(OSError):
                if tls:
                    self.request = tls.wrap_socket(self.request, server_side=True)
                server.handle(self.request)

        def finish(self) -> None:
            self.request.close()  # without the shutdown() of socketserver, which would send FIN before RST

    with _Listener(("127.0.0.1", 0), Handler) as listener:
        server = MisbehavingServer(listener.server_address[1], "https" if tls else "http")
        thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.closing.set()
            listener.shutdown()
            thread.join()


def free_port() -> int:
    """A port on 127.0.0.1 on which nothing listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


def reply(status: str, body: bytes = b"", /, **headers: str) -> Act:
    """A well-behaved response."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    def act(exchange: Exchange) -> None:
        exchange.head(status, {"Content-Length": str(len(body)), "Content-Type": "text/csv"} | named)
        exchange.send(body)

    return act


def ok(body: bytes, /, **headers: str) -> Act:
    """The whole body with 200."""
    return reply("200 OK", body, **headers)


def cut(body: bytes, keep: int, /, **headers: str) -> Act:
    """Announces the whole body, sends a part, then closes."""
    return reply("200 OK", body[:keep], **{"Content-Length": str(len(body))} | headers)


def unframed(body: bytes) -> Act:
    """A body without a length: it ends when the connection ends."""

    def act(exchange: Exchange) -> None:
        exchange.head("200 OK", {"Content-Type": "text/csv"})
        exchange.send(body)

    return act


def endless(exchange: Exchange) -> None:
    """An endless chunked body, sent as fast as the client reads."""
    exchange.head("200 OK", {"Transfer-Encoding": "chunked", "Content-Type": "text/csv"})
    while not exchange.closing.is_set():
        exchange.send(b"1000\r\n" + b"x" * 4096 + b"\r\n")


def drip(before: bytes, drop: bytes, pause: float = 0.02) -> Act:
    """Sends `before`, then a drop every `pause` seconds."""

    def act(exchange: Exchange) -> None:
        exchange.send(before)
        while not exchange.closing.wait(pause):
            exchange.send(drop)

    return act


def redirect(location: str, status: str = "302 Found", **headers: str) -> Act:
    """A redirect to any address."""
    return reply(status, Location=location, **headers)


def vanish(exchange: Exchange) -> None:
    """Resets the connection without a response."""
    exchange.reset()
