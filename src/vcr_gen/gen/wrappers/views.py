"""What templates see: names, arguments and kinds. See `templates/README.md`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from vcr_gen.gen.wrappers.layout import Item, Nest

Access: TypeAlias = Literal["get", "set", "delete"]
"""What can be done with a property."""
EventKind: TypeAlias = Literal["call"] | Access
_Result: TypeAlias = Literal["value", "none", "never"]
"""What a function returns: a value, `None`, or not at all."""


@dataclass(frozen=True, slots=True)
class BodyView:
    """What a function of a wrapper does."""

    kind: Literal["call", "choose", "real", "get", "set", "delete", "init", "declare", "attach"]
    """`call` hands an event to the port, `choose` one of several. `real`, `get`, `set` and `delete`
    use the real object's member. `init` makes the port, `declare` tells type checkers of
    attributes, `attach` builds the wrapper."""
    member: str = ""
    port: str = ""
    """`self._port`."""
    events: tuple[str, ...] = ()
    """The event of a `call`, or the events to choose from."""
    variables: str = ""
    """`[T]`, where type checkers need to know what a generic event is made for."""
    local: str = "call"
    """A free name for such an event."""
    arguments: tuple[Item, ...] = ()
    """The arguments of the event, of the real object's method or of the port; the value to set."""
    asynchronous: bool = False
    result: _Result = "value"
    cast: str = ""
    """What `typing.cast` is called here, where type checkers need a result cast; else empty."""
    cast_to: str = ""
    """The type that it is cast to, in quotes."""
    declarations: tuple[tuple[str, str], ...] = ()
    """Attributes and their types."""


@dataclass(frozen=True, slots=True)
class FunctionView:
    """One function: a method, an overload, a getter."""

    name: str
    parameters: tuple[str, ...]
    """Each with its annotation and default; `/` and `*` too."""
    returns: str
    """The annotation of the result; empty when there is none."""
    decorators: tuple[str, ...] = ()
    brackets: str = ""
    """PEP 695 type parameters, such as `[T]`."""
    asynchronous: bool = False
    docstring: str | None = None
    body: BodyView | None = None
    """None for a stub: `...`."""


@dataclass(frozen=True, slots=True)
class HeaderView:
    """The first line of a class."""

    name: str
    brackets: str
    """PEP 695 type parameters, such as `[T]`."""
    bases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FieldView:
    """One field of an event."""

    name: str
    annotation: str
    parameter: str = ""
    """The name of the parameter where that cannot be the field's."""


@dataclass(frozen=True, slots=True)
class EventView:
    """One typed event."""

    key: str
    """The member it calls, as the tape names it."""
    header: HeaderView
    fields: tuple[FieldView, ...]
    field: str
    """What `dataclasses.field` is called in this module, if a field needs it."""
    kind: EventKind
    member: str
    target: str
    """The type of the object that it is called on: the Protocol, or `Any`."""
    returns: str
    typed: bool
    """Whether type checkers check the call; else `target` is anything."""
    asynchronous: bool
    result: _Result
    arguments: tuple[Item, ...]

    @property
    def name(self) -> str:
        """The name of its class."""
        return self.header.name


@dataclass(frozen=True, slots=True)
class AttributeView:
    """A plain attribute of a wrapper."""

    name: str
    annotation: str
    maker: str
    """What `recorded_attribute` is called in this module."""
    settable: bool
    shown: str = ""
    """The type that type checkers see, where that differs; else empty."""
    on_instance: bool = False
    """Whether `__init__` declares it to them."""


@dataclass(frozen=True, slots=True)
class MemberView:
    """A member of a wrapper: overloads and their implementation, or a property's accessors."""

    functions: tuple[FunctionView, ...]
    declared: tuple[FunctionView, ...] = ()
    """What type checkers see instead of them, under `if TYPE_CHECKING:`; else empty."""


@dataclass(frozen=True, slots=True)
class ConformanceView:
    """The function at which a type checker fails when Protocol and wrapper differ."""

    name: str
    """With type parameters in brackets, if it has some."""
    wrapper: str
    protocol: str
    unsolved: bool
    """Whether pyright cannot tell that they fit."""


@dataclass(frozen=True, slots=True)
class BoundaryView:
    """One boundary: its events, its wrapper and its constant."""

    name: str
    protocol: str
    """The Protocol's name in its module."""
    protocol_module: str
    direction: str
    constant: str
    wrapper: str
    header: HeaderView
    port: str
    """The attribute that holds the port, with its type, in a wrapper without a base; else empty."""
    attributes: tuple[AttributeView, ...]
    members: tuple[MemberView, ...]
    events: tuple[EventView, ...]
    opposite: tuple[str, ...]
    """The calls in the opposite direction of the boundary."""
    secret: Mapping[str, Sequence[str]]
    """Field paths of secrets by member."""
    volatile: Mapping[str, Sequence[str]]
    match: Mapping[str, Mapping[str, str]]
    """The functions that compare fields, by member and field path."""
    handles: tuple[str, ...]
    """Where the constants of the boundaries are whose objects it hands out."""
    factory: str
    """The name of `Boundary` in this module."""
    conformance: ConformanceView


@dataclass(frozen=True, slots=True)
class ModuleView:
    """One generated module."""

    source: str
    """The source file, as the header says it."""
    module: str
    lazy: bool
    """Whether annotations are kept as text."""
    private: bool
    """Whether it mentions private names of the source."""
    deprecated: bool
    """Whether it mentions a deprecated Protocol."""
    event: str
    """What the decorator of events is called in this module."""
    final: str
    """The name of `typing.Final` in this module."""
    checking_flag: str
    """What `typing.TYPE_CHECKING` is called in this module."""
    imports: tuple[tuple[Nest, ...], ...]
    """Import statements, section by section."""
    checking: tuple[tuple[Nest, ...], ...]
    """What only type checkers see: imports, section by section, and type variables."""
    running: tuple[tuple[Nest, ...], ...]
    """Where those names come from at run time."""
    late: tuple[tuple[str, str], ...]
    """Name and `module:attribute` of what is imported when first needed."""
    variables: tuple[Nest, ...]
    """Declarations of type variables."""
    boundaries: tuple[BoundaryView, ...]


@dataclass(frozen=True, slots=True)
class PackageView:
    """One generated package."""

    package: str
    imports: tuple[tuple[Nest, ...], ...]
    exported: tuple[tuple[str, str], ...]
    """Each name that only one module defines, and that module."""
