"""The zones of times that pydantic has read: fixed offsets, of a class of its own."""

import datetime as dt
import sys
from typing import Final

__all__ = ["PYDANTIC", "is_pydantics", "pydantics_zone"]

PYDANTIC: Final = "pydantic"
"""What stands for such a zone behind its offset."""

_MODULE: Final = "pydantic_core"
_CLASS: Final = "TzInfo"


def is_pydantics(zone: dt.tzinfo) -> bool:
    """Whether a zone is one of these."""
    kind = type(zone)
    return kind.__name__ == _CLASS and kind.__module__.partition(".")[0] == _MODULE


def pydantics_zone(offset: dt.timedelta) -> dt.tzinfo:
    """The zone of an offset; only where the program has pydantic, as nothing is imported here."""
    made = getattr(sys.modules.get(_MODULE), _CLASS, None)
    if made is None:
        raise ValueError("a zone of pydantic, which nobody has imported")
    zone = made(offset.total_seconds())
    assert isinstance(zone, dt.tzinfo)
    return zone
