"""Replaces the type parameters of generic classes by their arguments."""

from collections.abc import Mapping, Sequence

from vcr_gen.gen.model.annotation import (
    ANY,
    Annotation,
    Name,
    Quoted,
    Subscript,
    Tuple,
    dotted,
    full_name,
    replace_nodes,
    without_quotes,
)
from vcr_gen.gen.model.boundaries import TypeVariable

__all__ = ["assigned", "fill"]


def assigned(
    parameters: Sequence[TypeVariable], given: Sequence[Annotation]
) -> dict[str, Annotation]:
    """Which argument each type parameter gets: its default, or `Any`, where none is given."""
    found: dict[str, Annotation] = {}
    for index, parameter in enumerate(parameters):
        if index < len(given):
            found[parameter.name] = given[index]
        else:  # a default may mention the parameters before it
            found[parameter.name] = fill(parameter.default or ANY, found)
    return found


def fill(annotation: Annotation, arguments: Mapping[str, Annotation]) -> Annotation:
    """Replace type parameters by what they stand for."""

    def filled(node: Annotation) -> Annotation | None:
        match node:
            case Name(reference=reference, tail=tail) if reference.is_variable:
                argument = arguments.get(reference.spelling)
                return None if argument is None else dotted(argument, tail)
            case Quoted(inner=inner):
                changed = fill(inner, arguments)
                return node if changed == inner else Quoted(without_quotes(changed), "")
            case Subscript(value=value, inner=Tuple(elements=(first, *metadata))):
                if full_name(value) == "typing.Annotated":
                    return Subscript(value, Tuple((fill(first, arguments), *metadata)))
        return None

    return replace_nodes(annotation, filled) if arguments else annotation
