"""Compiles types for a session, with the live objects among them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final, get_origin

from vcr_gen.errors import EncodeError, UsageError
from vcr_gen.runtime.boundary.call_kinds import strip
from vcr_gen.runtime.boundary.link import Link, handle_being_built
from vcr_gen.runtime.boundary.origins import origin_here
from vcr_gen.runtime.boundary.session import Session
from vcr_gen.runtime.boundary.spec import Boundary
from vcr_gen.runtime.codec import Codec, Compiler, Difference, Registry
from vcr_gen.runtime.context_blocks import setting
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import Secrets
from vcr_gen.runtime.values.channel import Binder, Way
from vcr_gen.runtime.values.live_objects import LiveKind, live_kind
from vcr_gen.runtime.values.objects import Build, Objects, number_of

if TYPE_CHECKING:
    from vcr_gen.runtime.runs.base import Settings

__all__ = ["Crossing"]

_WORD = "$handle"


@dataclass(frozen=True, slots=True)
class _Form:
    """One way in which a live object is stored, and comes back."""

    word: str
    fits: Callable[[object], bool]
    build: Build


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
        self.binder = Binder(
            outward=self._compiler("outward", settings.registry, secrets),
            inward=self._compiler("inward", settings.registry, secrets),
            anchors=settings.anchors,
            secrets=secrets,
            rules=settings.rules,
        )

    def _compiler(self, way: Way, registry: Registry, secrets: Secrets) -> Compiler:
        return Compiler(
            registry=registry,
            live=lambda type_: self._leaf(type_, way),
            hide=secrets.hide,
            rebuilds=way == "inward",
        )

    def know(self, boundary: Boundary) -> None:
        """Take a boundary, and those reachable through it, for what they are in annotations."""
        for reachable in boundary.reachable:
            self._boundaries[reachable.wrapper] = reachable
            if reachable.protocol_type is not None:
                self._boundaries[reachable.protocol_type] = reachable

    def link(self, on: str, origin: str = "") -> Link:
        """A way over the boundary for one object, which came from somewhere."""
        return Link(self._session, self.binder, on, origin)

    def kind_of(self, number: int) -> LiveKind | Boundary:
        """What kind of object an exported one is."""
        kind: LiveKind | Boundary = self.objects.kinds[number]
        return kind

    def _leaf(self, annotation: object, way: Way) -> Codec | None:
        bare = strip(annotation)
        boundary = self._boundaries.get(get_origin(bare) or bare) if _hashable(bare) else None
        if boundary is not None:
            return self._handle(boundary, way)
        kind = live_kind(bare, inbound=way == "outward")
        if kind is None:
            return None

        # What the application exports is asked when it is called; of what it gets in a replay, only
        # the tape knows whether it was a coroutine function.
        awaited = kind.awaited if way == "inward" else None
        kinds = (kind,) if awaited is None else (awaited, kind)
        forms = [_Form(one.word, one.fits, self._build(one, way)) for one in kinds]
        return self._codec(way, forms)

    def _build(self, kind: LiveKind, way: Way) -> Build:
        def build(number: int, real: Any) -> Any:
            if way == "outward":
                self.objects.kinds[number] = kind
            origin = self.objects.origins.get(number, "")
            return kind.wrap(self.link(f"#{number}", origin), kind.methods, real)

        return build

    def _from_here(self, form: _Form) -> Build:
        """What builds an object that crosses now, and remembers where."""
        origin = origin_here(form.word)
        if not origin:
            return form.build

        def build(number: int, real: Any) -> Any:
            self.objects.origins[number] = origin
            return form.build(number, real)

        return build

    def _handle(self, boundary: Boundary, way: Way) -> Codec:
        wanted = "inbound" if way == "outward" else "outbound"

        def build(number: int, real: Any) -> Any:
            if isinstance(real, boundary.wrapper):
                raise UsageError(
                    f"a handle of {boundary.name} is used with a different cassette than its own"
                )
            if boundary.direction != wanted:
                raise UsageError(
                    f"{boundary.name} is {boundary.direction}, but an object of it was "
                    f"{'made by the application' if way == 'outward' else 'handed in'}: "
                    f"mark the Protocol @{wanted}"
                )
            if way == "outward":
                self.objects.kinds[number] = boundary
            with setting(handle_being_built, f"#{number}"):
                return boundary.wrapper(cassette=self._cassette, inner=real)

        def rank(value: object) -> int | None:
            if isinstance(value, boundary.wrapper):
                return 0
            return boundary.distance(value) if boundary.direction == wanted else None

        form = _Form(_WORD, lambda value: value is not None, build)
        return self._codec(way, [form], rank)

    def _codec(
        self, way: Way, forms: Sequence[_Form], rank: Callable[[object], int | None] = lambda _: 0
    ) -> Codec:
        """The codec of live objects: the first form that fits is theirs, and the last fits all."""
        objects = self.objects
        last = forms[-1]
        builds = {form.word: form for form in forms}

        def encode(value: Any) -> Plain:
            for form in forms:
                if form.fits(value):
                    build = self._from_here(form) if way == "outward" else None
                    return {form.word: objects.number(value, build)}
            raise EncodeError(path="$", expected=last.word.removeprefix("$"), got=repr(value)[:80])

        def decode(plain: Plain) -> Any:
            word, number = number_of(plain, builds)
            return objects.recall(number, self._from_here(builds[word]))

        def compare(recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
            if objects.agree(number_of(recorded, builds)[1], number_of(actual, builds)[1]):
                return ()
            return (Difference("$", recorded, actual, "different object"),)

        def replace(value: Any) -> Any:
            if not last.fits(value):  # it cannot be stored either, and crosses as it is
                return value
            if way == "outward":
                return objects.hand_out(value, self._from_here(last))
            return objects.bring_in(value, self._from_here(last))

        return Codec(
            encode=encode,
            decode=decode,
            compare=compare,
            replace_live=replace,
            rank=lambda value: rank(value) if last.fits(value) else None,
        )


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
