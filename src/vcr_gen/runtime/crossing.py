"""Compiles types for a session, with the live objects among them."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, final, get_origin

from vcr_gen.errors import EncodeError, UsageError
from vcr_gen.runtime.binding import Binder, Way
from vcr_gen.runtime.codec import Codec, Compiler, Difference, Registry
from vcr_gen.runtime.link import Link
from vcr_gen.runtime.live import LiveKind, live_kind
from vcr_gen.runtime.objects import Objects, number_of
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.redaction import Secrets
from vcr_gen.runtime.session import Session
from vcr_gen.runtime.shapes import strip
from vcr_gen.runtime.spec import Boundary

if TYPE_CHECKING:
    from vcr_gen.runtime.runs import Settings

__all__ = ["Crossing", "handle_being_built"]

handle_being_built: ContextVar[str] = ContextVar("vcr_gen_handle", default="")
"""The number of the handle whose wrapper is being built; generated code has no parameter for it."""

_WORD = "$handle"


@final
class Crossing:
    """What a session's values and live objects become on the tape."""

    def __init__(
        self,
        settings: "Settings",
        session: Session,
        objects: Objects,
        secrets: Secrets,
    ) -> None:
        self._cassette = settings.cassette
        self._session = session
        self.objects = objects
        self._boundaries: dict[object, Boundary] = {}
        self._kinds: dict[int, LiveKind | Boundary] = {}
        self.binder = Binder(
            outward=self._compiler("outward", settings.registry, secrets),
            inward=self._compiler("inward", settings.registry, secrets),
            anchors=settings.anchors,
            secrets=secrets,
            rules=settings.rules,
        )

    def _compiler(self, way: Way, registry: Registry, secrets: Secrets) -> Compiler:
        return Compiler(
            registry=registry, live=lambda type_: self._leaf(type_, way), hide=secrets.hide
        )

    def know(self, boundary: Boundary) -> None:
        """Take a boundary, and those reachable through it, for what they are in annotations."""
        for reachable in boundary.reachable:
            self._boundaries[reachable.wrapper] = reachable
            if reachable.protocol_type is not None:
                self._boundaries[reachable.protocol_type] = reachable

    def link(self, on: str) -> Link:
        """A way over the boundary for one object."""
        return Link(self._session, self.binder, on)

    def kind_of(self, number: int) -> LiveKind | Boundary:
        """What kind of object an exported one is."""
        return self._kinds[number]

    def _leaf(self, annotation: object, way: Way) -> Codec | None:
        bare = strip(annotation)
        boundary = self._boundaries.get(get_origin(bare) or bare) if _hashable(bare) else None
        if boundary is not None:
            return self._handle(boundary, way)
        kind = live_kind(bare, inbound=way == "outward")
        if kind is None:
            return None

        def build(number: int, real: Any) -> Any:
            if way == "outward":
                self._kinds[number] = kind
            return kind.wrap(self.link(f"#{number}"), kind.methods, real)

        return self._codec(kind.word, way, build, kind.fits)

    def _handle(self, boundary: Boundary, way: Way) -> Codec:
        wanted = "inbound" if way == "outward" else "outbound"

        def build(number: int, real: Any) -> Any:
            if isinstance(real, boundary.wrapper):
                raise UsageError(
                    f"a handle of {boundary.name} is used with another cassette than it came from"
                )
            if boundary.direction != wanted:
                raise UsageError(
                    f"{boundary.name} is {boundary.direction}, but an object of it was "
                    f"{'made by the application' if way == 'outward' else 'handed in'}: "
                    f"mark the Protocol @{wanted}"
                )
            if way == "outward":
                self._kinds[number] = boundary
            token = handle_being_built.set(f"#{number}")
            try:
                return boundary.wrapper(cassette=self._cassette, inner=real)
            finally:
                handle_being_built.reset(token)

        def rank(value: object) -> int:
            return 0 if isinstance(value, boundary.wrapper) else boundary.distance(value)

        return self._codec(_WORD, way, build, lambda value: value is not None, rank)

    def _codec(
        self,
        word: str,
        way: Way,
        build: Callable[[int, Any], Any],
        fits: Callable[[object], bool],
        rank: Callable[[object], int] = lambda _: 0,
    ) -> Codec:
        objects = self.objects

        def encode(value: Any) -> Plain:
            if not fits(value):
                raise EncodeError(path="$", expected=word.removeprefix("$"), got=repr(value)[:80])
            return {word: objects.number(value, build if way == "outward" else None)}

        def decode(plain: Plain) -> Any:
            return objects.recall(number_of(plain, word), build)

        def compare(recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
            if objects.agree(number_of(recorded, word), number_of(actual, word)):
                return ()
            return (Difference("$", recorded, actual, "another object"),)

        def replace(value: Any) -> Any:
            if way == "outward":
                return objects.hand_out(value, build)
            return objects.bring_in(value, build)

        return Codec(
            encode=encode,
            decode=decode,
            compare=compare,
            replace_live=replace,
            rank=lambda value: rank(value) if fits(value) else None,
        )


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
