"""Which event of a tape is the last to name each live object: until then it may be needed."""

from collections.abc import Iterator
from pathlib import Path

from vcr_gen.runtime.tape.events import Event, Start
from vcr_gen.runtime.tape.recorded import read_events
from vcr_gen.runtime.tape.recording import Reading
from vcr_gen.runtime.values.objects import live_numbers

__all__ = ["last_mentions"]


def last_mentions(path: Path) -> dict[int, int]:
    """The index of the last event that names each number, from 1."""
    with Reading(path) as reading:
        return {
            number: index
            for index, recorded in enumerate(read_events(reading, path), start=1)
            for number in _numbers_of(recorded.event)
        }


def _numbers_of(event: Event) -> Iterator[int]:
    if not isinstance(event, Start):
        yield from live_numbers(event.value)
        return
    if event.on.startswith("#") and event.on[1:].isdigit():
        yield int(event.on[1:])
    for argument in event.arguments.values():
        yield from live_numbers(argument)
