"""Cassettes as data: their calls, and cassettes written from calls that were recorded elsewhere."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Self, final

from vcr_gen.cassette_tools.recorded_calls import RecordedCall, read_calls
from vcr_gen.errors import UsageError
from vcr_gen.runtime.boundary.spec import Boundary
from vcr_gen.runtime.formats import format_for
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import Redaction, Secrets
from vcr_gen.runtime.tape.events import ROOT_STRAND, End, Event, Item, Outcome, Start
from vcr_gen.runtime.tape.folding import Folding
from vcr_gen.runtime.tape.header import Header
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.runtime.tape.recording import Recording
from vcr_gen.runtime.tape.stream_redaction_buffer import StreamBuffer
from vcr_gen.runtime.values.stored_values import Screen


@final
class Tape:
    """Reads a cassette: its header and its calls, as they are stored."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self._reading = Reading(Path(path))

    @property
    def header(self) -> Mapping[str, Plain]:
        """The header: when it was recorded, its boundaries and their signatures, and so on."""
        return self._reading.header

    def calls(self) -> Iterator[RecordedCall]:
        """The calls across boundaries in the order of their ends, unfinished ones last."""
        return (call for call in read_calls(self._reading) if not call.is_internal)

    def close(self) -> None:
        """Close the file."""
        self._reading.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@final
class TapeWriter:
    """Writes a cassette from calls; the header and the strands follow from them.

    `wrappers` are the generated classes of its boundaries. The file replaces an older one when the
    block ends without an exception.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *wrappers: type[Any],
        imported: str = "",
        recorded_at: datetime | None = None,
        redaction: Redaction | None = None,
    ) -> None:
        self._path = Path(path)
        found: list[Boundary] = [wrapper.__vcr_boundary__ for wrapper in wrappers]
        self._boundaries = {each.name: each for one in found for each in one.reachable}
        self._header = Header(
            recorded_at=recorded_at or datetime.now(UTC),
            initial_state={},
            imported={"from": imported} if imported else None,
        )
        self._secrets = Secrets(redaction or Redaction(), replaying=False)
        for boundary in self._boundaries.values():
            for of, path_of_field in boundary.secret_fields():
                self._secrets.add_field(of, path_of_field)
        self._starts: list[Start] = []
        self._ends: dict[int, tuple[Sequence[Plain], End]] = {}
        self._inner: dict[int, int] = {}
        """The last call inside each call, or the call itself."""
        self._free: dict[str, float] = {}
        """When each strand is free again."""
        self._grows = format_for(self._path).grows
        self._file = Recording(self._path)

    def call(
        self,
        name: str,
        arguments: Mapping[str, Plain],
        *,
        outcome: Outcome | None = "returned",
        value: Plain = None,
        items: Sequence[Plain] = (),
        at: float | None = None,
        took: float = 0.0,
        within: int | None = None,
        on: str = "",
        inbound: bool | None = None,
    ) -> int:
        """Add a call of `Boundary.method`, in the order of starts; its number.

        An `outcome` of None never came. `within` is the call that it was made in, `on` the function
        (`#1`) that it calls. By default it begins when the one before was over.
        """
        if at is None:
            at = max(self._free.values(), default=0.0)
        if self._starts and at < self._starts[-1].at:
            raise UsageError(f"{name} begins before the call that was added last")
        number = len(self._starts) + 1
        comes_in = self._is_inbound(name, arguments) if inbound is None else inbound
        outer = None if within is None else self._starts[within - 1]
        start = Start(call=number, of=name, arguments=arguments, on=on, inbound=comes_in, at=at)
        if not comes_in:
            inside = outer is not None and outer.inbound
            base = f"@{within}" if inside else ROOT_STRAND
            strand = self._strand(base, at, at + took)
            start = replace(start, strand=strand, within=within if inside else None)
        self._starts.append(start)
        while within is not None:
            self._inner[within] = number
            within = next((n for n, last in self._inner.items() if last == within), None)
        if outcome is not None:
            end = End(call=number, outcome=outcome, value=value, at=round(at + took, 6))
            self._ends[number] = (items, end)
        return number

    def _is_inbound(self, name: str, arguments: Mapping[str, Plain]) -> bool:
        for boundary in self._boundaries.values():
            key = name.removeprefix(f"{boundary.name}.")
            if key != name and key in boundary.calls:
                known = boundary.parameter_names()[key]
                if odd := set(arguments) - set(known):
                    raise UsageError(f"{name} has no parameter {min(odd)!r}")
                return boundary.inbound(key)
        raise UsageError(f"no wrapper has the method {name}")

    def _strand(self, base: str, begins: float, ends: float) -> str:
        """The first strand that makes no other call meanwhile."""
        names = (f"{base}.{number}" if number else base for number in count())
        strand = next(name for name in names if self._free.get(name, 0.0) <= begins)
        self._free[strand] = ends
        return strand

    def _events(self) -> list[Event]:
        """All events in order: of those at one time, the inner calls end first."""
        found: list[tuple[tuple[float, int, int, int], Event]] = []
        for start in self._starts:
            number = start.call
            found.append(((start.at, number, 0, 0), start))
            if number in self._ends:
                items, end = self._ends[number]
                last = self._inner.get(number, number)
                for value in items:
                    item = Item(call=number, value=value, at=end.at)
                    found.append(((end.at, last, 1, -number), item))
                found.append(((end.at, last, 1, -number), end))
        return [event for _, event in sorted(found, key=lambda each: each[0])]

    def _write(self) -> None:
        head = self._header.plain(self._boundaries, {})
        self._file.begin(head)
        folding = Folding(self._file.append, self._file.grow if self._grows else None)
        screen, holding = Screen(self._secrets), StreamBuffer(self._secrets, folding.add)
        for event in self._events():
            holding.add(screen.recorded(event, self._starts[event.call - 1].of))
        holding.flush()
        folding.close()
        self._file.finish(head)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                self._write()
        finally:
            self._file.discard()
