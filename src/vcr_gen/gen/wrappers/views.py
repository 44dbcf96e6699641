"""What templates see: plain strings and lists, ready to be written. See `templates/README.md`."""

from dataclasses import dataclass

from vcr_gen.gen.wrappers.layout import Nest

__all__ = [
    "AttributeView",
    "BoundaryView",
    "DeclaredView",
    "EventView",
    "FieldView",
    "FunctionView",
    "MemberView",
    "ModuleView",
    "PackageView",
]


@dataclass(frozen=True, slots=True)
class FunctionView:
    """One function: a method, an overload, a getter."""

    decorators: tuple[str, ...]
    signature: Nest
    """`def name(...) -> type:`, with ` ...` at its end when there is no body."""
    docstring: str | None
    body: tuple[Nest | str, ...]
    """Statements."""


@dataclass(frozen=True, slots=True)
class FieldView:
    """One field of an event."""

    name: str
    annotation: str
    default: str
    """`field(metadata=...)` when the parameter has another name; else empty."""


@dataclass(frozen=True, slots=True)
class EventView:
    """One typed event."""

    name: str
    key: str
    """The member it calls, as the tape names it."""
    header: Nest
    fields: tuple[FieldView, ...]
    call: FunctionView


@dataclass(frozen=True, slots=True)
class AttributeView:
    """A plain attribute of a wrapper."""

    name: str
    annotation: str
    maker: str
    """What `recorded_attribute` or `unrecorded_attribute` is called in this module."""
    settable: bool
    declaration: str = ""
    """`name: type`, where type checkers are to see something else."""
    on_instance: bool = False
    """Whether `__init__` declares it to type checkers."""


@dataclass(frozen=True, slots=True)
class MemberView:
    """A member of a wrapper: overloads and their implementation, or a property's accessors."""

    name: str
    functions: tuple[FunctionView, ...]


@dataclass(frozen=True, slots=True)
class DeclaredView:
    """A member that type checkers see otherwise than it is at run time."""

    name: str
    declared: tuple[FunctionView, ...]
    """The functions that type checkers see."""
    running: tuple[FunctionView, ...]
    """What exists at run time."""


@dataclass(frozen=True, slots=True)
class BoundaryView:
    """One boundary: its events, its wrapper and its constant."""

    name: str
    protocol: str
    constant: str
    wrapper: str
    header: Nest
    docstring: str
    constructors: tuple[FunctionView, ...]
    attach: FunctionView | None
    aliases: tuple[str, ...]
    """Statements that bind the Protocol's nested classes."""
    attributes: tuple[AttributeView, ...]
    declared: tuple[DeclaredView, ...]
    members: tuple[MemberView, ...]
    events: tuple[EventView, ...]
    options: tuple[str | Nest, ...]
    """The arguments of the constant's `Boundary(...)`."""
    factory: str
    """What `Boundary` is called in this module."""
    conformance: FunctionView


@dataclass(frozen=True, slots=True)
class ModuleView:
    """One generated module."""

    source: str
    """The source file, as the header says it."""
    module: str
    lazy: bool
    """Whether annotations are kept as text."""
    private: bool
    """Whether it speaks of private names of the source."""
    mangled: bool
    """Whether it has methods whose names Python mangles."""
    deprecated: bool
    """Whether it speaks of a Protocol that is deprecated."""
    event: str
    """What the decorator of events is called in this module."""
    final: str
    """What `typing.Final` is called in this module."""
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
