"""Values for fields of other types than text, where a placeholder stands on the tape."""

import uuid
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from vcr_gen.errors import DecodeError
from vcr_gen.runtime.codec.placeholders import is_placeholder
from vcr_gen.runtime.plain import Plain

__all__ = ["decode_with_stand_ins"]

_Place: TypeAlias = tuple[str | int, ...]
_MOST: Final = 32
"""How many placeholders of one value are tried."""


def decode_with_stand_ins(
    decode: Callable[[Plain], Any], value: Plain, refused: DecodeError
) -> Any:
    """What a value is that was refused, once something fits where a placeholder does not.

    Each placeholder keeps its own stand-in, so that what the program sends back is known again.
    Raises the refusal when nothing helps.
    """
    for number, (place, placeholder) in enumerate(_placeholders(value, ())):
        if number == _MOST:
            break
        for form in _FORMS:
            made = _with(value, place, form(placeholder))
            try:
                return decode(made)
            except DecodeError as error:
                if error.path != refused.path:  # it fits here, and something else does not yet
                    value, refused = made, error
                    break
    raise refused


def _uuid(placeholder: str) -> str:
    return str(uuid.UUID(int=zlib.crc32(placeholder.encode())))


def _number(placeholder: str) -> str:
    return str(zlib.crc32(placeholder.encode()))


def _date(placeholder: str) -> str:
    del placeholder
    return "1970-01-01"


_FORMS: Final[tuple[Callable[[str], str], ...]] = (_uuid, _number, _date)


def _placeholders(value: Plain, place: _Place) -> Iterator[tuple[_Place, str]]:
    if isinstance(value, str):
        if is_placeholder(value):
            yield place, value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _placeholders(item, (*place, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _placeholders(item, (*place, key))


def _with(value: Plain, place: _Place, text: str) -> Plain:
    if not place:
        return text
    step, rest = place[0], place[1:]
    if isinstance(value, list) and isinstance(step, int):
        return [_with(item, rest, text) if n == step else item for n, item in enumerate(value)]
    assert isinstance(value, dict)
    return {key: _with(item, rest, text) if key == step else item for key, item in value.items()}
