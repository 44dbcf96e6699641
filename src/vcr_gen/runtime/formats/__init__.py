"""The file formats of cassettes, behind one small interface."""

from pathlib import Path

from vcr_gen.errors import CassetteFormatError, UsageError
from vcr_gen.runtime.formats.file_layout import HEADER_KEYS, VERSION, Entry, Format
from vcr_gen.runtime.formats.jsonl_format import JsonlFormat
from vcr_gen.runtime.formats.yaml_format import YamlFormat

__all__ = ["HEADER_KEYS", "VERSION", "Entry", "Format", "format_for", "register_format"]

_formats: dict[str, Format] = {}


def register_format(added: Format) -> None:
    """Register a format for its suffixes; a suffix can be registered only once."""
    for suffix in added.suffixes:
        if suffix in _formats:
            raise UsageError(f"there is a cassette format for {suffix} files already")
    _formats.update(dict.fromkeys(added.suffixes, added))


def format_for(path: Path) -> Format:
    """The format of a cassette, by its suffix."""
    found = _formats.get(path.suffix.lower())
    if found is None:
        known = ", ".join(sorted(_formats))
        raise CassetteFormatError(f"a cassette's name must end in one of {known}", path=path)
    return found


register_format(YamlFormat())
register_format(JsonlFormat())
