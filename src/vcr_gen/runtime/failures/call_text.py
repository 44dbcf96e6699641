"""The text of a typed call, with secrets redacted."""

import typing
from dataclasses import fields
from typing import Any

from vcr_gen.errors import EncodeError
from vcr_gen.runtime.codec import Compiler
from vcr_gen.runtime.failures.format_values import show
from vcr_gen.runtime.privacy import Redaction, Secrets

__all__ = ["call_text"]


def call_text(call: Any) -> str:
    """A call with its arguments as they would be stored, redacted by the default rules."""
    secrets = Secrets(Redaction())
    compiler = Compiler(hide=secrets.hide)
    shown = []
    for name, annotation in _annotations(type(call)).items():
        value = getattr(call, name)
        try:
            plain = compiler.codec(annotation).encode(value)
        except EncodeError:  # a live object, or not a value of its type
            shown.append(f"{name}=<{type(value).__qualname__}>")
            continue
        made = secrets.redact("", "call", {name: plain})
        assert isinstance(made, dict)
        shown.append(f"{name}={show(made[name])}")
    return f"{type(call).__qualname__}({', '.join(shown)})"


def _annotations(cls: type[Any]) -> dict[str, object]:
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
    except Exception:  # a name under TYPE_CHECKING: treat every value as unknown
        hints = {}
    return {field.name: hints.get(field.name, _Unknown) for field in fields(cls)}


class _Unknown:
    """Replaces a type that cannot be resolved; no value matches it."""
