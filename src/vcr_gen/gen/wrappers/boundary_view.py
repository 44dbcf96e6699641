"""Makes the view of a boundary: its wrapper, its events and its constant."""

from collections.abc import Iterator
from dataclasses import replace

from vcr_gen.gen.model.annotation import (
    CALLABLE,
    NONE,
    List,
    Union,
    When,
    references,
    subscript,
    without_quotes,
)
from vcr_gen.gen.model.boundary_model import Attribute, Boundary, Method, RuleKind
from vcr_gen.gen.wrappers.checker_view import is_declared_on_instance, is_unsolved
from vcr_gen.gen.wrappers.context import RUNTIME, WrapperContext
from vcr_gen.gen.wrappers.layout import Nest
from vcr_gen.gen.wrappers.members import make_attribute, make_method, make_property
from vcr_gen.gen.wrappers.signature_text import (
    brackets_of,
    function_of,
    generic_argument,
    header_of,
)
from vcr_gen.gen.wrappers.views import (
    AttributeView,
    BodyView,
    BoundaryView,
    ConformanceView,
    FunctionView,
    HeaderView,
    MemberView,
)


def make_boundary(context: WrapperContext, *, handles: tuple[str, ...]) -> BoundaryView:
    """The wrapper, events and constant of one boundary."""
    names, boundary, chosen = context.names, context.boundary, context.chosen
    attributes: list[AttributeView] = []
    members = [*_construction(context)]
    for member in boundary.members:
        if isinstance(member, Attribute):
            attributes.append(make_attribute(context, member))
        elif isinstance(member, Method):
            members.append(make_method(context.inside(*member.signatures), member))
        else:
            members.append(make_property(context, member))
    return BoundaryView(
        name=boundary.name,
        protocol=boundary.qualname,
        protocol_module=boundary.reference.module,
        direction=boundary.direction,
        constant=chosen.constant,
        wrapper=chosen.wrapper,
        header=_header(context),
        port="" if context.has_base else _port(context),
        attributes=tuple(attributes),
        members=tuple(members),
        events=tuple(context.events),
        opposite=tuple(
            event.key
            for event in context.events
            if event.key.partition("#")[0].partition(".")[0] in context.opposite
        ),
        secret=_paths_inside(boundary, "secret"),
        volatile=_paths_inside(boundary, "volatile"),
        match=_comparing_functions(context),
        handles=handles,
        factory=names.own(RUNTIME, "Boundary"),
        conformance=_conformance(context),
    )


def _paths_inside(boundary: Boundary, kind: RuleKind) -> dict[str, list[str]]:
    """The field paths that no annotation of an event carries, by member."""
    found: dict[str, list[str]] = {}
    for ruled in boundary.ruled_fields:
        if ruled.kind == kind and not ruled.is_parameter:
            found.setdefault(ruled.member, []).append(ruled.path)
    return found


def _comparing_functions(context: WrapperContext) -> dict[str, dict[str, str]]:
    """The functions that compare fields, by member and field path."""
    found: dict[str, dict[str, str]] = {}
    for ruled in context.boundary.ruled_fields:
        if ruled.function:
            found.setdefault(ruled.member, {})[ruled.path] = context.names.own(*ruled.function)
    return found


def _header(context: WrapperContext) -> HeaderView:
    """`class VcrFiles(OutboundWrapper[Files]):`."""
    names, variables = context.names, context.boundary.type_parameters
    if not context.has_base:
        return header_of(names, context.chosen.wrapper, variables)
    target = names.known(context.target)
    evaluated = all(reference.when is When.ALWAYS for reference in references(target))
    shown = names.spell(target, evaluated=True) if evaluated else names.quoted(target)
    base = names.own(RUNTIME, f"{context.direction}Wrapper")
    # A base that can be evaluated says which variables the wrapper is generic in.
    needed = variables if context.boundary.brackets or not evaluated else ()
    return header_of(names, context.chosen.wrapper, needed, base=f"{base}[{shown}]")


def _port(context: WrapperContext) -> str:
    port = context.names.own(RUNTIME, f"{context.direction}Port")
    return f"{context.port}: {port}[{context.names.own_annotation(context.target)}]"


# How a wrapper is built, where its base does not say it.


def _construction(context: WrapperContext) -> Iterator[MemberView]:
    """`__init__` and `attach`."""
    real = () if context.has_base else (_init(context),)
    shown = tuple(_shown_init(context))
    if real or shown:
        yield MemberView(real, declared=shown)
    if real and context.direction == "Outbound":
        yield MemberView((_attach(context),))


def _init(context: WrapperContext) -> FunctionView:
    port = context.names.own(RUNTIME, f"{context.direction}Port")
    made = Nest(f"{port}(", ("cassette", context.chosen.constant, "inner", "self"))
    body = BodyView("init", arguments=("self", f'"{context.port}"', made))
    return replace(_plain_init(context), body=body)


def _shown_init(context: WrapperContext) -> Iterator[FunctionView]:
    """`__init__` as type checkers see it: with the Protocol's own, and what it declares."""
    names, bound = context.names, {"self", "cassette", "inner", "args", "kwargs"}
    declarations = tuple(
        (member.name, names.spell(without_quotes(member.annotation), bound=bound))
        for member in context.boundary.members
        if isinstance(member, Attribute) and is_declared_on_instance(member)
    )
    constructors = context.boundary.constructors
    body = BodyView("declare", declarations=declarations) if declarations else None
    if not constructors:
        if body:
            yield replace(_plain_init(context), body=body)
        return
    overload = context.own("typing", "overload")
    yield replace(_plain_init(context), decorators=(overload,))
    for signature in constructors:
        plain = replace(
            signature, asynchronous=False, returns=signature.returns or NONE, decorators=()
        )
        yield function_of(context.inside(signature), "__init__", plain, overload)
    any_name = context.own("typing", "Any")
    parameters = (*_init_receiver(context), f"*args: {any_name}", f"**kwargs: {any_name}")
    yield FunctionView("__init__", parameters, "None", body=body)


def _plain_init(context: WrapperContext) -> FunctionView:
    target, optional = context.target, context.direction == "Outbound"
    cassette = context.own(RUNTIME, "Cassette")
    wrapped = Union((target, NONE)) if optional else target
    inner = context.names.own_annotation(wrapped, bound=context.members)
    given = f"inner: {inner}{' = None' if optional else ''}"
    parameters = (*_init_receiver(context), "*", f"cassette: {cassette}", given)
    return FunctionView("__init__", parameters, "None")


def _init_receiver(context: WrapperContext) -> tuple[str, ...]:
    # Beside `(self, dsn, /, **options)`, no signature may take the instance by keyword.
    bare = any(signature.has_bare_receiver for signature in context.boundary.constructors)
    return ("self", "/") if bare else ("self",)


def _attach(context: WrapperContext) -> FunctionView:
    cassette = context.own(RUNTIME, "Cassette")
    factory = context.names.own_annotation(
        subscript(CALLABLE, List(()), context.target), bound=context.members
    )
    return FunctionView(
        context.attach,
        ("cls", f"cassette: {cassette}", f"factory: {factory}"),
        context.own("typing", "Self"),
        (context.builtin("classmethod"),),
        body=BodyView("attach"),
    )


def _conformance(context: WrapperContext) -> ConformanceView:
    names, variables = context.names, context.boundary.type_parameters
    brackets = brackets_of(names, variables) if context.boundary.brackets else ""
    given = ", ".join(generic_argument(names, variable) for variable in variables)
    return ConformanceView(
        f"{context.chosen.conformance}{brackets}",
        f"{context.chosen.wrapper}[{given}]" if given else context.chosen.wrapper,
        names.own_annotation(context.target),
        is_unsolved(context.boundary),
    )
