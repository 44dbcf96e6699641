"""Makes the wrapper of a boundary: the Protocol's signatures around typed events."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from vcr_gen.gen.config import Direction
from vcr_gen.gen.events import (
    RUNTIME,
    Event,
    EventMaker,
    arguments_for,
    generic_argument,
    generic_header,
)
from vcr_gen.gen.layout import Nest
from vcr_gen.gen.model import (
    Attribute,
    Boundary,
    Kind,
    Method,
    NestedClass,
    Parameter,
    Property,
    Signature,
    TypeVariable,
)
from vcr_gen.gen.names import Names, camel, snake
from vcr_gen.gen.text import Reference, Text, imported, opened, references, string_literal
from vcr_gen.gen.views import (
    BoundaryView,
    DeclaredView,
    EventView,
    FunctionView,
    MemberView,
)

__all__ = ["Chosen", "make_boundary"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The names that the generated module defines for one boundary."""

    wrapper: str
    constant: str
    prefix: str
    """What its events' names start with."""
    conformance: str


@dataclass
class _Wrapper:
    names: Names
    boundary: Boundary
    chosen: Chosen
    maker: EventMaker
    new_event: Callable[[str], str]
    """A free name for an event."""
    module: str
    events: list[EventView] = field(default_factory=list)

    @property
    def members(self) -> frozenset[str]:
        """The names that the wrapper's class body binds."""
        return frozenset(
            {one.name for one in self.boundary.members} | {self.port, self.attach, "__init__"}
        )

    @property
    def port(self) -> str:
        return _free("_port", self.boundary, "_port_")

    @property
    def attach(self) -> str:
        return _free("attach", self.boundary, "attach_vcr")

    @property
    def opposite(self) -> list[str]:
        """The members whose direction is not the boundary's."""
        return [
            one.name
            for one in self.boundary.members
            if not isinstance(one, NestedClass)
            and one.direction not in {None, self.boundary.direction}
        ]

    @property
    def port_class(self) -> str:
        if self.opposite:
            return "MixedPort"
        ports: dict[Direction, str] = {"outbound": "OutboundPort", "inbound": "InboundPort"}
        return ports[self.boundary.direction]


def _free(name: str, boundary: Boundary, other: str) -> str:
    return other if any(one.name == name for one in boundary.members) else name


def make_boundary(
    names: Names,
    boundary: Boundary,
    chosen: Chosen,
    variables: Mapping[Reference, TypeVariable],
    new_event: Callable[[str], str],
    handles: tuple[str, ...],
    late: str,
) -> BoundaryView:
    """The wrapper, events and constant of one boundary."""
    target = protocol_text(boundary)
    maker = EventMaker(names, boundary, variables, target)
    wrapper = _Wrapper(names, boundary, chosen, maker, new_event, boundary.reference.module)
    members = list(_members(wrapper))
    declared = [one for one in members if isinstance(one, DeclaredView)]
    plain = [one for one in members if isinstance(one, MemberView)]
    header = generic_header(names, chosen.wrapper, list(boundary.type_parameters))
    shown = names.name(boundary.reference)
    tail = boundary.qualname.partition(".")[2]
    qualified = f"{shown}.{tail}" if tail else shown
    return BoundaryView(
        name=boundary.name,
        protocol=boundary.qualname,
        constant=chosen.constant,
        wrapper=chosen.wrapper,
        header=header,
        docstring=f"Records and replays `{boundary.qualname}`.",
        constructors=tuple(_constructors(wrapper)),
        attach=_attach(wrapper),
        aliases=(
            *_port_declaration(wrapper),
            *(
                f"{one.name} = {qualified}.{one.name}"
                for one in boundary.members
                if isinstance(one, NestedClass)
            ),
        ),
        declared=tuple(declared),
        members=tuple(plain),
        events=tuple(wrapper.events),
        options=tuple(_options(wrapper, handles, late)),
        factory=names.own(RUNTIME, "Boundary"),
        conformance=_conformance(wrapper),
    )


def protocol_text(boundary: Boundary, *, arguments: bool = True) -> Text:
    """The Protocol as a type, with its own type parameters as arguments."""
    tail = boundary.qualname.partition(".")[2]
    text: Text = (boundary.reference, f".{tail}") if tail else (boundary.reference,)
    if not boundary.type_parameters or not arguments:
        return text
    parts: list[str | Reference] = ["["]
    for index, one in enumerate(boundary.type_parameters):
        if index:
            parts.append(", ")
        if one.kind == "TypeVarTuple":
            parts.append("*")
        parts.append(one.reference)
    return (*text, *parts, "]")


def _options(wrapper: _Wrapper, handles: tuple[str, ...], late: str) -> Iterator[str | Nest]:
    boundary = wrapper.boundary
    yield string_literal(boundary.name)
    yield f'direction="{boundary.direction}"'
    yield f'protocol="{boundary.reference.module}:{boundary.qualname}"'
    yield f"wrapper={wrapper.chosen.wrapper}"
    calls = tuple(f'"{one.key}": {one.name}' for one in wrapper.events)
    yield Nest("calls={", calls, "}")
    opposite = [
        one.key for one in wrapper.events if one.key.partition("#")[0].partition(".")[0] in wrapper.opposite
    ]
    if opposite:
        yield Nest("opposite={", tuple(string_literal(one) for one in opposite), "}")
    if handles:
        comma = "," if len(handles) == 1 else ""
        yield Nest(f"handles=lambda: (", handles, f"{comma})")
    if late:
        yield f"late_imports={late}"


def _conformance(wrapper: _Wrapper) -> FunctionView:
    names, boundary = wrapper.names, wrapper.boundary
    brackets = ""
    if boundary.brackets:
        header = generic_header(names, "", list(boundary.type_parameters)).before
        brackets = header[len("class ") : -1]
    own = _own_type(wrapper)
    protocol = names.own_annotation(wrapper.maker.target)
    return FunctionView(
        (),
        Nest(
            f"def {wrapper.chosen.conformance}{brackets}(",
            (f"wrapper: {own}",),
            f") -> {protocol}:",
        ),
        None,
        ("return wrapper",),
    )


def _constructors(wrapper: _Wrapper) -> Iterator[FunctionView]:
    names, boundary, maker = wrapper.names, wrapper.boundary, wrapper.maker
    bound = wrapper.members
    optional = wrapper.port_class == "OutboundPort"
    cassette = names.own(RUNTIME, "Cassette", bound=bound)
    inner_text: Text = (*maker.target, " | None") if optional else maker.target
    inner = names.own_annotation(inner_text, bound=bound)
    items = ("self", "*", f"cassette: {cassette}", f"inner: {inner}{' = None' if optional else ''}")
    port = names.own(RUNTIME, wrapper.port_class)
    constant = wrapper.chosen.constant
    own = names.own_annotation(maker.target)
    if not boundary.constructors:
        body = Nest(f"{port}(", ("cassette", constant, "inner"), ")")
        # mypy reads the body once per constraint, and then does not know which to believe.
        constrained = any(one.arguments for one in boundary.type_parameters)
        kept = _kept(wrapper, body, annotation=f"{port}[{own}]" if constrained else "")
        yield FunctionView((), Nest("def __init__(", items, ") -> None:"), None, (kept,))
        return
    overload = names.own("typing", "overload")
    any_name = names.own("typing", "Any", bound=bound)
    yield FunctionView((overload,), Nest("def __init__(", items, ") -> None: ..."), None, ())
    for signature in boundary.constructors:
        header = _header(wrapper, "__init__", replace(signature, asynchronous=False), stub=True)
        yield FunctionView((overload,), header, None, ())
    made = Nest(f"{port}.from_arguments(", (constant, "args", "kwargs"), ")")
    body = _kept(wrapper, made, annotation=f"{port}[{own}]")
    yield FunctionView(
        (),
        Nest(
            "def __init__(",
            ("self", f"*args: {any_name}", f"**kwargs: {any_name}"),
            ") -> None:",
        ),
        None,
        (body,),
    )


def _kept(wrapper: _Wrapper, value: Nest, annotation: str = "") -> Nest:
    """The statement that keeps the port; around the Protocol's own `__setattr__` if it has one."""
    if any(one.name == "__setattr__" for one in wrapper.boundary.members):
        return Nest("object.__setattr__(", ("self", f'"{wrapper.port}"', value), ")")
    typed = f": {annotation}" if annotation else ""
    return Nest(f"self.{wrapper.port}{typed} = {value.before}", value.items, value.after)


def _port_declaration(wrapper: _Wrapper) -> Iterator[str]:
    """`_port: ...` in the class body, where no assignment in `__init__` can declare it."""
    if any(one.name == "__setattr__" for one in wrapper.boundary.members):
        port = wrapper.names.own(RUNTIME, wrapper.port_class)
        target = wrapper.names.own_annotation(wrapper.maker.target)
        yield f"{wrapper.port}: {port}[{target}]"


def _attach(wrapper: _Wrapper) -> FunctionView | None:
    if wrapper.port_class != "OutboundPort":
        return None
    names, bound = wrapper.names, wrapper.members
    cassette = names.own(RUNTIME, "Cassette", bound=bound)
    factory: Text = (imported("collections.abc", "Callable"), "[[], ", *wrapper.maker.target, "]")
    real = names.own_annotation(factory, bound=bound)
    self_type = names.own("typing", "Self", bound=bound)
    return FunctionView(
        (names.spell((Reference("classmethod", "builtin"),), bound=bound),),
        Nest(
            f"def {wrapper.attach}(",
            ("cls", f"cassette: {cassette}", f"real: {real}"),
            f") -> {self_type}:",
        ),
        "Wrap what `real` builds; it is called only when the cassette may call the real thing.",
        (
            Nest(
                "return cls(",
                ("cassette=cassette", "inner=real() if cassette.calls_real else None"),
                ")",
            ),
        ),
    )


def _members(wrapper: _Wrapper) -> Iterator[MemberView | DeclaredView]:
    for member in wrapper.boundary.members:
        match member:
            case Method():
                yield _method(wrapper, member)
            case Property():
                yield _property(wrapper, member)
            case Attribute():
                yield _attribute(wrapper, member)


def _event_name(wrapper: _Wrapper, member: str, suffix: str = "") -> str:
    return wrapper.new_event(f"{wrapper.chosen.prefix}{camel(member)}{suffix}")


def _method(wrapper: _Wrapper, member: Method) -> MemberView | DeclaredView:
    functions = [
        _stub(wrapper, member, signature) for signature in member.overloads
    ]
    if member.overloads and not member.implemented:
        functions.append(_dispatching(wrapper, member))
    else:
        functions.append(_calling(wrapper, member))
    if member.binding == "instance":
        if not any(one.declared for one in member.signature.parameters):
            return MemberView(member.name, tuple(functions))
        return DeclaredView(
            member.name,
            "",
            tuple(_unmangled(wrapper, member)),
            tuple(functions),
        )
    declared = functions[:-1] or [_stub(wrapper, member, member.signature)]
    running = functions[-1]
    instance = wrapper.names.own(RUNTIME, "instance_member")
    return DeclaredView(
        member.name,
        "",
        tuple(declared),
        (replace(running, decorators=(instance,)),),
    )


def _unmangled(wrapper: _Wrapper, member: Method) -> Iterator[FunctionView]:
    """What type checkers see: to them, `__x` is a positional parameter without a name."""
    for signature in member.overloads or (member.signature,):
        parameters = tuple(replace(one, name=one.declared or one.name) for one in signature.parameters)
        yield _stub(wrapper, member, replace(signature, parameters=parameters))


def _stub(wrapper: _Wrapper, member: Method, signature: Signature) -> FunctionView:
    """A function that type checkers see, without a body."""
    names, bound = wrapper.names, wrapper.members
    decorators = []
    if member.overloads:
        decorators.append(names.own("typing", "overload", bound=bound))
    if member.binding != "instance":
        kind = {"class": "classmethod", "static": "staticmethod"}[member.binding]
        decorators.append(names.spell((Reference(kind, "builtin"),), bound=bound))
    decorators.extend(_decorators(wrapper, signature))
    return FunctionView(
        tuple(decorators), _header(wrapper, member.name, signature, stub=True), None, ()
    )


def _decorators(wrapper: _Wrapper, signature: Signature) -> list[str]:
    return [
        wrapper.names.spell(one, bound=wrapper.members, evaluated=True)
        for one in signature.decorators
    ]


def _dispatching(wrapper: _Wrapper, member: Method) -> FunctionView:
    """The implementation of overloads that the Protocol leaves without one."""
    names, bound = wrapper.names, wrapper.members
    any_name = names.own("typing", "Any", bound=bound)
    asynchronous = member.signature.asynchronous
    items = ("self", f"*args: {any_name}", f"**kwds: {any_name}")
    header = Nest(
        f"{'async ' if asynchronous else ''}def {member.name}(", items, f") -> {any_name}:"
    )
    if not member.recorded:
        inner = f'self.{wrapper.port}.unrecorded("{member.name}").{member.name}'
        loose = f'{names.own("typing", "cast")}("{any_name}", {inner})'
        awaited = "await " if asynchronous else ""
        body = Nest(f"return {awaited}{loose}(", ("*args", "**kwds"), ")")
        return FunctionView((), header, member.signature.docstring, (body,))
    chosen: list[str] = []
    for index, signature in enumerate(member.overloads):
        number = str(index + 1) if index else ""
        key = f"{member.name}#{index + 1}" if index else member.name
        name = _event_name(wrapper, member.name, number)
        event = wrapper.maker.call(
            name, key, member.name, signature, deprecated=member.deprecated
        )
        wrapper.events.append(event.view)
        chosen.append(event.view.name)
    comma = "," if len(chosen) == 1 else ""
    choose = Nest(
        f"self.{wrapper.port}.choose(",
        (Nest("(", tuple(chosen), f"{comma})"), "args", "kwds"),
        ")",
    )
    verb = "return await self.{}.acall(" if asynchronous else "return self.{}.call("
    body = Nest(verb.format(wrapper.port), (choose,), ")")
    return FunctionView((), header, member.signature.docstring, (body,))


def _calling(wrapper: _Wrapper, member: Method) -> FunctionView:
    """A method that hands one typed event to the port."""
    signature = member.signature
    if member.binding == "static" or signature.receiver is None:
        receiver = Parameter("self", Kind.POSITIONAL_ONLY)
        signature = replace(signature, receiver=receiver)
    elif member.binding == "class":
        annotated = replace(signature.receiver, annotation=None)
        signature = replace(signature, receiver=annotated)
    header = _header(wrapper, member.name, signature)
    assert signature.receiver is not None
    body = tuple(_body(wrapper, member, signature, signature.receiver.name))
    return FunctionView(
        tuple(_decorators(wrapper, signature)), header, signature.docstring, body
    )


def _body(
    wrapper: _Wrapper, member: Method, signature: Signature, receiver: str
) -> Iterator[Nest | str]:
    names = wrapper.names
    bound = {one.name for one in signature.parameters} | {receiver}
    port = f"{_instance(wrapper, signature, receiver, bound)}.{wrapper.port}"
    if not member.recorded:
        values = {name: name for name in bound}
        inner = Nest(
            f'{port}.unrecorded("{member.name}").{member.name}(',
            arguments_for(names, signature, values, bound),
            ")",
        )
        yield from _returning(wrapper, signature, inner, bound, direct=True)
        return
    event = wrapper.maker.call(
        _event_name(wrapper, member.name),
        member.name,
        member.name,
        signature,
        loose=bool(member.overloads),
        deprecated=member.deprecated,
    )
    wrapper.events.append(event.view)
    values = dict(_as_protocol(wrapper, signature, bound))
    yield from _handing(wrapper, event, signature, port, bound, values)


def _as_protocol(
    wrapper: _Wrapper, signature: Signature, bound: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Parameters of the type of `self`: an unbounded TypeVar does not say it is the Protocol."""
    for one in signature.parameters:
        if signature.self_type in set(references(one.annotation or ())):
            cast = wrapper.names.own("typing", "cast", bound=bound)
            any_name = wrapper.names.own("typing", "Any")
            yield one.name, f'{cast}("{any_name}", {one.name})'


def _instance(
    wrapper: _Wrapper, signature: Signature, receiver: str, bound: Collection[str]
) -> str:
    """The wrapper itself, where an annotation on `self` says it is something else."""
    if signature.receiver is None or signature.receiver.annotation is None:
        return receiver
    cast = wrapper.names.own("typing", "cast", bound=bound)
    return f'{cast}("{_own_type(wrapper)}", {receiver})'


def _own_type(wrapper: _Wrapper) -> str:
    shown = [generic_argument(wrapper.names, one) for one in wrapper.boundary.type_parameters]
    arguments = f"[{', '.join(shown)}]" if shown else ""
    return f"{wrapper.chosen.wrapper}{arguments}"


def _handing(
    wrapper: _Wrapper,
    event: Event,
    signature: Signature,
    port: str,
    bound: Collection[str],
    values: Mapping[str, str] | None = None,
) -> Iterator[Nest | str]:
    """The statements that hand an event to the port and return what comes back."""
    names = wrapper.names
    argument: Nest | str = event.made(values or {})
    if event.variables:
        local = "call"
        while local in bound:
            local += "_"
        shown = ", ".join(
            ("*" if _is_pack(wrapper, one, signature) else "") + names.name(one)
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
    yield from _returning(wrapper, signature, inner, bound)


def _is_pack(wrapper: _Wrapper, reference: Reference, signature: Signature) -> bool:
    table = {one.reference: one for one in signature.type_parameters}
    variable = table.get(reference) or wrapper.maker.variables.get(reference)
    for one in wrapper.boundary.type_parameters:
        if one.reference == reference:
            variable = one
    return variable is not None and variable.kind == "TypeVarTuple"


def _returning(
    wrapper: _Wrapper,
    signature: Signature,
    inner: Nest,
    bound: Collection[str],
    *,
    direct: bool = False,
) -> Iterator[Nest | str]:
    names = wrapper.names
    if signature.managed is not None:
        local = "value"
        while local in bound:
            local += "_"
        asynchronous = any(
            isinstance(part, Reference) and "async" in part.full_name
            for text in signature.decorators
            for part in text
        )
        before = "async with " if asynchronous else "with "
        yield Nest(f"{before}{inner.before}", inner.items, f"{inner.after} as {local}:")
        yield f"    yield {local}"
        return
    awaited = "await " if signature.asynchronous else ""
    if signature.returned in {"none", "never"}:
        yield Nest(f"{awaited}{inner.before}", inner.items, inner.after)
        return
    if not direct and signature.returns is not None and _speaks_of_self(signature):
        cast = names.own("typing", "cast", bound=bound)
        shown = names.spell(opened(signature.returns)).replace('"', "'")
        value = Nest(f"{awaited}{inner.before}", inner.items, inner.after)
        yield Nest(f"return {cast}(", (string_literal(shown), value), ")")
        return
    yield Nest(f"return {awaited}{inner.before}", inner.items, inner.after)


def _speaks_of_self(signature: Signature) -> bool:
    return any(
        one.full_name == "typing.Self" or one == signature.self_type
        for one in references(signature.returns or ())
    )


def _header(
    wrapper: _Wrapper, name: str, signature: Signature, *, stub: bool = False
) -> Nest:
    """`def name(...) -> type:`, exactly as the Protocol says it."""
    names, bound = wrapper.names, wrapper.members
    brackets = ""
    if signature.type_parameters:
        header = generic_header(names, "", list(signature.type_parameters)).before
        brackets = header[len("class ") : -1]
    parameters = [*([signature.receiver] if signature.receiver else []), *signature.parameters]
    returns = ""
    if signature.returns is not None:
        shown = names.annotation(signature.returns, lazy=signature.lazy, bound=bound)
        returns = f" -> {shown}"
    managed_async = signature.managed is not None and any(
        isinstance(part, Reference) and "async" in part.full_name
        for text in signature.decorators
        for part in text
    )
    awaited = "async " if signature.asynchronous or managed_async else ""
    return Nest(
        f"{awaited}def {name}{brackets}(",
        tuple(_shown_parameters(wrapper, name, parameters, signature, stub=stub)),
        f"){returns}:{' ...' if stub else ''}",
    )


def _shown_parameters(
    wrapper: _Wrapper,
    member: str,
    parameters: list[Parameter],
    signature: Signature,
    *,
    stub: bool,
) -> Iterator[str]:
    previous: Kind | None = None
    for one in parameters:
        if previous is Kind.POSITIONAL_ONLY and one.kind is not Kind.POSITIONAL_ONLY:
            yield "/"
        if one.kind is Kind.KEYWORD and previous not in {Kind.KEYWORD, Kind.VARIADIC}:
            yield "*"
        yield _shown_parameter(wrapper, member, one, signature, stub=stub)
        previous = one.kind
    if previous is Kind.POSITIONAL_ONLY:
        yield "/"


def _shown_parameter(
    wrapper: _Wrapper, member: str, one: Parameter, signature: Signature, *, stub: bool
) -> str:
    names, bound = wrapper.names, wrapper.members
    stars = {Kind.VARIADIC: "*", Kind.KEYWORDS: "**"}.get(one.kind, "")
    shown = f"{stars}{one.name}"
    equals = "="
    if one.annotation is not None:
        shown += f": {names.annotation(one.annotation, lazy=signature.lazy, bound=bound)}"
        equals = " = "
    if one.default is None:
        return shown
    if one.default.how == "text":
        value = names.spell(one.default.text, bound=bound, evaluated=True)
    elif stub:
        value = "..."
    elif one.default.how == "omitted" or wrapper.boundary.reference.when:
        value = names.own(RUNTIME, "OMITTED", bound=bound)
    else:
        maker = names.own(RUNTIME, "default_of", bound=bound)
        protocol = names.spell(protocol_text(wrapper.boundary, arguments=False), bound=bound, evaluated=True)
        value = f'{maker}({protocol}.{member}, "{one.name}")'
    return f"{shown}{equals}{value}"


def _property(wrapper: _Wrapper, member: Property) -> MemberView:
    names, bound = wrapper.names, wrapper.members
    if member.cached:
        maker = names.own("functools", "cached_property", bound=bound)
    else:
        maker = names.spell((Reference("property", "builtin"),), bound=bound)
    functions = [_getter(wrapper, member.name, member.getter, maker, recorded=member.recorded)]
    if member.setter is not None:
        functions.append(_setter(wrapper, member.name, member.setter, recorded=member.recorded))
    if member.deleter is not None:
        functions.append(_deleter(wrapper, member.name, member.deleter, recorded=member.recorded))
    return MemberView(member.name, tuple(functions))


def _getter(
    wrapper: _Wrapper, name: str, signature: Signature, maker: str, *, recorded: bool
) -> FunctionView:
    receiver = signature.receiver.name if signature.receiver else "self"
    port = f"{_instance(wrapper, signature, receiver, {receiver})}.{wrapper.port}"
    header = _header(wrapper, name, signature)
    body: tuple[Nest | str, ...]
    if recorded:
        event = wrapper.maker.get(_event_name(wrapper, name), name, signature)
        wrapper.events.append(event.view)
        body = tuple(_handing(wrapper, event, signature, port, {receiver}))
    else:
        inner = Nest(f'{port}.unrecorded("{name}").{name}', (), "")
        body = tuple(_returning(wrapper, signature, inner, {receiver}, direct=True))
    decorators = (maker, *_decorators(wrapper, signature))
    return FunctionView(decorators, header, signature.docstring, body)


def _setter(
    wrapper: _Wrapper, name: str, signature: Signature, *, recorded: bool, slotted: bool = False
) -> FunctionView:
    receiver = signature.receiver.name if signature.receiver else "self"
    value = signature.parameters[0].name if signature.parameters else "value"
    port = f"{_instance(wrapper, signature, receiver, {receiver})}.{wrapper.port}"
    header = _header(wrapper, name, signature)
    body: tuple[Nest | str, ...]
    if recorded:
        event_name = _event_name(wrapper, name, "Set")
        event = wrapper.maker.set(event_name, f"{name}.set", name, signature, slotted=slotted)
        wrapper.events.append(event.view)
        quiet = replace(signature, returned="none")
        body = tuple(
            _handing(wrapper, event, quiet, port, {receiver, value}, {"value": value})
        )
    else:
        body = (f'{port}.unrecorded("{name}").{name} = {value}',)
    return FunctionView((f"{name}.setter",), header, signature.docstring, body)


def _deleter(
    wrapper: _Wrapper, name: str, signature: Signature, *, recorded: bool
) -> FunctionView:
    receiver = signature.receiver.name if signature.receiver else "self"
    port = f"{_instance(wrapper, signature, receiver, {receiver})}.{wrapper.port}"
    header = _header(wrapper, name, signature)
    body: tuple[Nest | str, ...]
    if recorded:
        event_name = _event_name(wrapper, name, "Delete")
        event = wrapper.maker.delete(event_name, f"{name}.delete", name, signature)
        wrapper.events.append(event.view)
        quiet = replace(signature, returned="none")
        body = tuple(_handing(wrapper, event, quiet, port, {receiver}))
    else:
        body = (f'del {port}.unrecorded("{name}").{name}',)
    return FunctionView((f"{name}.deleter",), header, signature.docstring, body)


def _attribute(wrapper: _Wrapper, member: Attribute) -> DeclaredView | MemberView:
    names, bound = wrapper.names, wrapper.members
    receiver = Parameter("self", Kind.POSITIONAL)
    getter = Signature((), member.value, "value", receiver, lazy=member.lazy)
    value = Parameter("value", Kind.POSITIONAL, member.value)
    setter = Signature((value,), ("None",), "none", receiver, lazy=member.lazy)
    maker = names.spell((Reference("property", "builtin"),), bound=bound)
    running = [_getter(wrapper, member.name, getter, maker, recorded=member.recorded)]
    if member.settable:
        running.append(
            _setter(
                wrapper, member.name, setter, recorded=member.recorded, slotted=member.slotted
            )
        )
    if member.final:
        return MemberView(member.name, tuple(running))
    shown = names.annotation(member.annotation, lazy=member.lazy, bound=bound)
    return DeclaredView(member.name, f"{member.name}: {shown}", (), tuple(running))


def names_for(boundary: Boundary) -> Chosen:
    """The names that a boundary would like to define."""
    name = camel(boundary.qualname.replace(".", "_"))
    lower = snake(name)
    return Chosen(f"Vcr{name}", lower.upper(), name, f"vcr_{lower}_is_a_{lower}")
