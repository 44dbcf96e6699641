"""Credentials in compressed data are found, and the data stays compressed."""

import base64
import gzip
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import brotli
import pytest
import zstandard
from fake_credentials import CREDENTIALS
from guarded.bridges import Echo
from vcr_guarded import VcrApi

from vcr_gen import Cassette, DivergenceError, Redaction
from vcr_gen.runtime.privacy.compressed import opened

KEY, OTHER = CREDENTIALS["anthropic-key"], CREDENTIALS["github-token"]
WORDS = "some ordinary words, " * 9


def _raw_deflate(data: bytes) -> bytes:
    return zlib.compress(data)[2:-4]


def _members(data: bytes) -> bytes:
    return gzip.compress(b"another file") + gzip.compress(data)


FORMATS: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    "gzip": (gzip.compress, gzip.decompress),
    "gzip in two members": (_members, lambda data: gzip.decompress(data)[len("another file") :]),
    "deflate": (zlib.compress, zlib.decompress),
    "raw deflate": (_raw_deflate, lambda data: zlib.decompress(data, -15)),
    "brotli": (brotli.compress, brotli.decompress),
    "zstd": (
        zstandard.ZstdCompressor().compress,
        lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
    ),
}


def text_with(secret: str) -> bytes:
    return f"{WORDS}key {secret} end".encode()


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("spell", [bytes, lambda data: base64.b64encode(data).decode()])
def test_a_value_is_redacted_and_replays_with_another_key(
    tmp_path: Path, name: str, spell: Callable[[bytes], Any]
) -> None:
    compress, decompress = FORMATS[name]
    tape = tmp_path / "tape.yaml"
    with Cassette(tape, "all") as cassette:
        api = VcrApi(cassette=cassette, inner=Echo())
        api.ask(spell(compress(text_with(KEY))))
    with Cassette(tape, "none") as cassette:
        fed = VcrApi(cassette=cassette).ask(spell(compress(text_with(OTHER))))
    data = fed if isinstance(fed, bytes) else base64.b64decode(fed)
    assert decompress(data) == text_with("<redacted:anthropic-key:1>")


@pytest.mark.parametrize("name", FORMATS)
def test_what_else_differs_is_reported(tmp_path: Path, name: str) -> None:
    compress = FORMATS[name][0]
    tape = tmp_path / "tape.yaml"
    with Cassette(tape, "all") as cassette:
        VcrApi(cassette=cassette, inner=Echo()).ask(compress(text_with(KEY)))
    with pytest.raises(DivergenceError), Cassette(tape, "none") as cassette:
        VcrApi(cassette=cassette).ask(compress(text_with(KEY) + b"!"))


@pytest.mark.parametrize("name", FORMATS)
def test_data_without_a_secret_stays_as_it_is(tmp_path: Path, name: str) -> None:
    data = FORMATS[name][0](text_with("of the piano"))
    tape = tmp_path / "tape.yaml"
    for mode in ("all", "none"):
        with Cassette(tape, mode) as cassette:
            assert VcrApi(cassette=cassette, inner=_inner(mode)).ask(data) == data


def _inner(mode: str) -> Echo | None:
    return Echo() if mode == "all" else None


@pytest.mark.parametrize("size", [1, 3, 40])
def test_a_stream_is_redacted_as_a_whole(tmp_path: Path, size: int) -> None:
    data = gzip.compress(text_with(KEY))
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    inner: Any = Echo()
    inner.data = lambda: iter(pieces)
    tape = tmp_path / "tape.jsonl"
    with Cassette(tape, "all") as cassette:
        assert list(VcrApi(cassette=cassette, inner=inner).data()) == pieces
    with Cassette(tape, "none") as cassette:
        fed = list(VcrApi(cassette=cassette).data())
    assert len(fed) == len(pieces)
    assert gzip.decompress(b"".join(fed)) == text_with("<redacted:anthropic-key:1>")


def test_the_rule_can_be_switched_off(tmp_path: Path) -> None:
    data = gzip.compress(text_with(KEY))
    off = Redaction(off=["compressed"])
    for mode in ("all", "none"):
        with Cassette(tmp_path / "t.yaml", mode, redaction=off) as cassette:
            assert VcrApi(cassette=cassette, inner=_inner(mode)).ask(data) == data


def test_random_data_is_not_taken_for_compressed() -> None:
    for size in range(8, 2000, 7):
        assert opened(os.urandom(size).decode("latin-1")) is None
    assert opened("x^2 is the square of x\x01") is None
    assert opened("ordinary words") is None


@pytest.mark.parametrize("name", ["gzip", "deflate", "zstd"])
@pytest.mark.parametrize("fault", [b"", b"\xff" * 40])
def test_data_that_ends_early_or_is_broken_is_opened_up_to_there(name: str, fault: bytes) -> None:
    data = FORMATS[name][0](text_with(KEY) + os.urandom(400))[:-40] + fault
    found = opened(data.decode("latin-1"))
    if found is None:  # zstd gives nothing of a block that is not whole
        assert name == "zstd"
        return
    assert found.state != "whole"
    assert KEY in found.text
    again = opened(found.closed("x" * 9))
    assert again is not None
    assert again.text == "x" * 9
    assert again.state == found.state
