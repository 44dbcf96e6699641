"""What became of each cassette, told from process to process and to the user."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

__all__ = ["Kind", "Note", "picture_sections", "read_notes", "summary_lines"]

Kind: TypeAlias = Literal[
    "recorded",
    "replayed",
    "diverged",
    "verified",
    "differs",
    "kept",
    "partial",
    "too old",
    "unused",
    "pictured",
]

_LISTED: Final[dict[Kind, str]] = {
    "recorded": "recorded",
    "kept": "recorded by a test that failed, and kept",
    "partial": "not recorded: the test did not pass",
    "differs": "the real environment no longer behaves as recorded",
    "too old": "too old",
    "unused": "unused: no test has this cassette",
    "pictured": "reports of failed replays",
}


@dataclass(frozen=True, slots=True, order=True)
class Note:
    """One fact about one cassette."""

    kind: Kind
    path: str
    detail: str = ""

    def plain(self) -> list[str]:
        """The note as other processes get it."""
        return [self.kind, self.path, self.detail]


def read_notes(plain: Iterable[Sequence[Any]]) -> list[Note]:
    """The notes that another process made."""
    return [Note(kind, path, detail) for kind, path, detail in plain if kind in get_args(Kind)]


def summary_lines(notes: Iterable[Note], root: Path) -> list[str]:
    """The terminal summary: one line of counts, then the cassettes that somebody should look at."""
    noted = sorted(_without_overtaken(set(notes)))
    counts = {kind: sum(note.kind == kind for note in noted) for kind in get_args(Kind)}
    told = [kind for kind in get_args(Kind) if counts[kind] and kind != "pictured"]
    if not told:
        return []
    lines = ["cassettes: " + ", ".join(f"{counts[kind]} {_word(kind)}" for kind in told)]
    for kind, title in _LISTED.items():
        listed = [note for note in noted if note.kind == kind]
        if listed:
            lines.append(f"{title}:")
            lines.extend(f"  {_line(note, root)}" for note in listed)
    if counts["unused"]:
        lines.append("hint: `vcr-gen cassette prune` deletes them; or run the tests that use them")
    return lines


def _without_overtaken(notes: set[Note]) -> set[Note]:
    """Leave out what a test left partial that was run again, and recorded then."""
    recorded = {note.path for note in notes if note.kind == "recorded"}
    return {note for note in notes if note.kind != "partial" or note.path not in recorded}


def picture_sections(notes: Iterable[Note], root: Path) -> list[tuple[str, str]]:
    """Where the reports of a failed test are, as sections of what pytest tells about it."""
    pictured = [note for note in notes if note.kind == "pictured"]
    return [("report of the failed replay", _line(note, root)) for note in pictured]


def _word(kind: Kind) -> str:
    return "left partial" if kind == "partial" else kind


def _line(note: Note, root: Path) -> str:
    path = Path(note.path)
    shown = path.relative_to(root) if path.is_relative_to(root) else path
    return f"{shown.as_posix()}  {note.detail}".rstrip()
