"""What changed in a signature since a cassette was recorded, in words."""

import ast
from collections.abc import Mapping
from functools import lru_cache

__all__ = [
    "changed_parameters",
    "declared_types",
    "migration_of",
    "same_signature",
    "signature_change",
]

_RESULT = "return"


def same_signature(recorded: str, current: str) -> bool:
    """Whether two signatures say the same, though one may name the modules of its types.

    Those that Python evaluates are remembered with their modules, those that stay text as written.
    """
    said = _said(recorded)
    return recorded == current or (
        bool(said) and list(said.items()) == list(_said(current).items())
    )


def signature_change(name: str, recorded: str | None, current: str | None) -> str:
    """How the signature changed; empty when it did not, or is not known."""
    if recorded is None or current is None or same_signature(recorded, current):
        return ""
    before, after = _parameters(recorded), _parameters(current)
    added = [parameter for parameter in after if parameter not in before]
    removed = [parameter for parameter in before if parameter not in after]
    if len(added) == len(removed) == 1:
        return f"recorded before parameter `{removed[0]}` of `{name}` was renamed to `{added[0]}`"
    if added:
        return f"recorded before {_list(added)} {_were(added)} added to `{name}`"
    if removed:
        return f"recorded before {_list(removed)} {_were(removed)} removed from `{name}`"
    retyped = [parameter for parameter in after if before[parameter] != after[parameter]]
    if retyped:
        return f"recorded before the type of {_list(retyped)} of `{name}` changed"
    return f"recorded before the result type of `{name}` changed"


def changed_parameters(recorded: str | None, current: str | None) -> set[str]:
    """The parameters, by their old and new names, that are not what they were."""
    if recorded is None or current is None:
        return set()
    before, after = _parameters(recorded), _parameters(current)
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def migration_of(name: str, recorded: str | None, current: str | None) -> list[str] | None:
    """The options with which `vcr-gen cassette migrate` follows the change; None where it cannot.

    A parameter with a default needs none. Where types changed, the recorded values are still old.
    """
    before, after = _parameters(recorded or ""), _parameters(current or "")
    if before.keys() == after.keys():
        return None
    removed = [parameter for parameter in before if parameter not in after]
    added = [parameter for parameter in after if parameter not in before]
    if len(added) == len(removed) == 1:
        return ["--rename-parameter", f"{name}.{removed[0]}={added[0]}"]
    return [word for parameter in removed for word in ("--remove-parameter", f"{name}.{parameter}")]


@lru_cache(1024)
def declared_types(signature: str) -> Mapping[str, str]:
    """The types of a recorded signature by parameter, the result's under `return`.

    A file may hold anything, so nothing when it is odd.
    """
    return {
        name: ast.unparse(annotation) if annotation else ""
        for name, annotation in _annotations(signature)
    }


def _annotations(signature: str) -> list[tuple[str, ast.expr | None]]:
    try:
        function = ast.parse(f"def _{signature}: ...").body[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    if not isinstance(function, ast.FunctionDef):
        return []
    arguments = [(argument.arg, argument.annotation) for argument in function.args.args]
    return [*arguments, (_RESULT, function.returns)]


def _said(signature: str) -> dict[str, str]:
    """The types as they can be compared: without the modules in which they are."""
    return {
        name: ast.unparse(_LastNames().visit(annotation)) if annotation else ""
        for name, annotation in _annotations(signature)
    }


def _parameters(signature: str) -> dict[str, str]:
    return {name: type_ for name, type_ in _said(signature).items() if name != _RESULT}


class _LastNames(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return ast.Name(node.attr, ast.Load())


def _list(names: list[str]) -> str:
    words = ", ".join(f"`{name}`" for name in names)
    return f"parameter {words}" if len(names) == 1 else f"parameters {words}"


def _were(names: list[str]) -> str:
    return "was" if len(names) == 1 else "were"
