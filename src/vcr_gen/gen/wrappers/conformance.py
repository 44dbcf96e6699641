"""Makes the function at which a type checker fails when Protocol and wrapper drift apart."""

from collections.abc import Iterator
from typing import Final

from vcr_gen.gen.model.annotation import Annotation, Name, walk_with_owners
from vcr_gen.gen.model.boundaries import Attribute, Boundary, TypeVariable
from vcr_gen.gen.wrappers.context import Wrapper, own_type, protocol_text
from vcr_gen.gen.wrappers.generic_headers import generic_header
from vcr_gen.gen.wrappers.layout import Nest
from vcr_gen.gen.wrappers.views import FunctionView

__all__ = ["conformance"]

_SENT_TO: Final = {"typing.AsyncGenerator", "typing.Coroutine", "typing.Generator"}


def conformance(wrapper: Wrapper) -> FunctionView:
    """The function that takes the wrapper and gives it back as the Protocol."""
    names, boundary = wrapper.names, wrapper.boundary
    brackets = ""
    open_ends = _unsolved(boundary)
    others = [one for one in boundary.type_parameters if one not in open_ends]
    if boundary.brackets and others:
        header = generic_header(names, "", others).before
        brackets = header[len("class ") : -1]
    own = own_type(wrapper, unsolved=open_ends)
    protocol = names.own_annotation(protocol_text(boundary, unsolved=open_ends))
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


def _unsolved(boundary: Boundary) -> list[TypeVariable]:
    """Type parameters of which pyright cannot tell what they stand for.

    It finds out none that no member mentions and, beside others, none that is always twice turned
    round: `S` in a parameter of type `Sink[S]`, where a sink takes an `S`. Which types turn their
    arguments round is not known here; all do that are not Python's own. Nor can it tell of a
    wrapper for every specialisation that it has what only some have.
    """
    selective = any(one.selective for one in boundary.signatures())
    single = len(boundary.type_parameters) == 1
    solved = {
        node.reference
        for annotation, turns in _annotations(boundary)
        for node, owners in walk_with_owners(annotation)
        if isinstance(node, Name)
        and (
            single or turns + sum(map(_turns_round, owners)) < 2 or not any(map(_is_class, owners))
        )
    }
    return [
        one
        for one in boundary.type_parameters
        if one.kind != "TypeVarTuple" and (selective or one.reference not in solved)
    ]


def _annotations(boundary: Boundary) -> Iterator[tuple[Annotation, int]]:
    """All annotations, and how often what stands there is turned round already."""
    for signature in boundary.signatures():
        given = [*signature.parameters, *([signature.receiver] if signature.receiver else [])]
        yield from ((one.annotation, 1) for one in given if one.annotation)
        if signature.returns:
            yield signature.returns, 0
    for member in boundary.members:
        if isinstance(member, Attribute):
            yield member.annotation, 0


def _turns_round(full_name: str) -> bool:
    return full_name == "typing.Callable" or _is_class(full_name)


def _is_class(full_name: str) -> bool:
    """Whether it may be a class that takes what its arguments say; `Callable` is none."""
    own = full_name.startswith(("builtins.", "typing.")) and full_name not in _SENT_TO
    return bool(full_name) and not own
