"""Replaces the type parameters of generic classes by their arguments."""

from collections.abc import Iterable, Mapping, Sequence

from vcr_gen.gen.model.annotation import (
    ANY,
    ELLIPSIS,
    TUPLE,
    Annotation,
    List,
    Name,
    Quoted,
    Starred,
    Subscript,
    Tuple,
    dotted,
    full_name,
    replace_nodes,
    subscript,
    without_quotes,
)
from vcr_gen.gen.model.boundaries import TypeVariable

__all__ = ["assigned", "fill"]


def assigned(
    parameters: Sequence[TypeVariable], given: Sequence[Annotation] | None
) -> dict[str, Annotation]:
    """Which argument each type parameter gets: its default, or `Any`, where none is given.

    Nothing is given where there are no brackets; `Base[()]` gives its TypeVarTuple no types.
    """
    rest = list(given or ())
    single = len(rest) == 1 and _may_be_parameters(rest[0])
    if len(parameters) == 1 and parameters[0].kind == "ParamSpec" and rest and not single:
        return {parameters[0].name: List(tuple(rest))}  # `X[int, str]` is `X[[int, str]]`
    found: dict[str, Annotation] = {}
    for index, parameter in enumerate(parameters):
        name, kind, default = parameter.name, parameter.kind, parameter.default
        if kind == "TypeVarTuple" and given is not None:
            taken = rest[: len(rest) - _wanted_after(parameters[index + 1 :], rest)]
            found[name] = Tuple(tuple(part for argument in taken for part in _spread(argument)))
            rest = rest[len(taken) :]
        elif rest:
            found[name] = rest.pop(0)
        elif default is None:
            found[name] = _default(kind)
        else:  # which may speak of the parameters before it
            filled = fill(default, found)
            several = kind == "TypeVarTuple" and not isinstance(filled, Tuple)
            found[name] = Tuple((filled,)) if several else filled
    return found


def _may_be_parameters(argument: Annotation) -> bool:
    """Whether an argument can stand for a ParamSpec; a variable may be another ParamSpec."""
    variable = isinstance(argument, Name) and argument.reference.is_variable
    concatenate = full_name(argument) == "typing.Concatenate"
    return isinstance(argument, List) or argument == ELLIPSIS or variable or concatenate


def _wanted_after(parameters: Sequence[TypeVariable], given: Sequence[Annotation]) -> int:
    """How many of the arguments the parameters after a TypeVarTuple take.

    A ParamSpec with a default keeps it where the last argument cannot be a list of parameters.
    """
    last = parameters[-1] if parameters else None
    defaults = last is not None and last.kind == "ParamSpec" and last.default is not None
    left = defaults and not (given and _may_be_parameters(given[-1]))
    return len(parameters) - left


def _spread(argument: Annotation) -> tuple[Annotation, ...]:
    """The types in an argument of a TypeVarTuple; one with a `*` where their number is open.

    `Unpack[...]` becomes a `*`, and `*tuple[int, str]` is the same as `int, str`.
    """
    match argument:
        case Subscript(value=value, inner=inner) if full_name(value) == "typing.Unpack":
            return _spread(Starred(inner))
        case Starred(value=Subscript() as whole) if ELLIPSIS not in whole.arguments:
            if full_name(whole) in {"builtins.tuple", "typing.Tuple"}:
                return tuple(part for inner in whole.arguments for part in _spread(inner))
    return (argument,)


def _default(kind: str) -> Annotation:
    if kind == "ParamSpec":
        return ELLIPSIS
    return Tuple((Starred(subscript(TUPLE, ANY, ELLIPSIS)),)) if kind == "TypeVarTuple" else ANY


def fill(annotation: Annotation, arguments: Mapping[str, Annotation]) -> Annotation:
    """Replace type parameters by what they stand for."""
    return _Filler(arguments).fill(annotation) if arguments else annotation


class _Filler:
    def __init__(self, arguments: Mapping[str, Annotation]) -> None:
        self.arguments = arguments

    def fill(self, annotation: Annotation) -> Annotation:
        return replace_nodes(annotation, self._filled)

    def _filled(self, node: Annotation) -> Annotation | None:
        match node:
            case Name(reference=reference, tail=tail) if reference.is_variable:
                argument = self.arguments.get(reference.spelling)
                return None if argument is None else dotted(argument, tail)
            case Quoted(inner=inner):
                filled = self.fill(inner)
                return node if filled == inner else Quoted(without_quotes(filled), "")
            case Tuple(elements=elements):
                return Tuple(self._elements(elements))
            case List(elements=elements):
                return List(self._elements(elements))
            case Starred(value=value):
                return Starred(_packed(self.fill(value)))
            case Subscript():
                return self._subscript(node, self.fill(node.value))
        return None

    def _subscript(self, node: Subscript, value: Annotation) -> Annotation:
        name = full_name(value)
        if name == "typing.Annotated" and isinstance(node.inner, Tuple):
            first, *metadata = node.arguments
            return Subscript(value, Tuple((self.fill(first), *metadata)))
        if name == "typing.Concatenate":
            *front, last = self._elements(node.arguments)
            if isinstance(last, List):
                return List((*front, *last.elements))
            if isinstance(last, Subscript) and full_name(last) == "typing.Concatenate":
                return Subscript(value, Tuple((*front, *last.arguments)))
            return Subscript(value, Tuple((*front, last)))
        if name == "typing.Unpack":
            return Subscript(value, _packed(self.fill(node.inner)))
        if isinstance(node.inner, Tuple):
            return Subscript(value, self.fill(node.inner))
        return subscript(value, *self._elements([node.inner]))

    def _elements(self, elements: Iterable[Annotation]) -> tuple[Annotation, ...]:
        """The elements filled in; `*Ts` and `Unpack[Ts]` spread over several."""
        found: list[Annotation] = []
        for element in elements:
            argument = self.arguments.get(_pack(element))
            if isinstance(argument, Tuple):
                found.extend(argument.elements)
            else:
                found.append(self.fill(element))
        return tuple(found)


def _packed(argument: Annotation) -> Annotation:
    """The types of a TypeVarTuple as one type: `tuple[int, str]`."""
    match argument:
        case Tuple(elements=(Starred(value=value),)):
            return value  # `tuple[*tuple[int, ...]]` is `tuple[int, ...]`
        case Tuple():
            return Subscript(TUPLE, argument)
    return argument


def _pack(element: Annotation) -> str:
    """The name of the TypeVarTuple in `*Ts` and `Unpack[Ts]`."""
    match element:
        case Starred(value=Name(reference=reference)):
            return reference.spelling
        case Subscript(value=value, inner=Name(reference=reference)):
            return reference.spelling if full_name(value) == "typing.Unpack" else ""
    return ""
