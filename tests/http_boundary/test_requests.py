"""The adapter for requests: ways to read, uploads, connections, failures, and redacted bodies."""

import contextlib
import gc
import gzip
import io
import json
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import requests
from http_endpoints import ENDPOINTS, path_of, serving
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from vcr_gen import Cassette, DivergenceError
from vcr_gen.boundaries.http import requests_adapter

TOKEN = "sk-proj-" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA9c" * 2
Answer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def answering(answer: Answer) -> Iterator[str]:
    """A server whose every GET, POST and PUT is answered by a function."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            answer(self)

        do_POST = do_PUT = do_GET  # noqa: N815  # the base class looks for these names

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def reply(handler: BaseHTTPRequestHandler, body: bytes, *headers: str, status: int = 200) -> None:
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    for header in headers:
        handler.send_header(*header.split(": ", 1))
    handler.end_headers()
    handler.wfile.write(body)


def chunked(handler: BaseHTTPRequestHandler, *chunks: bytes) -> None:
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for chunk in (*chunks, b""):
        handler.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))


def received(handler: BaseHTTPRequestHandler) -> bytes:
    """The body of a request, with its framing."""
    if "content-length" in handler.headers:
        return handler.rfile.read(int(handler.headers["content-length"]))
    body = b""
    while not body.endswith(b"0\r\n\r\n"):
        body += handler.rfile.readline()
    return body


@contextmanager
def session(cassette: Cassette | None, inner: HTTPAdapter | None = None) -> Iterator[Any]:
    with requests.Session() as made:
        adapter = inner if cassette is None else requests_adapter(cassette, inner=inner)
        if adapter is not None:
            made.mount("http://", adapter)
        yield made


def three_times(tmp_path: Path, run: Callable[[Cassette | None], Any]) -> tuple[Any, Any, Any]:
    """What a program sees live, while recording, and in a replay."""
    live = run(None)
    with Cassette(tmp_path / "tape.yaml", "all") as cassette:
        recorded = run(cassette)
    with Cassette(tmp_path / "tape.yaml", "none") as cassette:
        replayed = run(cassette)
    return live, recorded, replayed


# Ways to read ---------------------------------------------------------------------------------


def _copied(response: Any) -> Any:
    into = io.BytesIO()
    shutil.copyfileobj(response.raw, into, 10)
    return into.getvalue()


def _read1(response: Any) -> Any:
    return b"".join(iter(lambda: response.raw.read1(5), b""))


READERS: dict[str, Callable[[Any], Any]] = {
    "iter_lines": lambda response: list(response.iter_lines(3)),
    "iter_content as text": lambda response: list(response.iter_content(4, decode_unicode=True)),
    "content": lambda response: (response.content, response.text),
    "raw.read": lambda response: response.raw.read(),
    "raw.read, decoded": lambda response: response.raw.read(decode_content=True),
    "raw.read(10)": lambda response: [response.raw.read(10) for _ in range(4)],
    "raw.read1": _read1,
    "raw.stream": lambda response: list(response.raw.stream(6, decode_content=True)),
    "raw.data": lambda response: response.raw.data,
    "raw lines": lambda response: list(response.raw),
    "raw.readinto": lambda response: response.raw.readinto(bytearray(8)),
    "copyfileobj": _copied,
    "drain": lambda response: response.raw.drain_conn(),
    "nothing": lambda response: None,
}
STILL_ENCODED = ("raw.read", "raw.read(10)", "raw.read1", "raw.data", "raw.readinto", "copyfileobj")
"""Readers of compressed bytes; a replay compresses again, to different bytes."""
BODIES = (
    "json in pieces",
    "sse",
    "until closed",
    "gzip in pieces",
    "empty",
    "head",
    "truncated",
    "truncated chunk",
    "reset in the body",
)


@pytest.mark.parametrize(
    ("reader", "name"),
    [
        (reader, name)
        for reader in READERS
        for name in BODIES
        if name != "gzip in pieces" or reader not in STILL_ENCODED
    ],
)
def test_every_way_to_read_gives_the_same(tmp_path: Path, reader: str, name: str) -> None:
    def run(cassette: Cassette | None) -> list[Any]:
        seen: list[Any] = []
        with session(cassette) as client:
            method = ENDPOINTS[name].method
            with client.request(method, url, stream=True, timeout=20) as response:
                try:
                    seen.append(READERS[reader](response))
                except Exception as error:
                    seen.append((type(error), str(error)))
                seen.append((response.raw.closed, response.raw.isclosed()))
        return seen

    with serving() as server:
        url = f"http://127.0.0.1:{server.port}{path_of(name)}"
        live, recorded, replayed = three_times(tmp_path, run)
    assert live == recorded
    assert live == replayed


def test_a_broken_size_line_raises_the_same(tmp_path: Path) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(b"3\r\none\r\nzz\r\ntwo\r\n")
        handler.close_connection = True

    def run(cassette: Cassette | None) -> Any:
        with session(cassette) as client:
            try:
                return client.get(url).content
            except requests.exceptions.ChunkedEncodingError as error:
                return str(error)

    with answering(answer) as url:
        live, recorded, replayed = three_times(tmp_path, run)
    assert "InvalidChunkLength" in live
    assert live == recorded
    assert live == replayed


def test_a_body_that_is_read_at_once_is_one_piece_on_the_tape(tmp_path: Path) -> None:
    with (
        serving() as server,
        Cassette(tmp_path / "tape.yaml", "all") as cassette,
        session(cassette) as client,
    ):
        client.get(f"http://127.0.0.1:{server.port}/json-in-pieces")
    assert "  json:\n" in (tmp_path / "tape.yaml").read_text()


# Connections ----------------------------------------------------------------------------------


def _one_connection() -> HTTPAdapter:
    """An adapter that blocks while its only connection is in use."""
    return HTTPAdapter(pool_connections=1, pool_maxsize=1, pool_block=True)


def test_closing_early_gives_the_connection_back(tmp_path: Path) -> None:
    def run(cassette: Cassette | None) -> list[Any]:
        with session(cassette, _one_connection()) as client:
            response = client.get(f"{base}/endless", stream=True)
            first = next(response.iter_content(None))
            response.close()
            return [first, client.get(f"{base}/json", timeout=5).json()["name"]]

    with serving() as server:
        base = f"http://127.0.0.1:{server.port}"
        live, recorded, replayed = three_times(tmp_path, run)
    assert live == recorded
    assert live == replayed


@pytest.mark.parametrize("name", ["json", "json in pieces", "gzip"])
def test_reading_the_declared_length_ends_the_exchange(tmp_path: Path, name: str) -> None:
    def run(cassette: Cassette | None) -> list[Any]:
        with session(cassette, _one_connection()) as client:
            response = client.get(base + path_of(name), stream=True)
            length = int(response.headers["content-length"])
            response.raw.read(length)
            return [client.get(f"{base}/json", timeout=5).json()["name"]]

    with serving() as server:
        base = f"http://127.0.0.1:{server.port}"
        live, recorded, replayed = three_times(tmp_path, run)
    assert live == recorded
    assert live == replayed


LINES = [f"line {number:02} {hash((number, 1)):x}" for number in range(60)]


@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_other_requests_between_the_pieces_of_a_body(tmp_path: Path, encoding: str) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        if handler.path != "/lines":
            reply(handler, handler.path.encode())
            return
        body = "\n".join(LINES).encode()
        body = gzip.compress(body) if encoding else body
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        if encoding:
            handler.send_header("Content-Encoding", encoding)
        handler.end_headers()
        size = len(body) // 8
        for start in range(0, len(body), size):
            handler.wfile.write(body[start : start + size])
            handler.wfile.flush()
            time.sleep(0.01)

    def run(cassette: Cassette | None) -> Any:
        with session(cassette) as client, client.get(f"{url}/lines", stream=True) as response:
            return [
                client.get(f"{url}/{line[5:7].decode()}").text for line in response.iter_lines(64)
            ]

    with answering(answer) as url:
        live, recorded, replayed = three_times(tmp_path, run)
    assert live == recorded
    assert live == replayed


def test_connections_are_used_again(tmp_path: Path) -> None:
    ports = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        ports.append(handler.client_address[1])
        if handler.path == "/chunked":
            chunked(handler, b"one", b"two")
        else:
            reply(handler, b"x" * 100_000)

    with (
        answering(answer) as url,
        Cassette(tmp_path / "tape.yaml", "all") as cassette,
        session(cassette) as client,
    ):
        for path in ("/chunked", "/whole", "/chunked"):
            client.get(url + path)
    assert len(set(ports)) == 1


def test_a_dropped_response_does_no_harm(tmp_path: Path) -> None:
    def run(cassette: Cassette | None) -> Any:
        with session(cassette) as client:
            kept = client.get(f"{base}/sse", stream=True)
            client.get(f"{base}/sse", stream=True)
            gc.collect()
            return kept

    with serving() as server:
        base = f"http://127.0.0.1:{server.port}"
        kept = three_times(tmp_path, run)
    del kept  # after the cassettes were closed
    gc.collect()


def test_threads_share_a_session(tmp_path: Path) -> None:
    def run(cassette: Cassette | None) -> list[Any]:
        seen: dict[int, bytes] = {}
        with session(cassette) as client:

            def get(number: int) -> None:
                seen[number] = client.get(f"{base}/sse?n={number}").content

            threads = [threading.Thread(target=get, args=(number,)) for number in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        return sorted(seen.items())

    with serving() as server:
        base = f"http://127.0.0.1:{server.port}"
        live, recorded, replayed = three_times(tmp_path, run)
    assert live == recorded
    assert live == replayed


# Sessions -------------------------------------------------------------------------------------


def test_cookies_of_a_session(tmp_path: Path) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        cookie = handler.headers.get("cookie", "")
        reply(handler, cookie.encode(), "Set-Cookie: colour=green", "Set-Cookie: size=xl; Path=/a")

    def run(cassette: Cassette | None) -> list[Any]:
        with session(cassette) as client:
            texts = [client.get(url + path).text for path in ("/", "/a", "/b")]
            return [texts, [(each.name, each.value, each.path) for each in client.cookies]]

    with answering(answer) as url:
        live, recorded, replayed = three_times(tmp_path, run)
    assert live[0] == ["", "size=xl; colour=green", "colour=green"]
    assert live == recorded
    assert live == replayed


def test_retries_happen_below_the_boundary(tmp_path: Path) -> None:
    statuses = [503, 503, 200] * 2

    def answer(handler: BaseHTTPRequestHandler) -> None:
        reply(handler, b"done", status=statuses.pop(0))

    def run(cassette: Cassette | None) -> Any:
        retry = Retry(3, status_forcelist=[503], backoff_factor=0)
        with session(cassette, HTTPAdapter(max_retries=retry)) as client:
            response = client.get(url)
            retries.append(len(response.raw.retries.history))
            return response.status_code, response.text

    retries: list[int] = []
    with answering(answer) as url:
        live, recorded, replayed = three_times(tmp_path, run)
    assert live == recorded == replayed == (200, "done")
    assert retries == [2, 2, 0]
    assert (tmp_path / "tape.yaml").read_text().count("call:") == 1


def test_exhausted_retries_raise_the_same(tmp_path: Path) -> None:
    def run(cassette: Cassette | None) -> Any:
        retry = Retry(1, status_forcelist=[503], backoff_factor=0)
        with session(cassette, HTTPAdapter(max_retries=retry)) as client:
            try:
                client.get(url)
            except requests.exceptions.RetryError as error:
                return str(error), error.request.url

    with answering(lambda handler: reply(handler, b"", status=503)) as url:
        live, recorded, replayed = three_times(tmp_path, run)
    assert "too many 503 error responses" in live[0]
    assert live == recorded
    assert live == replayed


def _unused_port() -> Any:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        return closed.getsockname()[1]


@pytest.mark.parametrize("name", ["connect", "reset at once", "timeout at the head", "garbage"])
def test_an_exception_belongs_to_the_programs_request(tmp_path: Path, name: str) -> None:
    def run(cassette: Cassette | None) -> Any:
        with session(cassette) as client:
            prepared = client.prepare_request(requests.Request("GET", url))
            with pytest.raises(requests.RequestException) as caught:
                client.send(prepared, timeout=0.4)
            assert caught.value.request is prepared
            assert caught.value.response is None
            inner = caught.value.args[0]
            return caught.type, str(caught.value), type(inner), str(inner)

    with serving() as server:
        url = f"http://127.0.0.1:{_unused_port() if name == 'connect' else server.port}"
        url += path_of(name)
        live, recorded, replayed = three_times(tmp_path, run)
    assert live == recorded
    assert live == replayed


class _Keeping(HTTPAdapter):
    """Keeps the exception that it raised."""

    def send(self, *given: Any, **named: Any) -> Any:
        try:
            return super().send(*given, **named)
        except requests.ConnectionError as error:
            self.raised = error
            raise


def test_the_original_exception_is_raised_while_recording(tmp_path: Path) -> None:
    inner = _Keeping()
    with (
        Cassette(tmp_path / "tape.yaml", "all") as cassette,
        session(cassette, inner) as client,
        pytest.raises(requests.ConnectionError) as caught,
    ):
        client.get(f"http://127.0.0.1:{_unused_port()}")
    assert caught.value is inner.raised


class _Files(requests.adapters.BaseAdapter):
    """An adapter that answers without a connection."""

    def send(self, request: Any, *_: Any, **__: Any) -> requests.Response:
        response = requests.Response()
        response.status_code, response.reason, response.url = 200, "OK", request.url
        response.headers["Content-Length"] = "4"
        response.raw = io.BytesIO(b"file")
        return response

    def close(self) -> None:
        pass


def test_an_inner_adapter_without_urllib3(tmp_path: Path) -> None:
    def run(cassette: Cassette) -> Any:
        with session(cassette, _Files()) as client:
            response = client.get("http://nowhere/file")
            return response.status_code, response.reason, response.content

    with Cassette(tmp_path / "tape.yaml", "all") as cassette:
        recorded = run(cassette)
    with Cassette(tmp_path / "tape.yaml", "none") as cassette:
        replayed = run(cassette)
    assert recorded == replayed == (200, "OK", b"file")


def test_a_large_body_is_read_in_linear_time(tmp_path: Path) -> None:
    body = bytes(range(256)) * (1 << 13)

    def run(cassette: Cassette | None) -> Any:
        with session(cassette) as client:
            begun = time.process_time()
            same = client.get(url).content == body
            return same and time.process_time() - begun < 5

    with answering(lambda handler: reply(handler, body)) as url:
        assert three_times(tmp_path, run) == (True, True, True)


# Uploads --------------------------------------------------------------------------------------


def _generated() -> Iterator[bytes]:
    yield b"first"
    yield b""
    yield b"second"


class _Pieces:
    """A body that can be read once, and is not its own iterator."""

    def __init__(self) -> None:
        self._parts = _generated()

    def __iter__(self) -> Iterator[bytes]:
        return self._parts


def _file(tmp_path: Path) -> Any:
    path = tmp_path / "upload.txt"
    path.write_bytes(b"skipped" + b"content" * 9_000)
    file = path.open("rb")
    file.seek(len("skipped"))
    return file


UPLOADS: dict[str, Callable[[Path], Any]] = {
    "generator": lambda _: _generated(),
    "pieces": lambda _: _Pieces(),
    "file": _file,
    "text file": lambda _: io.StringIO("grün"),
    "text": lambda _: "grün",
    "bytes": lambda _: b"\x00\xff",
    "bytearray": lambda _: bytearray(b"abc"),
    "nothing": lambda _: None,
}


@pytest.mark.filterwarnings("default::DeprecationWarning")
@pytest.mark.parametrize("kind", UPLOADS)
def test_uploads_are_sent_as_without_vcr_gen(tmp_path: Path, kind: str) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        seen.append((sorted(handler.headers.items()), received(handler)))
        reply(handler, b"ok")

    def run(cassette: Cassette | None) -> Any:
        body = UPLOADS[kind](tmp_path)
        with session(cassette) as client:
            client.post(url, data=body, headers={"X-Name": "grün".encode()}).raise_for_status()
        rest = body.read() if hasattr(body, "read") else None
        if hasattr(body, "close"):
            body.close()
        return rest or (list(body) if kind in ("generator", "pieces") else None)

    seen: list[Any] = []
    with answering(answer) as url:
        live, recorded, replayed = three_times(tmp_path, run)
    assert live == recorded == replayed
    assert seen[0] == seen[1]
    assert len(seen) == 2


# Secrets --------------------------------------------------------------------------------------

WHOLE = json.dumps({"name": "Ada", "api_key": TOKEN, "rest": "x" * 50}).encode()
SECRETS: dict[str, Answer] = {
    "whole": lambda handler: reply(handler, WHOLE),
    "gzip": lambda handler: reply(handler, gzip.compress(WHOLE), "Content-Encoding: gzip"),
    "chunked": lambda handler: chunked(handler, *(WHOLE[at : at + 9] for at in range(0, 180, 9))),
}


@pytest.mark.parametrize("body", SECRETS)
@pytest.mark.parametrize("size", [None, 1, 7, 1_000])
@pytest.mark.parametrize("stream", [True, False])
def test_a_redacted_body_has_another_length(
    tmp_path: Path, body: str, size: int | None, stream: bool
) -> None:
    def run(cassette: Cassette | None) -> bytes:
        with session(cassette) as client:
            response = client.get(url, stream=stream)
            return b"".join(response.iter_content(size))

    with answering(SECRETS[body]) as url:
        live, recorded, replayed = three_times(tmp_path, run)
    assert live == recorded == WHOLE
    assert json.loads(replayed)["name"] == "Ada"
    assert json.loads(replayed)["api_key"].startswith("<redacted:")
    assert TOKEN not in (tmp_path / "tape.yaml").read_text()
    assert TOKEN[20:40] not in (tmp_path / "tape.yaml").read_text()


def _in_steps(read: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    return lambda response: b"".join(iter(lambda: read(response.raw), b""))


def _readinto(raw: Any) -> bytes:
    into = bytearray(3)
    return bytes(into[: raw.readinto(into)])


STEPS: dict[str, Callable[[Any], bytes]] = {
    "raw.read": lambda response: response.raw.read(),
    "raw.read(10_000)": lambda response: response.raw.read(10_000),
    "raw.read(1)": _in_steps(lambda raw: raw.read(1)),
    "raw.read1(1)": _in_steps(lambda raw: raw.read1(1)),
    "raw.read1()": _in_steps(lambda raw: raw.read1()),
    "raw.readinto": _in_steps(_readinto),
    "raw lines": lambda response: b"".join(response.raw),
    "iter_content(1)": lambda response: b"".join(response.iter_content(1)),
}


@pytest.mark.parametrize("secret", ["ab1", TOKEN])
@pytest.mark.parametrize("is_chunked", [True, False])
@pytest.mark.parametrize("read", STEPS)
def test_a_redacted_body_is_read_in_steps(
    tmp_path: Path, read: str, is_chunked: bool, secret: str
) -> None:
    """The placeholder is longer than one of the secrets, and shorter than the other."""
    body = json.dumps({"name": "Ada", "api_key": secret, "rest": "x" * 50}).encode()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        pieces = (body[at : at + 9] for at in range(0, len(body), 9))
        chunked(handler, *pieces) if is_chunked else reply(handler, body)

    def run(cassette: Cassette | None) -> bytes:
        with session(cassette) as client:
            return STEPS[read](client.get(url, stream=True))

    with answering(answer) as url:
        live, recorded, replayed = three_times(tmp_path, run)
    assert live == recorded == body
    assert json.loads(replayed)["rest"] == "x" * 50
    assert json.loads(replayed)["api_key"].startswith("<redacted:")


def test_the_next_request_follows_a_redacted_body_that_became_longer(tmp_path: Path) -> None:
    body = b'{"password": "abc", "rest": 1}'

    def run(cassette: Cassette | None) -> Any:
        with session(cassette) as client:
            response = client.get(url, stream=True)
            begins = response.raw.read(int(response.headers["content-length"]))
            status = client.get(url).status_code
            return begins[:14], status

    with answering(lambda handler: reply(handler, body)) as url:
        live, recorded, replayed = three_times(tmp_path, run)
    assert live == recorded == replayed
    assert '"abc"' not in (tmp_path / "tape.yaml").read_text()


# Replays --------------------------------------------------------------------------------------


def _ask(client: Any, base: str, name: str) -> None:
    client.post(f"{base}/post-json", json={"messages": [{"content": name}]})


def test_a_failure_points_at_the_users_line(tmp_path: Path) -> None:
    with (
        serving() as server,
        Cassette(tmp_path / "tape.yaml", "all") as cassette,
        session(cassette) as client,
    ):
        base = f"http://127.0.0.1:{server.port}"
        _ask(client, base, "Ada")
    with (
        pytest.raises(DivergenceError) as raised,
        Cassette(tmp_path / "tape.yaml", "none") as cassette,
        session(cassette) as client,
    ):
        _ask(client, base, "Grace")
    assert "request.body.json.messages[0].content: value differs" in str(raised.value)
    assert f"test_requests.py:{_ask.__code__.co_firstlineno + 1} in _ask" in str(raised.value)


@pytest.mark.parametrize("name", ["json in pieces", "gzip", "sse", "truncated chunk"])
def test_verify_passes_while_the_server_answers_the_same(tmp_path: Path, name: str) -> None:
    with serving() as server:
        for mode in ("all", "verify"):
            with (
                Cassette(tmp_path / "tape.yaml", mode) as cassette,
                session(cassette) as client,
                contextlib.suppress(requests.exceptions.ChunkedEncodingError),
            ):
                client.get(f"http://127.0.0.1:{server.port}{path_of(name)}")


# Imports --------------------------------------------------------------------------------------


def test_requests_is_imported_only_by_those_who_use_it() -> None:
    check = "import sys, vcr_gen.boundaries.http; assert 'requests' not in sys.modules"
    subprocess.run([sys.executable, "-c", check], check=True)
