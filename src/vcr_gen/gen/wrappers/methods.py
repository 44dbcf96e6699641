"""Makes the methods of a wrapper."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from vcr_gen.gen.model.annotation import (
    ANY,
    Name,
    builtin,
    full_names,
    imported,
    replace_self,
    subscript,
    variables_of,
)
from vcr_gen.gen.model.boundaries import (
    Kind,
    Method,
    Parameter,
    Signature,
)
from vcr_gen.gen.wrappers.bodies import as_protocol, handing, instance, returning
from vcr_gen.gen.wrappers.context import Wrapper, event_name
from vcr_gen.gen.wrappers.events import (
    RUNTIME,
    arguments_for,
)
from vcr_gen.gen.wrappers.headers import decorators_of, header_of
from vcr_gen.gen.wrappers.layout import Nest
from vcr_gen.gen.wrappers.names import free_name
from vcr_gen.gen.wrappers.views import (
    DeclaredView,
    FunctionView,
    MemberView,
)

__all__ = ["method"]


def method(wrapper: Wrapper, member: Method) -> MemberView | DeclaredView:
    """A function member, with its overloads."""
    if member.passed:
        return DeclaredView(
            member.name,
            tuple(_unmangled(wrapper, member)),
            (_passing(wrapper, member),),
        )
    functions = [_stub(wrapper, member, signature) for signature in member.overloads]
    if member.overloads and not member.implemented:
        functions.append(_dispatching(wrapper, member))
    else:
        functions.append(_calling(wrapper, member))
    if not wrapper.is_told_apart(member):
        return MemberView(member.name, tuple(functions))
    declared = tuple(_checked_functions(wrapper, member))
    if member.binding == "instance":
        return DeclaredView(member.name, declared, tuple(functions))
    instance = wrapper.names.own(RUNTIME, "instance_member")
    bound = replace(member, binding="instance")
    running = [
        _stub(wrapper, bound, _with_instance(member, signature)) for signature in member.overloads
    ]
    running.append(replace(functions[-1], decorators=(instance, *functions[-1].decorators)))
    return DeclaredView(member.name, declared, tuple(running))


def _checked_functions(wrapper: Wrapper, member: Method) -> Iterator[FunctionView]:
    """What type checkers see, which the Protocol may say to them alone."""
    if member.checked:
        overloads = member.checked if len(member.checked) > 1 else ()
        member = replace(member, signature=member.checked[0], overloads=overloads)
    yield from _unmangled(wrapper, member)
    yield from _checked_implementation(wrapper, member)


def _checked_implementation(wrapper: Wrapper, member: Method) -> Iterator[FunctionView]:
    """The implementation that type checkers want to see after overloads."""
    if not member.overloads:
        return
    names, bound = wrapper.names, wrapper.members
    any_name = names.own("typing", "Any", bound=bound)
    items = (*_receiver(member), f"*args: {any_name}", f"**kwds: {any_name}")
    awaited = "async " if _alike(member).signature.asynchronous else ""
    header = Nest(f"{awaited}def {member.name}(", items, f") -> {any_name}: ...")
    decorators = (*_untyped(wrapper, member), *_binder(wrapper, member))
    yield FunctionView(decorators, header, None, ())


def _untyped(wrapper: Wrapper, member: Method) -> tuple[str, ...]:
    """The decorator of an implementation for overloads that no signature would do for.

    They have `*args: *Ts`, or do not agree on what the keyword `self` is.
    """
    packs = [one.kind for each in member.overloads for one in each.parameters if one.packed]
    if Kind.VARIADIC not in packs and not _disagree_on_self(member.overloads):
        return ()
    return (wrapper.names.own(RUNTIME, "implementation", bound=wrapper.members),)


def _receiver(member: Method) -> tuple[str, ...]:
    """`self` or `cls` before `*args`; with `/` where a keyword may have that name.

    To type checkers, no overload may then give the instance by keyword, which a plain `self`
    allows.
    """
    receivers = {"instance": ("self",), "class": ("cls",), "static": ()}
    given = [one for one in member.overloads if one.receiver is not None]
    positional = bool(given) and all(map(_is_bare, given))
    positional |= _disagree_on_self(member.overloads)
    return (*receivers[member.binding], "/") if positional else receivers[member.binding]


def _disagree_on_self(overloads: Collection[Signature]) -> bool:
    """Whether some take the keyword `self` for any other (`a, /, **options`), and some not."""
    bare = [one for one in overloads if _is_bare(one)]
    kinds = {one.kind for each in bare for one in each.parameters if not one.packed}
    return Kind.KEYWORDS in kinds and len(bare) < len(overloads)


def _is_bare(signature: Signature) -> bool:
    """Whether the instance has no name to callers."""
    receiver = signature.receiver
    return receiver is not None and receiver.kind is Kind.POSITIONAL_ONLY


def _alike(member: Method) -> Method:
    """The member with overloads that are all `async def`, or none: some return a coroutine."""
    if all(one.asynchronous for one in member.overloads):
        return member
    overloads = tuple(_as_coroutine(one) for one in member.overloads)
    return replace(member, overloads=overloads, signature=_as_coroutine(member.signature))


def _as_coroutine(signature: Signature) -> Signature:
    if not signature.asynchronous:
        return signature
    coroutine = Name(imported("collections.abc", "Coroutine"))
    returns = subscript(coroutine, ANY, ANY, signature.returns or ANY)
    return replace(signature, asynchronous=False, returned="value", returns=returns)


def _is_vague(wrapper: Wrapper, member: Method, index: int) -> bool:
    """Whether a type checker may take the arguments of an overload for those of another."""
    signature = member.overloads[index]
    if signature.receiver is not None and signature.receiver.annotation is not None:
        return True
    if any(one.descriptor for one in signature.parameters):
        return True
    if any(one.default and one.default.how == "omitted" for one in signature.parameters):
        return True  # what was given of them is handed on as `**given(...)`
    given = signature.returned not in {"none", "never"}
    if given and any(_holds_any(wrapper, signature, one) for one in signature.parameters):
        return True
    own = {one.reference for one in wrapper.boundary.type_parameters}
    return index > 0 and bool(set(variables_of([signature.returns])) - own)


def _holds_any(wrapper: Wrapper, signature: Signature, parameter: Parameter) -> bool:
    """Whether `Any` is in the type of a parameter, or in the bound of a type variable in it.

    To mypy, such an argument may then be that of another overload, and the result be anything.
    """
    text = parameter.annotation
    table = {**wrapper.maker.variables, **{one.reference: one for one in signature.type_parameters}}
    bounds = (table[one].bound for one in variables_of([text]) if one in table)
    return any("typing.Any" in full_names(one) for one in (text, *bounds))


def _binder(wrapper: Wrapper, member: Method) -> tuple[str, ...]:
    """`@classmethod` or `@staticmethod`."""
    if member.binding == "instance":
        return ()
    kind = {"class": "classmethod", "static": "staticmethod"}[member.binding]
    return (wrapper.names.spell(Name(builtin(kind)), bound=wrapper.members),)


def _unmangled(wrapper: Wrapper, member: Method) -> Iterator[FunctionView]:
    """What type checkers see: to them, `__x` is a positional parameter without a name.

    A member of such a name they know by what the source says; `Self` may be its result.
    """
    member = replace(member, name=member.declared or member.name)
    for declared in member.overloads or (member.signature,):
        twice = wrapper.is_quoted_twice(declared)
        signature = declared.without_quotes() if twice else declared
        if wrapper.is_quoted_star(declared):
            signature = replace(signature, lazy=None)
        parameters = tuple(map(_checked, signature.parameters))
        own = Name(imported("typing", "Self"))
        returns = own if wrapper.is_shown_as_self(member) else signature.returns
        yield _stub(wrapper, member, replace(signature, parameters=parameters, returns=returns))


def _checked(parameter: Parameter) -> Parameter:
    """A parameter as type checkers see it, by the name in the source.

    While pyright reads its type, it cannot yet tell that the wrapper is what a bound asks of
    `Self`.
    """
    annotation = parameter.annotation
    if annotation is not None and parameter.bounded_self:
        annotation = replace_self(annotation, None, ANY)
    return replace(parameter, name=parameter.declared or parameter.name, annotation=annotation)


def _stub(wrapper: Wrapper, member: Method, signature: Signature) -> FunctionView:
    """A function that type checkers see, without a body."""
    names, bound = wrapper.names, wrapper.members
    decorators = []
    if member.overloads:
        decorators.append(names.own("typing", "overload", bound=bound))
    decorators.extend(_binder(wrapper, member))
    decorators.extend(decorators_of(wrapper, signature))
    return FunctionView(
        tuple(decorators),
        header_of(wrapper, member.name, signature, inner=wrapper.inner(protocols=False), stub=True),
        None,
        (),
    )


def _dispatching(wrapper: Wrapper, member: Method) -> FunctionView:
    """The implementation of overloads that the Protocol leaves without one."""
    names, bound = wrapper.names, wrapper.members
    any_name = names.own("typing", "Any", bound=bound)
    member = _alike(member)
    asynchronous = member.signature.asynchronous
    receiver = _receiver(member) or ("self", "/")  # a static member needs the instance too
    items = (*receiver, f"*args: {any_name}", f"**kwds: {any_name}")
    port = f"{receiver[0]}.{wrapper.port}"
    header = Nest(
        f"{'async ' if asynchronous else ''}def {member.name}(", items, f") -> {any_name}:"
    )
    if not member.recorded:
        inner = f'{port}.unrecorded("{member.name}").{member.name}'
        loose = f'{names.own("typing", "cast")}("{any_name}", {inner})'
        awaited = "await " if asynchronous else ""
        body = Nest(f"return {awaited}{loose}(", ("*args", "**kwds"), ")")
        return FunctionView(_untyped(wrapper, member), header, member.signature.docstring, (body,))
    chosen: list[str] = []
    for index, signature in enumerate(member.overloads):
        number = str(index + 1) if index else ""
        key = f"{member.name}#{index + 1}" if index else member.name
        name = event_name(wrapper, member.name, number)
        event = wrapper.maker.call(
            name,
            key,
            member.name,
            signature,
            loose=_is_vague(wrapper, member, index),
            unseen=_unseen(member),
        )
        wrapper.events.append(event.view)
        chosen.append(event.view.name)
    choose = Nest(
        f"{port}.choose(",
        (Nest("(", tuple(chosen), is_tuple=True), "args", "kwds"),
        ")",
    )
    verb = "return await {}.acall(" if asynchronous else "return {}.call("
    body = Nest(verb.format(port), (choose,), ")")
    return FunctionView(_untyped(wrapper, member), header, member.signature.docstring, (body,))


def _passing(wrapper: Wrapper, member: Method) -> FunctionView:
    """What gives the real object's member, whatever that is."""
    names, bound = wrapper.names, wrapper.members
    maker = names.spell(Name(builtin("property")), bound=bound)
    any_name = names.own("typing", "Any", bound=bound)
    real = wrapper.maker.anything(f'self.{wrapper.port}.unrecorded("{member.name}")')
    header = Nest(f"def {member.name}(", ("self",), f") -> {any_name}:")
    return FunctionView((maker,), header, None, (f"return {real}.{member.name}",))


def _calling(wrapper: Wrapper, member: Method) -> FunctionView:
    """A method that hands one typed event to the port."""
    signature = _with_instance(member, member.signature)
    inner = wrapper.inner(protocols=wrapper.is_told_apart(member))
    header = header_of(wrapper, member.name, signature, inner=inner)
    body = tuple(_body(wrapper, member, _with_types(member, signature)))
    return FunctionView(tuple(decorators_of(wrapper, signature)), header, signature.docstring, body)


def _with_instance(member: Method, signature: Signature) -> Signature:
    """The signature of a function that is given the instance, whatever the Protocol binds."""
    if member.binding == "static":
        name = free_name("self", [one.name for one in signature.parameters])
        return replace(signature, receiver=Parameter(name, Kind.POSITIONAL_ONLY))
    if member.binding == "class" and signature.receiver is not None:
        return replace(signature, receiver=replace(signature.receiver, annotation=None))
    return signature


def _with_types(member: Method, signature: Signature) -> Signature:
    """The signature with the types that only type checkers are told, for what is recorded."""
    if len(member.checked) != 1:
        return signature
    [checked] = member.checked
    types = {(one.name, one.kind): one for one in checked.parameters}
    parameters = tuple(
        types.get((one.name, one.kind), one) if one.annotation is None else one
        for one in signature.parameters
    )
    parameters = tuple(
        replace(one, default=real.default)
        for one, real in zip(parameters, signature.parameters, strict=True)
    )
    returns = checked if signature.returns is None else signature
    return replace(
        signature, parameters=parameters, returns=returns.returns, returned=returns.returned
    )


def _unseen(member: Method) -> bool:
    among_arguments = member.binding == "instance" and member.signature.receiver is None
    selective = any(one.selective for one in (member.signature, *member.overloads))
    private = bool(member.declared)
    return member.deprecated or private or member.disputed or among_arguments or selective


def _body(wrapper: Wrapper, member: Method, signature: Signature) -> Iterator[Nest | str]:
    names = wrapper.names
    first, *_ = [one for one in (signature.receiver, *signature.parameters) if one is not None]
    bound = {first.name, *(one.name for one in signature.parameters)}
    port = f"{instance(wrapper, signature, first.name, bound)}.{wrapper.port}"
    if not member.recorded:
        values = {**{name: name for name in bound}, **dict(as_protocol(wrapper, signature, bound))}
        maker, unseen = wrapper.maker, _unseen(member)
        access = f'{port}.unrecorded("{member.name}")'
        if unseen:
            access = f"{maker.anything(access, bound)}.{member.name}"
            access = maker.loosened(access, signature, maker.returned(signature), bound)
        else:
            access += f".{member.name}"
        inner = Nest(f"{access}(", arguments_for(names, signature, values, bound), ")")
        yield from returning(wrapper, signature, inner, bound)
        return
    event = wrapper.maker.call(
        event_name(wrapper, member.name),
        member.name,
        member.name,
        signature,
        loose=bool(member.overloads),
        unseen=_unseen(member),
    )
    wrapper.events.append(event.view)
    values = dict(as_protocol(wrapper, signature, bound))
    if signature.receiver is None:
        values[first.name] = f"{first.name}[1:]"
    yield from handing(wrapper, event, signature, port, bound=bound, values=values)
