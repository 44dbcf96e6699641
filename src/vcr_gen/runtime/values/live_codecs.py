"""Compiles types once for all sessions, with the live objects of each session among them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, final, get_origin

from vcr_gen.errors import UsageError
from vcr_gen.runtime.boundary.call_kinds import strip
from vcr_gen.runtime.boundary.object_in_use import origin_of
from vcr_gen.runtime.boundary.port import Link, Session
from vcr_gen.runtime.boundary.spec import Boundary
from vcr_gen.runtime.codec import Codec, Compiler, Difference, Registry
from vcr_gen.runtime.codec.compiler import DECLARE
from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.node import DYNAMIC, LIVE, NO_FIT, Node
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import Secrets
from vcr_gen.runtime.values.bound_methods import Binder
from vcr_gen.runtime.values.channel import ValueChannel, Way, at_work
from vcr_gen.runtime.values.live_kinds import live_kinds
from vcr_gen.runtime.values.live_object import LiveKind
from vcr_gen.runtime.values.object_numbers import Build, Objects, number_of

if TYPE_CHECKING:
    from vcr_gen.runtime.runs.cassette import Cassette
    from vcr_gen.runtime.runs.run import Settings

_WORD = "$handle"


@dataclass(frozen=True, slots=True)
class _Form:
    """One way in which a live object is stored, and comes back."""

    word: str
    fits: Callable[[object], bool]
    build: Callable[["Crossing", int, Any], Any]
    """Makes the wrapper of an object with a number, for a session."""


@final
class Crossing:
    """Converts a session's values and live objects for the tape."""

    def __init__(
        self,
        settings: "Settings",
        session: Session,
        objects: Objects,
        secrets: Secrets,
    ) -> None:
        self.cassette = settings.cassette
        self._session = session
        self._registry = settings.registry
        self.objects = objects
        self._boundaries: dict[object, Boundary] = {}
        self._compilers: dict[Way, Compiler] = {}
        self.binder = Binder(
            self._codec,
            anchors=settings.anchors,
            secrets=secrets,
            rules=settings.rules,
            crossing=self,
        )

    def know(self, boundary: Boundary) -> None:
        """Register a boundary and those reachable through it, for annotations."""
        for reachable in boundary.reachable:
            self._boundaries[reachable.wrapper] = reachable
            if reachable.protocol_type is not None:
                self._boundaries[reachable.protocol_type] = reachable
        self._compilers.clear()

    def close(self) -> None:
        """Let go of the classes that only the values of this session had."""
        for compiler in self._compilers.values():
            compiler.forget_lookups()

    def link(self, on: str, origin: str = "") -> Link:
        """A way over the boundary for one object, which came from somewhere."""
        return Link(self._session, self.binder, on, origin)

    def kind_of(self, number: int) -> LiveKind | Boundary:
        """The kind of an exported object."""
        kind: LiveKind | Boundary = self.objects.kinds[number]
        return kind

    def built_here(self, form: _Form) -> Build:
        """A function that builds an object that crosses now, and remembers its origin."""
        origin = origin_of(form.word, _channel().what)

        def build(number: int, real: Any) -> Any:
            if origin:
                self.objects.origins[number] = origin
            return form.build(self, number, real)

        return build

    def _codec(self, annotation: object, way: Way) -> Codec:
        compiler = self._compilers.get(way)
        if compiler is None:
            compiler = _compiler_for(self._registry, way, self._boundaries)
            self._compilers[way] = compiler
        return compiler.codec(annotation)


_MOST_COMPILERS: Final = 64


def _compiler_for(registry: Registry, way: Way, boundaries: Mapping[object, Boundary]) -> Compiler:
    """The compiler of annotations for all sessions with the same boundaries."""
    known = registry.compilers
    key = (way, frozenset(boundaries.items()))
    compiler = known.get(key)
    if compiler is None:
        if len(known) >= _MOST_COMPILERS:
            known.clear()
        compiler = known[key] = Compiler(
            registry=registry,
            live=_LiveTypes(dict(boundaries), way).node_of,
            hide=_hide,
            rebuilds=way == "inward",
        )
    compiler.forget_lookups()
    return compiler


def _channel() -> ValueChannel:
    """The channel whose value is being encoded or decoded in this thread."""
    channel = at_work.channel
    assert channel is not None
    return channel


def _hide(secret: Plain) -> str:
    return _channel().secrets.hide(secret)


def _crossing() -> Crossing:
    crossing: Crossing = _channel().crossing
    return crossing


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class _HandleSession:
    """The cassette argument of a live object's wrapper, which attaches it under its handle."""

    cassette: "Cassette"
    handle: str
    calls_real: bool

    def attach(self, boundary: Boundary, wrapper: object, inner: object) -> Link:
        """Let the wrapper take part."""
        return self.cassette.attach(boundary, wrapper, inner, handle=self.handle)


@final
class _LiveTypes:
    """Finds the live objects among annotations: handles of boundaries, callbacks, streams."""

    def __init__(self, boundaries: Mapping[object, Boundary], way: Way) -> None:
        self._boundaries = boundaries
        self._way = way

    def node_of(self, annotation: object) -> Node | None:
        """The node of a type of live objects; None for any other type."""
        bare = strip(annotation)
        boundary = self._boundaries.get(get_origin(bare) or bare) if _hashable(bare) else None
        if boundary is not None:
            return self._handle(boundary)
        kinds = live_kinds(bare, inbound=self._way == "outward")
        if not kinds:
            return None
        forms = [_Form(each.word, each.fits, self._build(each)) for each in kinds]
        return _LiveNode(forms, self._way, kinds[0].rank)

    def _build(self, kind: LiveKind) -> Callable[[Crossing, int, Any], Any]:
        def build(crossing: Crossing, number: int, real: Any) -> Any:
            if self._way == "outward":
                crossing.objects.kinds[number] = kind
            origin = crossing.objects.origins.get(number, "")
            return kind.wrap(crossing.link(f"#{number}", origin), kind.methods, real)

        return build

    def _handle(self, boundary: Boundary) -> Node:
        wanted = "inbound" if self._way == "outward" else "outbound"

        def build(crossing: Crossing, number: int, real: Any) -> Any:
            if isinstance(real, boundary.wrapper):
                raise UsageError(f"this handle of {boundary.name} belongs to a different cassette")
            if boundary.direction != wanted:
                raise UsageError(
                    f"{boundary.name} is {boundary.direction}, but an object of it was "
                    f"{'made by the application' if self._way == 'outward' else 'handed in'}: "
                    f"mark the Protocol @{wanted}"
                )
            if self._way == "outward":
                crossing.objects.kinds[number] = boundary
            session = _HandleSession(
                cassette=crossing.cassette, handle=f"#{number}", calls_real=real is not None
            )
            return boundary.wrapper(cassette=session, inner=real)

        def rank(value: object) -> int | None:
            if isinstance(value, boundary.wrapper):
                return 0
            return boundary.distance(value) if boundary.direction == wanted else None

        return _LiveNode([_Form(_WORD, lambda value: value is not None, build)], self._way, rank)


@final
class _LiveNode(Node):
    """Live objects of one type: the first form that fits is theirs, and the last fits all."""

    is_live: ClassVar[bool] = True
    kinds = frozenset[str]()

    def __init__(
        self,
        forms: Sequence[_Form],
        way: Way,
        rank: Callable[[object], int | None],
    ) -> None:
        self._forms: Final = forms
        self._by_word: Final = {form.word: form for form in forms}
        self._is_outward: Final = way == "outward"
        self._rank: Final = rank
        """How well an object matches, for a union: 0 is best, None is not a match."""

    def encode(self, value: Any) -> Plain:
        crossing = _crossing()
        form = self._form_of(value)
        if form is not None and _channel().codec.replace_live is None:
            # The declared type has no such part, so the other side would get the object itself.
            raise Fault("a value", f"a live object, of {show(value)}", DECLARE)
        if form is None:
            raise Fault(self._forms[-1].word.removeprefix("$"), repr(value)[:80])
        build = crossing.built_here(form) if self._is_outward else None
        return {form.word: crossing.objects.number(value, build)}

    def decode(self, plain: Plain) -> Any:
        crossing = _crossing()
        word, number = number_of(plain, self._by_word)
        return crossing.objects.recall(number, crossing.built_here(self._by_word[word]))

    def fits(self, value: object) -> int:
        """Never `None`, and after types that fit exactly."""
        rank = None if value is None or self._form_of(value) is None else self._rank(value)
        return NO_FIT if rank is None else min(LIVE + rank, DYNAMIC - 1)

    def verdict(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...] | None:
        try:
            numbers = [number_of(plain, self._by_word)[1] for plain in (recorded, actual)]
        except Fault:  # not two live objects: compared like any other values
            return None
        if _crossing().objects.agree(*numbers):
            return ()
        return (Difference("$", recorded, actual, "different object"),)

    def replace(self, value: Any) -> Any:
        form = self._form_of(value)
        if form is None:  # it cannot be stored either, and crosses unchanged
            return value
        crossing = _crossing()
        build = crossing.built_here(form)
        objects = crossing.objects
        return (
            objects.hand_out(value, build) if self._is_outward else objects.bring_in(value, build)
        )

    def _form_of(self, value: object) -> _Form | None:
        return next((form for form in self._forms if form.fits(value)), None)


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
