"""Makes the view of a boundary: its wrapper, its events and its constant."""

from collections.abc import Callable, Iterator, Mapping
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
from vcr_gen.gen.model.boundaries import (
    Attribute,
    Boundary,
    Method,
    Property,
    TypeVariable,
)
from vcr_gen.gen.model.field_rules import matched_places, places_inside
from vcr_gen.gen.model.kinds import When
from vcr_gen.gen.wrappers.checker_view import is_declared_on_instance, is_unsolved
from vcr_gen.gen.wrappers.context import Chosen, WrapperContext, protocol_text
from vcr_gen.gen.wrappers.event_classes import RUNTIME, EventMaker
from vcr_gen.gen.wrappers.generic_headers import brackets_of, generic_argument, generic_header
from vcr_gen.gen.wrappers.headers import header_of
from vcr_gen.gen.wrappers.layout import Nest
from vcr_gen.gen.wrappers.methods import make_method
from vcr_gen.gen.wrappers.names import Names
from vcr_gen.gen.wrappers.properties import make_attribute, make_property
from vcr_gen.gen.wrappers.views import (
    AttributeView,
    BodyView,
    BoundaryView,
    ConformanceView,
    FunctionView,
    MemberView,
    PortView,
    SplitView,
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
    maker = EventMaker(names, boundary, variables, protocol_text(boundary))
    context = WrapperContext(names, boundary, chosen, maker, new_event)
    members = [*_construction(context), *_members(context)]
    return BoundaryView(
        name=boundary.name,
        protocol=boundary.qualname,
        protocol_module=boundary.reference.module,
        direction=boundary.direction,
        constant=chosen.constant,
        wrapper=chosen.wrapper,
        header=_header(context),
        port=None if context.has_base else _port(context),
        attributes=tuple(member for member in members if isinstance(member, AttributeView)),
        split=tuple(member for member in members if isinstance(member, SplitView)),
        members=tuple(member for member in members if isinstance(member, MemberView)),
        events=tuple(context.events),
        opposite=tuple(
            event.key
            for event in context.events
            if event.key.partition("#")[0].partition(".")[0] in context.opposite
        ),
        secret=places_inside(boundary, boundary.field_rules.secret),
        volatile=places_inside(boundary, boundary.field_rules.volatile),
        match={
            member: {path: names.own(*function) for path, function in functions.items()}
            for member, functions in matched_places(boundary).items()
        },
        handles=handles,
        factory=names.own(RUNTIME, "Boundary"),
        conformance=_conformance(context),
    )


def _members(context: WrapperContext) -> Iterator[MemberView | SplitView | AttributeView]:
    for member in context.boundary.members:
        match member:
            case Method():
                yield make_method(context.inside(*member.signatures), member)
            case Property():
                yield make_property(context, member)
            case Attribute():
                yield make_attribute(context, member)


def _header(context: WrapperContext) -> Nest:
    """`class VcrFiles(OutboundWrapper[Files]):`."""
    names, variables = context.names, list(context.boundary.type_parameters)
    if not context.has_base:
        return generic_header(names, context.chosen.wrapper, variables)
    target = names.known(context.maker.target)
    evaluated = all(reference.when is When.ALWAYS for reference in references(target))
    shown = names.spell(target, evaluated=True) if evaluated else names.quoted(target)
    base = names.own(RUNTIME, f"{context.direction}Wrapper")
    # A base that can be evaluated says which variables the wrapper is generic in.
    needed = variables if context.boundary.brackets or not evaluated else []
    return generic_header(names, context.chosen.wrapper, needed, base=f"{base}[{shown}]")


def _port(context: WrapperContext) -> PortView:
    port = context.names.own(RUNTIME, f"{context.direction}Port")
    target = context.names.own_annotation(context.maker.target)
    return PortView(context.port, f"{port}[{target}]")


# How a wrapper is built, where its base does not say it.


def _construction(context: WrapperContext) -> Iterator[MemberView | SplitView]:
    """`__init__` and `attach`."""
    real = None if context.has_base else _init(context)
    shown = tuple(_shown_init(context))
    if shown:
        yield SplitView("__init__", shown, (real,) if real else ())
    elif real:
        yield MemberView("__init__", (real,))
    if real and context.direction == "Outbound":
        yield MemberView(context.attach, (_attach(context),))


def _init(context: WrapperContext) -> FunctionView:
    names = context.names
    port = names.own(RUNTIME, f"{context.direction}Port")
    arguments = (
        "self",
        f'"{context.port}"',
        Nest(f"{port}(", ("cassette", context.chosen.constant, "inner", "self")),
    )
    return FunctionView((), _init_header(context), None, BodyView("init", arguments=arguments))


def _shown_init(context: WrapperContext) -> Iterator[FunctionView]:
    """`__init__` as type checkers see it: with the Protocol's own, and what it declares."""
    names, bound = context.names, {"self", "cassette", "inner", "args", "kwargs"}
    declarations = tuple(
        (
            member.name,
            names.spell(without_quotes(member.annotation), bound=bound),
        )
        for member in context.boundary.members
        if isinstance(member, Attribute) and is_declared_on_instance(member)
    )
    constructors = context.boundary.constructors
    if not constructors and not declarations:
        return
    body = BodyView("declare", declarations=declarations)
    if not constructors:
        yield FunctionView((), _init_header(context), None, body)
        return
    overload = names.own("typing", "overload", bound=context.members)
    yield FunctionView((overload,), _init_header(context, stub=True))
    for signature in constructors:
        plain = replace(signature, asynchronous=False, returns=signature.returns or NONE)
        header = header_of(context.inside(signature), "__init__", plain, stub=True)
        yield FunctionView((overload,), header)
    any_name = names.own("typing", "Any", bound=context.members)
    items = (*_init_receiver(context), f"*args: {any_name}", f"**kwargs: {any_name}")
    end = ") -> None:" if declarations else ") -> None: ..."
    yield FunctionView((), Nest("def __init__(", items, end), None, body if declarations else None)


def _init_header(context: WrapperContext, *, stub: bool = False) -> Nest:
    names, bound, target = context.names, context.members, context.maker.target
    optional = context.direction == "Outbound"
    cassette = names.own(RUNTIME, "Cassette", bound=bound)
    inner = names.own_annotation(Union((target, NONE)) if optional else target, bound=bound)
    given = f"inner: {inner}{' = None' if optional else ''}"
    items = (*_init_receiver(context), "*", f"cassette: {cassette}", given)
    return Nest("def __init__(", items, f") -> None:{' ...' if stub else ''}")


def _init_receiver(context: WrapperContext) -> tuple[str, ...]:
    # Beside `(self, dsn, /, **options)`, no signature may take the instance by keyword.
    bare = any(signature.has_bare_receiver for signature in context.boundary.constructors)
    return ("self", "/") if bare else ("self",)


def _attach(context: WrapperContext) -> FunctionView:
    names, bound = context.names, context.members
    cassette = names.own(RUNTIME, "Cassette", bound=bound)
    factory = subscript(CALLABLE, List(()), context.maker.target)
    items = (
        "cls",
        f"cassette: {cassette}",
        f"factory: {names.own_annotation(factory, bound=bound)}",
    )
    own = names.own("typing", "Self", bound=bound)
    return FunctionView(
        (names.spell(Name(builtin("classmethod")), bound=bound),),
        Nest(f"def {context.attach}(", items, f") -> {own}:"),
        None,
        BodyView("attach"),
    )


def _conformance(context: WrapperContext) -> ConformanceView:
    names, variables = context.names, context.boundary.type_parameters
    brackets = brackets_of(names, variables) if context.boundary.brackets else ""
    given = ", ".join(generic_argument(names, variable) for variable in variables)
    return ConformanceView(
        f"{context.chosen.conformance}{brackets}",
        f"{context.chosen.wrapper}[{given}]" if given else context.chosen.wrapper,
        names.own_annotation(context.maker.target),
        is_unsolved(context.boundary),
    )
