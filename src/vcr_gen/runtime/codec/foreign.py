"""attrs and msgspec classes, through the public field APIs of these packages.

Neither is imported: their classes can only occur once the program has imported them.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from typing import Any

from vcr_gen.runtime.codec.node import DeclaredClass, Node
from vcr_gen.runtime.codec.records import (
    RecordNode,
    Shape,
    builder,
    other_attributes,
    record_field,
    replace_attributes,
    set_attributes,
)
from vcr_gen.runtime.codec.texts import TextNode


def attrs_node(declared: DeclaredClass) -> Node | None:
    """The node of an attrs class."""
    cls = declared.cls
    attr = sys.modules.get("attr")
    if attr is None or not attr.has(cls):
        return None
    described: tuple[Any, ...] = attr.fields(cls)
    fields = tuple(
        record_field(
            each.name,
            declared.annotations.get(each.name, Any if each.type is None else each.type),
            required=each.init or each.default is not attr.NOTHING,
            default=_attrs_default(each.default, attr),
        )
        for each in described
    )
    init = {each.name: each.alias for each in described if each.init}
    # A converter takes the caller's value, not the field's.
    converts = any(each.converter is not None for each in described)
    build = builder(cls, init, call=not converts)
    computed = hasattr(cls, "__attrs_post_init__") and "__attrs_attrs__" in vars(cls)
    names = None if computed else other_attributes(cls, {each.name for each in described})
    shape = Shape(fields, build, rebuild=replace_attributes, names=names)
    return RecordNode(declared.nodes, cls, declared.name, shape)


def msgspec_node(declared: DeclaredClass) -> Node | None:
    """The node of a msgspec Struct, or of the value that it has for a field that is not set."""
    nodes, cls, name = declared.nodes, declared.cls, declared.name
    msgspec = sys.modules.get("msgspec")
    if msgspec is None:
        return None
    if cls is msgspec.UnsetType:
        return TextNode(nodes, cls, name, lambda _: "UNSET", lambda _: msgspec.UNSET)
    if not issubclass(cls, msgspec.Struct):
        return None
    force: Callable[[object, str, object], None] = msgspec.structs.force_setattr

    def rebuild(value: object, changed: dict[str, object]) -> object:
        twin = copy.copy(value)
        set_attributes(twin, changed, force)
        return twin

    names: tuple[str, ...] = cls.__struct_fields__
    defaults = {each.name: each for each in msgspec.structs.fields(cls)}
    fields = tuple(
        record_field(
            field,
            declared.annotations.get(field, Any),
            default=_msgspec_default(defaults[field], msgspec.NODEFAULT),
        )
        for field in names
    )
    build = builder(cls, {field: field for field in names}, set_attribute=force)
    return RecordNode(nodes, cls, name, Shape(fields, build, rebuild=rebuild))


def _attrs_default(default: Any, attr: Any) -> Callable[[], object] | None:
    if default is attr.NOTHING:
        return None
    if isinstance(default, attr.Factory):
        return None if default.takes_self else default.factory
    return lambda: default


def _msgspec_default(described: Any, absent: object) -> Callable[[], object] | None:
    if described.default_factory is not absent:
        factory: Callable[[], object] = described.default_factory
        return factory
    return None if described.default is absent else lambda: described.default
