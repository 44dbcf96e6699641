"""Makes the properties and attributes of a wrapper."""

from collections.abc import Iterator
from dataclasses import replace

from vcr_gen.gen.model.annotation import Name, builtin, without_quotes
from vcr_gen.gen.model.boundaries import Attribute, Property, Signature
from vcr_gen.gen.wrappers.checker_view import (
    is_declared_on_instance,
    is_split_attribute,
    is_split_property,
    is_untyped_access,
    shown_accessor,
)
from vcr_gen.gen.wrappers.context import WrapperContext
from vcr_gen.gen.wrappers.event_classes import RUNTIME
from vcr_gen.gen.wrappers.headers import decorators_of, header_of
from vcr_gen.gen.wrappers.methods import call_body, with_result
from vcr_gen.gen.wrappers.views import (
    Access,
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
    running, declared = [], []
    for kind, signature in _accessors(member):
        decorator = _decorator(context, member, kind, member.name)
        running.append(_accessor(context, member, kind, signature, decorator, split=split))
        declared.append(_stub(context, member, decorator, signature))
    if split:
        return SplitView(member.name, tuple(declared), tuple(running))
    return MemberView(member.name, tuple(running))


def _accessors(member: Property) -> Iterator[tuple[Access, Signature]]:
    yield "get", member.getter
    if member.setter is not None:
        yield "set", member.setter
    if member.deleter is not None:
        yield "delete", member.deleter


def _decorator(context: WrapperContext, member: Property, kind: Access, name: str) -> str:
    if kind != "get":
        return f"{name}.setter" if kind == "set" else f"{name}.deleter"
    if member.cached:
        return context.names.own("functools", "cached_property", bound=context.members)
    return context.names.spell(Name(builtin("property")), bound=context.members)


def _stub(
    context: WrapperContext, member: Property, decorator: str, signature: Signature
) -> FunctionView:
    """What type checkers see of an accessor."""
    shown = shown_accessor(signature, lazy=context.names.lazy)
    header = header_of(context, member.name, shown, stub=True)
    return FunctionView((decorator, *decorators_of(context, signature)), header)


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
    quiet = signature if kind == "get" else replace(signature, returned="none")
    if member.recorded:
        suffix = "" if kind == "get" else kind.capitalize()
        event = context.maker.access(
            kind,
            context.event_name(member.name, suffix),
            member.name,
            signature,
            typed=not is_untyped_access(member),
        )
        values = {"value": given[0]} if kind == "set" else {}
        body = call_body(context, event, quiet, port, bound=bound, split=split, values=values)
    else:
        body = BodyView(kind, member.name, port, arguments=given)
        body = with_result(context, body, quiet, bound, split=split)
    header = header_of(context, member.name, signature)
    decorators = (decorator, *decorators_of(context, signature))
    return FunctionView(decorators, header, signature.docstring, body)


def make_attribute(context: WrapperContext, member: Attribute) -> AttributeView:
    """A plain attribute."""
    names, bound = context.names, context.members
    is_text = names.lazy or member.lazy
    maker = names.own(RUNTIME, "recorded_attribute")
    declared = without_quotes(member.annotation) if is_text else member.annotation
    shown = names.annotation(declared, lazy=member.lazy, bound=bound)
    if not is_split_attribute(member, lazy=names.lazy):
        return AttributeView(member.name, shown, maker, member.settable)
    value = context.maker.of_protocol(member.value)
    crossing = without_quotes(value) if is_text else value
    return AttributeView(
        member.name,
        names.annotation(crossing, lazy=member.lazy, bound=bound),
        maker,
        member.settable,
        shown,
        member.name,
        is_declared_on_instance(member),
    )
