"""Who takes the inbound calls of a replay: the driver's wrappers and what the program exported."""

from collections.abc import Mapping
from typing import Any, final

from vcr_gen.errors import UsageError
from vcr_gen.runtime.boundary.port import port_of
from vcr_gen.runtime.boundary.spec import Boundary, make_call
from vcr_gen.runtime.replay.inbound import Target
from vcr_gen.runtime.tape.events import Start
from vcr_gen.runtime.values.live_codecs import Crossing

__all__ = ["Wrappers"]


@final
class Wrappers:
    """Finds the wrapper, or the exported object, that a recorded inbound call was made on."""

    def __init__(self, crossing: Crossing) -> None:
        self._crossing = crossing
        self._roots: dict[str, tuple[Boundary, Any]] = {}

    def add(self, boundary: Boundary, on: str, wrapper: Any) -> None:
        """Let a wrapper take the inbound calls of its boundary."""
        name = on or boundary.name
        if name in self._roots and self._roots[name][1] is not wrapper:
            raise UsageError(f"{boundary.name} already has a driver")
        self._roots[name] = (boundary, wrapper)

    def target(self, start: Start) -> Target | None:
        """Who takes this call, if anybody is there."""
        boundary_name, _, key = start.of.partition(".")
        if start.on.startswith("#") and start.on[1:].isdigit():
            return self._exported(int(start.on[1:]), key)
        root = self._roots.get(start.on or boundary_name)
        if root is None:
            return None
        return self._of_boundary(*root, key)

    def _exported(self, number: int, key: str) -> Target | None:
        wrapper = self._crossing.objects.exported(number)
        if wrapper is None:
            return None
        kind = self._crossing.kind_of(number)
        if isinstance(kind, Boundary):
            return self._of_boundary(kind, wrapper, key)
        if key not in kind.methods:
            return None
        bound = self._crossing.binder.bind(kind.methods[key])
        return Target(bound, lambda arguments: kind.use(wrapper, key, arguments))

    def _of_boundary(self, boundary: Boundary, wrapper: Any, key: str) -> Target | None:
        call = boundary.calls.get(key)
        if call is None:
            return None
        method = boundary.method(call)

        port = port_of(wrapper)
        # Not through the wrapper's own method: one that is a `@contextmanager` calls when entered.
        carry: Any = port.acall if method.asynchronous else port.call

        def use(arguments: Mapping[str, object]) -> Any:
            return carry(make_call(call, method, arguments))

        return Target(self._crossing.binder.bind(method), use)
