"""A program behind the proxy sees the same live, while recording, and in a replay."""

from pathlib import Path

import pytest
from http_clients import CLIENTS, Observation
from http_endpoints import ENDPOINTS, serving

from vcr_gen import Cassette
from vcr_gen.boundaries.http.proxy import HttpProxy

OTHERWISE_LIVE = {
    "garbage": "what is not HTTP comes as a response with status 502",
}
COMPRESSED = (
    "gzip",
    "gzip in pieces",
    "two gzip members",
    "two gzip members in pieces",
    "gzip and garbage",
    "raw deflate",
    "deflate",
    "br",
    "two zstd frames",
)
"""A replay compresses the body again, so that its length differs."""
IN_PIECES = (
    "json in pieces",
    "text in pieces",
    "gzip in pieces",
    "two gzip members in pieces",
    "raw deflate",
    "until closed",
)
"""Not chunks: TCP may join the pieces that the proxy sends, most of all in a replay, which sends
them without a pause. Tests of the proxy show that it passes each on as it comes."""


def _without_lengths(seen: Observation) -> Observation:
    head, *rest = seen
    status, reason, version, headers, history = head
    kept = [pair for pair in headers if pair[0].lower() != b"content-length"]
    return [(status, reason, version, kept, history), *rest]


def _joined(seen: Observation) -> Observation:
    head, *pieces, cookies = seen
    return [head, b"".join(pieces), cookies]


@pytest.mark.parametrize("name", ENDPOINTS)
def test_the_program_sees_the_same_through_the_proxy(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(mode: str) -> Observation:
        with (
            Cassette(tmp_path / "tape.yaml", mode, order="lanes") as cassette,
            HttpProxy(cassette) as proxy,
            monkeypatch.context() as patched,
        ):
            for variable, value in proxy.environment.items():
                patched.setenv(variable, value)
            return client(None, base, name, endpoint)

    endpoint, client = ENDPOINTS[name], CLIENTS["httpx"]
    with serving() as server:
        base = f"http://127.0.0.1:{server.port}"
        live = client(None, base, name, endpoint)
        recorded = run("all")
    replayed = run("none")
    if name in IN_PIECES:
        live, recorded, replayed = map(_joined, (live, recorded, replayed))
    if name not in OTHERWISE_LIVE:
        assert live == recorded
    if name in COMPRESSED:
        recorded, replayed = _without_lengths(recorded), _without_lengths(replayed)
    assert recorded == replayed
