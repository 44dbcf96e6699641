"""Images of Pillow, as PNG files where these keep the mode, else as their pixels."""

from __future__ import annotations

import io
import zlib
from typing import Any, Final

from PIL import Image

from vcr_gen.runtime.codec.libraries.library_codecs import Functions

__all__ = ["codec_of"]

_OF_PNG: Final = frozenset({"1", "L", "LA", "RGB", "RGBA"})


def codec_of(cls: type[Any]) -> Functions | None:
    """How images are stored."""
    if cls is Image.Image:
        return _write, _read
    if issubclass(cls, Image.Image) and getattr(cls, "format", None) == "PNG":
        return _write_file, lambda stored: Image.open(io.BytesIO(stored))
    return None


def _write_file(image: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def _write(image: Any) -> dict[str, object]:
    about = {"mode": image.mode, "size": list(image.size)}
    if image.mode in _OF_PNG:
        return {**about, "png": _write_file(image)}
    return {**about, "pixels": zlib.compress(image.tobytes())}


def _read(stored: Any) -> Any:
    if "pixels" in stored:
        pixels = zlib.decompress(stored["pixels"])
    else:
        pixels = Image.open(io.BytesIO(stored["png"])).convert(stored["mode"]).tobytes()
    return Image.frombytes(stored["mode"], stored["size"], pixels)
