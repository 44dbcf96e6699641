"""The module that is being written: its imports, and copies of text with its names."""

import ast
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar, cast

import libcst as cst

from vcr_gen.gen.model.annotation import When
from vcr_gen.gen.rewrite.find_class import definition_of
from vcr_gen.gen.sources.loader import SourceLoader
from vcr_gen.gen.sources.modules import Module
from vcr_gen.gen.types.import_targets import exporter
from vcr_gen.gen.types.scope import is_type_variable
from vcr_gen.gen.wrappers.import_statements import Import, ProjectTest, statements

Spell: TypeAlias = Callable[[str], str]
"""Gives the spelling of a name in the new module."""

_Node = TypeVar("_Node", bound=cst.CSTNode)


@dataclass(slots=True)
class NewModule:
    """Collects the imports that copied text needs, each from where the original module has it."""

    loader: SourceLoader
    protocol: str
    """The name of the class that the new module defines."""
    imports: set[Import] = field(default_factory=set)
    checking: set[Import] = field(default_factory=set)
    """The imports that only type checkers can do."""
    taken: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The names of the new module: which module and attribute each stands for."""
    builtins: set[str] = field(default_factory=set)
    """The names that are not imported; a member of the same name would hide them."""

    def add(self, home: str, attribute: str, name: str = "", *, checking: bool = False) -> str:
        """Import something, and return its name here: another one if its own is taken."""
        name = name or attribute
        spelled, number = (f"Real{name}" if name == self.protocol else name), 1
        while self.taken.setdefault(spelled, (home, attribute)) != (home, attribute):
            number += 1
            spelled = f"{name}{number}"
        (self.checking if checking else self.imports).add(Import(home, attribute, spelled))
        return spelled

    def spell(self, module: Module, name: str) -> str:
        """The local name for a name of another module."""
        binding = self.loader.binding(module, name)
        if binding is None:
            self.builtins.add(name)
            return self.add("typing", "Any") if name == "Any" else name
        private = module.is_stub and (binding.attribute or name).startswith("_")
        if private and (replaced := self._replaced(module, name)):
            return replaced
        checking = (
            private
            or binding.when is When.CHECKING
            or binding.module.partition(".")[0] == "_typeshed"  # which exists for checkers only
        )
        if isinstance(binding.node, ast.Import):
            if name != binding.module.partition(".")[0]:
                return self.add(binding.module, "", name, checking=checking)
            (self.checking if checking else self.imports).add(Import(binding.module, "", name))
            return name
        home, attribute = module.name, name
        if binding.module:
            home, attribute = exporter(self.loader, binding, name)
        if home == "typing_extensions" and hasattr(typing, attribute):
            home = "typing"  # the other may not be installed
        return self.add(home, attribute, name, checking=checking)

    def _replaced(self, module: Module, name: str) -> str:
        """The text for a private alias or type variable of a stub; neither exists at run time."""
        found = definition_of(self.loader, self.loader.follow(module, name))
        if found is None:
            return ""
        if isinstance(found.node, ast.AnnAssign) and isinstance(found.node.value, ast.Name):
            return self.spell(found.module, found.node.value.id)
        if not is_type_variable(self.loader, found.module, found.node):
            return ""
        text, anything = ast.unparse(found.node), self.add("typing", "Any")
        if "ParamSpec(" in text:
            return "..."
        return f"tuple[{anything}, ...]" if "TypeVarTuple(" in text else anything

    def header(self, *, lazy: bool) -> Iterator[str]:
        """The blocks above the class; `lazy` annotations are never evaluated."""
        is_project = ProjectTest(tuple(self.loader.sources))
        if self.checking:
            self.add("typing", "TYPE_CHECKING")
        if lazy or self.checking:
            yield "from __future__ import annotations"
        for section in statements(self.imports, is_project):
            yield "\n".join(statement.flat for statement in section)
        if self.checking:
            sections = statements(self.checking, is_project)
            lines = [statement.flat for section in sections for statement in section]
            yield "if TYPE_CHECKING:\n    " + "\n    ".join(lines)


# Copies of annotations and defaults, whose names may be spelled differently here.


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
