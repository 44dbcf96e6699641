"""Collects the problems of a run, to report all at once."""

import ast
from dataclasses import dataclass, field
from typing import Final

from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.gen.settings.config import Config
from vcr_gen.gen.sources.modules import Module

_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})


class RefusedProtocolError(Exception):
    """One Protocol cannot be wrapped; the reason is already among the problems."""


class RefusedMemberError(Exception):
    """One member cannot be wrapped."""

    def __init__(self, code: str, message: str, hint: str, node: ast.AST) -> None:
        """Keep the parts of the diagnostic."""
        super().__init__(code, message, hint)
        self.code, self.message, self.hint, self.node = code, message, hint, node


@dataclass
class Problems:
    """The diagnostics of one run."""

    config: Config
    found: list[Diagnostic] = field(default_factory=list)

    def report(
        self, code: str, message: str, hint: str, *, module: Module, node: ast.AST | None
    ) -> None:
        """Add one problem at a place in the source."""
        line = getattr(node, "lineno", 0) if node is not None else 0
        column = getattr(node, "col_offset", -1) + 1 if node is not None else 0
        self.found.append(Diagnostic(self.display(module), line, column, code, message, hint))

    def report_rule(self, code: str, message: str, hint: str, *, line: int) -> None:
        """Add one problem with a rule of the configuration."""
        file = self.config.file
        shown = self.config.display(file) if file else "pyproject.toml"
        self.found.append(Diagnostic(shown, line, 1, code, message, hint))

    def display(self, module: Module) -> str:
        """The file of a module in messages: for the project, relative to the current folder."""
        known = self.source(module)
        own = self.config.root / known == module.path
        return self.config.display(module.path) if own else known

    def source(self, module: Module) -> str:
        """The file of a module: relative to where packages are installed, or to the project.

        An environment inside the project may lie elsewhere on another machine.
        """
        installed = [root for root in self.config.search_path if root.name in _INSTALLED]
        for root in (*installed, self.config.root, *self.config.search_path):
            if module.path.is_relative_to(root):
                return module.path.relative_to(root).as_posix()
        return "/".join(module.name.split(".")) + module.path.suffix
