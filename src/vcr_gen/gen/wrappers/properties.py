"""Makes the properties and attributes of a wrapper."""

from collections.abc import Collection
from dataclasses import replace

from vcr_gen.gen.model.annotation import (
    ANY,
    Name,
    Quoted,
    builtin,
    mentions_self,
    references,
    without_quotes,
)
from vcr_gen.gen.model.boundaries import (
    Attribute,
    Property,
    Signature,
)
from vcr_gen.gen.model.kinds import When
from vcr_gen.gen.wrappers.bodies import as_protocol, cast_to, handing, instance, returning
from vcr_gen.gen.wrappers.context import Wrapper, event_name, is_declared_on_instance
from vcr_gen.gen.wrappers.events import RUNTIME
from vcr_gen.gen.wrappers.headers import decorators_of, header_of
from vcr_gen.gen.wrappers.layout import Nest
from vcr_gen.gen.wrappers.views import (
    AttributeView,
    DeclaredView,
    FunctionView,
    MemberView,
)

__all__ = ["attribute_member", "property_member"]


def property_member(wrapper: Wrapper, member: Property) -> MemberView | DeclaredView:
    """The accessors of a property."""
    shown = member.declared or member.name
    selective = any(one.selective for one in member.accessors)
    unseen = bool(member.declared) or member.disputed or member.deprecated or selective
    names, bound = wrapper.names, wrapper.members
    if member.cached:
        maker = names.own("functools", "cached_property", bound=bound)
    else:
        maker = names.spell(Name(builtin("property")), bound=bound)
    functions = [
        _getter(
            wrapper,
            member.name,
            member.getter,
            maker,
            recorded=member.recorded,
            unseen=member.descriptor or unseen,
        )
    ]
    declared = [_accessor(wrapper, member, maker, member.getter)]
    if member.setter is not None:
        functions.append(
            _setter(wrapper, member.name, member.setter, recorded=member.recorded, unseen=unseen)
        )
        declared.append(_accessor(wrapper, member, f"{shown}.setter", member.setter))
    if member.deleter is not None:
        functions.append(
            _deleter(wrapper, member.name, member.deleter, recorded=member.recorded, unseen=unseen)
        )
        declared.append(_accessor(wrapper, member, f"{shown}.deleter", member.deleter))
    if wrapper.is_shown_otherwise(member):
        return DeclaredView(member.name, tuple(declared), tuple(functions))
    return MemberView(member.name, tuple(functions))


def _accessor(
    wrapper: Wrapper, member: Property, decorator: str, signature: Signature
) -> FunctionView:
    """What type checkers see of a property, by the name in the source and without quotes."""
    if wrapper.is_quoted_twice(signature):
        signature = signature.without_quotes()
    name = member.declared or member.name
    header = header_of(wrapper, name, signature, stub=True)
    return FunctionView((decorator, *decorators_of(wrapper, signature)), header, None, ())


def _getter(
    wrapper: Wrapper,
    name: str,
    signature: Signature,
    maker: str,
    *,
    recorded: bool,
    unseen: bool = False,
) -> FunctionView:
    receiver = signature.receiver.name if signature.receiver else "self"
    port = f"{instance(wrapper, signature, receiver, {receiver})}.{wrapper.port}"
    header = header_of(wrapper, name, signature)
    body: tuple[Nest | str, ...]
    if recorded:
        event = wrapper.maker.get(event_name(wrapper, name), name, signature, unseen=unseen)
        wrapper.events.append(event.view)
        body = tuple(handing(wrapper, event, signature, port, bound={receiver}))
    else:
        inner = Nest(f"{_unrecorded(wrapper, port, name, unseen=unseen)}.{name}", (), "")
        if unseen:
            inner = cast_to(wrapper, signature.returns or ANY, inner, {receiver})
        body = tuple(returning(wrapper, signature, inner, {receiver}, typed=unseen))
    decorators = (maker, *decorators_of(wrapper, signature))
    return FunctionView(decorators, header, signature.docstring, body)


def _setter(
    wrapper: Wrapper,
    name: str,
    signature: Signature,
    *,
    recorded: bool,
    unseen: bool = False,
) -> FunctionView:
    receiver = signature.receiver.name if signature.receiver else "self"
    value = signature.parameters[0].name if signature.parameters else "value"
    port = f"{instance(wrapper, signature, receiver, {receiver})}.{wrapper.port}"
    header = header_of(wrapper, name, signature)
    given = dict(as_protocol(wrapper, signature, {value})).get(value, value)
    body: tuple[Nest | str, ...]
    if recorded:
        chosen = event_name(wrapper, name, "Set")
        event = wrapper.maker.set(chosen, f"{name}.set", name, signature, unseen=unseen)
        wrapper.events.append(event.view)
        quiet = replace(signature, returned="none")
        body = tuple(
            handing(
                wrapper,
                event,
                quiet,
                port,
                bound={receiver, value},
                values={"value": given},
            )
        )
    else:
        target = _unrecorded(wrapper, port, name, bound={value}, unseen=unseen)
        body = (f"{target}.{name} = {given}",)
    decorators = (f"{name}.setter", *decorators_of(wrapper, signature))
    return FunctionView(decorators, header, signature.docstring, body)


def _deleter(
    wrapper: Wrapper, name: str, signature: Signature, *, recorded: bool, unseen: bool = False
) -> FunctionView:
    receiver = signature.receiver.name if signature.receiver else "self"
    port = f"{instance(wrapper, signature, receiver, {receiver})}.{wrapper.port}"
    header = header_of(wrapper, name, signature)
    body: tuple[Nest | str, ...]
    if recorded:
        chosen = event_name(wrapper, name, "Delete")
        event = wrapper.maker.delete(chosen, f"{name}.delete", name, signature, unseen=unseen)
        wrapper.events.append(event.view)
        quiet = replace(signature, returned="none")
        body = tuple(handing(wrapper, event, quiet, port, bound={receiver}))
    else:
        body = (f"del {_unrecorded(wrapper, port, name, unseen=unseen)}.{name}",)
    decorators = (f"{name}.deleter", *decorators_of(wrapper, signature))
    return FunctionView(decorators, header, signature.docstring, body)


def _unrecorded(
    wrapper: Wrapper, port: str, name: str, *, bound: Collection[str] = (), unseen: bool
) -> str:
    """The real object; of what is `unseen`, type checkers know nothing."""
    target = f'{port}.unrecorded("{name}")'
    return wrapper.maker.anything(target, bound) if unseen else target


def attribute_member(wrapper: Wrapper, member: Attribute) -> AttributeView:
    """A plain attribute."""
    names, bound = wrapper.names, wrapper.members
    is_text = names.lazy or member.lazy
    signature = Signature((), None, "value", None)
    # What a descriptor's `__get__` gives, the source does not say.
    value = ANY if member.descriptor else wrapper.maker.of_protocol(member.value, signature)
    maker = "recorded_attribute" if member.recorded else "unrecorded_attribute"
    made_by, name = names.own(RUNTIME, maker), member.name
    declared = without_quotes(member.annotation) if is_text else member.annotation
    shown = names.annotation(declared, lazy=member.lazy, bound=bound)
    if member.name == "__qualname__":
        made_by, name = names.own(RUNTIME, "recorded_qualname"), "__getattr__"
    elif not is_split(wrapper, member):
        return AttributeView(name, shown, made_by, member.settable)
    crossing = without_quotes(value) if is_text else value
    return AttributeView(
        name,
        names.annotation(crossing, lazy=member.lazy, bound=bound),
        made_by,
        member.settable,
        f"{member.declared or member.name}: {shown}",
        is_declared_on_instance(member),
    )


def is_split(wrapper: Wrapper, member: Attribute) -> bool:
    """Whether type checkers and the program see different declarations of an attribute."""
    class_variable = member.annotation != member.value
    evaluated = not (wrapper.names.lazy or member.lazy or isinstance(member.annotation, Quoted))
    evaluated = evaluated and all(one.when is When.ALWAYS for one in references(member.annotation))
    return (
        mentions_self(member.value)
        or bool(member.declared)
        or member.descriptor
        or is_declared_on_instance(member)
        or (class_variable and not evaluated)
    )
