"""Writes views as text; the one module that knows jinja2."""

import traceback
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from jinja2 import (
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateNotFound,
    TemplateSyntaxError,
)

from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.gen.model.annotation_text import string_literal
from vcr_gen.gen.output.ownership import MARK, is_ours
from vcr_gen.gen.resources import templates_dir
from vcr_gen.gen.settings.config import Config
from vcr_gen.gen.wrappers.layout import Item, Nest, docstring, fit
from vcr_gen.gen.wrappers.views import ModuleView, PackageView


class TemplateFailedError(Exception):
    """A template could not be read or filled in."""

    def __init__(self, template: Path, line: int, reason: str) -> None:
        self.template = template
        self.line = line
        self.reason = reason
        super().__init__(f"{template}:{line}: {reason}")

    def diagnostic(self, config: Config) -> Diagnostic:
        """What to tell the user."""
        hint = "templates/README.md lists what templates can use"
        shown = config.display(self.template)
        return Diagnostic(shown, self.line, min(self.line, 1), "VCR111", self.reason, hint)


class _Loader(FileSystemLoader):
    """Finds templates; reports a file that is not UTF-8 by its own name."""

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        try:
            return super().get_source(environment, template)
        except UnicodeDecodeError as error:
            files = (Path(folder, template) for folder in self.searchpath)
            file = next(file for file in files if file.exists())
            raise TemplateFailedError(file, 0, _reason(error)) from error


class Renderer:
    """Fills in the templates of one folder, falling back to the shipped ones one by one."""

    def __init__(self, template_dir: Path | None, line_length: int) -> None:
        own = [template_dir] if template_dir else []
        self._folders = (*own, templates_dir())
        self._environment = Environment(
            loader=_Loader(self._folders),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,
        )
        self._environment.globals["nest"] = _nest
        self._environment.filters["fit"] = lambda item, indent=0: fit(item, indent, line_length)
        self._environment.filters["imported"] = lambda item, indent=0: _import(
            item, indent, line_length
        )
        self._environment.filters["docstring"] = docstring
        self._environment.filters["prefix"] = _prefix
        self._environment.filters["suffix"] = _suffix
        self._environment.filters["literal"] = string_literal

    def module(self, view: ModuleView) -> str:
        """The text of a generated module."""
        return self._render("module.py.jinja", module=view)

    def package(self, view: PackageView) -> str:
        """The text of a generated package's `__init__`."""
        return self._render("package.py.jinja", package=view)

    def _render(self, name: str, **data: ModuleView | PackageView) -> str:
        try:
            text = self._environment.get_template(name).render(**data)
        except TemplateFailedError:
            raise
        except Exception as error:  # a template is a program: anything can go wrong in it
            place, line = self._place(error) or (self._file_of(name), 0)
            raise TemplateFailedError(place, line, _reason(error)) from error
        if not is_ours(text):
            reason = f"its output must begin with the line `{MARK}`"
            raise TemplateFailedError(self._file_of(name), 1, reason)
        return text

    def _file_of(self, name: str) -> Path:
        """Where the template of that name is found first."""
        files = [folder / name for folder in self._folders]
        return next((file for file in files if file.exists()), files[-1])

    def _place(self, error: Exception) -> tuple[Path, int] | None:
        """The template that an error comes from, and the line in it."""
        if isinstance(error, TemplateSyntaxError):
            return (Path(error.filename), error.lineno) if error.filename else None
        for step in reversed(traceback.extract_tb(error.__traceback__)):
            file = Path(step.filename)
            if any(file.is_relative_to(folder) for folder in self._folders):
                return file, step.lineno or 0
        return None


def _reason(error: Exception) -> str:
    if isinstance(error, TemplateNotFound):
        return f"there is no template {error.name!r}, here or among the shipped ones"
    kind = "" if isinstance(error, TemplateError) else f"{type(error).__name__}: "
    return f"{kind}{error}"


def _nest(before: str, items: Iterable[Item], after: str = ")", *, is_tuple: bool = False) -> Nest:
    return Nest(before, tuple(items), after, is_tuple)


def _prefix(item: Item, before: str) -> Item:
    """Code with something before it, such as `return `."""
    return before + item if isinstance(item, str) else replace(item, before=before + item.before)


def _suffix(item: Item, after: str) -> Item:
    """Code with something after it."""
    return item + after if isinstance(item, str) else replace(item, after=item.after + after)


def _import(item: Nest, indent: int, width: int) -> str:
    """An import statement: parentheses only where it is broken."""
    if not item.before.startswith("from "):
        return fit(item, indent, width)
    flat = f"{item.before.removesuffix('(')}{', '.join(str(part) for part in item.items)}"
    if indent + len(flat) <= width:
        return " " * indent + flat
    return fit(Nest(item.before, item.items, ")"), indent, 0)
