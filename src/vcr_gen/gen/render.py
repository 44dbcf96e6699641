"""Writes views as text; the one module that knows jinja2."""

import traceback
from pathlib import Path

from jinja2 import (
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateSyntaxError,
)

from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.gen.layout import Item, Nest, docstring, fit
from vcr_gen.gen.ownership import MARK, is_ours
from vcr_gen.gen.resources import templates_dir
from vcr_gen.gen.views import ModuleView, PackageView

__all__ = ["Renderer", "TemplateFailedError"]


class TemplateFailedError(Exception):
    """A template could not be read or filled in."""

    def __init__(self, template: str, line: int, reason: str) -> None:
        self.template = template
        self.line = line
        self.reason = reason
        super().__init__(f"{template}:{line}: {reason}")

    def diagnostic(self) -> Diagnostic:
        """What to tell the user."""
        hint = "templates/README.md lists what templates can use"
        return Diagnostic(self.template, self.line, 0, "VCR111", self.reason, hint)


class Renderer:
    """Fills in the templates of one folder, falling back to the shipped ones one by one."""

    def __init__(self, template_dir: Path | None, line_length: int) -> None:
        folders = [template_dir] if template_dir else []
        self._environment = Environment(
            loader=FileSystemLoader([*folders, templates_dir()]),
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

    def module(self, view: ModuleView) -> str:
        """The text of a generated module."""
        return self._render("module.py.jinja", module=view)

    def package(self, view: PackageView) -> str:
        """The text of a generated package's `__init__`."""
        return self._render("package.py.jinja", package=view)

    def _render(self, name: str, **data: ModuleView | PackageView) -> str:
        try:
            text = self._environment.get_template(name).render(**data)
        except Exception as error:  # a template is a program: anything can go wrong in it
            place, line = _place(error)
            raise TemplateFailedError(place or name, line, _reason(error)) from error
        if not is_ours(text):
            reason = f"what it writes must begin with the line `{MARK}`"
            raise TemplateFailedError(name, 1, reason)
        return text


def _place(error: Exception) -> tuple[str, int]:
    """The template that an error comes from, and the line in it."""
    if isinstance(error, TemplateSyntaxError):
        return error.name or "", error.lineno
    steps = traceback.extract_tb(error.__traceback__)
    in_templates = [step for step in steps if step.filename.endswith(".jinja")]
    if not in_templates:
        return "", 0
    return Path(in_templates[-1].filename).name, in_templates[-1].lineno or 0


def _reason(error: Exception) -> str:
    kind = "" if isinstance(error, TemplateError) else f"{type(error).__name__}: "
    return f"{kind}{error}"


def _nest(before: str, items: list[Item], after: str = ")") -> Nest:
    return Nest(before, tuple(items), after)


def _import(item: Nest, indent: int, width: int) -> str:
    """An import statement: parentheses only where it is broken."""
    if not item.before.startswith("from "):
        return fit(item, indent, width)
    flat = f"{item.before.removesuffix('(')}{', '.join(str(one) for one in item.items)}"
    if indent + len(flat) <= width:
        return " " * indent + flat
    return fit(Nest(item.before, item.items, ")"), indent, 0)
