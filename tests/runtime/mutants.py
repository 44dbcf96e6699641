"""Single changes: to what a cassette file holds, and to what a program does."""

import dataclasses
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tape_data import read_header, read_tape

from vcr_gen.runtime.boundary.port import Link
from vcr_gen.runtime.formats.file_layout import COUNT_KEY, END_KEY
from vcr_gen.runtime.formats.jsonl_format import dump_line
from vcr_gen.runtime.formats.yaml_emit import emit_item, emit_mapping
from vcr_gen.runtime.replay.replayed_streams import ReplayedAsyncStream, ReplayedStream

Where = tuple[str | int, ...]


@dataclass(frozen=True)
class File:
    """What a cassette file holds, as plain data."""

    header: Any
    events: list[Any]

    @classmethod
    def read(cls, path: Path) -> "File":
        return cls(read_header(path), read_tape(path))

    def write(self, path: Path) -> None:
        """Write it as a whole cassette, with a count that fits, however wrong the rest is."""
        end = {END_KEY: {COUNT_KEY: len(self.events)}}
        if path.suffix == ".jsonl":
            parts = [dump_line(part) for part in (self.header, *self.events, end)]
            path.write_bytes(b"".join(parts))
        else:
            texts = [emit_mapping(self.header), f"{COUNT_KEY}:\n", *map(emit_item, self.events)]
            path.write_text("".join([*texts, emit_mapping(end)]), encoding="utf-8")


@dataclass(frozen=True)
class Mutant:
    """A file with one thing changed."""

    what: str
    where: Where
    """The path to the change: `("header", …)` or `("events", number, …)`."""
    file: File


def mutants(file: File) -> Iterator[Mutant]:
    """Every single change of every value, key and entry."""
    for where, what, header in _changes(file.header, ("header",)):
        yield Mutant(what, where, File(header, file.events))
    for number, event in enumerate(file.events):
        for where, what, changed in _changes(event, ("events", number)):
            events = [*file.events[:number], changed, *file.events[number + 1 :]]
            yield Mutant(what, where, File(file.header, events))
    for where, what, events in _list_changes(file.events, ("events",)):
        yield Mutant(what, where, File(file.header, events))


def _changes(value: Any, where: Where) -> Iterator[tuple[Where, str, Any]]:
    """A plain value with one change anywhere inside."""
    if isinstance(value, dict):
        yield (*where, "added"), "add a key", {**value, "added": 1}
        for key, inner in value.items():
            yield (*where, key), "delete a key", {k: v for k, v in value.items() if k != key}
            renamed = {(k + "x" if k == key else k): v for k, v in value.items()}
            yield (*where, key), "rename a key", renamed
            for place, what, changed in _changes(inner, (*where, key)):
                yield place, what, {**value, key: changed}
    elif isinstance(value, list):
        yield from _list_changes(value, where)
        for index, inner in enumerate(value):
            for place, what, changed in _changes(inner, (*where, index)):
                yield place, what, [*value[:index], changed, *value[index + 1 :]]
    else:
        yield where, "change a value", _other(value)
        yield where, "change a type", [value] if value is None else None


def _list_changes(value: list[Any], where: Where) -> Iterator[tuple[Where, str, list[Any]]]:
    for index, item in enumerate(value):
        yield (*where, index), "delete an entry", [*value[:index], *value[index + 1 :]]
        yield (*where, index), "repeat an entry", [*value[: index + 1], *value[index:]]
        if index and value[index - 1] != item:
            swapped = [*value[: index - 1], item, value[index - 1], *value[index + 1 :]]
            yield (*where, index), "swap two entries", swapped


def _other(value: Any) -> Any:
    match value:
        case None:
            return 0
        case bool():
            return not value
        case int() | float():
            return value + 1
        case _:
            return f"{value}x"


# The live side ----------------------------------------------------------------------------------


def altered(value: Any) -> Iterator[Any]:
    """A live value with one change anywhere inside."""
    if isinstance(value, Enum):
        yield from (member for member in type(value) if member is not value)
    elif isinstance(value, BaseException):
        yield LookupError("another")
        for arguments in altered(value.args):
            changed = type(value).__new__(type(value), *arguments)
            changed.args = arguments
            vars(changed).update(vars(value))
            yield changed
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            for inner in altered(getattr(value, field.name)):
                yield dataclasses.replace(value, **{field.name: inner})
    elif isinstance(value, dict):
        yield {**value, "added": next(iter(value.values()), 1)}
        for key, inner in value.items():
            yield {k: v for k, v in value.items() if k != key}
            for changed in altered(inner):
                yield {**value, key: changed}
    elif isinstance(value, list | tuple):
        kind = type(value)
        for index, inner in enumerate(value):
            yield kind([*value[:index], *value[index + 1 :]])
            yield kind([*value[: index + 1], *value[index:]])
            for changed in altered(inner):
                yield kind([*value[:index], changed, *value[index + 1 :]])
    elif isinstance(value, bytes):
        yield value + b"x"
    elif isinstance(value, Path):
        yield value / "other"
    elif value is None or isinstance(value, bool | int | float | str):
        yield from [_other(value), [value]]
    # anything else is a live object: which one it is, is tested by name elsewhere


@dataclass
class Watch:
    """Counts what leaves the program, and changes one thing of it."""

    at: int = -1
    """Which value to change, -1 for none."""
    variant: int = 0
    seen: int = -1
    variants: list[int] = dataclasses.field(default_factory=list)
    """How many changes each value has room for."""
    names: list[str] = dataclasses.field(default_factory=list)

    def leaves(self, name: str, value: Any) -> Any:
        """What leaves instead of a value."""
        self.seen += 1
        if self.at < 0:
            self.variants.append(sum(1 for _ in altered(value)))
            self.names.append(name)
        if self.seen != self.at:
            return value
        return [*altered(value)][self.variant]

    def reraise(self, name: str, error: BaseException) -> None:
        """Raise something else instead of an exception, if it is its turn to change."""
        changed = self.leaves(name, error)
        if changed is not error:
            raise changed


@contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """Let everything pass the watch that a program sends over its boundaries in a replay."""
    call, acall = Link.call, Link.acall
    step: Any = ReplayedStream.step
    astep: Any = ReplayedAsyncStream.step

    def out(method: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
        unchecked = {"Shell.login": ["token"], "Shell.stamp": ["at", "name"]}.get(method.name, [])
        return {
            name: (value if name in unchecked else watch.leaves(f"{method.name}({name})", value))
            for name, value in arguments.items()
        }

    def answering(method: Any, perform: Callable[..., Any]) -> Callable[..., Any]:
        def answer(arguments: Any) -> Any:
            try:
                result = perform(arguments)
            except Exception as error:
                watch.reraise(method.name, error)
                raise
            if hasattr(result, "__await__"):
                return awaited(result)
            if hasattr(result, "__next__"):
                return items(method, result)
            if hasattr(result, "__anext__"):
                return aitems(method, result)
            return watch.leaves(f"{method.name} ->", result)

        async def awaited(result: Any) -> Any:
            try:
                value = await result
            except Exception as error:
                watch.reraise(method.name, error)
                raise
            return watch.leaves(f"{method.name} ->", value)

        return answer

    def items(method: Any, stream: Any) -> Any:
        sent = None
        while True:
            try:
                item = next(stream) if sent is None else stream.send(sent)
            except StopIteration as finished:
                return watch.leaves(f"{method.name} returns", finished.value)
            sent = yield watch.leaves(f"{method.name} gives", item)

    async def aitems(method: Any, stream: Any) -> Any:
        async for item in stream:
            yield watch.leaves(f"{method.name} gives", item)

    def watched_call(link: Any, method: Any, arguments: Any, perform: Any) -> Any:
        if method.inbound:
            return call(link, method, arguments, answering(method, perform))
        return call(link, method, out(method, arguments), perform)

    async def watched_acall(link: Any, method: Any, arguments: Any, perform: Any) -> Any:
        if method.inbound:
            return await acall(link, method, arguments, answering(method, perform))
        return await acall(link, method, out(method, arguments), perform)

    def watched_step(stream: Any, kind: str, value: Any = None) -> Any:
        return step(stream, kind, value if kind == "next" else watch.leaves(kind, value))

    async def watched_astep(stream: Any, kind: str, value: Any = None) -> Any:
        return await astep(stream, kind, value if kind == "next" else watch.leaves(kind, value))

    with (
        patch.object(Link, "call", watched_call),
        patch.object(Link, "acall", watched_acall),
        patch.object(ReplayedStream, "step", watched_step),
        patch.object(ReplayedAsyncStream, "step", watched_astep),
    ):
        yield


def reordered(calls: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Calls with two neighbours swapped, one left out, or one made twice."""
    for index in range(len(calls)):
        yield (*calls[:index], *calls[index + 1 :])
        yield (*calls[: index + 1], *calls[index:])
        if index:
            yield (*calls[: index - 1], calls[index], calls[index - 1], *calls[index + 1 :])


def orders(steps: Any) -> Iterator[tuple[str, list[Any]]]:
    """The steps with one dropped, one repeated, or two neighbours swapped."""
    for index in range(len(steps)):
        yield f"drop step {index}", [*steps[:index], *steps[index + 1 :]]
        yield f"repeat step {index}", [*steps[: index + 1], *steps[index:]]
        if index:
            swapped = [steps[index], steps[index - 1]]
            yield f"swap step {index}", [*steps[: index - 1], *swapped, *steps[index + 1 :]]


def sample(items: list[Any], count: int, seed: str) -> list[Any]:
    """Some of them, the same ones in every run."""
    return items if len(items) <= count else random.Random(seed).sample(items, count)
