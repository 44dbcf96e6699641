"""The calls of a tape, each start joined with its end, and the names on it."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias, final

from vcr_gen.runtime.codec.tags import LIVE
from vcr_gen.runtime.failures.wording import name_of, words_of
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import INTERNAL, End, Item, Signal, Start
from vcr_gen.runtime.tape.header import Header
from vcr_gen.runtime.tape.object_origins import Origins
from vcr_gen.runtime.tape.reading import Reading, read_events

Status: TypeAlias = Literal["returned", "raised", "cancelled", "unfinished"]
STATUSES: tuple[Status, ...] = ("returned", "raised", "cancelled", "unfinished")
"""How a call ended; `unfinished` if the recording stopped first."""


@final
@dataclass(slots=True, kw_only=True, eq=False)
class RecordedCall:
    """A recorded call."""

    index: int
    """Its position in the order of starts, from 0; -1 if the call is internal."""
    start: Start
    number: int
    """The number of the entry where it starts, as shown to users."""
    line: int
    signature: str = ""
    """The recorded signature of its method; empty if unknown."""
    origins: Origins = field(default_factory=Origins)
    """Where the live objects of the tape came from."""
    end: End | None = None
    """None if it never finished."""
    end_line: int = 0
    """The first line of the entry where it ends; 0 if it never finished."""
    between: list[Item | Signal] = field(default_factory=list)
    """What its stream yielded, and the signals that its caller sent to it."""

    @property
    def boundary(self) -> str:
        """The name of its boundary."""
        return split_name(self.start.of)[0]

    @property
    def method(self) -> str:
        """The name of its method."""
        return split_name(self.start.of)[1]

    @property
    def arguments(self) -> Mapping[str, Plain]:
        """Its arguments by name, as they are stored."""
        return self.start.arguments

    @property
    def inbound(self) -> bool:
        """Whether the environment made it."""
        return self.start.inbound

    @property
    def at(self) -> float:
        """When it began, in seconds since the session began."""
        return self.start.at

    @property
    def value(self) -> Plain:
        """What it returned or raised, as it is stored."""
        return None if self.end is None else self.end.value

    @property
    def items(self) -> list[Plain]:
        """What its stream yielded."""
        return [event.value for event in self.between if isinstance(event, Item)]

    @property
    def name(self) -> str:
        """`Boundary.method`, or what its arguments name it: `http GET /jobs/7`."""
        return name_of(self.start, self.signature, self.origins)

    def is_named(self, pattern: str) -> bool:
        """Whether a name with `*` fits: `server tools/call search`, `tools/call *`, `Shell.run`."""
        title = self.name.removeprefix(f"{self.boundary} ")
        return any(fnmatchcase(name, pattern) for name in (self.name, title, self.start.of))

    @property
    def words(self) -> str:
        """The call on one line, without its answer."""
        return words_of(self.start, self.start, self.signature, origins=self.origins)

    @property
    def status(self) -> Status:
        """How it ended."""
        return self.end.outcome if self.end is not None else "unfinished"

    @property
    def took(self) -> float | None:
        """Seconds from its start to its end."""
        return None if self.end is None else self.end.seconds_since(self.start)

    @property
    def is_internal(self) -> bool:
        """Whether it crosses no boundary but records order, such as a job."""
        return self.index < 0


def read_calls(reading: Reading) -> Iterator[RecordedCall]:
    """All calls in the order of their ends; unfinished calls come last.

    Keeps only unfinished calls in memory.
    """
    signatures = Header.read(reading.header, reading.path).signatures
    under_way: dict[int, RecordedCall] = {}
    origins = Origins()
    begun = 0
    for event, start, number, line in read_events(reading, reading.path):
        origins.note(event, start, signatures.get(start.of, ""))
        if isinstance(event, Start):
            index = -1 if start.of in INTERNAL else begun
            begun += index >= 0
            signature = signatures.get(start.of, "")
            under_way[event.call] = RecordedCall(
                index=index,
                start=start,
                number=number,
                line=line,
                signature=signature,
                origins=origins,
            )
            continue
        call = under_way[event.call]
        if isinstance(event, End):
            call.end, call.end_line = event, line
            yield under_way.pop(event.call)
        else:
            call.between.append(event)
    yield from under_way.values()


def split_name(of: str, boundaries: Collection[str] = ()) -> tuple[str, str]:
    """Split `Boundary.method` into its parts.

    A method may contain a dot (`ready.set`); so may a boundary that the header lists.
    """
    known = [name for name in boundaries if of.startswith(f"{name}.")]
    boundary = max(known, key=len, default=of.partition(".")[0])
    return boundary, of[len(boundary) + 1 :]


def map_live_objects(value: Plain, rename: Callable[[Plain], Plain]) -> Plain:
    """The value with every number or name of a live object passed through `rename`."""
    if isinstance(value, dict):
        if len(value) == 1:
            ((key, item),) = value.items()
            if key in LIVE and isinstance(item, int | str):
                return {key: rename(item)}
        return {key: map_live_objects(item, rename) for key, item in value.items()}
    if isinstance(value, list):
        return [map_live_objects(item, rename) for item in value]
    return value
