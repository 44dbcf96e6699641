"""Reads the declarations of type variables, and replaces them by the arguments they are given."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from vcr_gen.gen.model.annotation import (
    ANY,
    Annotation,
    Name,
    Quoted,
    Reference,
    Subscript,
    Tuple,
    dotted,
    full_name,
    replace_nodes,
    unquoted,
    variables_of,
    without_quotes,
)
from vcr_gen.gen.model.boundary_model import TypeVariable
from vcr_gen.gen.sources.loader import Definition, SourceLoader
from vcr_gen.gen.sources.modules import Module
from vcr_gen.gen.sources.type_parameters import TypeParameter
from vcr_gen.gen.types.resolve import resolve_names
from vcr_gen.gen.types.scope import TYPE_VARIABLES, Scope

_FLAGS = ("covariant", "contravariant", "infer_variance")


def declared_variables(
    loader: SourceLoader, annotations: Iterable[Annotation]
) -> tuple[TypeVariable, ...]:
    """The type variables in some annotations, of each spelling the first."""
    found: dict[str, Reference] = {}
    for reference in variables_of(annotations):
        found.setdefault(reference.spelling, reference)
    return tuple(declaration(loader, reference) for reference in found.values())


def declaration(loader: SourceLoader, reference: Reference) -> TypeVariable:
    """A type variable as its declaration describes it."""
    home = loader.module(reference.module)
    found = loader.follow(home, reference.attribute) if home else None
    call = getattr(found.node, "value", None) if isinstance(found, Definition) else None
    if not isinstance(found, Definition) or not isinstance(call, ast.Call):
        return TypeVariable(reference, "TypeVar")
    inner = Scope(loader, found.module)
    kind = TYPE_VARIABLES.get(inner.name_of(call.func), "TypeVar")
    keywords = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    bound, default = keywords.get("bound"), keywords.get("default")
    return TypeVariable(
        reference,
        kind,
        maker=_maker(call.func, found.module, defaulted=default is not None),
        arguments=tuple(resolve_names(argument, inner) for argument in call.args[1:]),
        bound=None if bound is None else unquoted(resolve_names(bound, inner)),
        default=None if default is None else resolve_names(default, inner),
        options=tuple(
            f"{name}=True"
            for name in _FLAGS
            if isinstance(keywords.get(name), ast.Constant)
            and getattr(keywords[name], "value", False)
        ),
    )


def _maker(function: ast.expr, module: Module, *, defaulted: bool) -> str:
    """The module to take `TypeVar` from: the source's choice, or one that knows defaults."""
    if defaulted and module.target.version < (3, 13):
        return "typing_extensions"
    while isinstance(function, ast.Attribute):
        function = function.value
    binding = module.binding(function.id) if isinstance(function, ast.Name) else None
    backport = binding is not None and binding.module == "typing_extensions"
    return "typing_extensions" if backport else "typing"


def bracketed(parameter: TypeParameter, scope: Scope) -> TypeVariable:
    """A type parameter in PEP 695 brackets."""
    reference = Reference(parameter.name, "parameter", full_name=parameter.name)
    variable = TypeVariable(
        reference,
        parameter.kind,
        default=None if parameter.default is None else resolve_names(parameter.default, scope),
    )
    match parameter.bound:
        case None:
            return variable
        case ast.Tuple(elts=elements):
            return replace(
                variable, arguments=tuple(resolve_names(element, scope) for element in elements)
            )
        case bound:
            return replace(variable, bound=resolve_names(bound, scope))


# Type parameters that a generic class or alias is given.


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
