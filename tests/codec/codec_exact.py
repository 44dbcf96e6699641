"""Whether two values are the same down to the types inside."""

from __future__ import annotations

import collections
import dataclasses
import decimal
import json
import re
import subprocess
import types
from collections import abc
from typing import Any

from vcr_gen.runtime.codec import Compiler, Registry
from vcr_gen.runtime.plain import Plain


def through_json(plain: Plain) -> Plain:
    """What a file gives back."""
    back: Plain = json.loads(json.dumps(plain, allow_nan=False))
    assert json.dumps(back) == json.dumps(plain)
    return back


def round_trip(annotation: object, value: object, compiler: Compiler | None = None) -> object:
    """Encode, store, decode."""
    recording = compiler or Compiler(registry=Registry())
    replaying = compiler or Compiler(registry=Registry())
    plain = recording.codec(annotation).encode(value)
    back: object = replaying.codec(annotation).decode(through_json(plain))
    return back


def identical(one: Any, other: Any) -> bool:
    """Equal, and of the same types at every depth."""
    if type(one) is not type(other):
        return False
    if isinstance(one, BaseException):
        return _same_exception(one, other)
    if isinstance(one, float | complex):
        return repr(one) == repr(other)
    if isinstance(one, re.Pattern | type):
        return one == other
    if dataclasses.is_dataclass(one) and not isinstance(one, type):
        return _same_parts(
            {f.name: getattr(one, f.name, None) for f in dataclasses.fields(one)},
            {f.name: getattr(other, f.name, None) for f in dataclasses.fields(other)},
        )
    if isinstance(one, subprocess.CompletedProcess | types.SimpleNamespace):
        return _same_parts(vars(one), vars(other))
    if isinstance(one, collections.defaultdict) and one.default_factory != other.default_factory:
        return False
    if isinstance(one, collections.deque) and one.maxlen != other.maxlen:
        return False
    if isinstance(one, abc.Mapping):
        return _same_parts(one, other)
    if isinstance(one, abc.Set):
        return one == other and {(type(x), x) for x in one} == {(type(x), x) for x in other}
    if isinstance(one, list | tuple | collections.deque | abc.ValuesView):
        return len(one) == len(other) and all(map(identical, one, other))
    if isinstance(one, decimal.Decimal):
        return repr(one) == repr(other)
    if hasattr(one, "model_fields_set"):
        return one == other and one.model_fields_set == other.model_fields_set
    if hasattr(one, "tzinfo"):
        return (one, one.fold, repr(one.tzinfo)) == (other, other.fold, repr(other.tzinfo))
    return bool(one == other)


def _same_parts(one: abc.Mapping[Any, Any], other: abc.Mapping[Any, Any]) -> bool:
    if list(map(repr, one)) != list(map(repr, other)) and set(one) != set(other):
        return False
    keys = zip(one, other, strict=True)
    if isinstance(one, collections.OrderedDict):
        return all(identical(a, b) and identical(one[a], other[b]) for a, b in keys)
    types_of_keys = sorted(map(_typed, one)) == sorted(map(_typed, other))
    return types_of_keys and all(identical(one[key], other[key]) for key in one)


def _typed(key: object) -> str:
    return f"{type(key)} {key!r}"


def _same_exception(one: Any, other: Any) -> bool:
    hidden = ("filename", "filename2", "errno", "strerror", "name", "path", "msg", "value", "code")
    if [getattr(one, each, None) for each in hidden] != [
        getattr(other, each, None) for each in hidden
    ]:
        return False
    slots = [getattr(one, name, None) for name in getattr(type(one), "__slots__", ())]
    others = [getattr(other, name, None) for name in getattr(type(one), "__slots__", ())]
    if hasattr(one, "errors") and not identical(one.errors(), other.errors()):
        return False
    return (
        identical(one.args, other.args)
        and identical(slots, others)
        and _same_parts(vars(one), vars(other))
        and identical(one.__cause__, other.__cause__)
        and one.__suppress_context__ == other.__suppress_context__
        and str(one) == str(other)
    )
