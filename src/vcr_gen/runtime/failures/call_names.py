"""Names of calls, for statistics, rules and messages."""

from collections.abc import Mapping
from functools import lru_cache

from vcr_gen.runtime.failures.format_values import cut, filled, shown_forms
from vcr_gen.runtime.failures.signature_drift import declared_types
from vcr_gen.runtime.failures.text_diff import visible
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import hidden

_WIDTH = 100


def call_name(of: str, arguments: Mapping[str, Plain], signature: str) -> str:
    """`Boundary.method`; or `http GET /jobs/7`, if the method's `signature` says how."""
    named = _naming_parameter(signature)
    if named is None or named[0] not in arguments:
        return of
    text = filled(named[1], arguments[named[0]])
    return cut(f"{of.partition('.')[0]} {visible(hidden(text))}", _WIDTH) if text else of


@lru_cache(1024)
def _naming_parameter(signature: str) -> tuple[str, str] | None:
    """The parameter that names the calls of a method, and its form."""
    forms = ((name, shown_forms(type_).name) for name, type_ in declared_types(signature).items())
    return next(((name, form) for name, form in forms if form), None)
