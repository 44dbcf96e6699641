"""None, bool, int, float, str and bytes, including values outside the plain model."""

from __future__ import annotations

import base64
import binascii
import math
import re
from typing import Any, Final, cast

from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.node import EXACT, NO_FIT, ClassNode, Node, Nodes
from vcr_gen.runtime.codec.tags import BASE64, BLOB, FLOAT, INT, STR
from vcr_gen.runtime.plain import INT_MAX, INT_MIN, Plain, is_plain_text

BIG_INT: Final = "$int"
ODD_FLOAT: Final = "$float"
ESCAPED: Final = "$escaped"

DECIMAL_DIGITS: Final = 1_000
"""Longer ints are written in hexadecimal, which takes linear time both ways."""

_BIG_DECIMAL: Final = re.compile(r"-?[1-9][0-9]{0,999}")
_BIG_HEX: Final = re.compile(r"-?0x[1-9a-f][0-9a-f]*")
_ODD_FLOATS: Final = {"inf", "-inf", "nan", "-nan"}
_ESCAPE: Final = re.compile(r"\\(u[0-9a-f]{4}|\\)|\\")
_TO_ESCAPE: Final = re.compile(r"[\\\ud800-\udfff]")
_NOT_TEXT: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")


class ConstantNode(Node):
    """`None` and `bool`: a few constants, stored as they are; nothing can be derived from them."""

    def __init__(self, cls: type, name: str, kind: str) -> None:
        self.name = name
        self.natural = frozenset({kind})
        self._cls: Final = cls

    @property
    def kinds(self) -> frozenset[str]:
        return self.natural

    def encode(self, value: object) -> Plain:
        if type(value) is self._cls:
            return cast("bool | None", value)
        raise Fault(self.name, show(value))

    def decode(self, plain: Plain) -> object:
        return self.encode(plain)

    def fits(self, value: object) -> int:
        return EXACT if type(value) is self._cls else NO_FIT


class IntNode(ClassNode):
    """`int`: 64 bits bare, `{$int: text}` beyond; a bool is a tagged stand-in."""

    kinds = frozenset({INT, BIG_INT})
    natural = frozenset({INT})

    def __init__(self, nodes: Nodes) -> None:
        super().__init__(nodes, int, "int")

    def encode(self, value: object) -> Plain:
        if type(value) is int:
            return value if INT_MIN <= value <= INT_MAX else {BIG_INT: int_to_text(value)}
        return self.encode_tagged(value)

    def decode(self, plain: Plain) -> object:
        if type(plain) is int and INT_MIN <= plain <= INT_MAX:
            return plain
        return super().decode(plain)

    def restore(self, plain: Plain) -> object:
        if type(plain) is dict and len(plain) == 1 and BIG_INT in plain:
            return big_int_from_text(plain[BIG_INT])
        raise Fault("int", show(plain))


class FloatNode(ClassNode):
    """`float`: finite bare, `{$float: inf}` otherwise; an int is a tagged stand-in."""

    kinds = frozenset({FLOAT, ODD_FLOAT})
    natural = frozenset({FLOAT})

    def __init__(self, nodes: Nodes) -> None:
        super().__init__(nodes, float, "float", alternatives={int: int, bool: bool})

    def encode(self, value: object) -> Plain:
        if type(value) is float:
            return value if math.isfinite(value) else {ODD_FLOAT: odd_float_to_text(value)}
        return self.encode_tagged(value)

    def decode(self, plain: Plain) -> object:
        if type(plain) is float and math.isfinite(plain):
            return plain
        return super().decode(plain)

    def restore(self, plain: Plain) -> object:
        if type(plain) is dict and len(plain) == 1 and ODD_FLOAT in plain:
            text = plain[ODD_FLOAT]
            if isinstance(text, str) and text in _ODD_FLOATS:
                return float(text)
            raise Fault("inf, -inf, nan or -nan", show(text)).within(f".{ODD_FLOAT}")
        raise Fault("float", show(plain))


class StrNode(ClassNode):
    """`str`: bare, or `{$escaped: text}` when it has lone surrogates."""

    kinds = frozenset({STR, ESCAPED})
    natural = frozenset({STR})

    def __init__(self, nodes: Nodes) -> None:
        super().__init__(nodes, str, "str")

    def encode(self, value: object) -> Plain:
        if type(value) is str:
            return value if value.isascii() else str_to_plain(value)
        return self.encode_tagged(value)

    def decode(self, plain: Plain) -> object:
        if type(plain) is str and plain.isascii():
            return plain
        return super().decode(plain)

    def restore(self, plain: Plain) -> object:
        return str_from_plain(plain, expected="str")


class BytesNode(ClassNode):
    """`bytes` and their like: readable text bare, anything else `{$base64: …}`."""

    kinds = frozenset({STR, BASE64})

    def __init__(self, nodes: Nodes, cls: type[bytes] | type[bytearray] | type[memoryview]) -> None:
        super().__init__(nodes, cls, cls.__name__)
        self._make: Final = cls

    def bare(self, value: Any) -> Plain:
        if isinstance(value, memoryview) and (value.format != "B" or value.ndim != 1):
            raise Fault("a memoryview of bytes", f"one of format {value.format}")
        return bytes_to_plain(bytes(value))

    def restore(self, plain: Plain) -> object:
        return self._make(bytes_from_plain(plain, expected=self.name))


def int_to_text(value: int) -> str:
    """A big int as text: decimal, or hexadecimal when it is very long."""
    return str(value) if value.bit_length() < DECIMAL_DIGITS * 3 else hex(value)


def big_int_from_text(text: Plain) -> int:
    """Parse an int beyond 64 bits."""
    if isinstance(text, str):
        value = 0
        if _BIG_DECIMAL.fullmatch(text):
            value = int(text)
        elif _BIG_HEX.fullmatch(text):
            value = int(text, 16)
        if not INT_MIN <= value <= INT_MAX and int_to_text(value) == text:
            return value
    raise Fault("the digits of an int beyond 64 bits", show(text)).within(f".{BIG_INT}")


def odd_float_to_text(value: float) -> str:
    """`inf`, `-inf`, `nan` or `-nan`."""
    return f"-{abs(value)}" if math.copysign(1.0, value) < 0 else f"{value}"


def str_to_plain(text: str) -> Plain:
    """The text, or its escaped form when it has lone surrogates."""
    if is_plain_text(text):
        return text
    return {ESCAPED: _TO_ESCAPE.sub(_escape, text)}


def str_from_plain(plain: Plain, *, expected: str) -> str:
    """The text of a plain."""
    if type(plain) is str:
        if is_plain_text(plain):
            return plain
        raise Fault(f"{expected}, escaped", "a text with lone surrogates")
    if type(plain) is dict and len(plain) == 1 and ESCAPED in plain:
        escaped = plain[ESCAPED]
        if isinstance(escaped, str):
            text = _ESCAPE.sub(_unescape, escaped)
            if str_to_plain(text) == plain:
                return text
        raise Fault("a text with escaped surrogates", show(escaped)).within(f".{ESCAPED}")
    raise Fault(expected, show(plain))


_FOLDER: Final = "the folder tape.yaml.blobs belongs to tape.yaml: copy and rename both"


def bytes_to_plain(data: bytes) -> Plain:
    """Readable text unchanged, other bytes in base64."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    if not _NOT_TEXT.search(text):
        return text
    return {BASE64: base64.b64encode(data).decode("ascii")}


def bytes_from_plain(plain: Plain, *, expected: str) -> bytes:
    """The bytes of a plain."""
    if type(plain) is str:
        if is_plain_text(plain) and not _NOT_TEXT.search(plain):
            return plain.encode()
        raise Fault(f"{expected} in base64", "text that is not printable")
    if type(plain) is dict and len(plain) == 1 and BASE64 in plain:
        encoded = plain[BASE64]
        if isinstance(encoded, str):
            try:
                data = base64.b64decode(encoded, validate=True)
            except (binascii.Error, ValueError):
                data = b""
            if bytes_to_plain(data) == plain:
                return data
        raise Fault("base64 of bytes that are not text", show(encoded)).within(f".{BASE64}")
    if type(plain) is dict and BLOB in plain:
        raise Fault(expected, "a cassette without the folder of its large data", _FOLDER)
    raise Fault(expected, show(plain))


def _escape(found: re.Match[str]) -> str:
    char = found.group()
    return "\\\\" if char == "\\" else f"\\u{ord(char):04x}"


def _unescape(found: re.Match[str]) -> str:
    body = found.group(1)
    if not body or body == "\\":
        return "\\"
    return chr(int(body[1:], 16))
