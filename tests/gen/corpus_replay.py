"""Records and replays every member of generated wrappers: `python corpus_replay.py FOLDER`.

The environment is made up from the types, and so are the arguments. A replay must give the same
results, name the member and the parameter of an argument that changed, and miss a call that is
left out. Prints one line per complaint, and at last how many members did all that.
"""

import asyncio
import contextlib
import importlib
import inspect
import io
import sys
import tempfile
import typing
import warnings
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from corpus_values import CannotMakeError, make

from vcr_gen import Cassette, DivergenceError, Redaction
from vcr_gen.errors import EncodeError, UnusedEventsError, UsageError
from vcr_gen.runtime import Boundary
from vcr_gen.runtime.boundary.spec import Method

BY_PYTHON = {"__init__", "__eq__", "__hash__", "__exit__", "__aexit__", "__getattr__", "__call__"}
"""What Python calls when it likes, or with what only it knows; `__call__` is called like that."""
NAMES_ARE_NO_SECRETS = Redaction(off=["names"])


def main() -> None:
    """Try all boundaries of a folder."""
    folder = Path(sys.argv[1])
    sys.path.insert(0, str(folder))
    warnings.simplefilter("ignore")
    replayed = 0
    with tempfile.TemporaryDirectory() as place:
        for boundary in _boundaries(folder):
            for key in boundary.calls:
                member = Member(boundary, key)
                if member.is_plain:
                    complaint = _complaint(member, Path(place) / "tape.yaml")
                    replayed += complaint == ""
                    if complaint:
                        print(f"{boundary.protocol}.{key}: {complaint}")
    print(f"{replayed} members replayed")


def _boundaries(folder: Path) -> Iterator[Boundary]:
    for path in sorted(folder.rglob("*.py")):
        name = ".".join(path.relative_to(folder).with_suffix("").parts)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
            importlib.import_module(name)
        for value in list(vars(sys.modules.get(name, sys)).values()):
            if isinstance(value, Boundary) and value.wrapper.__module__ == name:
                yield value


class Member:
    """A method, or an attribute that is read."""

    def __init__(self, boundary: Boundary, key: str) -> None:
        self.boundary = boundary
        self.key = key
        self.function = inspect.getattr_static(boundary.wrapper, key, None)

    @property
    def is_plain(self) -> bool:
        """Whether it is one that this module knows how to call."""
        is_read = isinstance(self.function, property)
        is_called = inspect.isfunction(self.function) and not typing.get_overloads(self.function)
        return (is_read or is_called) and self.key not in BY_PYTHON - {"__call__"}

    @property
    def method(self) -> Method:
        """Its types."""
        return self.boundary.method(self.boundary.calls[self.key])

    def use(self, wrapper: Any, changed: str = "") -> Any:
        """Call it with made arguments, or read it; the argument `changed` is another one."""
        if isinstance(self.function, property):
            return getattr(wrapper, self.key)
        types = {one.name: one.annotation for one in self.method.parameters}
        positional: list[object] = []
        options: dict[str, object] = {}
        for parameter in list(inspect.signature(self.function).parameters.values())[1:]:
            value: Any = make(types[parameter.name], 2 if parameter.name == changed else 1)
            match parameter.kind:
                case parameter.VAR_POSITIONAL:
                    positional.extend(value)
                case parameter.VAR_KEYWORD:
                    options.update(value)
                case parameter.KEYWORD_ONLY:
                    options[parameter.name] = value
                case _:
                    positional.append(value)
        return getattr(wrapper, self.key)(*positional, **options)

    def real(self) -> Any:
        """An environment with this member only."""
        result = self.method.result
        if isinstance(self.function, property):
            answer: Any = property(lambda _: make(result, 3))
        elif self.method.asynchronous:

            async def answer(*_: object, **__: object) -> object:
                return make(result, 3)

        else:

            def answer(*_: object, **__: object) -> object:
                return make(result, 3)

        return type("Real", (), {self.key: answer})()


def _complaint(member: Member, tape: Path) -> str | None:
    """What is wrong with a member; None where no value can be made up, or none be stored."""
    try:
        recorded = asyncio.run(_session(member, tape, "all", member.use))
    except (CannotMakeError, EncodeError, UsageError):
        return None
    try:
        replayed = asyncio.run(_session(member, tape, "none", member.use))
    except (DivergenceError, Exception) as error:
        return f"{type(error).__name__}: {error}"
    if recorded != replayed:
        return f"recorded {recorded!r}, replayed {replayed!r}"
    if not _misses_a_call(member, tape):
        return "a call that was left out is not missed"
    unnoticed = [name for name in _changeable(member) if not _notices(member, tape, name)]
    return f"another argument is not noticed: {unnoticed}" if unnoticed else ""


async def _session(member: Member, tape: Path, mode: str, program: Callable[[Any], Any]) -> object:
    with Cassette(tape, mode, redaction=NAMES_ARE_NO_SECRETS) as cassette:
        inner = member.real() if cassette.calls_real else None
        return await _used(program(member.boundary.wrapper(cassette=cassette, inner=inner)))


async def _used(value: Any) -> object:
    """What somebody sees who takes all that is in a result."""
    if inspect.isawaitable(value):
        return await _used(await value)
    if isinstance(value, Iterator):
        return list(value)
    if isinstance(value, AsyncIterator):
        return [item async for item in value]
    if isinstance(value, contextlib.AbstractContextManager):
        with value as entered:
            return await _used(entered)
    if isinstance(value, contextlib.AbstractAsyncContextManager):
        async with value as entered:
            return await _used(entered)
    is_live = callable(value) and not isinstance(value, type)
    return [type(value).__name__, "live" if is_live else repr(value)]


def _misses_a_call(member: Member, tape: Path) -> bool:
    try:
        asyncio.run(_session(member, tape, "none", lambda _: None))
    except UnusedEventsError:
        return True
    return False


def _changeable(member: Member) -> Iterator[str]:
    if isinstance(member.function, property):
        return
    for one in member.method.parameters:
        first, second = make(one.annotation, 1), make(one.annotation, 2)
        if _is_data(first) and first != second:
            yield one.name


def _is_data(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_data, value.values()))
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(_is_data, value))
    return not callable(value) and not hasattr(value, "__next__")


def _notices(member: Member, tape: Path, name: str) -> bool:
    try:
        asyncio.run(_session(member, tape, "none", lambda wrapper: member.use(wrapper, name)))
    except DivergenceError as error:
        return member.key in str(error) and name in str(error)
    return False


if __name__ == "__main__":
    main()
