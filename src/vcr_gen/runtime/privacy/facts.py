"""Takes secrets out of what an error tells: a recording made without redaction may hold some."""

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from vcr_gen.runtime.codec import MISSING, Difference
from vcr_gen.runtime.privacy.secrets import Secrets

__all__ = ["without_secrets"]

_T = TypeVar("_T")


def without_secrets(facts: _T, secrets: Secrets) -> _T:
    """The same facts, every text and value in them redacted."""
    return cast("_T", _clean(facts, secrets))


def _clean(value: Any, secrets: Secrets) -> Any:
    if isinstance(value, str):
        return secrets.without_known(value)
    if isinstance(value, tuple):
        return tuple(_clean(item, secrets) for item in value)
    if isinstance(value, Difference):
        recorded, actual = (
            side if side is MISSING else secrets.redactor.redact(side)
            for side in (value.recorded, value.actual)
        )
        return replace(value, recorded=recorded, actual=actual)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value,
            **{each.name: _clean(getattr(value, each.name), secrets) for each in fields(value)},
        )
    return value
