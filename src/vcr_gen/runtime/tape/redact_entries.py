"""Takes secrets out of whole files: they may be cut into several items of a stream."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from vcr_gen.runtime.formats import Entry
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import Secrets, text_of
from vcr_gen.runtime.tape.events import Event, Item, Start
from vcr_gen.runtime.tape.folding import folded
from vcr_gen.runtime.tape.reading import read_events
from vcr_gen.runtime.tape.stream_redaction_buffer import StreamBuffer


def redact_entries(
    entries: Iterable[Entry],
    secrets: Secrets,
    path: Path,
    redact: Callable[[Event, str], Event],
) -> Iterator[Mapping[str, Plain]]:
    """The entries of a file without secrets; `redact` gets each event and its method.

    The texts of streams are searched together, whatever it leaves in them.
    """

    def events() -> Iterator[Event]:
        ready: list[Event] = []
        holding = StreamBuffer(secrets, ready.append)
        for event, start, _, _ in read_events(entries, path):
            holding.add(redact(event, start.of))
            yield from ready
            ready.clear()
        holding.flush()
        yield from ready

    return folded(events(), path)


def without_late_secrets(
    entries: Iterable[Entry], secrets: Secrets, path: Path
) -> Iterator[Mapping[str, Plain]]:
    """The entries of a recording, without secrets that became known only later."""
    return redact_entries(entries, secrets, path, lambda event, _: _whole_values(event, secrets))


def _whole_values(event: Event, secrets: Secrets) -> Event:
    """The event without secrets, but for the texts of streams: those are searched together."""
    if isinstance(event, Start):
        arguments = secrets.value_without_known(dict(event.arguments))
        assert isinstance(arguments, dict)
        return replace(event, arguments=arguments)
    if isinstance(event, Item) and not event.raised and text_of(event.value) is not None:
        return event
    return replace(event, value=secrets.value_without_known(event.value))
