"""What all parts of one wrapper need while it is made: its boundary, its names, its events."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from vcr_gen.gen.model.annotation import (
    Annotation,
    Name,
    Reference,
    Starred,
    builtin,
    subscript,
)
from vcr_gen.gen.model.boundary_model import Boundary, Method, Property, Signature, TypeVariable
from vcr_gen.gen.wrappers.names import Names, camel, free_name, snake
from vcr_gen.gen.wrappers.views import EventView

RUNTIME = "vcr_gen.runtime"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The names that the generated module defines for one boundary."""

    wrapper: str
    constant: str
    prefix: str
    """What its events' names start with."""
    conformance: str


def wished_names(boundary: Boundary) -> Chosen:
    """The names that a boundary would like to define."""
    name = camel(boundary.qualname.replace(".", "_"))
    lower = snake(name)
    return Chosen(f"Vcr{name}", lower.upper(), name, f"vcr_{lower}_is_a_{lower}")


@dataclass
class WrapperContext:
    """One wrapper while it is made."""

    names: Names
    boundary: Boundary
    chosen: Chosen
    variables: Mapping[Reference, TypeVariable]
    """The declarations of all type variables that the module mentions."""
    free_name: Callable[[str], str]
    """Gives a free name in the module, for an event."""
    events: list[EventView] = field(default_factory=list)

    def inside(self, *signatures: Signature) -> "WrapperContext":
        """The same wrapper, with the names that are visible inside the brackets of a method."""
        variables = [variable for signature in signatures for variable in signature.type_parameters]
        return replace(self, names=self.names.inside(variables)) if variables else self

    def own(self, module: str, name: str) -> str:
        """Something that the class body needs, such as `typing.Any`."""
        return self.names.own(module, name, bound=self.members)

    def builtin(self, name: str) -> str:
        """A name of Python itself, as the class body spells it."""
        return self.names.spell(Name(builtin(name)), bound=self.members)

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

    # The Protocol as a type.

    @cached_property
    def protocol(self) -> Name:
        """The Protocol, without type arguments."""
        tail = self.boundary.qualname.partition(".")[2]
        return Name(self.boundary.reference, tuple(tail.split(".")) if tail else ())

    @cached_property
    def target(self) -> Annotation:
        """The Protocol, with its own type parameters as arguments."""
        arguments: list[Annotation] = [
            (
                Starred(Name(variable.reference))
                if variable.kind == "TypeVarTuple"
                else Name(variable.reference)
            )
            for variable in self.boundary.type_parameters
        ]
        return subscript(self.protocol, *arguments) if arguments else self.protocol

    # The names that the class body binds.

    @cached_property
    def _declared(self) -> frozenset[str]:
        return frozenset(member.name for member in self.boundary.members)

    @cached_property
    def has_base(self) -> bool:
        """Whether the Protocol leaves the runtime's base its names."""
        taken = {"_port", "attach"} if self.direction == "Outbound" else {"_port"}
        return not self._declared & taken

    @cached_property
    def members(self) -> frozenset[str]:
        """The names that the wrapper's class body binds."""
        own = set() if self.has_base else {self.port, self.attach, "__init__"}
        return self._declared | own

    @cached_property
    def port(self) -> str:
        """The attribute that holds the port; it gives way to a member of that name."""
        return "_port" if "_port" not in self._declared else free_name("_port_", self._declared)

    @cached_property
    def attach(self) -> str:
        """The class method that builds a wrapper; it gives way to a member of that name."""
        if "attach" not in self._declared:
            return "attach"
        return free_name("attach_vcr", self._declared)
