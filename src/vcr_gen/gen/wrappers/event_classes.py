"""Makes the typed events: their fields, and the call that each makes."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from keyword import iskeyword

from vcr_gen.gen.model.annotation import (
    ANNOTATED,
    ANY,
    DICT,
    ELLIPSIS,
    NONE,
    STR,
    TUPLE,
    Annotation,
    Name,
    Reference,
    builtin,
    full_name,
    imported,
    replace_self,
    subscript,
    variables_of,
    without_quotes,
)
from vcr_gen.gen.model.boundary_model import Kind, Parameter, Signature, TypeVariable
from vcr_gen.gen.wrappers.checker_view import callables_own
from vcr_gen.gen.wrappers.context import RUNTIME, WrapperContext
from vcr_gen.gen.wrappers.names import camel, declared_first
from vcr_gen.gen.wrappers.signature_text import arguments_for, header_of
from vcr_gen.gen.wrappers.views import EventKind, EventView, FieldView

_NARROWING = frozenset({"typing.TypeGuard", "typing.TypeIs"})


@dataclass(frozen=True)
class Event:
    """A typed event as the wrapper needs it: how to make one."""

    view: EventView
    fields: Mapping[str, str]
    """The field of each parameter."""
    variables: tuple[TypeVariable, ...]
    """The type variables that it is generic in."""

    def arguments(self, values: Mapping[str, str]) -> tuple[str, ...]:
        """The arguments that make the event from parameters."""
        return tuple(f"{field}={values.get(name, name)}" for name, field in self.fields.items())


def make_event(
    context: WrapperContext,
    member: str,
    signature: Signature,
    *,
    kind: EventKind = "call",
    number: str = "",
    typed: bool,
) -> Event:
    """The event of calling a method, or of reading, setting or deleting a property.

    Overloads have a `number`, from the second on.
    """
    names = context.names
    suffix = kind.capitalize() if kind in {"set", "delete"} else number
    key = f"{member}#{number}" if number else f"{member}.{kind}" if suffix else member
    types, returns = _types(context, member, signature, kind)
    fields = _fields(context, types, signature)
    bound = frozenset(fields.values())
    target = context.target if typed else ANY
    name = context.free_name(f"{context.chosen.prefix}{camel(member)}{suffix}")
    variables = _variables(context, signature, [target, *types.values()], returns)
    is_renamed = any(parameter not in {field, "value"} for parameter, field in fields.items())
    view = EventView(
        key=key,
        header=header_of(names, name, variables, base=names.own(RUNTIME, "Call")),
        fields=tuple(
            FieldView(
                fields[parameter],
                _annotation(context, annotation, bound, lazy=signature.lazy),
                "" if parameter in {fields[parameter], "value"} else parameter,
            )
            for parameter, annotation in types.items()
        ),
        field=names.own("dataclasses", "field", bound=bound) if is_renamed else "",
        kind=kind,
        member=member,
        target=names.own_annotation(target, bound=bound),
        returns=_annotation(context, returns, bound, lazy=signature.lazy),
        typed=typed,
        asynchronous=kind in {"call", "get"} and signature.asynchronous,
        result="value" if kind != "call" else signature.returned,
        arguments=(
            arguments_for(names, signature, {name: f"self.{fields[name]}" for name in fields})
            if kind == "call"
            else ()
        ),
    )
    context.events.append(view)
    return Event(view, fields, tuple(variables))


def _types(
    context: WrapperContext, member: str, signature: Signature, kind: EventKind
) -> tuple[dict[str, Annotation], Annotation]:
    """The types of what an event holds, by parameter, and of what it returns."""
    types: dict[str, Annotation] = {}
    if kind in {"call", "set"}:
        for parameter in signature.parameters:
            name = "value" if kind == "set" else parameter.name
            types[name] = _field_type(context, member, name, parameter, signature)
    if kind == "call":
        return types, _returned(context, signature)
    if kind == "get":
        # No type checker believes that an attribute never returns.
        return {}, ANY if signature.returned == "never" else _returned(context, signature)
    return types, NONE


def _returned(context: WrapperContext, signature: Signature) -> Annotation:
    """The declared result as the event says it."""
    if full_name(signature.returns) in _NARROWING:
        return Name(builtin("bool"))  # it speaks of an argument, which the event has not
    return of_protocol(context, signature.returns or ANY, signature.self_type)


def of_protocol(
    context: WrapperContext, annotation: Annotation, self_type: Reference | None = None
) -> Annotation:
    """The annotation with the Protocol for `Self`."""
    return replace_self(annotation, self_type, context.target)


def _field_type(
    context: WrapperContext, member: str, name: str, parameter: Parameter, signature: Signature
) -> Annotation:
    annotation = of_protocol(context, parameter.annotation or ANY, signature.self_type)
    if parameter.pack == "args":
        annotation = subscript(TUPLE, ANY, ELLIPSIS)
    elif parameter.pack == "kwargs":
        annotation = subscript(DICT, STR, ANY)
    elif parameter.pack == "dict":
        annotation = of_protocol(context, parameter.packed or ANY, signature.self_type)
    elif parameter.kind is Kind.VARIADIC:
        annotation = subscript(TUPLE, annotation, ELLIPSIS)
    elif parameter.kind is Kind.KEYWORDS:
        annotation = subscript(DICT, STR, annotation)
    ruled = context.boundary.ruled_fields
    named = {field.kind for field in ruled if (field.member, field.path) == (member, name)}
    for kind in ("secret", "volatile"):
        if kind in named:
            mark = Name(imported("vcr_gen.boundary", kind.capitalize()))
            annotation = subscript(ANNOTATED, annotation, mark)
    return annotation


def _variables(
    context: WrapperContext, signature: Signature, held: list[Annotation], returns: Annotation
) -> list[TypeVariable]:
    """The type variables that an event is generic in: the Protocol's, and the function's."""
    mentioned = variables_of([*held, returns])
    of_class = {variable.reference: variable for variable in context.boundary.type_parameters}
    of_function = {variable.reference: variable for variable in signature.type_parameters}
    table = {**context.variables, **of_function, **of_class}
    own = callables_own(returns) - set(variables_of(held))
    others = [
        reference
        for reference in mentioned
        if reference not in of_class and (reference not in own or reference.kind == "parameter")
    ]
    variables = declared_first(
        table.get(reference, TypeVariable(reference, "TypeVar"))
        for reference in [*(known for known in of_class if known in mentioned), *others]
    )
    if of_function:  # brackets, which know no defaults before 3.13; an event is never left to them
        return [replace(variable, default=None) for variable in variables]
    return variables


def _fields(
    context: WrapperContext, parameters: Collection[str], signature: Signature
) -> dict[str, str]:
    """A legal, distinct field name for each parameter, other than the type parameters."""
    hidden = {
        variable.name
        for variable in (*context.boundary.type_parameters, *signature.type_parameters)
        if variable.reference.kind == "parameter"
    }
    found: dict[str, str] = {}
    for parameter in parameters:
        name = parameter
        if "__" in parameter and parameter.startswith("_"):
            name = parameter.strip("_").rpartition("__")[2]
        while iskeyword(name) or name in {*found.values(), *hidden} or not name:
            name += "_"
        found[parameter] = name
    return found


def _annotation(
    context: WrapperContext, annotation: Annotation, bound: Collection[str], *, lazy: bool | None
) -> str:
    """An annotation of the event's own, without the quotes that the source need not have."""
    shown = without_quotes(annotation) if context.names.lazy or lazy else annotation
    return context.names.annotation(shown, lazy=lazy, bound=bound)
