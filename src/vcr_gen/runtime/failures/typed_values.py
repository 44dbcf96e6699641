"""Gives stored values the types that the program declares, for messages.

On the tape a member of an enum is its name, and a record a mapping: the program knows `Status.PAID`
and `Line(sku="tea")`.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import is_dataclass
from enum import Enum
from types import GenericAlias, NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints, is_typeddict

from vcr_gen.errors import UsageError
from vcr_gen.field_path_syntax import Step, Wild, parse_path
from vcr_gen.runtime.codec import MISSING, Missing
from vcr_gen.runtime.plain import Plain

AS_IS: Final = "$as_is"
"""The key of a text that messages show as it is."""

_DEEPEST: Final = 20


def typed(value: Plain, annotation: object, depth: int = 0) -> Plain:
    """A stored value with the names of its declared classes."""
    annotation = _bare(annotation)
    if depth > _DEEPEST or value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return _scalar(value, annotation)
    if isinstance(value, list):
        return [typed(item, _item_type(annotation, n), depth + 1) for n, item in enumerate(value)]
    if value.keys() == {"$base64"}:
        return _bytes(value["$base64"])
    if any(key[:1] == "$" for key in value):
        return value
    fields = _fields(annotation)
    inner: dict[str, Plain] = {
        key: typed(item, fields.get(key) or _item_type(annotation, -1), depth + 1)
        for key, item in value.items()
    }
    if not fields or is_typeddict(get_origin(annotation) or annotation):
        return inner
    return {"$type": _name(annotation), **inner}


def type_at(annotations: Mapping[str, object], path: str) -> object:
    """The declared type of what a path such as `order.lines[1].sku` leads to; Any if unknown."""
    root, *steps = _steps(path)
    found: object = annotations.get(str(root), Any)
    for step in steps:
        found = _bare(found)
        index = step if isinstance(step, int) else -1
        found = _fields(found).get(str(step)) or _item_type(found, index)
    return found


def value_at(values: Mapping[str, Plain], path: str) -> Plain | Missing:
    """The value at a path; MISSING where there is none."""
    found: Plain = dict(values)
    for step in _steps(path):
        if isinstance(found, dict) and step in found:
            found = found[str(step)]
        elif isinstance(found, list) and isinstance(step, int) and step < len(found):
            found = found[step]
        else:
            return MISSING
    return found


def _steps(path: str) -> list[Step]:
    """The steps of the path of a difference, with its root; an unknown one for another text."""
    try:
        parsed = parse_path(path)
    except UsageError:
        return [Wild.ANY]
    return [parsed.root, *parsed.steps]


def _bare(annotation: object) -> object:
    """The type without markers, aliases and alternatives."""
    for _ in range(_DEEPEST):
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation = get_args(annotation)[0]
        elif origin is Union or isinstance(annotation, UnionType):
            members = [each for each in get_args(annotation) if each is not NoneType]
            if len(members) != 1:
                return Any
            annotation = members[0]
        elif hasattr(annotation, "__supertype__"):
            annotation = annotation.__supertype__
        elif type(annotation).__name__ == "TypeAliasType" and not origin:
            annotation = getattr(annotation, "__value__", Any)
        else:
            break
    return annotation


def _scalar(value: str, annotation: object) -> Plain:
    if not isinstance(annotation, type) or isinstance(annotation, GenericAlias):
        return value
    if annotation in (Any, object):
        return value
    if issubclass(annotation, Enum):
        member = f"{annotation.__name__}.{value}"
        return {AS_IS: member} if value in annotation.__members__ else value
    if annotation is bytes and "\n" not in value:  # lines are compared one by one
        return {AS_IS: repr(value.encode())}
    if issubclass(annotation, str | bytes | bytearray):
        return value
    return {AS_IS: f"{annotation.__name__}({json.dumps(value, ensure_ascii=False)})"}


def _bytes(text: Plain) -> Plain:
    try:
        return {AS_IS: repr(base64.b64decode(str(text), validate=True))}
    except ValueError:
        return {"$base64": text}


def _item_type(annotation: object, index: int) -> object:
    """The type of the items of a list, or of the values of a mapping where `index` is negative."""
    args = get_args(annotation)
    if index < 0:
        return args[1] if len(args) == 2 else Any
    if get_origin(annotation) is tuple and (len(args) < 2 or args[1] is not Ellipsis):
        return args[index] if index < len(args) else Any
    return args[0] if args else Any


def _fields(annotation: object) -> Mapping[str, object]:
    """The declared fields of a record class; none for any other type."""
    cls: Any = get_origin(annotation) or annotation
    is_record = (
        is_dataclass(cls)
        or is_typeddict(cls)
        or hasattr(cls, "__attrs_attrs__")
        or hasattr(cls, "model_fields")
        or hasattr(cls, "__struct_fields__")
        or hasattr(cls, "_field_defaults")
    )
    if not is_record or not isinstance(cls, type):
        return {}
    try:
        return get_type_hints(cls, include_extras=True)
    except Exception:  # an annotation may name anything
        return dict.fromkeys(getattr(cls, "__annotations__", {}), Any)


def _name(annotation: object) -> str:
    return str(getattr(get_origin(annotation) or annotation, "__name__", annotation))
