"""Tables of pandas: columns of plain values as lists, each with its dtype; and its scalars.

A table that would not come back exactly is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from vcr_gen.runtime.codec.libraries.library_codecs import Functions
from vcr_gen.runtime.codec.libraries.numpy_arrays import read_array, write_array


def codec_of(cls: type[Any]) -> Functions | None:
    """How values of a class of pandas are stored."""
    if cls is pd.DataFrame:
        return _checked(_write_frame, _read_frame, pd.testing.assert_frame_equal)
    if cls is pd.Series:
        return _checked(_write_series, _read_series, pd.testing.assert_series_equal)
    if issubclass(cls, pd.Index):
        return _checked(_write_index, _read_index, pd.testing.assert_index_equal)
    if cls is pd.Timestamp:
        return _write_moment, _read_moment
    if cls is pd.Timedelta:
        return lambda value: {"value": value.value, "unit": value.unit}, _read_duration
    if cls is pd.Period:
        return (
            lambda period: {"period": str(period), "freq": period.freqstr},
            lambda stored: pd.Period(stored["period"], freq=stored["freq"]),
        )
    if cls is pd.Interval:
        return (
            lambda interval: {name: getattr(interval, name) for name in _OF_INTERVAL},
            lambda stored: pd.Interval(*map(stored.get, _OF_INTERVAL)),
        )
    if issubclass(cls, pd.offsets.BaseOffset):
        return lambda offset: str(offset.freqstr), pd.tseries.frequencies.to_offset
    missing = {type(each): each for each in (pd.NaT, pd.NA)}
    return (str, lambda _: missing[cls]) if cls in missing else None


_OF_INTERVAL = ("left", "right", "closed")


def _checked(write: Any, read: Any, assert_equal: Any) -> Functions:
    """The same functions, which refuse a value that would come back as another."""

    def write_exactly(value: Any) -> object:
        stored = write(value)
        assert_equal(value, read(stored), check_exact=True)
        if getattr(value, "attrs", None):
            raise ValueError("`attrs` are not stored")
        return stored

    return write_exactly, read


def _write_frame(frame: Any) -> dict[str, object]:
    columns = [_write_values(frame.iloc[:, place]) for place in range(frame.shape[1])]
    return {
        "index": _write_index(frame.index),
        "names": _write_index(frame.columns),
        "columns": columns,
    }


def _read_frame(stored: Any) -> Any:
    index = _read_index(stored["index"])
    columns = dict(enumerate(map(_read_values, stored["columns"])))
    frame = pd.DataFrame(columns, index=pd.RangeIndex(len(index)))
    frame.index, frame.columns = index, _read_index(stored["names"])
    return frame


def _write_series(series: Any) -> dict[str, object]:
    return {
        "name": series.name,
        "index": _write_index(series.index),
        "values": _write_values(series),
    }


def _read_series(stored: Any) -> Any:
    values = _read_values(stored["values"])
    return pd.Series(values, index=_read_index(stored["index"]), name=stored["name"])


def _write_index(index: Any) -> dict[str, object]:
    if type(index) is pd.RangeIndex:
        return {"range": [index.start, index.stop, index.step], "names": list(index.names)}
    if isinstance(index, pd.MultiIndex):
        levels = [_write_index(index.get_level_values(level)) for level in range(index.nlevels)]
        return {"levels": levels, "names": list(index.names)}
    stored: dict[str, object] = {"values": _write_values(index), "names": list(index.names)}
    if isinstance(index, pd.DatetimeIndex | pd.TimedeltaIndex) and index.freq is not None:
        stored["freq"] = index.freq.freqstr
    return stored


def _read_index(stored: Any) -> Any:
    index: Any
    if "range" in stored:
        index = pd.RangeIndex(*stored["range"])
    elif "levels" in stored:
        index = pd.MultiIndex.from_arrays([_read_index(level) for level in stored["levels"]])
    else:
        index = pd.Index(_read_values(stored["values"]))
        if "freq" in stored:
            index.freq = stored["freq"]
    return index.set_names(stored["names"])


def _write_values(values: Any) -> dict[str, object]:
    """The values of a column, readable if their dtype is a plain one."""
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = values.cat.codes if isinstance(values, pd.Series) else values.codes
        categories = _write_index(dtype.categories)
        return {"categories": categories, "ordered": dtype.ordered, "codes": list(map(int, codes))}
    if isinstance(dtype, pd.DatetimeTZDtype):
        moments = (
            values.dt.tz_convert(None) if isinstance(values, pd.Series) else values.tz_convert(None)
        )
        return {"zone": str(dtype.tz), **write_array(moments.to_numpy())}
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        return write_array(values.to_numpy())
    items = [None if each is pd.NA else each for each in values]
    return {"dtype": str(dtype), "objects": items}


def _read_values(stored: Any) -> Any:
    if "categories" in stored:
        categories, ordered = _read_index(stored["categories"]), stored["ordered"]
        return pd.Categorical.from_codes(stored["codes"], categories=categories, ordered=ordered)
    if "objects" in stored:
        return pd.array(stored["objects"], dtype=stored["dtype"])
    if "zone" in stored:
        moments = pd.DatetimeIndex(read_array(stored))
        return moments.tz_localize("UTC").tz_convert(stored["zone"])
    return read_array(stored)


def _write_moment(value: Any) -> dict[str, object]:
    zone = None if value.tz is None else str(value.tz)
    return {"at": value.isoformat(), "zone": zone, "unit": value.unit}


def _read_moment(stored: Any) -> Any:
    moment = pd.Timestamp(stored["at"]).as_unit(stored["unit"])
    return moment if stored["zone"] is None else moment.tz_convert(stored["zone"])


def _read_duration(stored: Any) -> Any:
    return pd.Timedelta(stored["value"], "ns").as_unit(stored["unit"])
