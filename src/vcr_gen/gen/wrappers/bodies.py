"""Writes the statements that hand a typed event to the port."""

from collections.abc import Collection, Iterator, Mapping

from vcr_gen.gen.model.annotation import (
    ANY,
    Annotation,
    Name,
    Reference,
    builtin,
    has_self_argument,
    mentions_self,
    references,
    unquoted,
)
from vcr_gen.gen.model.boundaries import Kind, Signature
from vcr_gen.gen.wrappers.context import Wrapper, own_type
from vcr_gen.gen.wrappers.events import Event
from vcr_gen.gen.wrappers.layout import Nest

__all__ = ["as_protocol", "cast_to", "handing", "instance", "returning"]


def handing(
    wrapper: Wrapper,
    event: Event,
    signature: Signature,
    port: str,
    *,
    bound: Collection[str],
    values: Mapping[str, str] | None = None,
) -> Iterator[Nest | str]:
    """The statements that hand an event to the port and return what comes back."""
    argument: Nest | str = event.made(values or {})
    if event.variables:
        local = "call"
        while local in bound:
            local += "_"
        shown = ", ".join(
            _argument(wrapper, one, signature, bound, loose=one in event.loose)
            for one in event.variables
        )
        made = event.made(values or {})
        name = event.view.name
        yield Nest(f"{local}: {name}[{shown}] = {made.before}", made.items, made.after)
        argument = local
    never = signature.returned == "never" and signature.managed is None
    verb = "anever" if never else "acall"
    if not signature.asynchronous:
        verb = verb[1:]
    inner = Nest(f"{port}.{verb}(", (argument,), ")")
    # Any number of arguments of any type are none of these for mypy, unlike one of any type.
    several = any(_kind(wrapper, one, signature) == "TypeVarTuple" for one in event.loose)
    yield from returning(wrapper, signature, inner, bound, untyped=several)


def _argument(
    wrapper: Wrapper,
    reference: Reference,
    signature: Signature,
    bound: Collection[str],
    *,
    loose: bool,
) -> str:
    """What an event is given for a type variable; anything where it is `loose`."""
    kind = _kind(wrapper, reference, signature)
    if not loose:
        return ("*" if kind == "TypeVarTuple" else "") + wrapper.names.name(reference, bound=bound)
    any_name = wrapper.names.own("typing", "Any", bound=bound)
    several = wrapper.names.spell(Name(builtin("tuple")), bound=bound)
    return {"ParamSpec": "...", "TypeVarTuple": f"*{several}[{any_name}, ...]"}.get(kind, any_name)


def _kind(wrapper: Wrapper, reference: Reference, signature: Signature) -> str:
    table = {
        **wrapper.maker.variables,
        **{one.reference: one for one in signature.type_parameters},
        **{one.reference: one for one in wrapper.boundary.type_parameters},
    }
    return table[reference].kind if reference in table else "TypeVar"


def returning(
    wrapper: Wrapper,
    signature: Signature,
    inner: Nest,
    bound: Collection[str],
    *,
    typed: bool = False,
    untyped: bool = False,
) -> Iterator[Nest | str]:
    """The statements that return what the inner call gives, as the signature says.

    What it gives is a Protocol where the signature says `Self`, unless it is `typed` already; and
    something vague where it is `untyped`.
    """
    if signature.managed is not None:
        local = "value"
        while local in bound:
            local += "_"
        before = f"{signature.managed} {inner.before}"
        yield Nest(before, inner.items, f"{inner.after} as {local}:")
        entered = signature.entered or ANY
        if not typed and _speaks_of_self(signature, entered):
            local = cast_to(wrapper, entered, local, bound).flat
        yield f"    yield {local}"
        return
    awaited = "await " if signature.asynchronous else ""
    if signature.returned in {"none", "never"}:
        yield Nest(f"{awaited}{inner.before}", inner.items, inner.after)
        return
    value = Nest(f"{awaited}{inner.before}", inner.items, inner.after)
    returns = signature.returns or ANY
    if untyped or (not typed and _speaks_of_self(signature, returns)):
        value = cast_to(wrapper, returns, value, bound)
    yield Nest(f"return {value.before}", value.items, value.after)


def cast_to(wrapper: Wrapper, text: Annotation, value: Nest | str, bound: Collection[str]) -> Nest:
    """The value as a value of the type, for type checkers."""
    cast = wrapper.names.own("typing", "cast", bound=bound)
    shown = wrapper.names.quoted(unquoted(text), bound=bound)
    return Nest(f"{cast}(", (shown, value), ")")


def _speaks_of_self(signature: Signature, text: Annotation) -> bool:
    return mentions_self(text) or signature.self_type in set(references(text))


def instance(wrapper: Wrapper, signature: Signature, receiver: str, bound: Collection[str]) -> str:
    """The wrapper itself, where an annotation on `self` says it is something else.

    Without a `self`, it is the first of `*args`.
    """
    if signature.receiver is None:
        receiver += "[0]"
    elif signature.receiver.annotation is None:
        return receiver
    cast = wrapper.names.own("typing", "cast", bound=bound)
    return f'{cast}("{own_type(wrapper)}", {receiver})'


def as_protocol(
    wrapper: Wrapper, signature: Signature, bound: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Parameters of the type of `self`, which an event says is the Protocol's, and descriptors.

    An unbounded TypeVar does not say so, and `list[Self]` is not a list of Protocols, nor the
    `dict` that `**others: Self` makes.
    """
    for one in signature.parameters:
        annotation = one.annotation
        own = signature.self_type in set(references(annotation)) or has_self_argument(annotation)
        own |= one.kind is Kind.KEYWORDS and mentions_self(annotation)
        if own or one.descriptor:
            yield one.name, wrapper.maker.anything(one.name, bound)
