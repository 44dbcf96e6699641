"""How bodies are stored: JSON as data, forms as fields, text as text, and the rest as bytes.

A request is only compared, so its body is stored by its meaning: the order of JSON keys, the layout
of JSON and the boundary of multipart do not matter. A response is fed again, so a part of its
body is stored as data only if exactly the same bytes can be made from it.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl

from vcr_gen.boundaries.http.content_encoding import Members, Undecoded
from vcr_gen.boundaries.http.framing import Framing, SizeLine

Body: TypeAlias = object
"""`{"json": …}`, `{"form": …}`, `{"multipart": …}`, a text, bytes, or None for no body."""


_NOT_TEXT: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_PARAMETER: Final = re.compile(r";(?=(?:[^\"]*\"[^\"]*\")*[^\"]*\Z)")
"""A semicolon outside of quotes."""
_FORM: Final = "application/x-www-form-urlencoded"
_LARGEST_JSON: Final = 1 << 20
"""Longer texts stay text: a diff of their lines is more useful than a huge tree."""


def describe_body(content: bytes, content_type: str) -> Body:
    """The body of a request as a cassette describes it."""
    if not content:
        return None
    kind = content_type.partition(";")[0].strip().lower()
    if kind == _FORM:
        form = _parse_form(content)
        return content if form is None else {"form": form}
    if boundary := multipart_boundary(content_type):
        parts = _parse_multipart(content, boundary)
        return content if parts is None else {"multipart": parts}
    if kind.endswith(("/json", "+json")) or content[:1] in (b"{", b"["):
        found = _parse_json(content)
        if found is not None:
            return {"json": found[0]}
    return _text_or_bytes(content)


def multipart_boundary(content_type: str) -> str:
    """The boundary between the parts; clients choose a new one for each request."""
    if "multipart/" not in content_type.lower():
        return ""
    kind, *parameters = content_type.split(";")
    if not kind.strip().lower().startswith("multipart/"):
        return ""
    for parameter in parameters:
        name, _, value = parameter.strip().partition("=")
        if name.lower() == "boundary":
            return value.strip().strip('"')
    return ""


def piece_to_plain(piece: bytes) -> object:
    """The stored form of a piece of a response's body."""
    if isinstance(piece, Undecoded):
        return {"undecoded": bytes(piece)}
    if isinstance(piece, SizeLine):
        return {"size line": _text_or_bytes(bytes(piece))}
    if isinstance(piece, Framing | Members):
        return piece.to_plain()
    if piece[:1] in (b"{", b"[") and len(piece) <= _LARGEST_JSON:
        found = _parse_json(piece)
        if found is not None:
            for layout in _likely_layouts(piece):
                if _spell_json(found[0], layout) == piece:
                    stored = {"json": found[0]}
                    return {**stored, "layout": " ".join(layout)} if layout else stored
    return _text_or_bytes(bytes(piece))


def piece_from_plain(stored: Any) -> bytes:
    """The bytes of a stored piece."""
    if isinstance(stored, str):
        return stored.encode()
    if isinstance(stored, dict):
        if "undecoded" in stored:
            return Undecoded(stored["undecoded"])
        if "size line" in stored:
            return SizeLine(piece_from_plain(stored["size line"]))
        if "framing" in stored:
            return Framing.from_plain(stored["framing"])
        if "members" in stored:
            return Members.at(stored["members"])
        return _spell_json(stored["json"], tuple(stored.get("layout", "").split()))
    assert isinstance(stored, bytes)
    return stored


def _likely_layouts(piece: bytes) -> Iterator[tuple[str, ...]]:
    """The layouts that a JSON text may have, of those that programs use; the likeliest first."""
    is_spaced = piece.partition(b'":')[2][:1] == b" "
    ascii_words: tuple[tuple[str, ...], ...] = ((),)
    if b"\\u" in piece:
        ascii_words = ((), ("ascii",)) if piece.isascii() else ((),)
    for spaced in (("spaced",), ()) if is_spaced else ((), ("spaced",)):
        for ascii_word in ascii_words:
            yield (*spaced, *ascii_word, *(("newline",) if piece.endswith(b"\n") else ()))


def _text_or_bytes(content: bytes) -> str | bytes:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return content
    return content if _NOT_TEXT.search(text) else text


def _parse_json(content: bytes) -> tuple[object] | None:
    """The data of a JSON text; None if it is none, or has a key twice."""
    try:
        text = content.decode(json.detect_encoding(content), "surrogatepass")
        return (_STRICT_JSON.decode(text),)
    except (ValueError, RecursionError):
        return None


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


_STRICT_JSON: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse)


def _spell_json(data: object, layout: tuple[str, ...]) -> bytes:
    encoder = _json_encoder(ascii_only="ascii" in layout, spaced="spaced" in layout)
    text = encoder.encode(data).encode("utf-8", "surrogatepass")
    return text + b"\n" if "newline" in layout else text


@cache
def _json_encoder(*, ascii_only: bool, spaced: bool) -> json.JSONEncoder:
    return json.JSONEncoder(ensure_ascii=ascii_only, separators=None if spaced else (",", ":"))


def _parse_form(content: bytes) -> dict[str, str | list[str]] | None:
    try:
        pairs = parse_qsl(
            content.decode("ascii"), keep_blank_values=True, strict_parsing=True, errors="strict"
        )
    except ValueError:
        return None
    return grouped(pairs)


def grouped(pairs: Sequence[tuple[str, str]]) -> dict[str, str | list[str]]:
    """Values by name, with a list for a repeated one."""
    each: dict[str, str | list[str]] = dict(pairs)
    if len(each) == len(pairs):
        return each
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def first_of(named: Mapping[str, str | list[str]], name: str) -> str:
    """The first value with a name; empty if there is none."""
    found = named.get(name, "")
    return found if isinstance(found, str) else found[0]


def _parse_multipart(content: bytes, boundary: str) -> list[object] | None:
    mark = b"--" + boundary.encode()
    first, *parts = (b"\r\n" + content).split(b"\r\n" + mark)
    if first or not parts or not parts[-1].startswith(b"--"):
        return None
    described: list[object] = []
    for part in parts[:-1]:
        head, separator, data = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        if not separator:
            return None
        headers = [line.partition(":") for line in head.decode("utf-8", "replace").split("\r\n")]
        named = grouped([(name.strip().lower(), value.strip()) for name, _, value in headers])
        content_type = named.get("content-type", "")
        body = describe_body(data, str(content_type))
        described.append({**_field(named), "value": "" if body is None else body})
    return described


def _field(headers: Mapping[str, object]) -> Mapping[str, object]:
    """The headers of a part, with the name of its field first: redaction goes by it."""
    kind, *parameters = _PARAMETER.split(str(headers.get("content-disposition", "")))
    if kind.strip().lower() != "form-data" or not parameters:
        return headers
    pairs = (parameter.partition("=") for parameter in parameters)
    said = {name.strip().lower(): _unquoted(value.strip()) for name, _, value in pairs}
    rest = {name: value for name, value in headers.items() if name != "content-disposition"}
    return {**said, **rest}


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
