"""Spells signatures exactly as the Protocol declares them, type parameters, and arguments."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from vcr_gen.gen.model.annotation import Annotation
from vcr_gen.gen.model.boundary_model import Kind, Parameter, Signature, TypeVariable
from vcr_gen.gen.wrappers.context import RUNTIME, WrapperContext
from vcr_gen.gen.wrappers.layout import Item, Nest
from vcr_gen.gen.wrappers.names import Names
from vcr_gen.gen.wrappers.views import BodyView, FunctionView, HeaderView


def function_of(
    context: WrapperContext,
    name: str,
    signature: Signature,
    *decorators: str,
    body: BodyView | None = None,
) -> FunctionView:
    """A function exactly as the Protocol declares it; a stub without a body."""
    names, members = context.names, context.members
    returns = ""
    if signature.returns is not None:
        returns = _annotation(context, signature.returns, signature)
    return FunctionView(
        name,
        tuple(_parameters(context, name, signature, stub=body is None)),
        returns,
        (
            *decorators,
            *(
                names.spell(decorator, bound=members, evaluated=True)
                for decorator in signature.decorators
            ),
        ),
        brackets_of(names, signature.type_parameters) if signature.type_parameters else "",
        asynchronous=signature.asynchronous,
        docstring=signature.docstring if body else None,
        body=body,
    )


def _annotation(context: WrapperContext, annotation: Annotation, signature: Signature) -> str:
    """An annotation; the members of the class hide names from it unless it is text.

    Text is the source's. Other annotations are compared as objects, and Python 3.14 evaluates them
    when the class is complete.
    """
    is_text = context.names.lazy or signature.lazy
    bound = () if is_text else context.members
    return context.names.annotation(annotation, lazy=signature.lazy, bound=bound, bound_in_text=())


def _parameters(
    context: WrapperContext, member: str, signature: Signature, *, stub: bool
) -> Iterator[str]:
    receiver = [signature.receiver] if signature.receiver else []
    previous: Kind | None = None
    for parameter in (*receiver, *signature.parameters):
        if previous is Kind.POSITIONAL_ONLY and parameter.kind is not Kind.POSITIONAL_ONLY:
            yield "/"
        if parameter.kind is Kind.KEYWORD and previous not in {Kind.KEYWORD, Kind.VARIADIC}:
            yield "*"
        stars = {Kind.VARIADIC: "*", Kind.KEYWORDS: "**"}.get(parameter.kind, "")
        shown, equals = f"{stars}{parameter.name}", "="
        if parameter.annotation is not None:
            shown += f": {_annotation(context, parameter.annotation, signature)}"
            equals = " = "
        if parameter.default is not None:
            shown += f"{equals}{_default(context, member, parameter, stub=stub)}"
        yield shown
        previous = parameter.kind
    if previous is Kind.POSITIONAL_ONLY:
        yield "/"


def _default(context: WrapperContext, member: str, parameter: Parameter, *, stub: bool) -> str:
    names, members = context.names, context.members
    assert parameter.default is not None
    if parameter.default.text is not None:
        return names.spell(parameter.default.text, bound=members, evaluated=True)
    if stub:
        return "..."
    if parameter.default.how == "omitted" or context.boundary.reference.when:
        return context.own(RUNTIME, "OMITTED")
    maker = context.own(RUNTIME, "default_of")
    protocol = names.spell(context.protocol, bound=members, evaluated=True)
    return f'{maker}({protocol}, "{member}", "{parameter.name}")'


# Type parameters of generic classes: in `Generic[...]`, or in PEP 695 brackets.


def header_of(
    names: Names, name: str, variables: Sequence[TypeVariable], *, base: str = ""
) -> HeaderView:
    """The first line of a class: its name, its type parameters and its bases."""
    bases = (base,) if base else ()
    if any(variable.reference.kind == "parameter" for variable in variables):
        return HeaderView(name, brackets_of(names, variables), bases)
    if variables:
        shown = ", ".join(generic_argument(names, variable) for variable in variables)
        bases = (*bases, f"{names.own('typing', 'Generic')}[{shown}]")
    return HeaderView(name, "", bases)


def brackets_of(names: Names, variables: Iterable[TypeVariable]) -> str:
    """`[T, *Ts]`, as PEP 695 declares type parameters."""
    return f"[{', '.join(_bracket(names, variable) for variable in variables)}]"


def generic_argument(
    names: Names, variable: TypeVariable, *, bound: Collection[str] = (), evaluated: bool = True
) -> str:
    """A type variable in `Generic[...]` or after the name of a generic class."""
    name = names.name(variable.reference, bound=bound, evaluated=evaluated)
    return f"*{name}" if variable.kind == "TypeVarTuple" else name


def _bracket(names: Names, variable: TypeVariable) -> str:
    stars = {"TypeVar": "", "TypeVarTuple": "*", "ParamSpec": "**"}[variable.kind]
    shown = f"{stars}{names.name(variable.reference)}"
    if variable.bound is not None:
        shown += f": {names.spell(variable.bound)}"
    elif variable.arguments:
        constraints = ", ".join(names.spell(argument) for argument in variable.arguments)
        shown += f": ({constraints})"
    if variable.default is not None:
        shown += f" = {names.spell(variable.default)}"
    return shown


# Arguments.


def arguments_for(
    names: Names, signature: Signature, values: Mapping[str, str], bound: Collection[str] = ()
) -> tuple[Item, ...]:
    """The arguments of a call: positional where the parameter can be.

    After one whose default only the implementation knows, those that were given are passed on.
    """
    items: list[Item] = []
    keywords: list[Item] = []
    rest: list[Item] = []
    omitted: list[str] = []
    positional: list[str] = []
    variadic = any(parameter.kind is Kind.VARIADIC for parameter in signature.parameters)
    skipped = False
    for parameter in signature.parameters:
        value = values[parameter.name]
        is_omitted = parameter.default is not None and parameter.default.how == "omitted"
        is_positional = parameter.kind in {Kind.POSITIONAL_ONLY, Kind.POSITIONAL}
        skipped |= is_omitted and is_positional
        if parameter.kind is Kind.VARIADIC:
            items.extend(_spread(names, positional, bound))
            positional = []
            items.append(f"*{value}")
        elif parameter.kind is Kind.KEYWORDS:
            rest.append(f"**{value}")
        elif is_positional and not skipped:
            items.append(value)
        elif parameter.kind is Kind.POSITIONAL_ONLY or (is_positional and variadic):
            positional.append(value)
        else:
            (omitted if is_omitted else keywords).append(f"{parameter.name}={value}")
    items.extend(_spread(names, positional, bound))
    if omitted:
        given = names.own(RUNTIME, "given", bound=bound)
        keywords.append(Nest(f"**{given}(", tuple(omitted)))
    return (*items, *keywords, *rest)


def _spread(names: Names, values: list[str], bound: Collection[str]) -> list[Nest]:
    if not values:
        return []
    return [Nest(f"*{names.own(RUNTIME, 'given_positional', bound=bound)}(", tuple(values))]
