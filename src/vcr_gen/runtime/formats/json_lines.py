"""One line of JSON, read and written strictly; orjson, if it is there, makes it fast.

With and without it, the bytes written and the values read are the same.
"""

import json
import re
from importlib.util import find_spec
from typing import Final, Never, cast

from vcr_gen.errors import EncodeError
from vcr_gen.runtime.formats.numbers import parse_float, parse_int
from vcr_gen.runtime.plain import MAX_DEPTH, Plain, check_plain

__all__ = ["dump_line", "may_be_deep", "parse_line"]

HAS_ORJSON: Final = find_spec("orjson") is not None
if HAS_ORJSON:
    import orjson

_ZEROED: Final = bytes.maketrans(b"123456789", b"000000000")
_LONG_INT: Final = b"0" * 19  # that many digits may be more than 64 bits hold
_NUMBER: Final = re.compile(rb"[0-9]+\.[0-9]+|[0-9.]+e-[0-9]+")


def dump_line(value: dict[str, Plain]) -> bytes:
    """`value`, which must be in the plain model, with the line's end."""
    if HAS_ORJSON:
        line = orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
        # Most calls take less than 100 µs. Inside a text, the quotes around the key are escaped.
        head, key, rest = line.partition(b'"took":')
        number, comma, tail = rest.partition(b",")
        if not (_may_differ(head) or _may_differ(tail)):
            if not _may_differ(number):
                return line
            if _NUMBER.fullmatch(number):
                return b"".join((head, key, repr(float(number)).encode(), comma, tail))
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _may_differ(line: bytes) -> bool:
    """Whether a float may be here that orjson spells unlike Python; a text may look so, too."""
    return b"0.0000" in line or b"0e" in line.translate(_ZEROED)


def parse_line(line: bytes) -> Plain:
    """The value of a line; ValueError, with the reason, for anything outside the plain model."""
    if HAS_ORJSON:
        try:
            value = cast(Plain, orjson.loads(line))
        except orjson.JSONDecodeError:
            return _parse_strictly(line)
        if _is_canonical(line, value):
            return value
    return _parse_strictly(line)


def may_be_deep(line: bytes) -> bool:
    """Whether a line may hold more levels than the plain model allows; each takes two bytes."""
    return len(line) > 2 * MAX_DEPTH and line.count(b"[") + line.count(b"{") > MAX_DEPTH


def _is_canonical(line: bytes, value: Plain) -> bool:
    """Whether `line` is what we would write: then orjson cannot have dropped or bent anything.

    orjson lets the last of two equal keys win, and makes a float of a long int.
    """
    if not isinstance(value, dict) or _LONG_INT in line.translate(_ZEROED):
        return False
    if may_be_deep(line):
        return False
    written = dump_line(value)
    return written == line or written == line.rstrip(b"\r\n") + b"\n"


def _parse_strictly(line: bytes) -> Plain:
    try:
        value: Plain = _STRICT.decode(line.decode())
        check_plain(value)
    except UnicodeDecodeError:
        raise ValueError("not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not valid JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError(f"more than {MAX_DEPTH} levels of nesting") from None
    except EncodeError as error:
        raise ValueError(f"{error.path}: expected {error.expected}, got {error.got}") from None
    return value


def _unique(pairs: list[tuple[str, Plain]]) -> dict[str, Plain]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} appears twice")
    return mapping


def _no_constant(name: str) -> Never:
    raise ValueError(f"not valid JSON: {name}")


_STRICT: Final = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_constant=_no_constant,
    parse_float=parse_float,
    parse_int=parse_int,
)
