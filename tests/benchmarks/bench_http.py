"""Measures a replayed and a recorded HTTP request, in one run beside other tools.

The baseline is a bare `httpx.MockTransport` that answers the same requests: whatever a replay costs
more is ours. vcrpy and cassetter replay the same session; its files are compared in size too.

Run: .venv/bin/python tests/benchmarks/bench_http.py [REQUESTS ...]
"""

import json
import random
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import process_time
from typing import Any

import httpx
import vcr

from vcr_gen import Cassette
from vcr_gen.boundaries.http import http_transport

try:
    import cassetter
except ImportError:  # it has no wheel for every machine
    cassetter = None

_REMOTE = "https://api.example.com"
_CHUNKS = 2_000
_MOST_OF_VCRPY = 100
"""Its replay is quadratic, and takes seconds for more."""
_MOST_OF_CASSETTER = 1_000


def answer(number: int) -> dict[str, object]:
    """About 0.8 kB of JSON."""
    return {
        "id": f"item-{number}",
        "name": "A thing with a name",
        "price": 12.5 + number,
        "tags": ["alpha", "beta", "gamma"],
        "stock": {"here": number, "there": 17, "shops": [{"city": "Bern"}, {"city": "Oslo"}]},
        "description": "A longer text, which says what the thing is good for. " * 8,
        "similar": [f"item-{number + more}" for more in range(12)],
    }


def chunks(count: int) -> Iterator[bytes]:
    """The events of a stream."""
    for number in range(count):
        yield b'event: delta\ndata: {"type": "delta", "index": %d, "text": "a word"}\n\n' % number


class _Chunks(httpx.SyncByteStream):
    def __init__(self, count: int) -> None:
        self._count = count

    def __iter__(self) -> Iterator[bytes]:
        return chunks(self._count)


def respond(request: httpx.Request) -> httpx.Response:
    """What the service says."""
    kind, number = request.url.path.split("/")[-2:]
    if kind == "stream":
        return httpx.Response(200, stream=_Chunks(int(number)))
    return httpx.Response(200, json=answer(int(number)))


def ask(client: httpx.Client, place: str, numbers: Iterable[int]) -> None:
    """The program: one request after another."""
    for number in numbers:
        body = {"number": number, "fields": ["name", "price"], "filter": {"in_stock": True}}
        response = client.post(f"{place}/v1/items/{number}", params={"page": number}, json=body)
        assert response.json()["id"] == f"item-{number}"


def read(client: httpx.Client, count: int) -> None:
    """The program: one response, chunk by chunk."""
    with client.stream("GET", f"{_REMOTE}/v1/stream/{count}") as response:
        assert sum(1 for _ in response.iter_raw()) == count


def mocked(program: Callable[..., None], *arguments: Any) -> None:
    """Run a program on the bare transport."""
    with httpx.Client(transport=httpx.MockTransport(respond)) as client:
        program(client, *arguments)


def record(path: Path, program: Callable[..., None], *arguments: Any) -> None:
    """Record it on the same transport."""
    inner = httpx.MockTransport(respond)
    with (
        Cassette(path, "all") as cassette,
        httpx.Client(transport=http_transport(cassette, inner=inner)) as client,
    ):
        program(client, *arguments)


def replay(path: Path, order: Any, program: Callable[..., None], *arguments: Any) -> None:
    """Replay it."""
    with (
        Cassette(path, "none", order=order) as cassette,
        httpx.Client(transport=http_transport(cassette)) as client,
    ):
        program(client, *arguments)


class _Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        number = int(self.path.partition("?")[0].rpartition("/")[2])
        body = json.dumps(answer(number), separators=(",", ":")).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def service() -> Iterator[str]:
    """The address of a server on this machine; tools that patch clients need one."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def with_vcrpy(path: Path, mode: str) -> Any:
    """The context in which vcrpy records or replays."""
    return vcr.use_cassette(str(path), record_mode=mode)


def with_cassetter(path: Path, mode: str) -> Any:
    """The context in which cassetter records or replays."""
    assert cassetter is not None
    return cassetter.use_cassette(path, record_mode=mode)


def patched(tool: Any, path: Path, mode: str, place: str, numbers: Sequence[int]) -> None:
    """Run the program with its client patched."""
    with tool(path, mode), httpx.Client() as client:
        ask(client, place, numbers)


def recorded_for_real(path: Path, place: str, numbers: Sequence[int]) -> None:
    """Record the same session as the other tools."""
    with Cassette(path, "all") as cassette:
        transport = http_transport(cassette)
        with httpx.Client(transport=transport) as client:
            ask(client, place, numbers)


def seconds(work: Callable[[], None], runs: int) -> float:
    """CPU time of the cheapest run: what else the machine does only adds to a run."""
    found = []
    for _ in range(runs):
        started = process_time()
        work()
        found.append(process_time() - started)
    return min(found)


def shown(label: str, found: float, limit: float) -> bool:
    """Print a number beside its limit; whether that holds."""
    verdict = "OK" if found <= limit else "BROKEN"
    print(f"{label:<62} {found:8.2f}  <= {limit:<5g} {verdict}", flush=True)
    return found <= limit


def requests(folder: Path, count: int) -> tuple[bool, dict[str, float]]:
    """Print what a request costs, replayed in order and shuffled, and recorded."""
    numbers = range(count)
    shuffled = random.Random(1).sample(numbers, count)
    runs = max(1, min(10, 1_000 // count))
    bare = seconds(partial(mocked, ask, _REMOTE, numbers), max(2, runs))
    print(f"{count} requests, MockTransport: {bare / count * 1e6:.0f} µs each")
    holds, costs = True, {}
    for suffix in ("jsonl", "yaml"):
        path = folder / f"{count}.{suffix}"
        recorded = seconds(partial(record, path, ask, _REMOTE, numbers), runs)
        in_order = seconds(partial(replay, path, None, ask, _REMOTE, numbers), runs)
        lanes = seconds(partial(replay, path, "lanes", ask, _REMOTE, shuffled), runs)
        added = (recorded - bare) / count * 1e6
        holds &= shown(f"{count} requests replayed, {suffix} / MockTransport", in_order / bare, 2)
        holds &= shown(f"{count} requests shuffled, {suffix} / MockTransport", lanes / bare, 2)
        holds &= shown(f"{count} requests, µs that recording adds to each, {suffix}", added, 300)
        costs[f"replayed, {suffix}"] = in_order / count
        costs[f"shuffled, {suffix}"] = lanes / count
    return holds, costs


def others(folder: Path, place: str, count: int) -> None:
    """Print what other tools need to replay the same session."""
    numbers = range(count)
    bare = seconds(partial(mocked, ask, place, numbers), 3)
    tools = [("vcrpy", with_vcrpy, _MOST_OF_VCRPY)]
    if cassetter is not None:
        tools.append(("cassetter", with_cassetter, _MOST_OF_CASSETTER))
    for name, tool, most in tools:
        if count <= most:
            path = folder / f"{name}-{count}.yaml"
            patched(tool, path, "all", place, numbers)
            cost = seconds(partial(patched, tool, path, "none", place, numbers), 2)
            print(f"{f'{count} requests replayed, {name} / MockTransport':<62} {cost / bare:8.2f}")


def chunk(folder: Path) -> bool:
    """Print what a chunk of a stream costs."""
    holds = True

    def each(work: Callable[[int], None]) -> float:
        return (seconds(partial(work, _CHUNKS), 5) - seconds(partial(work, 0), 5)) / _CHUNKS * 1e6

    print(f"a chunk of a stream, µs, MockTransport {each(partial(mocked, read)):.1f}")
    for suffix in ("jsonl", "yaml"):
        paths = {count: folder / f"stream-{count}.{suffix}" for count in (0, _CHUNKS)}
        for count, path in paths.items():
            record(path, read, count)

        def replayed(count: int, paths: dict[int, Path] = paths) -> None:
            replay(paths[count], None, read, count)

        holds &= shown(f"a chunk of a stream, replayed, {suffix}, µs", each(replayed), 10)
    return holds


def session(folder: Path) -> bool:
    """Print what a session of one request costs."""
    holds = True
    for suffix in ("jsonl", "yaml"):
        path = folder / f"one.{suffix}"
        works = {
            "recorded": partial(record, path, ask, _REMOTE, [1]),
            "replayed": partial(replay, path, None, ask, _REMOTE, [1]),
        }
        for name, work in works.items():
            cost = seconds(work, 20) * 1e3
            holds &= shown(f"a session of one request, {name}, {suffix}, ms", cost, 2.5)
    return holds


def size(folder: Path, place: str) -> bool:
    """Print how large a file is beside that of vcrpy."""
    numbers = range(50)
    ours, theirs = folder / "ours.yaml", folder / "theirs.yaml"
    recorded_for_real(ours, place, numbers)
    patched(with_vcrpy, theirs, "all", place, numbers)
    ratio = ours.stat().st_size / theirs.stat().st_size
    return shown("size of a session of JSON exchanges, YAML / vcrpy", ratio, 1.15)


def main(counts: list[int]) -> int:
    """Print all of it; 1 when a limit is broken."""
    holds = True
    flat: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name, service() as place:
        folder = Path(name)
        holds &= size(folder, place)
        holds &= session(folder)
        holds &= chunk(folder)
        for count in counts:
            others(folder, place, count)
            held, costs = requests(folder, count)
            holds &= held
            for label, cost in costs.items():
                flat.setdefault(label, []).append(cost)
    for label, found in flat.items():
        if len(found) > 1:
            grown = found[-1] / found[0]
            holds &= shown(f"{counts[-1]} requests / {counts[0]} of them, {label}", grown, 1.3)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main([int(argument) for argument in sys.argv[1:]] or [10, 100, 1_000, 10_000]))
