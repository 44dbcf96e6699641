"""Copies an annotation or a default into another module, where names may be spelled differently."""

from collections.abc import Callable
from typing import Final, TypeAlias, TypeVar, cast

import libcst as cst

__all__ = ["Spell", "code_of", "last_word", "respell", "respell_text"]

Spell: TypeAlias = Callable[[str], str]
"""Gives the spelling of a name in the new module."""

_Node = TypeVar("_Node", bound=cst.CSTNode)

_BARE: Final = {
    **dict.fromkeys(("dict", "Dict", "Mapping"), "[Any, Any]"),
    **dict.fromkeys(("list", "List", "set", "Set", "frozenset", "Iterable", "Iterator"), "[Any]"),
    **dict.fromkeys(("tuple", "Tuple"), "[Any, ...]"),
    "Callable": "[..., Any]",
}
"""Generic classes that code without strict checks uses bare, and what they mean then."""


def code_of(node: cst.CSTNode) -> str:
    """The text of a node."""
    return cst.Module([]).code_for_node(node)


def last_word(node: cst.BaseExpression) -> str:
    """`name` of `name`, `module.name` and `module.name(...)`."""
    return code_of(node).partition("(")[0].rpartition(".")[2]


def respell(node: _Node, spell: Spell, *, strings: bool = True) -> _Node:
    """A copy with names as the new module spells them; `strings` are annotations too."""
    return cast("_Node", node.visit(_Respell(spell, strings=strings)))


def respell_text(text: str, spell: Spell) -> str:
    """A copy of an annotation that is given as text."""
    return code_of(respell(cst.parse_expression(text), spell))


class _Respell(cst.CSTTransformer):
    def __init__(self, spell: Spell, *, strings: bool) -> None:
        super().__init__()
        self.spell = spell
        self.strings = strings

    def on_visit(self, node: cst.CSTNode) -> bool:
        # The words after a dot and before `=` are not names of the module.
        return not isinstance(node, cst.Attribute | cst.Subscript | cst.Arg)

    def on_leave(self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT) -> cst.CSTNodeT:
        copied: cst.CSTNode = updated_node
        match original_node:
            case cst.Name(value=name):
                spelled = self.spell(name)
                if self.strings and spelled == name and name in _BARE:
                    spelled += _BARE[name].replace("Any", self.spell("Any"))
                copied = updated_node if spelled == name else cst.parse_expression(spelled)
            case cst.Attribute(value=cst.Name(value=name)) if self.spell(name) == "...":
                copied = cst.parse_expression(self.spell("Any"))  # `P.args`
            case cst.Attribute(value=value) | cst.Arg(value=value):
                copied = updated_node.with_changes(value=self._value(value))
            case cst.Subscript(value=value, slice=elements):
                if last_word(value) != "Literal":  # whose strings are words
                    elements = [respell(element, self.spell) for element in elements]
                copied = updated_node.with_changes(value=self._value(value), slice=elements)
            case cst.SimpleString() if self.strings:
                copied = self._string(original_node)
        return cast("cst.CSTNodeT", copied)

    def _value(self, node: cst.BaseExpression) -> cst.BaseExpression:
        return respell(node, self.spell, strings=False)

    def _string(self, node: cst.SimpleString) -> cst.SimpleString:
        try:
            inner = respell_text(node.raw_value, self.spell)
        except cst.ParserSyntaxError:
            return node  # metadata of `Annotated`
        return node.with_changes(value=f"{node.prefix}{node.quote}{inner}{node.quote}")
