"""Takes secrets out of a recorded tape, as a recording would have kept them out."""

from collections import deque
from collections.abc import Iterator, Mapping

from vcr_gen.runtime.codec.placeholders import placeholders_in
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import Redaction, Secrets
from vcr_gen.runtime.tape.fold import Folding
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.runtime.tape.recorded import read_events
from vcr_gen.runtime.tape.stream_redaction_buffer import StreamBuffer
from vcr_gen.runtime.values.stored_values import Screen

__all__ = ["redacted_events", "redactor_of"]


def redactor_of(reading: Reading, redaction: Redaction) -> Secrets:
    """What redacts a tape: it goes on counting where the placeholders in it end."""
    names = placeholders_in(reading.header)
    for entry in reading:
        names |= placeholders_in(entry.data)
    secrets = Secrets(redaction)
    secrets.vault.record_on(names)
    return secrets


def redacted_events(reading: Reading, secrets: Secrets) -> Iterator[Mapping[str, Plain]]:
    """The entries of a tape without secrets, also over the pieces of a stream."""
    ready: deque[Mapping[str, Plain]] = deque()
    folding = Folding(ready.append)
    holding = StreamBuffer(secrets, folding.add)
    screen = Screen(secrets)
    for event, start, _, _ in read_events(reading, reading.path):
        holding.add(screen.recorded(event, start.of))
        while ready:
            yield ready.popleft()
    holding.flush()
    folding.close()
    yield from ready
