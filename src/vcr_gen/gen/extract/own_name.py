"""Says what the name of a class means in its Protocol: the Protocol itself, or the class."""

import ast
from dataclasses import dataclass
from typing import Final, TypeVar

from vcr_gen.gen.types.scope import parsed_string

__all__ = ["OwnName", "is_type_variable", "last_word", "renamed"]

_Node = TypeVar("_Node", bound=ast.AST)

_COVARIANT: Final = frozenset(
    {
        *("AbstractAsyncContextManager", "AbstractContextManager", "AsyncContextManager"),
        *("AsyncGenerator", "AsyncIterable", "AsyncIterator", "Awaitable", "Collection"),
        *("ContextManager", "Coroutine", "Generator", "Iterable", "Iterator", "Optional"),
        *("Sequence", "Tuple", "Union", "frozenset", "tuple"),
    }
)


@dataclass(frozen=True, slots=True)
class OwnName:
    """The name of the class that a Protocol is taken from.

    Whoever returns itself returns something that fits the Protocol too. What is passed in, or can
    be set, must be the class: it takes nothing less, and would not fit its own Protocol otherwise.
    """

    name: str
    """The class's name."""
    protocol: str
    """The Protocol's name."""
    brackets: str = ""
    """The arguments of the class where nothing is known of them: `[Any]`."""

    @property
    def real(self) -> str:
        """What the class is called in the module of the Protocol."""
        return self.name if self.name != self.protocol else f"Real{self.name}"

    def taken(self, annotation: _Node) -> _Node:
        """An annotation of what is passed in or can be set."""
        return renamed(annotation, self.name, self.real)

    def given(self, annotation: ast.expr) -> ast.expr:
        """An annotation of what is returned."""
        match annotation:
            case ast.Name(id=self.name):
                return ast.parse(f"{self.protocol}{self.brackets}", mode="eval").body
            case ast.Constant(value=str(text)) if (inner := parsed_string(text)) is not None:
                return ast.Constant(ast.unparse(self.given(inner)))
            case ast.BinOp(left, ast.BitOr(), right):
                return ast.BinOp(self.given(left), ast.BitOr(), self.given(right))
            case ast.Tuple(elements):
                return ast.Tuple([self.given(one) for one in elements])
            case ast.Subscript(value, inner) if last_word(value) in _COVARIANT:
                return ast.Subscript(value, self.given(inner))
        return self.taken(annotation)


def renamed(tree: _Node, old: str, new: str) -> _Node:
    """An annotation with another name, or a dotted one; in strings too, but not in a `Literal`."""

    class Replacing(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return ast.parse(new, mode="eval").body if node.id == old else node

        def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
            return node if last_word(node.value) == "Literal" else self.generic_visit(node)

        def visit_Constant(self, node: ast.Constant) -> ast.Constant:
            inner = parsed_string(node.value) if isinstance(node.value, str) else None
            return node if inner is None else ast.Constant(ast.unparse(self.visit(inner)))

    result: _Node = Replacing().visit(tree)
    return result


def is_type_variable(node: ast.stmt) -> bool:
    """Whether a statement defines one: `T = TypeVar("T")`."""
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and last_word(node.value) in {"ParamSpec", "TypeVar", "TypeVarTuple"}
    )


def last_word(node: ast.expr) -> str:
    """`name` of `name`, `module.name` and `name(...)`."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
