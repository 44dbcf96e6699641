"""Writes cassettes that are made from others: whole and at once, or not at all."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from vcr_gen.errors import UsageError
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.recording import Recording

__all__ = ["refuse_existing", "write_cassette"]


def refuse_existing(target: Path, *, force: bool) -> None:
    """Raise when a file is in the way and nobody said that it may be replaced."""
    if target.exists() and not force:
        raise UsageError(f"{target} exists already\n  hint: --force replaces it")


def write_cassette(
    target: Path, header: Mapping[str, Plain], events: Iterable[Mapping[str, Plain]]
) -> int:
    """Write the events, which may come from the file that is replaced, and count them."""
    recording = Recording(target, copy=True)
    count = 0
    try:
        recording.begin(header)
        for event in events:
            recording.append(event)
            count += 1
        recording.finish(header)
    except BaseException:
        recording.discard()
        raise
    return count
