"""Writes signatures exactly as the Protocol declares them."""

from collections.abc import Iterator

from vcr_gen.gen.model.annotation import Annotation
from vcr_gen.gen.model.boundaries import (
    Kind,
    Parameter,
    Signature,
)
from vcr_gen.gen.wrappers.context import WrapperContext, protocol_text
from vcr_gen.gen.wrappers.event_classes import RUNTIME
from vcr_gen.gen.wrappers.generic_headers import brackets_of
from vcr_gen.gen.wrappers.layout import Nest

__all__ = ["decorators_of", "header_of"]


def header_of(
    context: WrapperContext,
    name: str,
    signature: Signature,
    *,
    stub: bool = False,
) -> Nest:
    """`def name(...) -> type:`, exactly as the Protocol declares it."""
    names = context.names
    brackets = ""
    if signature.type_parameters:
        brackets = brackets_of(names, signature.type_parameters)
    parameters = [*([signature.receiver] if signature.receiver else []), *signature.parameters]
    returns = ""
    if signature.returns is not None:
        returns = f" -> {_annotation(context, name, signature.returns, signature)}"
    # Without a body, and so without a `yield` in it, `async def` would make a coroutine.
    generating = signature.managed == "async with" and not stub
    awaited = "async " if signature.asynchronous or generating else ""
    return Nest(
        f"{awaited}def {name}{brackets}(",
        tuple(_shown_parameters(context, name, parameters, signature, stub=stub)),
        f"){returns}:{' ...' if stub else ''}",
    )


def _annotation(
    context: WrapperContext,
    member: str,
    text: Annotation,
    signature: Signature,
) -> str:
    return context.names.annotation(
        text,
        lazy=signature.lazy,
        bound=context.hiding(member, signature),
        unsayable=context.hiding_text(member),
    )


def _shown_parameters(
    context: WrapperContext,
    member: str,
    parameters: list[Parameter],
    signature: Signature,
    *,
    stub: bool,
) -> Iterator[str]:
    previous: Kind | None = None
    for parameter in parameters:
        if previous is Kind.POSITIONAL_ONLY and parameter.kind is not Kind.POSITIONAL_ONLY:
            yield "/"
        if parameter.kind is Kind.KEYWORD and previous not in {Kind.KEYWORD, Kind.VARIADIC}:
            yield "*"
        yield _shown_parameter(context, member, parameter, signature, stub=stub)
        previous = parameter.kind
    if previous is Kind.POSITIONAL_ONLY:
        yield "/"


def _shown_parameter(
    context: WrapperContext,
    member: str,
    parameter: Parameter,
    signature: Signature,
    *,
    stub: bool,
) -> str:
    names, bound = context.names, context.members
    stars = {Kind.VARIADIC: "*", Kind.KEYWORDS: "**"}.get(parameter.kind, "")
    shown = f"{stars}{parameter.name}"
    equals = "="
    if parameter.annotation is not None:
        shown += f": {_annotation(context, member, parameter.annotation, signature)}"
        equals = " = "
    if parameter.default is None:
        return shown
    if parameter.default.text is not None:
        value = names.spell(parameter.default.text, bound=bound, evaluated=True)
    elif stub:
        value = "..."
    elif parameter.default.how == "omitted" or context.boundary.reference.when:
        value = names.own(RUNTIME, "OMITTED", bound=bound)
    else:
        maker = names.own(RUNTIME, "default_of", bound=bound)
        protocol = names.spell(
            protocol_text(context.boundary, arguments=False), bound=bound, evaluated=True
        )
        value = f'{maker}({protocol}, "{member}", "{parameter.name}")'
    return f"{shown}{equals}{value}"


def decorators_of(context: WrapperContext, signature: Signature) -> list[str]:
    """The decorators that the wrapper repeats."""
    return [
        context.names.spell(decorator, bound=context.members, evaluated=True)
        for decorator in signature.decorators
    ]
