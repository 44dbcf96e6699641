"""Times of pendulum and whenever, and URLs of yarl: stored as texts."""

from __future__ import annotations

import datetime as dt
import sys
from typing import Any

from vcr_gen.runtime.codec.libraries.library_codecs import Functions


def codec_of(cls: type[Any]) -> Functions | None:
    """How values of a class are stored."""
    library = cls.__mro__[0].__module__.partition(".")[0]
    if library == "yarl" and cls.__name__ == "URL":
        return str, lambda text: cls(text, encoded=True)
    if library == "whenever":
        return _of_whenever(cls)
    pendulum: Any = sys.modules.get("pendulum")
    return None if pendulum is None else _of_pendulum(cls, pendulum)


def _of_whenever(cls: Any) -> Functions | None:
    parse = getattr(cls, "parse_iso", None) or getattr(cls, "parse_common_iso", None)
    if parse is None:
        return None
    name = "format_iso" if hasattr(cls, "format_iso") else "format_common_iso"
    return lambda value: getattr(value, name)(), parse


def _of_pendulum(cls: Any, pendulum: Any) -> Functions | None:
    if issubclass(cls, pendulum.DateTime):
        return _write_moment, lambda stored: _read_moment(cls, stored, pendulum)
    if issubclass(cls, pendulum.Date):
        return str, cls.fromisoformat
    if issubclass(cls, pendulum.Duration) and cls is pendulum.Duration:
        return _write_duration, lambda stored: pendulum.duration(**stored)
    if cls is pendulum.Interval:
        return (
            lambda value: {"start": value.start, "end": value.end, "absolute": value._absolute},
            lambda stored: pendulum.Interval(*map(stored.get, ("start", "end", "absolute"))),
        )
    if cls is pendulum.Timezone:
        return lambda zone: zone.name, pendulum.timezone
    if cls is pendulum.FixedTimezone:
        return (
            lambda zone: {"offset": zone.offset, "name": zone.name},
            lambda stored: pendulum.FixedTimezone(stored["offset"], stored["name"]),
        )
    return None


def _write_moment(value: Any) -> dict[str, object]:
    is_named = value.timezone is None or hasattr(value.timezone, "key")
    zone = value.timezone_name if is_named else value.offset
    naive = value.naive()
    return {"at": naive.isoformat(), "zone": zone, "fold": value.fold}


def _read_moment(cls: Any, stored: Any, pendulum: Any) -> object:
    zone = stored["zone"]
    naive = dt.datetime.fromisoformat(stored["at"]).replace(fold=stored["fold"])
    made = pendulum.instance(naive, tz=None if zone is None else pendulum.timezone(zone))
    if zone is None:
        made = made.naive()
    return made if cls is type(made) else cls.instance(made)


def _write_duration(value: Any) -> dict[str, int]:
    """Its parts: a month is not a number of days."""
    parts = ("years", "months", "weeks", "remaining_days", "remaining_seconds", "microseconds")
    found = {part.removeprefix("remaining_"): getattr(value, part) for part in parts}
    return {name: part for name, part in found.items() if part}
