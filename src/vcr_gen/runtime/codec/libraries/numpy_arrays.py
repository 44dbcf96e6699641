"""Arrays and scalars of numpy: small arrays of numbers as lists, others as the bytes of a file."""

from __future__ import annotations

import io
import zlib
from typing import Any, Final

import numpy as np

from vcr_gen.runtime.codec.libraries.library_codecs import Functions

__all__ = ["codec_of"]

READABLE: Final = 1_000
"""How many items people still read as a list."""
_NUMBERS: Final = "biufU"
"""The kinds of items that a list of Python's own values keeps: `float32` is exact as a `float`."""


def codec_of(cls: type[Any]) -> Functions | None:
    """How values of a class of numpy are stored."""
    if cls is np.ndarray:
        return write_array, read_array
    if issubclass(cls, np.dtype):
        return str, np.dtype
    if issubclass(cls, np.generic) and cls is not np.void:
        return _write_scalar, lambda stored: _read_scalar(cls, stored)
    return None


def write_array(array: Any) -> dict[str, object]:
    """The items of an array, readable if they are few."""
    if array.dtype.kind in _NUMBERS and array.size <= READABLE and 0 not in array.shape:
        return {"dtype": str(array.dtype), "items": array.tolist()}
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    about = {"dtype": str(array.dtype), "shape": list(array.shape)}
    return {**about, "npy": zlib.compress(file.getvalue())}


def read_array(stored: Any) -> Any:
    """The array again."""
    if "npy" in stored:
        return np.load(io.BytesIO(zlib.decompress(stored["npy"])), allow_pickle=False)
    dtype = np.dtype(stored["dtype"])
    if dtype.kind not in _NUMBERS:
        raise ValueError(f"items of the dtype {dtype}")
    return np.array(stored["items"], dtype=dtype)


def _write_scalar(value: Any) -> object:
    if value.dtype.kind in _NUMBERS and value.dtype.itemsize <= np.dtype(float).itemsize:
        return value.item()
    return {"dtype": str(value.dtype), "bytes": value.tobytes()}


def _read_scalar(cls: Any, stored: Any) -> object:
    if isinstance(stored, dict):
        return np.frombuffer(stored["bytes"], dtype=stored["dtype"])[0]
    return cls(stored)
