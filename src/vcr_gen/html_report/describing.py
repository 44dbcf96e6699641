"""What the page knows about a whole tape: where it is, what it says about itself."""

import ast
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from vcr_gen.runtime.plain import Plain

__all__ = ["describe_tape"]

_RESULT: Final = "return"


def describe_tape(path: Path, header: Mapping[str, Plain], count: int) -> dict[str, object]:
    """The facts above the events; `count` is the number of entries that follow."""
    boundaries = header.get("boundaries", {})
    return {
        "name": _text(path.name),
        "path": _text(str(path)),
        "events": count,
        "recorded_at": header.get("recorded_at"),
        "anchors": header.get("anchors", []),
        "initial_state": exact(header["initial_state"]) if "initial_state" in header else None,
        "boundaries": {
            name: _boundary(about)
            for name, about in (boundaries.items() if isinstance(boundaries, dict) else ())
            if isinstance(about, dict)
        },
    }


def exact(value: Plain) -> str:
    """A value as JSON text, which the page reads itself.

    JavaScript's own reader would lose the order of keys, `1.0`, and the end of large numbers.
    """
    return json.dumps(value, ensure_ascii=False)


def _boundary(about: Mapping[str, Plain]) -> dict[str, object]:
    methods = about.get("methods", {})
    return {
        "direction": about.get("direction"),
        "methods": {
            name: {"signature": signature, "types": _types(signature)}
            for name, signature in (methods.items() if isinstance(methods, dict) else ())
            if isinstance(signature, str)
        },
    }


def _types(signature: str) -> dict[str, str]:
    """The declared types by parameter; a file may hold anything, so nothing when odd."""
    try:
        function = ast.parse(f"def _{signature}: ...").body[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    if not isinstance(function, ast.FunctionDef):
        return {}
    found = {
        parameter.arg: parameter.annotation
        for parameter in ast.walk(function.args)
        if isinstance(parameter, ast.arg)
    }
    found[_RESULT] = function.returns
    return {name: ast.unparse(type_) for name, type_ in found.items() if type_ is not None}


def _text(name: str) -> str:
    """A path as text; file names can hold bytes that are none."""
    return os.fsencode(name).decode(errors="replace")
