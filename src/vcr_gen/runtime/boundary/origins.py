"""Where live objects came from, in words: on the tape they only have a number.

`callable.call` says nothing to a reader; "the function that Bus.subscribe returned" does.
"""

from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Final

from vcr_gen.runtime.context_blocks import setting

__all__ = ["at_place", "in_use", "origin_here", "titled", "using"]

_NAMES: Final = {
    "$async_callable": "function",
    "$awaitable": "awaitable",
    "$callable": "function",
    "$manager": "context manager",
    "$stream": "stream",
}
_METHODS: Final = ("awaitable.", "callable.", "manager.", "stream.")

_place: ContextVar[str] = ContextVar("vcr_gen_place", default="")
"""The value that is crossing a boundary, as messages name it."""

in_use: ContextVar[str] = ContextVar("vcr_gen_origin", default="")
"""The origin of the live object that is being used."""


def at_place(what: str) -> AbstractContextManager[None]:
    """Let live objects cross as parts of a value: `Bus.subscribe: argument `heard``."""
    return setting(_place, what)


def using(origin: str) -> AbstractContextManager[None]:
    """Use a live object."""
    return setting(in_use, origin)


def origin_here(word: str) -> str:
    """What a live object is that crosses now, by its word on the tape; nothing for a handle."""
    of, _, part = _place.get().partition(": ")
    name = _NAMES.get(word)
    if name is None or not part:
        return ""
    if part.startswith("argument "):
        return f"the {name} given to {of} as {part.removeprefix('argument ')}"
    return f"the {name} that {of} returned" if part == "result" else f"a {name} of {of}"


def titled(what: str, origin: str) -> str:
    """The use of a live object, with where that came from."""
    if not origin or not what.startswith(_METHODS):
        return what
    of, colon, rest = what.partition(":")
    return f"{of} ({origin}){colon}{rest}"
