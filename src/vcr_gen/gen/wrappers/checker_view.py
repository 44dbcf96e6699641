"""What generated code does only because mypy or pyright needs it: one function for each quirk.

Each names the checker, the reason, and the golden case in `tests/gen/cases` that fails without it.
Two plain forms serve them all. A member that a checker cannot follow is *split*: its signature
under `if TYPE_CHECKING:`, its body under `else:`. A call that a checker cannot follow is *untyped*:
the event takes `target: Any`.
"""

from collections.abc import Collection
from dataclasses import replace

from vcr_gen.gen.model.annotation import (
    Annotation,
    Name,
    Quoted,
    Reference,
    Starred,
    When,
    has_self_argument,
    mentions_self,
    references,
    walk,
    walk_with_owners,
)
from vcr_gen.gen.model.boundary_model import (
    Attribute,
    Boundary,
    Kind,
    Method,
    Property,
    Signature,
)

# Members that are split.


def is_split_method(member: Method, *, lazy: bool) -> bool:
    """Whether the signature and the body of a method are separate."""
    every = (member.signature, *member.overloads)
    return (
        member.binding != "instance"  # it runs on an instance, which has the port
        or _has_mangled_parameter(member)
        or any(
            _takes_instance_as_something_else(signature)
            or _takes_self_in_a_type(signature)
            or _is_quoted_twice(signature, lazy=lazy)
            or bool(callables_own(signature.returns) & _brackets(signature))
            for signature in every
        )
        or _hides_its_result(member.signature)
        or (not member.recorded and is_untyped_call(member, member.signature))
    )


def is_split_property(member: Property, *, lazy: bool) -> bool:
    """Whether the signatures and the bodies of a property stand apart."""
    return any(
        _takes_instance_as_something_else(signature)
        or _takes_self_in_a_type(signature)
        or _is_quoted_twice(signature, lazy=lazy)
        for signature in member.accessors
    ) or (not member.recorded and is_untyped_access(member))


def is_split_attribute(member: Attribute, *, lazy: bool) -> bool:
    """Whether type checkers and the program see different declarations of an attribute.

    At run time, what crosses is the Protocol where it says `Self` (self_types), and the type in
    `ClassVar[...]`, which the runtime cannot tell from text (attributes).
    """
    text = lazy or member.lazy or isinstance(member.annotation, Quoted)
    text = text or any(
        reference.when is not When.ALWAYS for reference in references(member.annotation)
    )
    return (
        mentions_self(member.value)
        or is_declared_on_instance(member)
        or (member.annotation != member.value and text)
    )


def is_declared_on_instance(member: Attribute) -> bool:
    """pyright: a `Callable` in a class body is a method, so `__init__` declares it (attributes)."""
    return member.settable and member.function


def _has_mangled_parameter(member: Method) -> bool:
    """Both: `__x` is a positional parameter without a name.

    At run time it has the Protocol's mangled name (private_and_mangled).
    """
    return any(parameter.source_name for parameter in member.signature.parameters)


def _takes_instance_as_something_else(signature: Signature) -> bool:
    """Both: with `self: T`, the body cannot reach the port (annotated_self)."""
    return signature.receiver is not None and signature.receiver.annotation is not None


def _takes_self_in_a_type(signature: Signature) -> bool:
    """Both: `list[Self]` is not the list of Protocols that the event holds (self_types)."""
    return any(
        has_self_argument(parameter.annotation)
        or (parameter.kind is Kind.KEYWORDS and mentions_self(parameter.annotation))
        for parameter in signature.parameters
    )


def _is_quoted_twice(signature: Signature, *, lazy: bool) -> bool:
    """Both: a string in a string is not a type, and neither is `"*Ts"`.

    The source keeps all annotations as text, and the generated module keeps none
    (awkward_strings, flattened_bases).
    """
    return (
        bool(signature.lazy)
        and not lazy
        and any(
            isinstance(annotation, Starred)
            or any(isinstance(node, Quoted) for node in walk(annotation))
            for annotation in signature.annotations()
        )
    )


def _brackets(signature: Signature) -> set[Reference]:
    return {variable.reference for variable in signature.type_parameters}


def callables_own(returns: Annotation | None) -> set[Reference]:
    """Both: a type variable that only a returned `Callable` mentions is the callable's own.

    It belongs neither to the event nor to the method (returned_decorators).
    """
    inside: set[Reference] = set()
    outside: set[Reference] = set()
    for node, owners in walk_with_owners(returns):
        if isinstance(node, Name) and node.reference.is_variable:
            (inside if "typing.Callable" in owners else outside).add(node.reference)
    return inside - outside


def _hides_its_result(signature: Signature) -> bool:
    """Both: a parameter that is called what a type in brackets is hides it from the body.

    See names_in_brackets.
    """
    names = {parameter.name for parameter in signature.parameters}
    returned = references(signature.returns)
    return any(
        reference.kind == "parameter" and reference.spelling in names for reference in returned
    )


# Calls that are untyped.


def is_untyped_call(member: Method, signature: Signature) -> bool:
    """Whether no type checker follows the call of a method."""
    every = (member.signature, *member.overloads)
    return (
        member.deprecated  # pyright warns of it; the wrapper's callers alone are to be warned
        or member.disputed  # one checker does not know it (disputed_members)
        or bool(member.overloads)  # a call of one may be taken for that of another (overloads)
        or any(
            signature.limits_self for signature in every
        )  # not of every `target` (annotated_self)
        or _spreads_unknown_arguments(signature)
    )


def is_untyped_access(member: Property) -> bool:
    """Whether no type checker follows the use of a property, for the reasons of a method."""
    return (
        member.disputed
        or member.deprecated
        or any(signature.limits_self for signature in member.accessors)
    )


def _spreads_unknown_arguments(signature: Signature) -> bool:
    """Both: what `*args` and `**kwargs` give may not be what the parameters take.

    Checkers do not count the arguments of a ParamSpec (parameter_specs), nor those before `*args`
    that were left out (variadics).
    """
    kinds = {parameter.kind for parameter in signature.parameters}
    left_out = any(
        parameter.kind is Kind.POSITIONAL
        and parameter.default is not None
        and parameter.default.how == "omitted"
        for parameter in signature.parameters
    )
    return any(parameter.pack in {"args", "kwargs"} for parameter in signature.parameters) or (
        left_out and kinds >= {Kind.VARIADIC, Kind.KEYWORDS}
    )


# Signatures that type checkers see.


def shown_signature(signature: Signature, *, lazy: bool) -> Signature:
    """The signature of a split method, as type checkers read it: by the names of the source."""
    signature = shown_accessor(signature, lazy=lazy)
    parameters = tuple(
        replace(parameter, name=parameter.source_name or parameter.name)
        for parameter in signature.parameters
    )
    return replace(signature, parameters=parameters)


def shown_accessor(signature: Signature, *, lazy: bool) -> Signature:
    """The signature without nested quotes; see `_is_quoted_twice`."""
    if not _is_quoted_twice(signature, lazy=lazy):
        return signature
    stars = any(isinstance(annotation, Starred) for annotation in signature.annotations())
    return replace(signature.without_quotes(), lazy=None if stars else signature.lazy)


# The module.


def needs_private_usage(boundaries: Collection[Boundary], used: Collection[Reference]) -> bool:
    """pyright: a private name is used outside of its module (private_and_mangled)."""
    imports = any(
        reference.kind == "import" and reference.attribute.startswith("_") for reference in used
    )
    return imports or any(
        member.name.startswith("_") and not (member.name[:2] == "__" == member.name[-2:])
        for boundary in boundaries
        for member in boundary.members
    )


def is_unsolved(boundary: Boundary) -> bool:
    """pyright: of several type parameters, it cannot solve those that no member tells by itself.

    `S` in a parameter of type `Sink[S]` is one (generics, type_parameters). Nor can it tell that a
    wrapper for every specialisation has what only some have (annotated_self). mypy checks both.
    """
    limited = any(signature.limits_self for signature in boundary.signatures())
    return len(boundary.type_parameters) > 1 or (bool(boundary.type_parameters) and limited)
