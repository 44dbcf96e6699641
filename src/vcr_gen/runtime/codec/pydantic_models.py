"""pydantic models: fields, which of them were set, extra fields and private attributes; its errors.

pydantic is not imported: a model can only occur once the program has imported it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Annotated, Any, Final, get_args

from vcr_gen.boundary import Secret
from vcr_gen.field_path_syntax import Step
from vcr_gen.runtime.codec.dynamic import DynamicNode
from vcr_gen.runtime.codec.exceptions import ExceptionNode
from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.markers import CustomNode, is_marker, mark
from vcr_gen.runtime.codec.node import DeclaredClass, Node, Nodes
from vcr_gen.runtime.codec.records import RecordNode, Shape, TypedDictNode, blank, record_field
from vcr_gen.runtime.codec.scalars import bytes_to_plain, str_to_plain
from vcr_gen.runtime.codec.tags import DEFAULTED, DICT
from vcr_gen.runtime.plain import Plain

EXTRA: Final = "$extra"
PRIVATE: Final = "$private"


def pydantic_node(declared: DeclaredClass) -> Node | None:
    """The node of a model, or of one of pydantic's own types."""
    nodes, cls, name = declared.nodes, declared.cls, declared.name
    pydantic = sys.modules.get("pydantic")
    if pydantic is None:
        return None
    if issubclass(cls, pydantic.BaseModel):
        return DynamicNode(nodes, cls, name) if cls is pydantic.BaseModel else ModelNode(declared)
    if issubclass(cls, pydantic.SecretBytes):
        return _secret_node(nodes, cls, name, lambda text: cls(text.encode()))
    if issubclass(cls, pydantic.Secret | pydantic.SecretStr):
        return _secret_node(nodes, cls, name, cls)
    if hasattr(cls, "unicode_string"):  # a URL of pydantic or pydantic_core
        return CustomNode(cls, name, str, cls)
    if cls.__module__ in ("pydantic.networks", "pydantic.types") and cls.__name__ in _DESCRIBED:
        return nodes.node(_DESCRIBED[cls.__name__])
    return None


_DESCRIBED: Final = {
    **dict.fromkeys(("AwareDatetime", "NaiveDatetime", "PastDatetime", "FutureDatetime"), datetime),
    **dict.fromkeys(("PastDate", "FutureDate"), date),
    **dict.fromkeys(("EmailStr", "ImportString", "IPvAnyAddress"), object),
    **dict.fromkeys(("IPvAnyInterface", "IPvAnyNetwork"), object),
}
"""Classes that only describe which values pydantic accepts: the values are of another class."""


def _secret_node(nodes: Nodes, cls: type[Any], name: str, make: Callable[[str], object]) -> Node:
    def read(value: Any) -> Plain:
        secret = value.get_secret_value()
        if isinstance(secret, bytes):
            return bytes_to_plain(secret)
        return str_to_plain(secret if isinstance(secret, str) else repr(secret))

    return mark(nodes, CustomNode(cls, name, read, make), (Secret,))


class ModelNode(RecordNode):
    """Values of one model."""

    kinds = frozenset({DICT, EXTRA, PRIVATE, DEFAULTED})

    def __init__(self, declared: DeclaredClass) -> None:
        nodes, cls, name = declared.nodes, declared.cls, declared.name
        annotations = declared.annotations
        if not cls.__pydantic_complete__:
            cls.model_rebuild(raise_errors=False)
        fields = tuple(
            record_field(field, _annotation(info, annotations.get(field)), default=_default(info))
            for field, info in cls.model_fields.items()
        )
        shape = Shape(
            fields,
            build=dict,
            read=lambda model, field: vars(model)[field],
            rebuild=lambda model, changed: model.model_copy(update=changed),
        )
        super().__init__(nodes, cls, name, shape)
        self._model: Final = cls
        self._extra: Final = nodes.node(dict[str, Any])
        private = tuple(
            record_field(
                attribute,
                annotations.get(attribute, Any),
                required=False,
                default=described.get_default if _has_default(described) else None,
            )
            for attribute, described in cls.__private_attributes__.items()
        )
        self._private: Final = TypedDictNode(nodes, f"{name} (private)", private)

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        return [*super().parts(), ((PRIVATE,), self._private)]

    def bare(self, value: object) -> Plain:
        model: Any = value
        out = super().bare(value)
        assert isinstance(out, dict)
        for key, node, part in (
            (EXTRA, self._extra, model.__pydantic_extra__),
            (PRIVATE, self._private, model.__pydantic_private__),
        ):
            try:
                plain = node.encode(part) if part else None
            except Fault as fault:
                fault.within(f".{key}")
                raise
            if plain:
                out[key] = plain
        held = {*self._model.model_fields, *(model.__pydantic_extra__ or ())}
        defaulted = sorted(held - model.model_fields_set)
        if defaulted:
            out[DEFAULTED] = list(defaulted)
        return out

    def restore(self, plain: Plain) -> object:
        """An equal model; its validators do not run, as the codec has checked every field."""
        if type(plain) is not dict:
            raise Fault(self.name, show(plain))
        parts = {key: plain.get(key) for key in (EXTRA, PRIVATE, DEFAULTED)}
        values = self.decode_fields({k: v for k, v in plain.items() if k not in parts})
        extra = self._part(EXTRA, self._extra, parts)
        private = self._part(PRIVATE, self._private, parts)
        held = {*self._model.model_fields, *extra}
        defaulted = parts[DEFAULTED] if parts[DEFAULTED] is not None else []
        if not isinstance(defaulted, list) or not held.issuperset(map(str, defaulted)):
            raise Fault("names of fields", show(defaulted)).within(f".{DEFAULTED}")
        made = blank(self._model)
        made.__setstate__(
            {
                "__dict__": values,
                "__pydantic_extra__": extra if self._allows_extra else None,
                "__pydantic_fields_set__": held.difference(map(str, defaulted)),
                "__pydantic_private__": private if self._model.__private_attributes__ else None,
            }
        )
        return made

    @property
    def _allows_extra(self) -> bool:
        return bool(self._model.model_config.get("extra") == "allow")

    def _part(self, key: str, node: Node, parts: Mapping[str, Plain]) -> dict[str, object]:
        plain = parts[key]
        if key == EXTRA and plain is not None and not self._allows_extra:
            raise Fault(f"a field of {self.name}", "extra fields").within(f".{key}")
        try:
            part = node.decode({} if plain is None else plain)
        except Fault as fault:
            fault.within(f".{key}")
            raise
        assert isinstance(part, dict)
        return part


def _annotation(info: Any, written: object) -> object:
    if _refers_back(info.annotation):
        return written
    # pydantic takes the words out of Annotated; only ours matter here.
    words = tuple(word for word in info.metadata if is_marker(word))
    return Annotated[(info.annotation, *words)] if words else info.annotation


def _refers_back(annotation: object) -> bool:
    """Whether pydantic names a model by an internal reference: it was still making `Node[int]`."""
    parts = get_args(annotation)
    return any(map(_refers_back, parts)) or type(annotation).__name__ == "PydanticRecursiveRef"


def _default(info: Any) -> Callable[[], object] | None:
    if info.is_required():
        return None
    return lambda: info.get_default(call_default_factory=True, validated_data={})


def _has_default(described: Any) -> bool:
    undefined = sys.modules["pydantic_core"].PydanticUndefined
    return described.default is not undefined or described.default_factory is not None


def validation_error_node(declared: DeclaredClass) -> Node | None:
    """The node of `pydantic.ValidationError`."""
    core = sys.modules.get("pydantic_core")
    if core is None or declared.cls is not core.ValidationError:
        return None
    return ValidationErrorNode(declared, core)


class ValidationErrorNode(ExceptionNode):
    """A ValidationError: its arguments are its title and the list of errors."""

    def __init__(self, declared: DeclaredClass, core: Any) -> None:
        super().__init__(declared.nodes, declared.cls, declared.name, {})
        self._core: Final = core

    def arguments(self, value: BaseException) -> list[object]:
        error: Any = value
        return [error.title, error.errors(include_url=False)]

    def make(self, arguments: list[Any]) -> BaseException:
        try:
            title, errors = arguments
            lines = [self._line(each) for each in errors]
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
