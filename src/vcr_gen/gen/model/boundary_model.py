"""The model: boundaries, their members and signatures, without syntax trees.

`gen/protocols` builds it, and `gen/wrappers` sees nothing else.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final, Literal, TypeAlias

from vcr_gen.gen.model.annotation import (
    Annotation,
    Name,
    Reference,
    Subscript,
    TypeParameterKind,
    full_name,
    unquoted,
    without_quotes,
)
from vcr_gen.gen.settings.config import Direction

_CLASS_OF: Final = frozenset({"builtins.type", "typing.Type"})


class Kind(Enum):
    """How a parameter takes its argument."""

    POSITIONAL_ONLY = "positional only"
    POSITIONAL = "positional or keyword"
    VARIADIC = "*args"
    KEYWORD = "keyword only"
    KEYWORDS = "**kwargs"


@dataclass(frozen=True, slots=True)
class Default:
    """The default of a parameter."""

    how: Literal["text", "omitted", "fetched"]
    """Written as text, left to the implementation (`...`), or taken from the Protocol."""
    text: Annotation | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter, named as it is at run time."""

    name: str
    kind: Kind
    annotation: Annotation | None = None
    default: Default | None = None
    pack: Literal["", "args", "kwargs", "dict"] = ""
    """`P.args`, `P.kwargs`, or `**kwargs: Unpack[TypedDict]`."""
    source_name: str = ""
    """The name in the source, where Python mangles it."""
    packed: Annotation | None = None
    """The TypedDict of `Unpack[TypedDict]`, or the tuple type of `*args: *Ts`."""


@dataclass(frozen=True, slots=True)
class TypeVariable:
    """A TypeVar, ParamSpec or TypeVarTuple with its declaration."""

    reference: Reference
    kind: TypeParameterKind
    arguments: tuple[Annotation, ...] = ()
    """Constraints of a TypeVar."""
    bound: Annotation | None = None
    default: Annotation | None = None
    options: tuple[str, ...] = ()
    """Such as `covariant=True`."""
    maker: str = "typing"
    """The module to import its class from: older Pythons lack some options."""

    @property
    def name(self) -> str:
        """Its name in the source."""
        return self.reference.spelling

    @property
    def limits(self) -> Iterator[Annotation]:
        """The annotations in its declaration."""
        return filter(None, (*self.arguments, self.bound, self.default))


@dataclass(frozen=True, slots=True)
class Signature:
    """One way to call a function; the parameter for the instance is kept apart."""

    parameters: tuple[Parameter, ...]
    returns: Annotation | None
    returned: Literal["value", "none", "never"]
    """Whether the function returns a value, None, or never."""
    receiver: Parameter | None
    """`self` or `cls`; None for a static method."""
    type_parameters: tuple[TypeVariable, ...] = ()
    """PEP 695 type parameters of the function itself."""
    asynchronous: bool = False
    lazy: bool | None = False
    """Whether annotations are text at run time; None where there are none, as in typeshed."""
    decorators: tuple[Annotation, ...] = ()
    """The decorators that the wrapper repeats."""
    docstring: str | None = None

    @property
    def has_bare_receiver(self) -> bool:
        """Whether no caller can give the instance by keyword: `self, /`."""
        return self.receiver is not None and self.receiver.kind is Kind.POSITIONAL_ONLY

    @property
    def instance_type(self) -> Annotation | None:
        """The annotation of `self`, or `T` of `cls: type[T]`."""
        if self.receiver is None or self.receiver.annotation is None:
            return None
        annotation = unquoted(self.receiver.annotation)
        if isinstance(annotation, Subscript) and full_name(annotation) in _CLASS_OF:
            return unquoted(annotation.inner)
        return annotation

    @property
    def self_type(self) -> Reference | None:
        """The TypeVar of `self: T` or `cls: type[T]`."""
        match self.instance_type:
            case Name(reference=reference, tail=()) if reference.is_variable:
                return reference
        return None

    @property
    def limits_self(self) -> bool:
        """Whether the annotation of `self` excludes some specialisations of the Protocol."""
        instance = self.instance_type
        return isinstance(instance, Subscript) and not all(
            isinstance(argument, Name) and argument.reference.is_variable
            for argument in instance.arguments
        )

    def without_quotes(self) -> "Signature":
        """The same with every string annotation opened."""
        parameters = tuple(
            replace(
                parameter, annotation=parameter.annotation and without_quotes(parameter.annotation)
            )
            for parameter in self.parameters
        )
        returns = self.returns and without_quotes(self.returns)
        return replace(self, parameters=parameters, returns=returns)

    def annotations(self) -> Iterator[Annotation]:
        """Its annotations and defaults."""
        given = [*self.parameters, *([self.receiver] if self.receiver else [])]
        found: list[Annotation | None] = []
        for parameter in given:
            default = parameter.default.text if parameter.default else None
            found.extend((parameter.annotation, parameter.packed, default))
        yield from filter(None, (*found, self.returns))


@dataclass(frozen=True, slots=True)
class Method:
    """A function member."""

    name: str
    binding: Literal["instance", "class", "static"]
    signature: Signature
    """The implementation's signature, or the only one."""
    overloads: tuple[Signature, ...] = ()
    implemented: bool = True
    """Whether overloads come with an implementation in the Protocol."""
    direction: Direction | None = None
    """The direction that a decorator on the method gives."""
    recorded: bool = True
    deprecated: bool = False
    disputed: bool = False
    """Whether type checkers disagree about its existence, or do not know it."""

    @property
    def signatures(self) -> tuple[Signature, ...]:
        """Its own signature and its overloads."""
        return (self.signature, *self.overloads)


@dataclass(frozen=True, slots=True)
class Property:
    """A property member."""

    name: str
    getter: Signature
    setter: Signature | None = None
    deleter: Signature | None = None
    direction: Direction | None = None
    recorded: bool = True
    deprecated: bool = False
    disputed: bool = False
    """Whether type checkers disagree about its existence, or do not know it."""

    @property
    def accessors(self) -> tuple[Signature, ...]:
        """Its getter, and its setter and deleter if it has them."""
        return tuple(filter(None, (self.getter, self.setter, self.deleter)))


@dataclass(frozen=True, slots=True)
class Attribute:
    """A plain attribute member."""

    name: str
    annotation: Annotation
    """As declared, with `ClassVar`; `Final` with a value is a `ClassVar` too."""
    value: Annotation
    """The type of the value alone."""
    settable: bool = True
    function: bool = False
    """Whether its type is a `Callable`."""
    lazy: bool = False
    disputed: bool = False
    """Whether type checkers disagree about its existence, or do not know it."""


Member: TypeAlias = Method | Property | Attribute
RuleKind: TypeAlias = Literal["secret", "volatile", "match"]


@dataclass(frozen=True, slots=True)
class RuledField:
    """A field of one member's calls that a rule of the configuration names."""

    kind: RuleKind
    member: str
    path: str
    is_parameter: bool
    """Whether it is a whole parameter, so that an annotation can carry the mark."""
    function: tuple[str, str] | None = None
    """The module and the name of the function that compares it."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """A Protocol to wrap."""

    qualname: str
    """Its name in its module, with dots when it is nested in a class."""
    reference: Reference
    """The name to refer to it by; nested classes need `qualname`'s tail after it."""
    name: str
    """The stable name in cassettes."""
    direction: Direction
    docstring: str | None
    type_parameters: tuple[TypeVariable, ...]
    members: tuple[Member, ...]
    constructors: tuple[Signature, ...] = ()
    """The signatures of `__init__`, when the Protocol declares it."""
    deprecated: bool = False
    """Whether the Protocol itself is marked `@deprecated`."""
    full_name: str = ""
    handles: tuple[str, ...] = ()
    """The full names of the other boundaries that annotations mention."""
    ruled_fields: tuple[RuledField, ...] = ()

    @property
    def brackets(self) -> bool:
        """Whether its type parameters are written in PEP 695 brackets."""
        return any(variable.reference.kind == "parameter" for variable in self.type_parameters)

    @property
    def is_annotated(self) -> bool:
        """Whether any parameter, result or attribute has an annotation."""
        if any(isinstance(member, Attribute) for member in self.members):
            return True
        return any(
            signature.returns or any(each.annotation for each in signature.parameters)
            for signature in self.signatures()
        )

    def signatures(self) -> Iterator[Signature]:
        """The signatures of all members and constructors."""
        yield from self.constructors
        for member in self.members:
            match member:
                case Method():
                    yield from member.signatures
                case Property():
                    yield from member.accessors

    def annotations(self) -> Iterator[Annotation]:
        """The annotations and defaults of all members and constructors."""
        for signature in self.signatures():
            yield from signature.annotations()
        for member in self.members:
            if isinstance(member, Attribute):
                yield member.annotation
                yield member.value


@dataclass(frozen=True, slots=True)
class SourceModule:
    """The boundaries of one source module."""

    name: str
    display: str
    """The file, as the header of the generated module shows it."""
    boundaries: tuple[Boundary, ...]
    variables: Mapping[Reference, TypeVariable] = field(default_factory=dict)
    """The declarations of all type variables mentioned."""
    lazy: bool = False
    """Whether the generated module keeps annotations as text too."""
