"""From a name in a recording to a class that is already loaded; nothing is ever imported."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable, Iterator
from typing import Final

from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.names import plain_type_name


class LoadedTypes:
    """Finds loaded classes by name, below a base class."""

    def __init__(self) -> None:
        self._found: Final[weakref.WeakValueDictionary[tuple[int, str], type]] = (
            weakref.WeakValueDictionary()
        )

    def find(self, name: str, base: type) -> type:
        """The class `name` stands for, if it is `base` or below it."""
        key = (id(base), name)
        found = self._found.get(key)
        if found is not None and issubclass(found, base):
            return found
        candidates = _named(name, _below(base)) or [
            cls for cls in _named(name, _below(object)) if issubclass(cls, base)
        ]  # registered with an abstract base rather than derived from it
        if not candidates:
            module = name.rpartition(".")[0]
            expected = f"a loaded type below {plain_type_name(base)}"
            hint = f"import {module} before, or register the type" if module else ""
            raise Fault(expected, f"the name {show(name)}", hint)
        chosen = _in_module(candidates) or candidates[-1]
        self._found[key] = chosen
        return chosen


def _named(name: str, classes: Iterable[type]) -> list[type]:
    return [cls for cls in classes if plain_type_name(cls) == name]


def _below(base: type) -> Iterator[type]:
    seen: set[type] = set()
    pending = [base]
    while pending:
        cls = pending.pop()
        if cls in seen:
            continue
        seen.add(cls)
        yield cls
        pending.extend(reversed(type.__subclasses__(cls)))


def _in_module(candidates: list[type]) -> type | None:
    # `dataclass(slots=True)` leaves the class it replaced behind, under the same name.
    for cls in candidates:
        module = sys.modules.get(cls.__module__)
        found: object = module
        for part in cls.__qualname__.split("."):
            found = vars(found).get(part) if hasattr(found, "__dict__") else None
        if found is cls:
            return cls
    return None
