"""Arrays and scalars of numpy: small arrays of numbers as lists, others as the bytes of a file.

An array of objects is a list of these.
"""

from __future__ import annotations

import io
import zlib
from typing import Any, Final

import numpy as np

from vcr_gen.runtime.codec.libraries.library_codecs import Functions

READABLE: Final = 1_000
"""How many items people still read as a list."""
_NUMBERS: Final = "biufU"
"""The kinds of items that a list of Python's own values keeps: `float32` is exact as a `float`."""


def codec_of(cls: type[Any]) -> Functions | None:
    """How values of a class of numpy are stored."""
    if cls is np.ndarray:
        return write_array, read_array
    if issubclass(cls, np.dtype):
        return _write_dtype, np.dtype
    if issubclass(cls, np.generic) and cls is not np.void:
        return _write_scalar, lambda stored: _read_scalar(cls, stored)
    return None


def write_array(array: Any) -> dict[str, object]:
    """The items of an array, readable if they are few."""
    about: dict[str, object] = {"dtype": str(array.dtype)}
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        about["order"] = "F"
    if not array.flags.writeable:
        about["readonly"] = True
    if array.dtype.kind in _NUMBERS and array.size <= READABLE and 0 not in array.shape:
        return {**about, "items": array.tolist()}
    about["shape"] = list(array.shape)
    if array.dtype.kind == "O":
        return {**about, "objects": list(array.flat)}
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return {**about, "npy": zlib.compress(file.getvalue())}


def read_array(stored: Any) -> Any:
    """The array again."""
    array = np.asarray(_read_items(stored), order=stored.get("order", "C"))
    if "readonly" in stored:
        array.flags.writeable = False
    return array


def _read_items(stored: Any) -> Any:
    if "npy" in stored:
        return np.load(io.BytesIO(zlib.decompress(stored["npy"])), allow_pickle=False)
    if "objects" in stored:
        array = np.empty(len(stored["objects"]), dtype=object)
        for place, item in enumerate(stored["objects"]):
            array[place] = item
        return array.reshape(stored["shape"])
    dtype = np.dtype(stored["dtype"])
    if dtype.kind not in _NUMBERS:
        raise ValueError(f"items of the dtype {dtype}")
    return np.array(stored["items"], dtype=dtype)


def _write_dtype(dtype: Any) -> str:
    text = str(dtype)
    if np.dtype(text) != dtype:
        raise ValueError(f"the name {text} does not lead back to it")
    return text


def _write_scalar(value: Any) -> object:
    if value.dtype.kind in _NUMBERS and value.dtype.itemsize <= np.dtype(float).itemsize:
        return value.item()
    return {"dtype": str(value.dtype), "bytes": value.tobytes()}


def _read_scalar(cls: Any, stored: Any) -> object:
    if isinstance(stored, dict):
        return np.frombuffer(stored["bytes"], dtype=stored["dtype"])[0]
    return cls(stored)
