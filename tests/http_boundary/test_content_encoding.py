"""Compressed bodies are stored readable, whatever way they were made and cut."""

import gzip
import zlib
from pathlib import Path

import httpx
import pytest
import zstandard
from test_requests import answering, reply, session, three_times

from vcr_gen import Cassette
from vcr_gen.boundaries.http import http_transport

TOKEN = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF"
FIRST, SECOND = b'{"n": 1}', f'{{"api_key": "{TOKEN}"}}'.encode()


def _zstd(content: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(content)


MEMBERS = {
    "gzip": gzip.compress(FIRST) + gzip.compress(SECOND),
    "zstd": _zstd(FIRST) + _zstd(SECOND),
}


@pytest.mark.parametrize("encoding", MEMBERS)
def test_a_secret_in_a_second_member_is_not_on_disk(tmp_path: Path, encoding: str) -> None:
    body, tape = MEMBERS[encoding], tmp_path / "tape.yaml"
    with (
        answering(lambda handler: reply(handler, body, f"Content-Encoding: {encoding}")) as url,
        Cassette(tape, "all") as cassette,
        httpx.Client(transport=http_transport(cassette)) as client,
    ):
        client.get(url)
    assert TOKEN not in tape.read_text()
    assert '{"n": 1}{"api_key": "<redacted:' in tape.read_text()


@pytest.mark.parametrize("size", [1, 2, 5])
def test_raw_deflate_is_read_from_its_first_byte_on(tmp_path: Path, size: int) -> None:
    body = zlib.compress(FIRST * 9, wbits=-zlib.MAX_WBITS)

    def run(cassette: Cassette | None) -> bytes:
        with session(cassette) as client:
            return client.get(url, stream=True).content

    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Encoding", "deflate")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for part in (body[:size], body[size:]):
            handler.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
        handler.wfile.write(b"0\r\n\r\n")

    with answering(answer) as url:
        live, recorded, replayed = three_times(tmp_path, run)
    assert live == recorded == replayed == FIRST * 9
    assert "undecoded" not in (tmp_path / "tape.yaml").read_text()
