"""A static web site on the loopback interface, for tests and demonstrations."""

import hashlib
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from types import TracebackType
from typing import Self

__all__ = ["LocalSite"]


class LocalSite:
    """Serves a mapping of paths to pages while its `with` block runs, sync or async.

    Each page is `(content type, bytes)` under a path such as `/guide.html`; a query in the request
    is ignored, and any other path answers 404. Pages carry an ETag and answer 304 to a matching
    `If-None-Match`. `requests` lists the request targets received so far.
    """

    def __init__(self, pages: Mapping[str, tuple[str, bytes]]) -> None:
        self.pages: dict[str, tuple[str, bytes]] = dict(pages)
        self.requests: list[str] = []
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def origin(self) -> str:
        """The site's origin, such as `http://127.0.0.1:49152`; only while it is being served."""
        if self._server is None:
            raise RuntimeError("the site is served only inside its with block")
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        site = self

        class Handler(_PageHandler):
            pages = site.pages
            requests = site.requests

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        server, thread = self._server, self._thread
        self._server = self._thread = None
        if server is not None and thread is not None:
            server.shutdown()
            server.server_close()
            thread.join()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)


class _Server(ThreadingTCPServer):
    """Not http.server's own, which looks up this machine's name when it starts."""

    daemon_threads = True
    request_queue_size = 128


class _PageHandler(BaseHTTPRequestHandler):
    pages: Mapping[str, tuple[str, bytes]]
    requests: list[str]
    server_version = "hydra-web-local-site"
    sys_version = ""
    timeout = 2.0

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, *, with_body: bool) -> None:
        self.requests.append(self.path)
        page = self.pages.get(self.path.partition("?")[0])
        status, content_type, body = (
            (404, "text/plain; charset=utf-8", b"Not found\n") if page is None else (200, *page)
        )
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if page is not None and self.headers.get("If-None-Match") == etag:
            self.send_response(304)
            self.send_header("ETag", etag)
            self.end_headers()
            return
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", etag)
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the signature of http.server
        """Says nothing: a test's output is not a server log."""
