"""What all parts of one wrapper need while it is made: its boundary, its names, its events."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from vcr_gen.gen.model.annotation import (
    ANY,
    ELLIPSIS,
    Annotation,
    Name,
    Quoted,
    Starred,
    has_self_argument,
    names_in,
    references,
    subscript,
    walk,
)
from vcr_gen.gen.model.boundaries import (
    Attribute,
    Boundary,
    Member,
    Method,
    NestedClass,
    Property,
    Signature,
    TypeVariable,
)
from vcr_gen.gen.settings.config import Direction
from vcr_gen.gen.wrappers.events import EventMaker
from vcr_gen.gen.wrappers.generic_headers import generic_argument
from vcr_gen.gen.wrappers.names import Names, camel, free_name, snake
from vcr_gen.gen.wrappers.views import (
    EventView,
)

__all__ = [
    "Chosen",
    "Wrapper",
    "event_name",
    "is_declared_on_instance",
    "names_for",
    "own_type",
    "protocol_text",
]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The names that the generated module defines for one boundary."""

    wrapper: str
    constant: str
    prefix: str
    """What its events' names start with."""
    conformance: str


@dataclass(frozen=True, slots=True)
class _Hiding(Collection[str]):
    """The names that a class body binds before a place in it."""

    places: Mapping[str, int]
    place: int

    def __contains__(self, name: object) -> bool:
        found = self.places.get(name) if isinstance(name, str) else None
        return found is not None and (found == 0 or found < self.place)

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.places if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass
class Wrapper:
    """One wrapper while it is made."""

    names: Names
    boundary: Boundary
    chosen: Chosen
    maker: EventMaker
    new_event: Callable[[str], str]
    """A free name for an event."""
    events: list[EventView] = field(default_factory=list)

    @cached_property
    def members(self) -> frozenset[str]:
        """The names that the wrapper's class body binds."""
        own = {self.port, self.attach, "__init__"} if self.is_explicit else set()
        return frozenset({one.name for one in self.boundary.members} | own)

    @cached_property
    def is_explicit(self) -> bool:
        """Whether the wrapper has no base and says itself how it is built.

        The Protocol has a member of the base's, or says how it is built too, or type checkers need
        an `__init__` that declares an attribute.
        """
        members = self.boundary.members
        own = {"_port", "attach"} if self.port_class == "OutboundPort" else {"_port"}
        return (
            bool(self.boundary.constructors)
            or any(one.name in own for one in members)
            or any(isinstance(one, Attribute) and is_declared_on_instance(one) for one in members)
        )

    def inside(self, *signatures: Signature) -> "Wrapper":
        """The same wrapper, as what stands behind the brackets of a method sees its names."""
        variables = [one for signature in signatures for one in signature.type_parameters]
        if not variables:
            return self
        names = self.names.inside(variables)
        return replace(self, names=names, maker=replace(self.maker, names=names))

    def hiding(self, name: str, signature: Signature) -> Collection[str]:
        """The members that hide what the annotations of a member mean.

        Those that are not text are compared as objects, and Python 3.14 evaluates them when the
        class is complete.
        """
        return self.hiding_text(name) if self.names.lazy or signature.lazy else self.members

    def hiding_text(self, name: str) -> Collection[str]:
        """The members that hide what text in the annotations of a member means.

        To type checkers, a method `list` hides the type only from what stands after it, and text
        must be the source's.
        """
        return _Hiding(self._hidden_from, self._places.get(name, 0))

    def inner(self, *, protocols: bool) -> frozenset[str]:
        """The full names of the classes in its body; Protocols are no types to type checkers."""
        return frozenset(
            one.full_name
            for one in self.boundary.members
            if isinstance(one, NestedClass) and (protocols or not one.protocol)
        )

    def is_told_apart(self, member: Method) -> bool:
        """Whether type checkers are shown another method than the one that runs."""
        if member.passed or member.checked or member.binding != "instance" or member.declared:
            return True
        if self.is_shown_as_self(member):
            return True
        signature, every = member.signature, (member.signature, *member.overloads)
        if any(one.declared or one.bounded_self for one in signature.parameters):
            return True
        if _hides_result(signature):
            return True
        if any(self.is_quoted_twice(one) or self.is_quoted_star(one) for one in every):
            return True
        inner = self.inner(protocols=True) - self.inner(protocols=False)
        kept = self.names.lazy or bool(signature.lazy)
        return bool(inner) and any(_names_inner(one, inner, kept=kept) for one in signature.texts())

    def is_shown_otherwise(self, member: Property) -> bool:
        """Whether type checkers are shown another property than the one that runs."""
        return bool(member.declared) or any(map(self.is_quoted_twice, member.accessors))

    def is_quoted_twice(self, signature: Signature) -> bool:
        """Whether annotations are text of which parts are text again, as no type checker has it.

        The source keeps all annotations as text and has quotes too; the module keeps none.
        """
        kept = bool(signature.lazy) and not self.names.lazy
        return kept and any(
            isinstance(node, Quoted)
            for annotation in signature.texts()
            for node in walk(annotation)
        )

    def is_quoted_star(self, signature: Signature) -> bool:
        """Whether `*args: *Ts` is text here, as no type checker has it."""
        kept = bool(signature.lazy) and not self.names.lazy
        return kept and any(isinstance(annotation, Starred) for annotation in signature.texts())

    def is_shown_as_self(self, member: Method) -> bool:
        """Whether type checkers are shown `Self` as the result, where the Protocol names itself.

        The base that says so may be the bound of a type that has `Self` as its argument: a wrapper
        is an instance of that base only if it keeps the promise.
        """
        return member.returns_own and any(map(has_self_argument, self.boundary.texts()))

    @cached_property
    def _places(self) -> dict[str, int]:
        """Where each name of the class body stands; 0 where it stands before all members."""
        places = dict.fromkeys(self.members, 0)
        for number, member in enumerate(self.boundary.members, start=1):
            if not self._comes_first(member):
                places[member.name] = number
        return places

    @cached_property
    def _hidden_from(self) -> dict[str, int]:
        """The place after which each name is hidden; 0 where it is hidden from all members.

        What consists of several functions hides its name from its own later ones already.
        """
        several = {one.name for one in self.boundary.members if _is_several(one)}
        return {name: 0 if name in several else place for name, place in self._places.items()}

    def _comes_first(self, member: Member) -> bool:
        """Whether a member may stand before all others."""
        match member:
            case Method():
                return self.is_told_apart(member)
            case Property():
                return self.is_shown_otherwise(member)
        return True

    @cached_property
    def port(self) -> str:
        """The attribute that holds the port; it gives way to a member of that name."""
        return self._free("_port", "_port_")

    @cached_property
    def attach(self) -> str:
        """The class method that builds a wrapper; it gives way to a member of that name."""
        return self._free("attach", "attach_vcr")

    def _free(self, name: str, other: str) -> str:
        taken = {one.name for one in self.boundary.members}
        return name if name not in taken else free_name(other, taken)

    @property
    def opposite(self) -> list[str]:
        """The members whose direction is not the boundary's."""
        return [
            one.name
            for one in self.boundary.members
            if not isinstance(one, NestedClass)
            and one.direction not in {None, self.boundary.direction}
        ]

    @property
    def port_class(self) -> str:
        """The runtime's port for the direction."""
        if self.opposite:
            return "MixedPort"
        ports: dict[Direction, str] = {"outbound": "OutboundPort", "inbound": "InboundPort"}
        return ports[self.boundary.direction]


def is_declared_on_instance(member: Attribute) -> bool:
    """Whether type checkers need an attribute declared as `self.name`.

    To pyright, a function in the class body is a method, and a descriptor is what it gives.
    """
    return member.settable and (member.function or member.descriptor)


def _hides_result(signature: Signature) -> bool:
    """Whether a parameter is called what a type in brackets is, of which the result speaks.

    In the body that name is the parameter, so that nothing there can say the type.
    """
    names = {one.name for one in signature.parameters}
    returned = references(signature.returns)
    return any(one.kind == "parameter" and one.spelling in names for one in returned)


def _is_several(member: Member) -> bool:
    """Whether a member consists of several functions."""
    match member:
        case Method():
            return bool(member.overloads)
        case Property():
            return len(member.accessors) > 1
    return False


def _names_inner(annotation: Annotation, inner: Collection[str], *, kept: bool) -> bool:
    """Whether an annotation that is kept as text, or a string in it, names an inner class."""
    return any(
        name.is_inner(inner)
        for node in walk(annotation)
        if kept or isinstance(node, Quoted)
        for name in names_in(node)
    )


def protocol_text(
    boundary: Boundary, *, arguments: bool = True, unsolved: Collection[TypeVariable] = ()
) -> Annotation:
    """The Protocol as a type, with its own type parameters as arguments; any for the unsolved."""
    tail = boundary.qualname.partition(".")[2]
    protocol = Name(boundary.reference, tuple(tail.split(".")) if tail else ())
    if not boundary.type_parameters or not arguments:
        return protocol
    given = [
        _anything(variable) if variable in unsolved else Name(variable.reference)
        for variable in boundary.type_parameters
    ]
    return subscript(
        protocol,
        *(
            Starred(argument) if variable.kind == "TypeVarTuple" else argument
            for variable, argument in zip(boundary.type_parameters, given, strict=True)
        ),
    )


def _anything(variable: TypeVariable) -> Annotation:
    """What stands for every argument of a type parameter."""
    return ELLIPSIS if variable.kind == "ParamSpec" else ANY


def names_for(boundary: Boundary) -> Chosen:
    """The names that a boundary would like to define."""
    name = camel(boundary.qualname.replace(".", "_"))
    lower = snake(name)
    return Chosen(f"Vcr{name}", lower.upper(), name, f"vcr_{lower}_is_a_{lower}")


def own_type(wrapper: Wrapper, *, unsolved: Collection[TypeVariable] = ()) -> str:
    """The wrapper as a type, with its type parameters; any for the unsolved."""
    names = wrapper.names
    shown = [
        (
            names.spell(names.known(_anything(one)))
            if one in unsolved
            else generic_argument(names, one)
        )
        for one in wrapper.boundary.type_parameters
    ]
    arguments = f"[{', '.join(shown)}]" if shown else ""
    return f"{wrapper.chosen.wrapper}{arguments}"


def event_name(wrapper: Wrapper, member: str, suffix: str = "") -> str:
    """A free name for the event of a member."""
    return wrapper.new_event(f"{wrapper.chosen.prefix}{camel(member)}{suffix}")
