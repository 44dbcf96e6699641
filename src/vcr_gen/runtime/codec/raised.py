"""Exceptions that were raised, whatever was declared: every call may raise anything."""

from __future__ import annotations

from vcr_gen.errors import DecodeError
from vcr_gen.runtime.codec.compiler import Compiler
from vcr_gen.runtime.codec.plain_kinds import Plain


def encode_exception(raised: BaseException, compiler: Compiler) -> Plain:
    """The plain of an exception, always with its type's name."""
    return compiler.codec(object).encode(raised)


def decode_exception(plain: Plain, compiler: Compiler) -> BaseException:
    """An equal exception; its type must be loaded or registered."""
    value: object = compiler.codec(object).decode(plain)
    if not isinstance(value, BaseException):
        raise DecodeError(path="$", expected="an exception", got=type(value).__qualname__)
    return value
