"""What all parts of one wrapper need while it is made: its boundary, its names, its events."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from vcr_gen.gen.model.annotation import Annotation, Name, Starred, subscript
from vcr_gen.gen.model.boundaries import (
    Boundary,
    Member,
    Method,
    Property,
    Signature,
)
from vcr_gen.gen.wrappers.checker_view import is_split_method, is_split_property
from vcr_gen.gen.wrappers.event_classes import EventMaker
from vcr_gen.gen.wrappers.names import Names, camel, free_name, snake
from vcr_gen.gen.wrappers.views import EventView

__all__ = ["Chosen", "WrapperContext", "names_for", "protocol_text"]


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
class WrapperContext:
    """One wrapper while it is made."""

    names: Names
    boundary: Boundary
    chosen: Chosen
    maker: EventMaker
    new_event: Callable[[str], str]
    """A free name for an event."""
    events: list[EventView] = field(default_factory=list)

    def inside(self, *signatures: Signature) -> "WrapperContext":
        """The same wrapper, as what stands behind the brackets of a method sees its names."""
        variables = [variable for signature in signatures for variable in signature.type_parameters]
        if not variables:
            return self
        names = self.names.inside(variables)
        return replace(self, names=names, maker=replace(self.maker, names=names))

    def event_name(self, member: str, suffix: str = "") -> str:
        """A free name for the event of a member."""
        return self.new_event(f"{self.chosen.prefix}{camel(member)}{suffix}")

    @cached_property
    def direction(self) -> str:
        """`Outbound`, `Inbound` or `Mixed`, as the runtime's ports and bases are called."""
        return "Mixed" if self.opposite else self.boundary.direction.capitalize()

    @property
    def opposite(self) -> list[str]:
        """The members whose direction is not the boundary's."""
        return [
            member.name
            for member in self.boundary.members
            if isinstance(member, Method | Property)
            and member.direction not in {None, self.boundary.direction}
        ]

    # The names that the class body binds.

    @cached_property
    def has_base(self) -> bool:
        """Whether the Protocol leaves the runtime's base its names."""
        taken = {member.name for member in self.boundary.members}
        return not taken & ({"_port", "attach"} if self.direction == "Outbound" else {"_port"})

    @cached_property
    def members(self) -> frozenset[str]:
        """The names that the wrapper's class body binds."""
        own = set() if self.has_base else {self.port, self.attach, "__init__"}
        return frozenset({member.name for member in self.boundary.members} | own)

    @cached_property
    def port(self) -> str:
        """The attribute that holds the port; it gives way to a member of that name."""
        return self._free("_port", "_port_")

    @cached_property
    def attach(self) -> str:
        """The class method that builds a wrapper; it gives way to a member of that name."""
        return self._free("attach", "attach_vcr")

    def _free(self, name: str, other: str) -> str:
        taken = {member.name for member in self.boundary.members}
        return name if name not in taken else free_name(other, taken)

    # What those names hide.

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
        several = {member.name for member in self.boundary.members if _is_several(member)}
        return {name: 0 if name in several else place for name, place in self._places.items()}

    def _comes_first(self, member: Member) -> bool:
        match member:
            case Method():
                return self.is_split(member)
            case Property():
                return is_split_property(member, lazy=self.names.lazy)
        return True

    def is_split(self, member: Method) -> bool:
        """Whether the signature and the body of a method stand apart."""
        return is_split_method(member, lazy=self.names.lazy)


def _is_several(member: Member) -> bool:
    """Whether a member consists of several functions."""
    match member:
        case Method():
            return bool(member.overloads)
        case Property():
            return len(member.accessors) > 1
    return False


def protocol_text(boundary: Boundary, *, arguments: bool = True) -> Annotation:
    """The Protocol as a type, with its own type parameters as arguments."""
    tail = boundary.qualname.partition(".")[2]
    protocol = Name(boundary.reference, tuple(tail.split(".")) if tail else ())
    if not boundary.type_parameters or not arguments:
        return protocol
    return subscript(
        protocol,
        *(
            (
                Starred(Name(variable.reference))
                if variable.kind == "TypeVarTuple"
                else Name(variable.reference)
            )
            for variable in boundary.type_parameters
        ),
    )


def names_for(boundary: Boundary) -> Chosen:
    """The names that a boundary would like to define."""
    name = camel(boundary.qualname.replace(".", "_"))
    lower = snake(name)
    return Chosen(f"Vcr{name}", lower.upper(), name, f"vcr_{lower}_is_a_{lower}")
