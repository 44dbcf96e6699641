"""Makes the wrapper of a boundary: the Protocol's signatures around typed events."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

from vcr_gen.gen.model.annotation import (
    CALLABLE,
    NONE,
    List,
    Name,
    Reference,
    Union,
    builtin,
    references,
    subscript,
    without_quotes,
)
from vcr_gen.gen.model.annotation_text import string_literal
from vcr_gen.gen.model.boundaries import (
    Attribute,
    Boundary,
    Kind,
    Method,
    NestedClass,
    Property,
    TypeVariable,
)
from vcr_gen.gen.model.field_rules import matched_places, places_inside
from vcr_gen.gen.model.kinds import When
from vcr_gen.gen.wrappers.bodies import cast_to
from vcr_gen.gen.wrappers.conformance import conformance
from vcr_gen.gen.wrappers.context import Chosen, Wrapper, is_declared_on_instance, protocol_text
from vcr_gen.gen.wrappers.events import RUNTIME, EventMaker
from vcr_gen.gen.wrappers.generic_headers import generic_header
from vcr_gen.gen.wrappers.headers import header_of
from vcr_gen.gen.wrappers.layout import Nest
from vcr_gen.gen.wrappers.methods import method
from vcr_gen.gen.wrappers.names import Names
from vcr_gen.gen.wrappers.properties import attribute_member, property_member
from vcr_gen.gen.wrappers.views import (
    AttributeView,
    BoundaryView,
    DeclaredView,
    FunctionView,
    MemberView,
)

__all__ = ["make_boundary"]


def make_boundary(
    names: Names,
    boundary: Boundary,
    chosen: Chosen,
    variables: Mapping[Reference, TypeVariable],
    *,
    new_event: Callable[[str], str],
    handles: tuple[str, ...],
) -> BoundaryView:
    """The wrapper, events and constant of one boundary."""
    target = protocol_text(boundary)
    maker = EventMaker(names, boundary, variables, target)
    wrapper = Wrapper(names, boundary, chosen, maker, new_event)
    members = list(_members(wrapper))
    attributes = [one for one in members if isinstance(one, AttributeView)]
    declared = [one for one in members if isinstance(one, DeclaredView)]
    plain = [one for one in members if isinstance(one, MemberView)]
    shown = names.name(boundary.reference)
    tail = boundary.qualname.partition(".")[2]
    qualified = f"{shown}.{tail}" if tail else shown
    return BoundaryView(
        name=boundary.name,
        protocol=boundary.qualname,
        constant=chosen.constant,
        wrapper=chosen.wrapper,
        header=_header(wrapper),
        docstring=f"Records and replays `{boundary.qualname}`.",
        constructors=tuple(_constructors(wrapper)) if wrapper.is_explicit else (),
        attach=_attach(wrapper) if wrapper.is_explicit else None,
        aliases=tuple(_nested(wrapper, qualified)),
        attributes=tuple(attributes),
        declared=tuple(declared),
        members=tuple(plain),
        events=tuple(wrapper.events),
        options=tuple(_options(wrapper, handles)),
        factory=names.own(RUNTIME, "Boundary"),
        conformance=conformance(wrapper),
    )


def _header(wrapper: Wrapper) -> Nest:
    """`class VcrFiles(OutboundWrapper[Files]):`."""
    names, variables = wrapper.names, list(wrapper.boundary.type_parameters)
    if wrapper.is_explicit:
        return generic_header(names, wrapper.chosen.wrapper, variables)
    target = names.known(wrapper.maker.target)
    evaluated = all(one.when is When.ALWAYS for one in references(target))
    shown = names.spell(target, evaluated=True) if evaluated else names.quoted(target)
    base = names.own(RUNTIME, wrapper.port_class.replace("Port", "Wrapper"))
    # A base that can be evaluated says which variables the wrapper is generic in.
    needed = variables if wrapper.boundary.brackets or not evaluated else []
    return generic_header(names, wrapper.chosen.wrapper, needed, base=f"{base}[{shown}]")


def _nested(wrapper: Wrapper, protocol: str) -> Iterator[str]:
    """The classes in the Protocol's body; no type checker takes a Protocol for one of them.

    Where the Protocol itself is there for type checkers alone, so are they.
    """
    nested = [one for one in wrapper.boundary.members if isinstance(one, NestedClass)]
    ports = [one.name for one in nested if one.protocol]
    classes = []
    if len(ports) < len(nested):
        alias = wrapper.names.own("typing", "TypeAlias", bound=wrapper.members)
        plain = [one.name for one in nested if not one.protocol]
        classes = [f"{name}: {alias} = {protocol}.{name}" for name in plain]
    missing = bool(wrapper.boundary.reference.when)
    if not missing:
        yield from classes
    if not ports and not (missing and classes):
        return
    yield f"if {wrapper.names.own('typing', 'TYPE_CHECKING', bound=wrapper.members)}:"
    if missing:
        yield from (f"    {one}" for one in classes)
    maker = wrapper.names.spell(Name(builtin("type")), bound=wrapper.members)
    yield from (f"    {name}: {maker}[{protocol}.{name}]" for name in ports)
    if not missing:
        yield "else:"
        yield from (f"    {name} = {protocol}.{name}" for name in ports)


def _options(wrapper: Wrapper, handles: tuple[str, ...]) -> Iterator[str | Nest]:
    boundary = wrapper.boundary
    yield string_literal(boundary.name)
    yield f'direction="{boundary.direction}"'
    yield f'protocol="{boundary.reference.module}:{boundary.qualname}"'
    yield f"wrapper={wrapper.chosen.wrapper}"
    calls = tuple(f'"{one.key}": {one.name}' for one in wrapper.events)
    if calls:
        yield Nest("calls={", calls, "}")
    opposite = [
        one.key
        for one in wrapper.events
        if one.key.partition("#")[0].partition(".")[0] in wrapper.opposite
    ]
    if opposite:
        yield Nest("opposite={", tuple(string_literal(one) for one in opposite), "}")
    for keyword, listed in (("secret", boundary.secret), ("volatile", boundary.volatile)):
        if inside := places_inside(boundary, listed):
            items = (f"{string_literal(one)}: {_tuple(paths)}" for one, paths in inside.items())
            yield Nest(f"{keyword}={{", tuple(items), "}")
    if matched := matched_places(boundary):
        items = (
            f"{string_literal(member)}: {{{_functions(wrapper, functions)}}}"
            for member, functions in matched.items()
        )
        yield Nest("match={", tuple(items), "}")
    if handles:
        yield Nest("handles=(", tuple(map(string_literal, handles)), is_tuple=True)


def _tuple(paths: list[str]) -> str:
    return f"({''.join(f'{string_literal(path)}, ' for path in paths)})"


def _functions(wrapper: Wrapper, functions: Mapping[str, tuple[str, str]]) -> str:
    return ", ".join(
        f"{string_literal(path)}: {wrapper.names.own(module, name)}"
        for path, (module, name) in functions.items()
    )


def _constructors(wrapper: Wrapper) -> Iterator[FunctionView]:
    names, boundary, maker = wrapper.names, wrapper.boundary, wrapper.maker
    bound = wrapper.members
    optional = wrapper.port_class == "OutboundPort"
    cassette = names.own(RUNTIME, "Cassette", bound=bound)
    inner_type = Union((maker.target, NONE)) if optional else maker.target
    inner = names.own_annotation(inner_type, bound=bound)
    # Beside `(self, dsn, /, **options)`, no signature may take the instance by keyword.
    receivers = [one.receiver for one in boundary.constructors]
    bare = any(one is not None and one.kind is Kind.POSITIONAL_ONLY for one in receivers)
    receiver = ("self", "/") if bare else ("self",)
    given = f"inner: {inner}{' = None' if optional else ''}"
    items = (*receiver, "*", f"cassette: {cassette}", given)
    port = names.own(RUNTIME, wrapper.port_class)
    constant = wrapper.chosen.constant
    own = names.own_annotation(maker.target)
    if not boundary.constructors:
        body = Nest(f"{port}(", ("cassette", constant, "inner", "self"), ")")
        # mypy reads the body once per constraint, and then does not know which to believe.
        constrained = any(one.arguments for one in boundary.type_parameters)
        kept = _kept(wrapper, body, annotation=f"{port}[{own}]" if constrained else "")
        header = Nest("def __init__(", items, ") -> None:")
        declared = _declarations(wrapper, {"self", "cassette", "inner"})
        yield FunctionView((), header, None, (kept, *declared))
        return
    overload = names.own("typing", "overload")
    any_name = names.own("typing", "Any", bound=bound)
    yield FunctionView((overload,), Nest("def __init__(", items, ") -> None: ..."), None, ())
    for signature in boundary.constructors:
        plain = replace(signature, asynchronous=False, returns=signature.returns or NONE)
        behind = wrapper.inside(signature)
        header = header_of(behind, "__init__", plain, stub=True)
        yield FunctionView((overload,), header, None, ())
    made = Nest(f"{port}.from_arguments(", (constant, "args", "kwargs", "self"), ")")
    body = _kept(wrapper, made, annotation=f"{port}[{own}]")
    yield FunctionView(
        (),
        Nest(
            "def __init__(",
            (*receiver, f"*args: {any_name}", f"**kwargs: {any_name}"),
            ") -> None:",
        ),
        None,
        (body, *_declarations(wrapper, {"self", "args", "kwargs"})),
    )


def _declarations(wrapper: Wrapper, bound: Collection[str]) -> Iterator[str]:
    """The attributes that type checkers need declared on the instance.

    By a value: to mypy, a Protocol's `Callable` is a method until all types are known, and it asks
    before that whether `Self` may be the argument of a type.
    """
    attributes = [
        one
        for one in wrapper.boundary.members
        if isinstance(one, Attribute) and is_declared_on_instance(one)
    ]
    if attributes:
        yield f"if {wrapper.names.own('typing', 'TYPE_CHECKING', bound=bound)}:"
    for one in attributes:
        value = cast_to(wrapper, without_quotes(one.annotation), "self", bound).flat
        yield f"    self.{one.declared or one.name} = {value}"


def _kept(wrapper: Wrapper, value: Nest, annotation: str = "") -> Nest:
    """The statement that keeps the port; around the Protocol's own `__setattr__` if it has one."""
    if any(one.name == "__setattr__" for one in wrapper.boundary.members):
        return Nest("object.__setattr__(", ("self", f'"{wrapper.port}"', value), ")")
    typed = f": {annotation}" if annotation else ""
    return Nest(f"self.{wrapper.port}{typed} = {value.before}", value.items, value.after)


def _attach(wrapper: Wrapper) -> FunctionView | None:
    if wrapper.port_class != "OutboundPort":
        return None
    names, bound = wrapper.names, wrapper.members
    cassette = names.own(RUNTIME, "Cassette", bound=bound)
    factory = subscript(CALLABLE, List(()), wrapper.maker.target)
    real = names.own_annotation(factory, bound=bound)
    self_type = names.own("typing", "Self", bound=bound)
    return FunctionView(
        (names.spell(Name(builtin("classmethod")), bound=bound),),
        Nest(
            f"def {wrapper.attach}(",
            ("cls", f"cassette: {cassette}", f"factory: {real}"),
            f") -> {self_type}:",
        ),
        "Wrap what `factory` builds; it is called only when the cassette calls the real thing.",
        (
            Nest(
                "return cls(",
                ("cassette=cassette", "inner=factory() if cassette.calls_real else None"),
                ")",
            ),
        ),
    )


def _members(wrapper: Wrapper) -> Iterator[MemberView | DeclaredView | AttributeView]:
    for member in wrapper.boundary.members:
        match member:
            case Method():
                yield method(wrapper.inside(*member.signatures), member)
            case Property():
                yield property_member(wrapper, member)
            case Attribute():
                yield attribute_member(wrapper, member)
