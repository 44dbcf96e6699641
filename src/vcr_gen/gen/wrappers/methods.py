"""Makes the methods of a wrapper."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from vcr_gen.gen.model.annotation import (
    ANY,
    Name,
    builtin,
    imported,
    mentions_self,
    subscript,
    unquoted,
)
from vcr_gen.gen.model.boundaries import Kind, Method, Parameter, Signature
from vcr_gen.gen.wrappers.checker_view import (
    is_untyped_call,
    shown_signature,
)
from vcr_gen.gen.wrappers.context import WrapperContext
from vcr_gen.gen.wrappers.event_classes import RUNTIME, Event, arguments_for
from vcr_gen.gen.wrappers.headers import decorators_of, header_of
from vcr_gen.gen.wrappers.layout import Nest
from vcr_gen.gen.wrappers.names import free_name
from vcr_gen.gen.wrappers.views import BodyView, FunctionView, MemberView, SplitView

__all__ = ["call_body", "make_method", "with_result"]


def make_method(context: WrapperContext, member: Method) -> MemberView | SplitView:
    """A function member, with its overloads."""
    split = context.is_split(member)
    stubs = [_stub(context, member, signature) for signature in member.overloads]
    if member.overloads and not member.implemented:
        running = _dispatching(context, member)
    else:
        running = _calling(context, member, split=split)
    if not split:
        return MemberView(member.name, (*stubs, running))
    if member.binding != "instance":
        bound = replace(member, binding="instance")
        overloads = (_with_instance(member, signature) for signature in member.overloads)
        stubs = [_stub(context, bound, signature) for signature in overloads]
        decorator = context.names.own(RUNTIME, "instance_member")
        running = replace(running, decorators=(decorator, *running.decorators))
    return SplitView(member.name, tuple(_shown(context, member)), (*stubs, running))


# What type checkers see of a split method.


def _shown(context: WrapperContext, member: Method) -> Iterator[FunctionView]:
    yield from _declared(context, member)
    if member.overloads:
        yield _implementation_stub(context, member)


def _declared(context: WrapperContext, member: Method) -> Iterator[FunctionView]:
    """The signatures by the names in the source, where Python mangles them."""
    for signature in member.overloads or (member.signature,):
        shown = shown_signature(signature, lazy=context.names.lazy)
        yield _stub(context, member, shown)


def _implementation_stub(context: WrapperContext, member: Method) -> FunctionView:
    """The implementation that type checkers want to see after overloads."""
    any_name = context.names.own("typing", "Any", bound=context.members)
    receivers = {"instance": ("self", "/"), "class": ("cls", "/"), "static": ()}
    items = (*receivers[member.binding], f"*args: {any_name}", f"**kwds: {any_name}")
    header = Nest(f"def {member.name}(", items, f") -> {any_name}: ...")
    return FunctionView((_implementation(context), *_binder(context, member)), header)


def _implementation(context: WrapperContext) -> str:
    """The decorator of an implementation: no type would fit all overloads."""
    return context.names.own(RUNTIME, "implementation", bound=context.members)


def _stub(context: WrapperContext, member: Method, signature: Signature) -> FunctionView:
    """A function without a body."""
    decorators = []
    if member.overloads:
        decorators.append(context.names.own("typing", "overload", bound=context.members))
    decorators.extend(_binder(context, member))
    decorators.extend(decorators_of(context, signature))
    header = header_of(context, member.name, signature, stub=True)
    return FunctionView(tuple(decorators), header)


def _binder(context: WrapperContext, member: Method) -> tuple[str, ...]:
    """`@classmethod` or `@staticmethod`."""
    if member.binding == "instance":
        return ()
    kind = {"class": "classmethod", "static": "staticmethod"}[member.binding]
    return (context.names.spell(Name(builtin(kind)), bound=context.members),)


# Overloads without an implementation.


def _dispatching(context: WrapperContext, member: Method) -> FunctionView:
    """The implementation of overloads that the Protocol leaves without one."""
    any_name = context.names.own("typing", "Any", bound=context.members)
    member = _alike(member)
    asynchronous = member.signature.asynchronous
    # A keyword argument may be called `self`.
    items = ("self", "/", f"*args: {any_name}", f"**kwds: {any_name}")
    header = Nest(
        f"{'async ' if asynchronous else ''}def {member.name}(", items, f") -> {any_name}:"
    )
    port = f"self.{context.port}"
    if member.recorded:
        events = tuple(_overload_events(context, member))
        body = BodyView("choose", member.name, port, events, asynchronous=asynchronous)
    else:
        body = BodyView(
            "real",
            member.name,
            port,
            arguments=("*args", "**kwds"),
            asynchronous=asynchronous,
        )
    return FunctionView((_implementation(context),), header, member.signature.docstring, body)


def _overload_events(context: WrapperContext, member: Method) -> Iterator[str]:
    for index, signature in enumerate(member.overloads):
        number = str(index + 1) if index else ""
        event = context.maker.call(
            context.event_name(member.name, number),
            f"{member.name}#{number}" if index else member.name,
            member.name,
            signature,
            typed=False,
        )
        context.events.append(event.view)
        yield event.view.name


def _alike(member: Method) -> Method:
    """The member with overloads that are all `async def`, or none: some return a coroutine."""
    if all(signature.asynchronous for signature in member.overloads):
        return member
    overloads = tuple(_as_coroutine(signature) for signature in member.overloads)
    return replace(member, overloads=overloads, signature=_as_coroutine(member.signature))


def _as_coroutine(signature: Signature) -> Signature:
    if not signature.asynchronous:
        return signature
    coroutine = Name(imported("collections.abc", "Coroutine"))
    returns = subscript(coroutine, ANY, ANY, signature.returns or ANY)
    return replace(signature, asynchronous=False, returned="value", returns=returns)


# Functions that run.


def _calling(context: WrapperContext, member: Method, *, split: bool) -> FunctionView:
    """A method that hands one typed event to the port."""
    signature = _with_instance(member, member.signature)
    header = header_of(context, member.name, signature)
    body = _body(context, member, signature, split=split)
    decorators = tuple(decorators_of(context, signature))
    return FunctionView(decorators, header, signature.docstring, body)


def _with_instance(member: Method, signature: Signature) -> Signature:
    """The signature of a function that is given the instance, whatever the Protocol binds."""
    if member.binding == "static":
        name = free_name("self", [parameter.name for parameter in signature.parameters])
        return replace(signature, receiver=Parameter(name, Kind.POSITIONAL_ONLY))
    if member.binding == "class" and signature.receiver is not None:
        return replace(signature, receiver=replace(signature.receiver, annotation=None))
    return signature


def _body(
    context: WrapperContext, member: Method, signature: Signature, *, split: bool
) -> BodyView:
    assert signature.receiver is not None
    bound = {signature.receiver.name, *(parameter.name for parameter in signature.parameters)}
    port = f"{signature.receiver.name}.{context.port}"
    if not member.recorded:
        values = {name: name for name in bound}
        body = BodyView(
            "real",
            member.name,
            port,
            arguments=arguments_for(context.names, signature, values, bound),
        )
        return with_result(context, body, signature, bound, split=split)
    event = context.maker.call(
        context.event_name(member.name),
        member.name,
        member.name,
        signature,
        typed=not is_untyped_call(member, signature),
    )
    return call_body(context, event, signature, port, bound=bound, split=split)


def call_body(
    context: WrapperContext,
    event: Event,
    signature: Signature,
    port: str,
    *,
    bound: Collection[str],
    split: bool,
    values: Mapping[str, str] | None = None,
) -> BodyView:
    """A body that hands an event to the port; where it is split, no type checker reads it."""
    context.events.append(event.view)
    variables = ""
    if event.variables and not split:
        names = context.names
        shown = ", ".join(
            ("*" if variable.kind == "TypeVarTuple" else "")
            + names.name(variable.reference, bound=bound)
            for variable in event.variables
        )
        variables = f"[{shown}]"
    body = BodyView(
        "call",
        event.view.member,
        port,
        (event.view.name,),
        variables,
        free_name("call", bound),
        event.arguments(values or {}),
    )
    return with_result(context, body, signature, bound, split=split)


def with_result(
    context: WrapperContext,
    body: BodyView,
    signature: Signature,
    bound: Collection[str],
    *,
    split: bool,
) -> BodyView:
    """The body with what becomes of its value, as the signature says."""
    body = replace(
        body,
        asynchronous=signature.asynchronous,
        result=signature.returned,
        managed=signature.managed,
        entered=free_name("value", bound),
    )
    returns = (signature.entered if signature.managed else signature.returns) or ANY
    if split or not mentions_self(returns):
        return body
    # The event returns the Protocol, where the signature says `Self`.
    cast = context.names.own("typing", "cast", bound=bound)
    shown = context.names.quoted(unquoted(returns), bound=bound)
    return replace(body, cast=cast, cast_to=shown)
