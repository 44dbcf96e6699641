"""Makes the properties and attributes of a wrapper."""

from collections.abc import Collection
from dataclasses import replace

from vcr_gen.gen.model.annotation import ANY, NONE, Name, builtin
from vcr_gen.gen.model.boundaries import (
    Attribute,
    Kind,
    Parameter,
    Property,
    Signature,
)
from vcr_gen.gen.wrappers.bodies import as_protocol, cast_to, handing, instance, returning
from vcr_gen.gen.wrappers.events import RUNTIME
from vcr_gen.gen.wrappers.headers import decorators_of, header_of
from vcr_gen.gen.wrappers.layout import Nest
from vcr_gen.gen.wrappers.views import (
    DeclaredView,
    FunctionView,
    MemberView,
)
from vcr_gen.gen.wrappers.wrapper import Wrapper, event_name

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
        return DeclaredView(member.name, "", tuple(declared), tuple(functions))
    return MemberView(member.name, tuple(functions))


def _accessor(
    wrapper: Wrapper, member: Property, decorator: str, signature: Signature
) -> FunctionView:
    """What type checkers see of a property, by the name in the source and without quotes."""
    if wrapper.is_quoted_twice(signature):
        signature = signature.without_quotes()
    name = member.declared or member.name
    header = header_of(wrapper, name, wrapper.for_all(signature), stub=True)
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


_ACCESS = (("qualname_getter", "__getattr__"), ("qualname_setter", "__setattr__"))


def _around_class(wrapper: Wrapper, view: FunctionView, names: tuple[str, str]) -> FunctionView:
    """An accessor of `__qualname__`, which Python takes for the class's own in a class body."""
    maker, function = names
    header = view.signature
    before = header.before.replace("__qualname__", function)
    decorator = wrapper.names.own(RUNTIME, maker, bound=wrapper.members)
    return replace(
        view, decorators=(decorator,), signature=Nest(before, header.items, header.after)
    )


def attribute_member(wrapper: Wrapper, member: Attribute) -> DeclaredView | MemberView:
    """An attribute: declared for type checkers, a property at run time."""
    names, bound = wrapper.names, wrapper.members
    unseen = bool(member.declared) or member.disputed
    receiver = Parameter("self", Kind.POSITIONAL)
    # What crosses is what `__get__` gives, of which the source says nothing that can be relied on.
    unknown = member.descriptor and not member.read_only
    crossing = ANY if unknown else member.value
    getter = Signature((), crossing, "value", receiver, lazy=member.lazy)
    value = Parameter("value", Kind.POSITIONAL, crossing)
    setter = Signature((value,), NONE, "none", receiver, lazy=member.lazy)
    maker = names.spell(Name(builtin("property")), bound=bound)
    running = [
        _getter(
            wrapper,
            member.name,
            getter,
            maker,
            recorded=member.recorded,
            unseen=unseen or member.binds or (member.descriptor and member.read_only),
        )
    ]
    if member.settable:
        running.append(
            _setter(
                wrapper,
                member.name,
                setter,
                recorded=member.recorded,
                unseen=unseen or member.slotted,
            )
        )
    if member.name == "__qualname__":
        running = [_around_class(wrapper, *pair) for pair in zip(running, _ACCESS, strict=False)]
    if member.read_only:
        return MemberView(member.name, tuple(running))
    if member.settable or member.final:  # `__init__` declares it
        return DeclaredView(member.name, "", (), tuple(running))
    shown = names.annotation(member.annotation, lazy=member.lazy, bound=bound)
    return DeclaredView(
        member.name, f"{member.declared or member.name}: {shown}", (), tuple(running)
    )
