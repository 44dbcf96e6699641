"""Makes the properties and attributes of a wrapper."""

from dataclasses import replace

from vcr_gen.gen.model.annotation import ANY, Name, builtin, without_quotes
from vcr_gen.gen.model.boundaries import Attribute, Property, Signature
from vcr_gen.gen.wrappers.checker_view import (
    is_declared_on_instance,
    is_split_attribute,
    is_split_property,
    is_untyped_access,
    shown_accessor,
)
from vcr_gen.gen.wrappers.context import WrapperContext
from vcr_gen.gen.wrappers.events import RUNTIME
from vcr_gen.gen.wrappers.headers import decorators_of, header_of
from vcr_gen.gen.wrappers.methods import call_body, with_result
from vcr_gen.gen.wrappers.views import (
    AttributeView,
    BodyView,
    FunctionView,
    MemberView,
    SplitView,
)

__all__ = ["make_attribute", "make_property"]


def make_property(context: WrapperContext, member: Property) -> MemberView | SplitView:
    """The accessors of a property."""
    split = is_split_property(member, lazy=context.names.lazy)
    maker = _maker(context, member)
    functions = [_getter(context, member, maker, split=split)]
    shown = member.source_name or member.name
    declared = [_stub(context, member, maker, member.getter)]
    if member.setter is not None:
        functions.append(_setter(context, member, member.setter, split=split))
        declared.append(_stub(context, member, f"{shown}.setter", member.setter))
    if member.deleter is not None:
        functions.append(_deleter(context, member, member.deleter, split=split))
        declared.append(_stub(context, member, f"{shown}.deleter", member.deleter))
    if split:
        return SplitView(member.name, tuple(declared), tuple(functions))
    return MemberView(member.name, tuple(functions))


def _maker(context: WrapperContext, member: Property) -> str:
    if member.cached:
        return context.names.own("functools", "cached_property", bound=context.members)
    return context.names.spell(Name(builtin("property")), bound=context.members)


def _stub(
    context: WrapperContext, member: Property, decorator: str, signature: Signature
) -> FunctionView:
    """What type checkers see of an accessor, by the name in the source."""
    shown = shown_accessor(signature, lazy=context.names.lazy)
    header = header_of(context, member.source_name or member.name, shown, stub=True)
    return FunctionView((decorator, *decorators_of(context, signature)), header)


def _getter(context: WrapperContext, member: Property, maker: str, *, split: bool) -> FunctionView:
    signature = member.getter
    receiver = _receiver(signature)
    port = f"{receiver}.{context.port}"
    if member.recorded:
        event = context.maker.get(
            context.event_name(member.name),
            member.name,
            signature,
            typed=not is_untyped_access(member),
        )
        body = call_body(context, event, signature, port, bound={receiver}, split=split)
    else:
        body = BodyView("get", member.name, port)
        body = with_result(context, body, signature, {receiver}, split=split)
    header = header_of(context, member.name, signature)
    decorators = (maker, *decorators_of(context, signature))
    return FunctionView(decorators, header, signature.docstring, body)


def _setter(
    context: WrapperContext, member: Property, signature: Signature, *, split: bool
) -> FunctionView:
    receiver = _receiver(signature)
    value = signature.parameters[0].name if signature.parameters else "value"
    port = f"{receiver}.{context.port}"
    if member.recorded:
        event = context.maker.set(
            context.event_name(member.name, "Set"),
            f"{member.name}.set",
            member.name,
            signature,
            typed=not is_untyped_access(member),
        )
        quiet = replace(signature, returned="none")
        bound, values = {receiver, value}, {"value": value}
        body = call_body(context, event, quiet, port, bound=bound, split=split, values=values)
    else:
        body = BodyView("set", member.name, port, arguments=(value,))
    header = header_of(context, member.name, signature)
    decorators = (f"{member.name}.setter", *decorators_of(context, signature))
    return FunctionView(decorators, header, signature.docstring, body)


def _deleter(
    context: WrapperContext, member: Property, signature: Signature, *, split: bool
) -> FunctionView:
    receiver = _receiver(signature)
    port = f"{receiver}.{context.port}"
    if member.recorded:
        event = context.maker.delete(
            context.event_name(member.name, "Delete"),
            f"{member.name}.delete",
            member.name,
            signature,
            typed=not is_untyped_access(member),
        )
        quiet = replace(signature, returned="none")
        body = call_body(context, event, quiet, port, bound={receiver}, split=split)
    else:
        body = BodyView("delete", member.name, port)
    header = header_of(context, member.name, signature)
    decorators = (f"{member.name}.deleter", *decorators_of(context, signature))
    return FunctionView(decorators, header, signature.docstring, body)


def _receiver(signature: Signature) -> str:
    return signature.receiver.name if signature.receiver else "self"


def make_attribute(context: WrapperContext, member: Attribute) -> AttributeView:
    """A plain attribute."""
    names, bound = context.names, context.members
    is_text = names.lazy or member.lazy
    maker = "recorded_attribute"
    declared = without_quotes(member.annotation) if is_text else member.annotation
    shown = names.annotation(declared, lazy=member.lazy, bound=bound)
    name = member.name
    if name == "__qualname__":  # which Python takes for that of the class, in its body
        maker, name = "recorded_qualname", "__getattr__"
    elif not is_split_attribute(member, lazy=names.lazy):
        return AttributeView(name, shown, names.own(RUNTIME, maker), member.settable)
    # What a descriptor's `__get__` gives, the source does not say.
    value = ANY if member.descriptor else context.maker.of_protocol(member.value)
    crossing = without_quotes(value) if is_text else value
    return AttributeView(
        name,
        names.annotation(crossing, lazy=member.lazy, bound=bound),
        names.own(RUNTIME, maker),
        member.settable,
        shown,
        member.source_name or member.name,
        is_declared_on_instance(member),
    )
