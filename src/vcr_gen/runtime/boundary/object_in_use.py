"""The live object that is being used, in words, for messages about its values.

"The function that Bus.subscribe returned" is clearer than `callable.call`.
"""

from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Final

from vcr_gen.runtime.codec.tags import HANDLE, LIVE
from vcr_gen.runtime.context_blocks import setting

_METHODS: Final = tuple(
    f"{kind}."
    for kind in ("awaitable", "callable", "file", "manager", "reader", "stream", "writer")
)

_USES: Final = {
    "awaitable.wait": "",
    "callable.call": "",
    "stream.iterate": "",
    "manager.enter": "entering ",
    "manager.exit": "leaving ",
}
"""Uses that a program does not spell as a method."""

in_use: ContextVar[str] = ContextVar("vcr_gen_origin", default="")
"""The origin of the live object that is being used, for messages.

A context variable, because the use of an object may be an `async` call: a message about its answer
is written after other tasks have run.
"""


def using(origin: str) -> AbstractContextManager[None]:
    """Use a live object."""
    return setting(in_use, origin)


def origin_of(word: str, place: str) -> str:
    """The description of a live object inside a value; empty for a handle.

    `word` is what the tape calls it, `place` the value: `Bus.on: argument `heard``.
    """
    of, _, part = place.partition(": ")
    name = LIVE.get(word)
    if name is None or word == HANDLE or not part:
        return ""
    if part.startswith("argument "):
        return f"the {name} given to {of} as {part.removeprefix('argument ')}"
    return f"the {name} that {of} returned" if part == "result" else f"a {name} of {of}"


def titled(what: str, origin: str) -> str:
    """The use of a live object in the words of the program: `write() of the file that …`."""
    if not origin or not what.startswith(_METHODS):
        return what
    of, colon, rest = what.partition(":")
    method = of.partition(".")[2]
    return f"{_USES.get(of, f'{method}() of ')}{origin}{colon}{rest}"
