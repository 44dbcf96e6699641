"""The classes whose members go into a Protocol: the extracted one and its bases."""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import zip_longest
from typing import TypeAlias

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from vcr_gen.gen.rewrite.find_class import class_node, definition_of, type_variables
from vcr_gen.gen.rewrite.new_module import NewModule
from vcr_gen.gen.rewrite.respell import respell_text
from vcr_gen.gen.sources.loader import Definition, SourceLoader
from vcr_gen.gen.sources.modules import Module
from vcr_gen.gen.sources.syntax import decode
from vcr_gen.gen.types.scope import Scope, is_type_variable

__all__ = ["Owner", "Statement", "in_brackets"]

Statement: TypeAlias = cst.ClassDef | cst.FunctionDef | cst.SimpleStatementLine


@dataclass(frozen=True)
class Owner:
    """A class, and how the module of the Protocol spells its names."""

    loader: SourceLoader
    new: NewModule
    extracted: Definition
    definition: Definition
    known: Mapping[str, Callable[[], str]]
    """The spelling of type variables: the argument that a base gets, `Self`, or their name."""

    @property
    def node(self) -> ast.ClassDef:
        """The class statement."""
        return class_node(self.definition)

    @property
    def scope(self) -> Scope:
        """What names mean in the module of the class."""
        return Scope(self.loader, self.definition.module)

    def spell(self, name: str) -> str:
        """The spelling of a name in the module of the Protocol."""
        if name in self.known:
            return self.known[name]()
        module = self.definition.module
        inner = module.class_types(self.node).get(name)
        if inner is not None and not is_type_variable(self.loader, module, inner.node):
            return f"{self.new.spell(module, self.node.name)}.{name}"
        return self.new.spell(module, name)

    def spell_returned(self, name: str) -> str:
        """The spelling in a result: the class returns what fits the Protocol, but takes itself."""
        own = self.extracted
        if name != own.qualname:
            return self.spell(name)
        found = definition_of(self.loader, self.loader.follow(self.definition.module, name))
        is_own = found is not None and found.node is own.node
        # The Protocol of a generic class in a stub has no type variables.
        variables = own.module.is_stub and type_variables(self.loader, own)
        return self.new.protocol if is_own and not variables else self.spell(name)

    def lineage(self) -> list["Owner"]:
        """This class and its bases, as far as their source can be read."""
        found = [self]
        for base in self.node.bases:
            definition = self.scope.resolve(base)
            if self.definition.module.standard:
                definition = definition_of(self.loader, definition)
            if isinstance(definition, Definition) and isinstance(definition.node, ast.ClassDef):
                known = self._arguments(base, definition)
                for owner in replace(self, definition=definition, known=known).lineage():
                    if all(owner.node is not known_owner.node for known_owner in found):
                        found.append(owner)
        return found

    def _arguments(self, base: ast.expr, definition: Definition) -> dict[str, Callable[[], str]]:
        """The arguments of a base by its type variables; `Any` where none is given."""
        inner = getattr(base, "slice", None)
        given = inner.elts if isinstance(inner, ast.Tuple) else [inner] if inner else []
        variables = type_variables(self.loader, definition)
        texts = [_unquoted(argument) for argument in given[: len(variables)]]
        return {
            variable: partial(respell_text, text, self.spell)
            for variable, text in zip_longest(variables, texts, fillvalue="Any")
        }

    @cached_property
    def statements(self) -> Mapping[int, Statement]:
        """The class, its functions and its simple statements, by line."""
        every = decode(self.definition.module.path.read_bytes()).split("\n")
        lines = every[self.node.lineno - 1 : self.node.end_lineno]
        outer = "if True:" if lines[0][:1].isspace() else ""
        module = cst.parse_module("\n".join([outer, *lines]))
        places = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
        return {
            place.start.line + self.node.lineno - 2: statement
            for statement, place in places.items()
            if isinstance(statement, Statement)
        }

    @property
    def is_frozen(self) -> bool:
        """Whether attributes cannot be set: a frozen dataclass, a named tuple."""
        parts = [*self.node.bases, *self.node.decorator_list]
        return any(
            ("NamedTuple" in text or "frozen=True" in text) for text in map(ast.unparse, parts)
        )


def in_brackets(module: Module, node: ast.stmt) -> dict[str, Callable[[], str]]:
    """The type parameters in the brackets of a class or function, which keep their names."""
    names = [parameter.name for parameter in module.parsed.type_parameters(node)]
    return {name: partial(str, name) for name in names}


def _unquoted(argument: ast.expr) -> str:
    value = getattr(argument, "value", None)
    return value if isinstance(value, str) else ast.unparse(argument)
