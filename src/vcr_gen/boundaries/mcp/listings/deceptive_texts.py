"""Finds what a text tells a model that a person does not see, or would not want."""

import base64
import binascii
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from vcr_gen.boundaries.mcp.listings.hidden_characters import (
    SMUGGLING,
    as_seen,
    hidden_characters,
    hidden_message,
    spelled,
    without_hidden,
)
from vcr_gen.boundaries.mcp.listings.lint_rules import PHRASES, Phrase
from vcr_gen.runtime.codec.placeholders import PLACEHOLDER

_BEFORE: Final = 20
_SHOWN: Final = 80
_BASE64: Final = re.compile(
    r"(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{4}){6,}(?:[A-Za-z0-9+/_-]{2,3})?={0,2}"
)
_HEX: Final = re.compile(r"\b(?:0x)?((?:[0-9a-fA-F]{2}){16,})\b")
_EMPHASIS: Final = re.compile(r"[*_`~]+")
"""Marks between words, which Markdown does not show."""
_LONG: Final = 200
"""From this length on, a blob in a description is reported, whatever it holds."""
_MIXED: Final = re.compile(r"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=[^0-9]*[0-9])")
_USUAL: Final = ("authorization",)
"""Rules for credentials that also find descriptions of them: `Bearer token`."""


@dataclass(frozen=True, slots=True)
class Deception:
    """A finding in a text."""

    code: str
    message: str
    excerpt: str


def deceptions(text: str) -> Iterator[Deception]:
    """What is wrong with a description, one finding for each code."""
    found: dict[str, Deception] = {}
    for each in (
        *_hidden(text),
        *_phrases(_layouts(text), PHRASES),
        *_encoded(text),
        *_secrets(text),
    ):
        found.setdefault(each.code, each)
    yield from found.values()


def deceptions_in_result(text: str) -> Iterator[Deception]:
    """What is wrong with a result, in which comments, white space and blobs are usual."""
    found: dict[str, Deception] = {}
    phrases = [phrase for phrase in PHRASES if phrase.in_results]
    layouts = [*map(_in_lines, _spellings(text))]  # in lines only: results can be large
    for each in (*_hidden(text, SMUGGLING), *_phrases(layouts, phrases)):
        found.setdefault(each.code, each)
    yield from found.values()


def _hidden(text: str, kinds: Collection[str] = ()) -> Iterator[Deception]:
    """Hidden characters, of these kinds or of all."""
    for kind, position in hidden_characters(text):
        if kinds and kind not in kinds:
            continue
        message = hidden_message(text)
        says = f"{kind}, which say {message!r}" if message else kind
        yield Deception("hidden-characters", says, excerpt(text, position))


def _spellings(text: str) -> dict[str, None]:
    """The text in its own letters, and in those of ASCII where they look like these."""
    return dict.fromkeys((without_hidden(text), as_seen(text)))


def _layouts(text: str) -> list[str]:
    """The text in its lines, in one line, and without emphasis."""
    found: list[str] = []
    for spelling in _spellings(text):
        lines = _in_lines(spelling)
        joined = " ".join(lines.split())
        found += lines, joined, " ".join(_EMPHASIS.sub(" ", joined).split())
    return list(dict.fromkeys(found))


def _in_lines(text: str) -> str:
    """The text without empty lines and other white space."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.splitlines())))


def _phrases(layouts: Iterable[str], phrases: Iterable[Phrase]) -> Iterator[Deception]:
    for phrase in phrases:
        for layout in layouts:
            match = phrase.search(layout)
            if match:
                yield Deception(phrase.code, phrase.says, excerpt(layout, match.start()))
                break


def _encoded(text: str) -> Iterator[Deception]:
    for match in _BASE64.finditer(text):
        if text[: match.start()].endswith(";base64,"):
            continue  # a picture
        hidden = _decoded(match[0])
        if hidden or (len(match[0]) >= _LONG and _MIXED.match(match[0])):
            says = f"encoded text, which says {hidden!r}" if hidden else "a blob in base64"
            yield Deception("encoded-text", says, excerpt(text, match.start()))
    for match in _HEX.finditer(text):
        hidden = _readable(bytes.fromhex(match[1]))
        if hidden:
            says = f"encoded text, which says {hidden!r}"
            yield Deception("encoded-text", says, excerpt(text, match.start()))


def _decoded(blob: str) -> str:
    """The text that a blob encodes; empty if it encodes none."""
    standard = blob.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return _readable(base64.b64decode(standard + "=" * (-len(standard) % 4)))
    except (binascii.Error, ValueError):
        return ""


def _readable(data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return text[:_SHOWN] if text.replace("\n", " ").isprintable() and " " in text else ""


def _secrets(text: str) -> Iterator[Deception]:
    """What the recording has redacted."""
    for match in PLACEHOLDER.finditer(text):
        if match[1] not in _USUAL:
            message = "a credential, which the recording has redacted"
            yield Deception("secret", message, excerpt(text, match.start()))


def excerpt(text: str, position: int) -> str:
    """The part of a text around a position, on one line."""
    start = max(0, position - _BEFORE)
    part = text[start : start + _SHOWN]
    line = spelled(" ".join(part.split()))
    return f"{'…' if start else ''}{line}{'…' if start + _SHOWN < len(text) else ''}"
