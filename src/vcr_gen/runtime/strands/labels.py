"""Labels of threads and of the jobs of pools, by what they were started for.

Python has no hook for the beginning and the end of a pool's job. But each job runs inside a frame
of the pool, in the calling thread. That frame holds the job, so nothing has to be patched.
"""

import re
import threading
import zlib
from collections.abc import AsyncGenerator, Generator, Iterator, Mapping
from contextlib import suppress
from functools import partial
from sys import _getframe
from types import FrameType, FunctionType
from typing import Any, Final, final
from weakref import ref

_POOL: Final = "concurrent.futures.thread"
"""The module whose method `run` does a job."""

_NUMBERED = re.compile(r"(?:Thread|Dummy)-(\d+)")
"""The names that Python gives to threads without one."""

_POOLED = re.compile(r"ThreadPoolExecutor-\d+(_\d+)")
"""The names of an executor's threads: Python numbers executors as they are made."""

_DIGITS = re.compile(r"\d+")


@final
class Work:
    """One job of a pool, as long as it runs."""

    __slots__ = ("_item", "label")

    def __init__(self, item: Any) -> None:
        self._item = ref(item)  # a session keeps no job alive
        self.label = _label(item.fn, item.args, item.kwargs)

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        item = self._item()
        return item is None or bool(item.future.done())

    def is_of(self, item: object) -> bool:
        """Whether it is this item of a pool."""
        return self._item() is item


def work_here(thread: threading.Thread, known: Work | None) -> Work | None:
    """The job that the running thread of a pool does; `known` while it still does that one."""
    if getattr(getattr(thread, "_target", None), "__module__", "") != _POOL:
        return None
    if known is not None and not known.is_over:
        return known
    item = _item_here()
    if item is None:
        return None
    return known if known is not None and known.is_of(item) else Work(item)


def label_of(thread: threading.Thread, since: int) -> str:
    """The label of a thread: the same in every run that starts it for the same purpose.

    What comes before the first `-` is equal for threads that differ in nothing but numbers, such
    as `worker-1` and `worker-2`: they may share work. Python numbers threads without a name as
    they are made; that number counts from the beginning of the session.
    """
    numbered = _NUMBERED.match(thread.name)
    name = "" if numbered else _POOLED.sub(r"\1", thread.name)
    target = getattr(thread, "_target", None) or type(thread)
    arguments = getattr(thread, "_args", ())
    keywords: Mapping[str, object] = getattr(thread, "_kwargs", {})
    if isinstance(thread, threading.Timer):
        target, arguments, keywords = thread.function, tuple(thread.args), thread.kwargs
    elif target is type(thread):
        keywords = {**keywords, **_plain_attributes(thread)}
    kind = _label(target, (_DIGITS.sub("", name), *map(_without_number, arguments)), keywords)
    own = _label(target, (name, *arguments), keywords)
    parts = [kind, own if own != kind else "", str(int(numbered[1]) - since) if numbered else ""]
    return "-".join(part for part in parts if part)


def _without_number(argument: object) -> object:
    return 0 if isinstance(argument, int) and not isinstance(argument, bool) else argument


def threads_made() -> int:
    """How many threads without a name Python has made."""
    numbered = _NUMBERED.match(threading.Thread().name)
    return int(numbered[1]) if numbered else 0


def _item_here() -> object:
    """The current job of the running thread's pool; None between two jobs."""
    frame: FrameType | None = _getframe(2)
    while frame is not None:
        if frame.f_code.co_name == "run" and frame.f_globals.get("__name__") == _POOL:
            item: object = frame.f_locals["self"]
            return item
        frame = frame.f_back
    return None


def _label(function: object, arguments: object, keywords: Mapping[str, object]) -> str:
    # Three digits: enough to distinguish a few jobs, too few to reveal their arguments.
    text = "|".join(_words((function, arguments, tuple(sorted(keywords.items())))))
    return f"{zlib.crc32(text.encode(errors='replace')) & 0xFFF:03x}"


def _words(value: Any, depth: int = 6) -> Iterator[str]:
    """The parts of a value that are the same in every run: never an address."""
    match value:
        case None | bool() | int() | float() | str() | bytes():
            yield repr(value)
        case partial():
            keywords = tuple(sorted(value.keywords.items()))
            yield from _words((value.func, value.args, keywords), depth)
        case tuple() if depth:
            yield from (word for part in value for word in _words(part, depth - 1))
        case FunctionType() if depth:
            yield value.__qualname__
            yield from _words((value.__defaults__, _closed_over(value)), depth - 1)
        case Generator() | AsyncGenerator() if not hasattr(value, "__qualname__"):
            yield "stream"  # our own: its class differs between a recording and a replay
        case _:
            yield getattr(value, "__qualname__", "") or type(value).__qualname__


def _plain_attributes(thread: threading.Thread) -> dict[str, object]:
    """The plain attributes of an application's own thread class."""
    return {
        name: value
        for name, value in vars(thread).items()
        if name[:1] != "_" and isinstance(value, str | int)
    }


def _closed_over(function: FunctionType) -> tuple[object, ...]:
    found = []
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # it has no value yet
            found.append(cell.cell_contents)
    return tuple(found)
