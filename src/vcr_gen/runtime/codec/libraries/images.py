"""Images of Pillow: their pixels, as a PNG file where one keeps them, and what belongs to these."""

from __future__ import annotations

import io
import zlib
from functools import partial
from typing import Any, Final

from PIL import Image

from vcr_gen.runtime.codec.libraries.library_codecs import Functions
from vcr_gen.runtime.codec.records import blank

_OF_PNG: Final = frozenset({"1", "L", "LA", "RGB", "RGBA"})

_MOST_PIXELS_OF_A_BYTE: Final = 8


def codec_of(cls: type[Any]) -> Functions | None:
    """How images are stored, also those that come from a file."""
    return (partial(_write, cls), partial(_read, cls)) if issubclass(cls, Image.Image) else None


def _write(cls: type[Any], image: Any) -> dict[str, object]:
    info, mode, size, palette, pixels, *more = image.__getstate__()
    parts = {"info": dict(info), "palette": palette, "more": more}
    stored = {"mode": mode, "size": list(size), **_write_pixels(image, pixels)}
    stored.update((name, part) for name, part in parts.items() if part)
    if _read(cls, stored) != image:
        raise ValueError("its copy would differ")
    return stored


def _write_pixels(image: Any, pixels: bytes) -> dict[str, object]:
    if image.mode not in _OF_PNG:
        return {"pixels": zlib.compress(pixels)}
    file = io.BytesIO()
    image.save(file, "PNG")
    return {"png": file.getvalue()}


def _read(cls: type[Any], stored: Any) -> Any:
    mode, (width, height) = stored["mode"], stored["size"]
    if type(mode) is not str:  # Pillow would compare it with the modes
        raise ValueError("a mode that is not text")
    if "pixels" in stored:
        pixels = zlib.decompress(stored["pixels"])
    else:  # of other formats, some are read by other programs
        picture = Image.open(io.BytesIO(stored["png"]), formats=["PNG"])
        pixels = picture.convert(mode).tobytes()
    if width * height > _MOST_PIXELS_OF_A_BYTE * len(pixels):  # Pillow would make room for them
        raise ValueError("more pixels than there are")
    made = blank(cls)
    about = (dict(stored.get("info", {})), mode, (width, height))
    made.__setstate__([*about, stored.get("palette"), pixels, *stored.get("more", ())])
    return made
