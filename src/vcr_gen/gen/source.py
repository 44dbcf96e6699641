"""Turns source text into a tree: with `ast` where it can, as it is nine times cheaper."""

import ast
import io
import tokenize
import warnings

from vcr_gen.gen.syntax import Parsed

__all__ = ["decode", "parse"]


def decode(data: bytes) -> str:
    """The text of a source file, by its own encoding declaration and with `\\n` line ends."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    text = data.decode(encoding)
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def parse(data: bytes) -> Parsed:
    """Parse a source file; raises `SyntaxError` when no reader understands it."""
    try:
        text = decode(data)
    except (UnicodeDecodeError, LookupError) as error:
        raise SyntaxError(f"the file cannot be decoded: {error}") from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in somebody's string is not ours
            return Parsed(ast.parse(text))
    except SyntaxError as error:
        return _parse_newer(text, error)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error) or "it is nested too deeply") from error


def _parse_newer(text: str, refusal: SyntaxError) -> Parsed:
    # Importing libcst takes longer than most runs, and only syntax from the future needs it.
    from vcr_gen.gen.newer_syntax import parse_newer

    try:
        return parse_newer(text)
    except SyntaxError:
        raise refusal from None
