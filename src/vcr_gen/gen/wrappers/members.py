"""Makes the members of a wrapper: methods, properties and attributes."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from vcr_gen.gen.model.annotation import (
    ANY,
    Annotation,
    Name,
    imported,
    mentions_self,
    subscript,
    unquoted,
    without_quotes,
)
from vcr_gen.gen.model.boundary_model import Attribute, Kind, Method, Parameter, Property, Signature
from vcr_gen.gen.wrappers.checker_view import (
    is_declared_on_instance,
    is_split_attribute,
    is_split_method,
    is_split_property,
    is_untyped_access,
    is_untyped_call,
    shown_accessor,
    shown_signature,
)
from vcr_gen.gen.wrappers.context import RUNTIME, WrapperContext
from vcr_gen.gen.wrappers.event_classes import Event, make_event, of_protocol
from vcr_gen.gen.wrappers.names import free_name
from vcr_gen.gen.wrappers.signature_text import arguments_for, function_of, generic_argument
from vcr_gen.gen.wrappers.views import Access, AttributeView, BodyView, FunctionView, MemberView


def make_method(context: WrapperContext, member: Method) -> MemberView:
    """A function member, with its overloads."""
    split = is_split_method(member, lazy=context.names.lazy)
    stubs = [_stub(context, member, signature) for signature in member.overloads]
    if member.overloads and not member.implemented:
        running = _dispatching(context, member)
    else:
        running = _calling(context, member, split=split)
    if not split:
        return MemberView((*stubs, running))
    if member.binding != "instance":
        bound = replace(member, binding="instance")
        overloads = (_with_instance(member, signature) for signature in member.overloads)
        stubs = [_stub(context, bound, signature) for signature in overloads]
        decorator = context.names.own(RUNTIME, "instance_member")
        running = replace(running, decorators=(decorator, *running.decorators))
    return MemberView((*stubs, running), declared=tuple(_declared(context, member)))


def _declared(context: WrapperContext, member: Method) -> Iterator[FunctionView]:
    """What type checkers see of a split method."""
    for signature in member.overloads or (member.signature,):
        yield _stub(context, member, shown_signature(signature, lazy=context.names.lazy))
    if member.overloads:  # after which type checkers want to see an implementation
        receivers = {"instance": ("self", "/"), "class": ("cls", "/"), "static": ()}
        yield replace(
            _taking_anything(context, member, *receivers[member.binding]),
            decorators=(context.own(RUNTIME, "implementation"), *_binder(context, member)),
        )


def _taking_anything(context: WrapperContext, member: Method, *receiver: str) -> FunctionView:
    """`def name(self, /, *args: Any, **kwds: Any) -> Any`: no type would fit all overloads."""
    any_name = context.own("typing", "Any")
    parameters = (*receiver, f"*args: {any_name}", f"**kwds: {any_name}")
    implementation = context.own(RUNTIME, "implementation")
    return FunctionView(member.name, parameters, any_name, (implementation,))


def _stub(context: WrapperContext, member: Method, signature: Signature) -> FunctionView:
    """A function without a body."""
    overload = [context.own("typing", "overload")] if member.overloads else []
    return function_of(context, member.name, signature, *overload, *_binder(context, member))


def _binder(context: WrapperContext, member: Method) -> tuple[str, ...]:
    """`@classmethod` or `@staticmethod`."""
    return () if member.binding == "instance" else (context.builtin(f"{member.binding}method"),)


# Overloads without an implementation.


def _dispatching(context: WrapperContext, member: Method) -> FunctionView:
    """The implementation of overloads that the Protocol leaves without one."""
    function = _taking_anything(context, member, "self", "/")
    # Where only some overloads are `async def`, those return a coroutine.
    asynchronous = all(signature.asynchronous for signature in member.overloads)
    if member.recorded:
        events = []
        for index, signature in enumerate(member.overloads):
            alike = signature if asynchronous else _as_coroutine(signature)
            number = str(index + 1) if index else ""
            event = make_event(context, member.name, alike, number=number, typed=False)
            events.append(event.view.name)
        body = BodyView("choose", events=tuple(events))
    else:
        body = BodyView("real", arguments=("*args", "**kwds"))
    body = replace(body, member=member.name, port=f"self.{context.port}", asynchronous=asynchronous)
    docstring = member.signature.docstring
    return replace(function, asynchronous=asynchronous, docstring=docstring, body=body)


def _as_coroutine(signature: Signature) -> Signature:
    if not signature.asynchronous:
        return signature
    coroutine = Name(imported("collections.abc", "Coroutine"))
    returns = subscript(coroutine, ANY, ANY, signature.returns or ANY)
    return replace(signature, asynchronous=False, returned="value", returns=returns)


# Functions that hand one typed event to the port.


def _calling(context: WrapperContext, member: Method, *, split: bool) -> FunctionView:
    signature = _with_instance(member, member.signature)
    assert signature.receiver is not None
    bound = {signature.receiver.name, *(parameter.name for parameter in signature.parameters)}
    port = f"{signature.receiver.name}.{context.port}"
    if member.recorded:
        typed = not is_untyped_call(member, signature)
        event = make_event(context, member.name, member.signature, typed=typed)
        body = _event_body(context, event, port, bound, split=split)
    else:
        arguments = arguments_for(context.names, signature, {name: name for name in bound}, bound)
        body = BodyView("real", member.name, port, arguments=arguments)
    body = _with_result(context, body, signature, bound, split=split)
    return function_of(context, member.name, signature, body=body)


def _with_instance(member: Method, signature: Signature) -> Signature:
    """The signature of a function that gets the instance; in the Protocol it may be static."""
    if member.binding == "static":
        name = free_name("self", [parameter.name for parameter in signature.parameters])
        return replace(signature, receiver=Parameter(name, Kind.POSITIONAL_ONLY))
    if member.binding == "class" and signature.receiver is not None:
        return replace(signature, receiver=replace(signature.receiver, annotation=None))
    return signature


def _event_body(
    context: WrapperContext,
    event: Event,
    port: str,
    bound: Collection[str],
    *,
    split: bool,
    values: Mapping[str, str] | None = None,
) -> BodyView:
    """A body that hands an event to the port; where it is split, no type checker reads it."""
    shown = [
        generic_argument(context.names, variable, bound=bound, evaluated=False)
        for variable in (() if split else event.variables)
    ]
    return BodyView(
        "call",
        event.view.member,
        port,
        (event.view.name,),
        f"[{', '.join(shown)}]" if shown else "",
        free_name("call", bound),
        event.arguments(values or {}),
    )


def _with_result(
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
    )
    returns = signature.returns or ANY
    if split or not mentions_self(returns):
        return body
    # The event returns the Protocol, where the signature says `Self`.
    cast = context.names.own("typing", "cast", bound=bound)
    return replace(body, cast=cast, cast_to=context.names.quoted(unquoted(returns), bound=bound))


# Properties and attributes.


def make_property(context: WrapperContext, member: Property) -> MemberView:
    """The accessors of a property."""
    split = is_split_property(member, lazy=context.names.lazy)
    running, declared = [], []
    for kind, signature in _accessors(member):
        decorator = _decorator(context, member, kind)
        running.append(_accessor(context, member, kind, signature, decorator, split=split))
        shown = shown_accessor(signature, lazy=context.names.lazy)
        declared.append(function_of(context, member.name, shown, decorator))
    return MemberView(tuple(running), declared=tuple(declared) if split else ())


def _accessors(member: Property) -> Iterator[tuple[Access, Signature]]:
    yield "get", member.getter
    if member.setter is not None:
        yield "set", member.setter
    if member.deleter is not None:
        yield "delete", member.deleter


def _decorator(context: WrapperContext, member: Property, kind: Access) -> str:
    if kind != "get":
        return f"{member.name}.{'setter' if kind == 'set' else 'deleter'}"
    return context.builtin("property")


def _accessor(
    context: WrapperContext,
    member: Property,
    kind: Access,
    signature: Signature,
    decorator: str,
    *,
    split: bool,
) -> FunctionView:
    """The function that reads, sets or deletes a property."""
    receiver = signature.receiver.name if signature.receiver else "self"
    given = tuple(parameter.name for parameter in signature.parameters)
    port, bound = f"{receiver}.{context.port}", {receiver, *given}
    if member.recorded:
        typed = not is_untyped_access(member)
        event = make_event(context, member.name, signature, kind=kind, typed=typed)
        values = {"value": given[0]} if kind == "set" else {}
        body = _event_body(context, event, port, bound, split=split, values=values)
    else:
        body = BodyView(kind, member.name, port, arguments=given)
    quiet = signature if kind == "get" else replace(signature, returned="none")
    body = _with_result(context, body, quiet, bound, split=split)
    return function_of(context, member.name, signature, decorator, body=body)


def make_attribute(context: WrapperContext, member: Attribute) -> AttributeView:
    """A plain attribute."""
    names, bound = context.names, context.members
    is_text = names.lazy or member.lazy

    def spelled(annotation: Annotation) -> str:
        shown = without_quotes(annotation) if is_text else annotation
        return names.annotation(shown, lazy=member.lazy, bound=bound)

    maker, shown = names.own(RUNTIME, "recorded_attribute"), spelled(member.annotation)
    if not is_split_attribute(member, lazy=names.lazy):
        return AttributeView(member.name, shown, maker, member.settable)
    crossing = spelled(of_protocol(context, member.value))
    on_instance = is_declared_on_instance(member)
    return AttributeView(member.name, crossing, maker, member.settable, shown, on_instance)
