"""A recorded signature taken apart, and put together again, with every type as it was spelled."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

__all__ = ["Signature"]


@dataclass(frozen=True, slots=True)
class Signature:
    """Names and types of a method, as a cassette remembers them."""

    parameters: Mapping[str, str]
    result: str

    @classmethod
    def read(cls, text: str) -> Self | None:
        """The signature in a text such as `(command: str) -> str`; None when it is none."""
        source = f"def _{text}: ..."
        try:
            function = ast.parse(source).body[0]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        if not isinstance(function, ast.FunctionDef) or function.returns is None:
            return None

        def spelled(node: ast.expr | None) -> str:
            return "" if node is None else ast.get_source_segment(source, node) or ""

        parameters = {one.arg: spelled(one.annotation) for one in function.args.args}
        return cls(parameters, spelled(function.returns))

    def __str__(self) -> str:
        parts = ", ".join(f"{name}: {type_}" for name, type_ in self.parameters.items())
        return f"({parts}) -> {self.result}"
