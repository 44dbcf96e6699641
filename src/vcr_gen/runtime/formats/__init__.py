"""The file formats of cassettes, behind one small interface."""

from pathlib import Path
from typing import Final

from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.formats.file_layout import HEADER_KEYS, VERSION, Entry, Format
from vcr_gen.runtime.formats.jsonl_format import JsonlFormat
from vcr_gen.runtime.formats.yaml_format import YamlFormat

__all__ = ["HEADER_KEYS", "VERSION", "Entry", "Format", "format_for"]

_FORMATS: Final[dict[str, Format]] = {
    suffix: known for known in (YamlFormat(), JsonlFormat()) for suffix in known.suffixes
}


def format_for(path: Path) -> Format:
    """The format of a cassette, by its suffix."""
    found = _FORMATS.get(path.suffix.lower())
    if found is None and path.is_dir():
        raise CassetteFormatError("is a folder; expected the path of one cassette", path=path)
    if found is None:
        known = ", ".join(sorted(_FORMATS))
        raise CassetteFormatError(f"a cassette's name must end in one of {known}", path=path)
    return found
