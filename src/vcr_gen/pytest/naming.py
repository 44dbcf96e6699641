"""Where the cassette of a test lies; any name that a test can have becomes a safe file name."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from vcr_gen.pytest.words import FOLDER

__all__ = ["file_names", "module_folder", "same_file"]

# The longest name that file systems take is 255 bytes, 143 on encrypted ones;
# `.copy.jsonl.partial` must fit behind it.
_LONGEST: Final = 120
_HASH: Final = 10
_FORBIDDEN: Final = re.compile(r"""[<>?%*:|"'/\\]|^[.\s]+|[.\s]+$""")
# Controls, lone surrogates, private and unassigned code points, line and paragraph separators.
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def module_folder(test_file: Path) -> Path:
    """The folder for the cassettes of a test module."""
    return test_file.parent / FOLDER / test_file.stem


def file_names(wanted: Iterable[Sequence[str]]) -> Mapping[Sequence[str], str]:
    """The file name, without its ending, for each dotted name; no two of them are the same file.

    A name that is safe, short and alone keeps its letters. Names that would fall together, also
    where upper and lower case are one, are told apart by a hash of what they were.
    """
    names = {parts: _safe(".".join(parts)) for parts in wanted}
    crowded = Counter(same_file(name) for name in names.values())
    return {
        parts: _marked(name, parts) if crowded[same_file(name)] > 1 else name
        for parts, name in names.items()
    }


def same_file(name: str) -> str:
    """What two names have in common when some file system takes them for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def _safe(name: str) -> str:
    seen = "".join(
        "-" if unicodedata.category(letter) in _UNSEEN else letter
        for letter in unicodedata.normalize("NFC", name)
    )
    safe = _FORBIDDEN.sub("-", seen) or "-"
    if _DEVICES.fullmatch(safe):
        safe = f"-{safe}"
    return safe if len(safe.encode()) <= _LONGEST else _marked(safe, (name,))


def _marked(name: str, parts: Sequence[str]) -> str:
    """The name, cut where it is too long, with a hash of the original behind it."""
    original = "\0".join(parts).encode(errors="surrogatepass")
    mark = "-" + hashlib.sha256(original).hexdigest()[:_HASH]
    return name.encode()[: _LONGEST - len(mark)].decode(errors="ignore") + mark
