"""Which node stores the values of a class."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vcr_gen.runtime.codec.builtin_structs import piecewise
from vcr_gen.runtime.codec.classes import (
    SubclassNode,
    TracebackNode,
    TypeNode,
    UnsupportedNode,
    builtin_of,
)
from vcr_gen.runtime.codec.dynamic import Depth, DynamicNode, ProtocolNode
from vcr_gen.runtime.codec.enums import EnumNode, FlagNode
from vcr_gen.runtime.codec.exceptions import ExceptionNode
from vcr_gen.runtime.codec.foreign import foreign_node
from vcr_gen.runtime.codec.lookup import describe
from vcr_gen.runtime.codec.node import Node, Nodes
from vcr_gen.runtime.codec.pydantic_models import pydantic_node, validation_error_node
from vcr_gen.runtime.codec.records import (
    RecordNode,
    dataclass_shape,
    namedtuple_shape,
    typeddict_shape,
)
from vcr_gen.runtime.codec.resolve_annotations import class_annotations
from vcr_gen.runtime.codec.rewrite import strip_qualifiers
from vcr_gen.runtime.codec.standard_types import CONTAINERS, LEAVES


@dataclass(frozen=True, slots=True)
class ClassNodes:
    """Makes the nodes of classes."""

    nodes: Nodes
    depth: Depth
    names: Mapping[str, Any]
    """What names in annotations stand for when their own module does not know them."""

    def make(self, cls: type, args: tuple[Any, ...]) -> Node:
        """The node of a class, given its type arguments."""
        name = self._name(cls, args)
        if cls in LEAVES:
            return LEAVES[cls](self.nodes)
        if cls in CONTAINERS:
            return CONTAINERS[cls](self.nodes, cls, name, args)
        if issubclass(cls, type):
            return TypeNode(self.nodes, object, name)
        if issubclass(cls, types.TracebackType):
            return TracebackNode()
        return self._of_user(cls, args, name)

    def _of_user(self, cls: type[Any], args: tuple[Any, ...], name: str) -> Node:
        if _is_typed_dict(cls):
            annotations = self._annotations(cls, args)
            if any(key.startswith("$") for key in annotations):
                return UnsupportedNode(name, "a key of it starts with $")
            return RecordNode(self.nodes, dict, name, typeddict_shape(cls, annotations))
        if issubclass(cls, enum.Enum) and cls.__members__:
            if issubclass(cls, enum.Flag):
                return FlagNode(self.nodes, cls, name)
            return EnumNode(self.nodes, cls, name)
        if issubclass(cls, BaseException):
            return self._of_exception(cls, args, name)
        piece = piecewise(cls)
        if piece is not None:
            return piece(self.nodes, cls, name, args)
        if dataclasses.is_dataclass(cls) and not inspect.isabstract(cls):
            shape = dataclass_shape(cls, self._annotations(cls, args))
            return RecordNode(self.nodes, cls, name, shape)
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            shape = namedtuple_shape(cls, self._annotations(cls, args))
            return RecordNode(self.nodes, cls, name, shape)
        foreign = self._of_package(cls, args, name)
        if foreign is not None:
            return foreign
        builtin = builtin_of(cls)
        if builtin is not None:
            return SubclassNode(self.nodes, cls, name, builtin)
        if getattr(cls, "_is_protocol", False):
            return ProtocolNode(self.nodes, name, self.depth)
        return DynamicNode(self.nodes, cls, name, self.depth)

    def _of_exception(self, cls: type[BaseException], args: tuple[Any, ...], name: str) -> Node:
        annotations = {
            attribute: strip_qualifiers(annotation)
            for attribute, annotation in self._annotations(cls, args).items()
        }
        return validation_error_node(self.nodes, cls, name) or ExceptionNode(
            self.nodes, cls, name, annotations
        )

    def _of_package(self, cls: type[Any], args: tuple[Any, ...], name: str) -> Node | None:
        if cls.__module__ == "builtins":
            return None
        annotations = self._annotations(cls, args)
        return foreign_node(self.nodes, cls, name, annotations) or pydantic_node(
            self.nodes, cls, name, annotations, self.depth
        )

    def _annotations(self, cls: type, args: tuple[Any, ...]) -> dict[str, object]:
        return class_annotations(cls, args, self.names)

    def _name(self, cls: type, args: tuple[Any, ...]) -> str:
        if not args:
            return self.nodes.type_name(cls)
        return describe(types.GenericAlias(cls, args), self.nodes.type_name)


def _is_typed_dict(cls: type[Any]) -> bool:
    # By its looks: the one of typing_extensions is not the one of typing.
    return issubclass(cls, dict) and hasattr(cls, "__total__") and hasattr(cls, "__required_keys__")
