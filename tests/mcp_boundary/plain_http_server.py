"""A server that answers with fixed bytes, and keeps the requests that came."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass
class PlainHttpServer:
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    pieces: tuple[bytes, ...] = ()
    came: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    """Method, path, headers by their lower-case names, and body."""
    url: str = ""


@contextmanager
def plain_http_server(path: str = "/mcp") -> Iterator[PlainHttpServer]:
    state = PlainHttpServer()

    class Answers(BaseHTTPRequestHandler):
        def answer(self) -> None:
            length = int(self.headers.get("content-length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            state.came.append((self.command, self.path, headers, self.rfile.read(length)))
            self.send_response_only(state.status)
            for name, value in state.headers.items():
                self.send_header(name, value)
            self.end_headers()
            for piece in state.pieces:
                self.wfile.write(piece)

        do_GET = do_POST = do_DELETE = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        state.url = f"http://127.0.0.1:{server.server_port}{path}"
        yield state
        server.shutdown()
        thread.join()
