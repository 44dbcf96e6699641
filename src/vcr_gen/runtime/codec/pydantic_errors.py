"""pydantic's ValidationError: made by its core, so that it has no arguments to rebuild it from."""

from __future__ import annotations

import sys
from typing import Any, Final

from vcr_gen.runtime.codec.exceptions import ExceptionNode
from vcr_gen.runtime.codec.fault import Fault
from vcr_gen.runtime.codec.node import Node, Nodes


def validation_error_node(nodes: Nodes, cls: type[Any], name: str) -> Node | None:
    """The node of `pydantic.ValidationError`."""
    core = sys.modules.get("pydantic_core")
    if core is None or cls is not core.ValidationError:
        return None
    return ValidationErrorNode(nodes, cls, name, core)


class ValidationErrorNode(ExceptionNode):
    """A ValidationError: its arguments are its title and the list of what is wrong."""

    def __init__(self, nodes: Nodes, cls: type[Any], name: str, core: Any) -> None:
        super().__init__(nodes, cls, name, {})
        self._core: Final = core

    def arguments(self, value: BaseException) -> list[object]:
        """The title and the errors."""
        error: Any = value
        return [error.title, error.errors(include_url=False)]

    def make(self, arguments: list[object]) -> BaseException:
        """An equal error."""
        try:
            title, errors = arguments
            lines = [self._line(each) for each in _listed(errors)]
            made: BaseException = self._core.ValidationError.from_exception_data(title, lines)
        except Exception as error:
            got = f"arguments it refuses ({type(error).__name__}: {error})"
            raise Fault(self.name, got) from error
        made.args = ()  # as in one that pydantic raised
        return made

    def _line(self, error: dict[str, Any]) -> dict[str, Any]:
        try:
            self._core.PydanticKnownError(error["type"], error.get("ctx"))
        except KeyError:  # the user's own kind of error
            kind = self._core.PydanticCustomError(error["type"], error["msg"], error.get("ctx"))
            return {**error, "type": kind}
        return error


def _listed(errors: Any) -> list[dict[str, Any]]:
    return list(errors)
