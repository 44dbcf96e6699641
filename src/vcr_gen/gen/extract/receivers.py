"""Says for which instances an overload is: by how it annotates `self`."""

import ast
from collections.abc import Iterable, Mapping

from vcr_gen.gen.extract.own_name import last_word
from vcr_gen.gen.extract.variables import read
from vcr_gen.gen.sources.library import Library
from vcr_gen.gen.sources.modules import Module
from vcr_gen.gen.sources.syntax import Function
from vcr_gen.gen.types.scope import Scope, parsed_string

__all__ = ["attributes_of", "is_for_others", "is_for_some"]


def is_for_some(node: ast.stmt) -> bool:
    """Whether the receiver of a method is annotated with arguments: `self: IO[bytes]`."""
    annotation = _receiver(node)
    return isinstance(annotation, ast.Subscript) and last_word(annotation.value) not in {
        "type",
        "Type",
    }


def is_for_others(
    node: ast.stmt, library: Library, module: Module, attributes: Mapping[str, str]
) -> bool:
    """Whether a class with these attributes can be no receiver: `self: AsyncClient`.

    That is a Protocol then, and declares an attribute with another type than the class does.
    """
    annotation = _receiver(node)
    found = read(library, Scope(library, module).resolve(annotation)) if annotation else None
    if found is None or not isinstance(found.node, ast.ClassDef):
        return False
    demanded = attributes_of([found.node])
    return any(last_word(base) == "Protocol" for base in found.node.bases) and any(
        attributes.get(name, said) != said for name, said in demanded.items()
    )


def attributes_of(classes: Iterable[ast.ClassDef]) -> dict[str, str]:
    """The annotations of all attributes, private ones too; the first class that has one counts."""
    found: dict[str, str] = {}
    for node in classes:
        for one in node.body:
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
                found.setdefault(one.target.id, ast.unparse(_opened(one.annotation)))
    return found


def _receiver(node: ast.stmt) -> ast.expr | None:
    """The annotation of `self`."""
    if not isinstance(node, Function):
        return None
    receiver = next(iter([*node.args.posonlyargs, *node.args.args]), None)
    annotation = receiver.annotation if receiver else None
    return annotation and _opened(annotation)


def _opened(annotation: ast.expr) -> ast.expr:
    """What a string annotation says."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return parsed_string(annotation.value) or annotation
    return annotation
