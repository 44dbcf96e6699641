"""Values for fields of other types than text, where a placeholder stands on the tape."""

import uuid
import zlib
from collections.abc import Callable, Iterator
from typing import Final

from vcr_gen.runtime.placeholders import is_placeholder
from vcr_gen.runtime.plain import Plain

__all__ = ["stand_ins"]


def stand_ins(value: Plain) -> Iterator[Plain]:
    """The value with other texts in the place of whole placeholders, for who cannot read those.

    Each placeholder keeps its own: what the program sends back is known again.
    """
    for form in _FORMS:
        made = _replaced(value, form)
        if made != value:
            yield made


def _uuid(placeholder: str) -> str:
    return str(uuid.UUID(int=zlib.crc32(placeholder.encode())))


def _number(placeholder: str) -> str:
    return str(zlib.crc32(placeholder.encode()))


def _date(placeholder: str) -> str:
    del placeholder
    return "1970-01-01"


_FORMS: Final[tuple[Callable[[str], str], ...]] = (_uuid, _number, _date)


def _replaced(value: Plain, form: Callable[[str], str]) -> Plain:
    if isinstance(value, str):
        return form(value) if is_placeholder(value) else value
    if isinstance(value, list):
        return [_replaced(item, form) for item in value]
    if isinstance(value, dict):
        return {key: _replaced(item, form) for key, item in value.items()}
    return value
