"""Exceptions: type, arguments, attributes, notes and cause, rebuilt without running their code."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping
from typing import Any, Final

from vcr_gen.field_path_syntax import Step
from vcr_gen.runtime.codec.annotations import strip_qualifiers
from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.mappings import MappingNode
from vcr_gen.runtime.codec.node import ClassNode, DeclaredClass, Node, Nodes
from vcr_gen.runtime.codec.registry import HINT
from vcr_gen.runtime.codec.tags import DICT
from vcr_gen.runtime.plain import Plain

ARGS: Final = "args"
ATTRIBUTES: Final = "attributes"
NOTES: Final = "notes"
CAUSE: Final = "cause"
SUPPRESSED: Final = "context_suppressed"

_HIDDEN: Final[dict[type, tuple[str, ...]]] = {
    OSError: ("errno", "strerror", "filename", "filename2"),
    ImportError: ("name", "path", "msg"),
    NameError: ("name",),
    AttributeError: ("name",),  # not `obj`: the live object, kept for suggestions only
    StopIteration: ("value",),
    SystemExit: ("code",),
    SyntaxError: ("msg", "filename", "lineno", "offset", "text", "end_lineno", "end_offset"),
}
"""Attributes that live neither in `args` nor in `__dict__`."""

_PARTS: Final[dict[str, tuple[type, str]]] = {
    ARGS: (list, "a list of arguments"),
    ATTRIBUTES: (dict, "the attributes of an exception"),
    NOTES: (list, "a list of notes"),
    CAUSE: (BaseException, "an exception"),
    SUPPRESSED: (bool, "true, and no cause"),
}
"""The stored parts: the type of each, and how a message names it."""

_UNSET: Final = object()


class AttributesNode(MappingNode):
    """The attributes of an exception, each stored by its annotation if it has one."""

    def __init__(self, nodes: Nodes, annotations: Mapping[str, object]) -> None:
        super().__init__(nodes, dict, ATTRIBUTES, nodes.node(str), nodes.node(object))
        self._annotated: Final = {name: nodes.node(each) for name, each in annotations.items()}

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        return [((name,), node) for name, node in self._annotated.items()]

    def part(self, key: str | int) -> Node | None:
        return self._annotated.get(str(key), self.value)

    def bare(self, value: Any) -> Plain:
        out: dict[str, Plain] = {}
        for name, each in value.items():
            try:
                out[name] = self._annotated.get(name, self.value).encode(each)
            except Fault as fault:
                fault.within(f".{name}")
                raise
        return out

    def restore(self, plain: Plain) -> object:
        if type(plain) is not dict:
            raise Fault("the attributes of an exception", show(plain))
        out: dict[str, object] = {}
        for name, each in plain.items():
            try:
                if not name.isidentifier() or name.startswith("__"):
                    raise Fault("the name of an attribute", show(name))
                out[name] = self._annotated.get(name, self.value).decode(each)
            except Fault as fault:
                fault.within(f".{name}")
                raise
        return out


class ExceptionNode(ClassNode):
    """An exception of one class."""

    kinds = frozenset({DICT})
    merges = True

    def __init__(
        self,
        nodes: Nodes,
        cls: type[BaseException],
        name: str,
        annotations: Mapping[str, object],
    ) -> None:
        super().__init__(nodes, cls, name)
        self._make: Final = cls
        self._anything: Final = nodes.node(object)
        self._attributes: Final = AttributesNode(nodes, annotations)

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        return (((ATTRIBUTES,), self._attributes),)

    def part(self, key: str | int) -> Node | None:
        return self._attributes if key == ATTRIBUTES else self._anything

    def arguments(self, value: BaseException) -> list[object]:
        """The arguments of the exception."""
        return list(value.args)

    def make(self, arguments: list[Any]) -> BaseException:
        """An exception made from these arguments alone."""
        return _blank(self._make, tuple(arguments))

    def bare(self, value: object) -> Plain:
        assert isinstance(value, BaseException)
        out: dict[str, Plain] = {}
        part = ""
        try:
            for part, each in self._parts_of(value).items():
                out[part] = (self.part(part) or self._anything).encode(each)
        except Fault as fault:
            fault.within(f".{part}")
            if fault.hint == HINT:  # a codec for the part may not help: a response, a connection
                fault.hint = (
                    f"register a codec for the whole {self.cls.__name__}: registry.register("
                    f"{self.cls.__name__}, encode, decode) and Cassette(…, codecs=registry); "
                    "or let the bridge raise its own exception instead (`raise … from None`)"
                )
            raise
        return out

    def _parts_of(self, value: BaseException) -> dict[str, object]:
        parts: dict[str, object] = {ARGS: self.arguments(value)}
        attributes = self._attributes_of(value)
        if attributes:
            parts[ATTRIBUTES] = attributes
        notes = getattr(value, "__notes__", None)
        if notes is not None:
            parts[NOTES] = notes
        if value.__cause__ is not None:
            parts[CAUSE] = value.__cause__
        elif value.__suppress_context__:
            parts[SUPPRESSED] = True
        return parts

    def restore(self, plain: Plain) -> object:
        if type(plain) is not dict or ARGS not in plain:
            raise Fault(self.name, show(plain))
        parts: dict[str, Any] = {}
        for name, each in plain.items():
            if name not in _PARTS:
                raise Fault(f"a part of {self.name}", f"the unknown part {show(name)}")
            parts[name] = self._decode_part(name, each)
        if SUPPRESSED in parts and (not parts[SUPPRESSED] or CAUSE in parts):
            raise Fault("true, and no cause", show(plain[SUPPRESSED])).within(f".{SUPPRESSED}")
        made = self.make(parts[ARGS])
        hidden = _hidden_names(type(made))
        for name, value in parts.get(ATTRIBUTES, {}).items():
            # `vars`: a frozen dataclass refuses setattr, and a property must not run.
            if name in hidden:
                object.__setattr__(made, name, value)
            else:
                vars(made)[name] = value
        for name, attribute in (
            (NOTES, "__notes__"),
            (CAUSE, "__cause__"),
            (SUPPRESSED, "__suppress_context__"),
        ):
            if name in parts:
                object.__setattr__(made, attribute, parts[name])
        return made

    def _decode_part(self, name: str, plain: Plain) -> object:
        try:
            value = (self.part(name) or self._anything).decode(plain)
            cls, expected = _PARTS[name]
            if not isinstance(value, cls):
                raise Fault(expected, show(plain))
        except Fault as fault:
            fault.within(f".{name}")
            raise
        return value

    def _attributes_of(self, value: BaseException) -> dict[str, object]:
        found = {
            name: each
            for name, each in vars(value).items()
            if name.isidentifier() and not name.startswith("__")
        }
        blank = self.make(self.arguments(value))
        for name in _hidden_names(self._make):
            each = getattr(value, name, _UNSET)
            usual = getattr(blank, name, _UNSET)
            if each is not usual and each is not _UNSET and each != usual:
                found[name] = each
        return found


def exception_node(declared: DeclaredClass) -> Node | None:
    """The node of a class of exceptions."""
    if not issubclass(declared.cls, BaseException):
        return None
    annotations = {name: strip_qualifiers(each) for name, each in declared.annotations.items()}
    return ExceptionNode(declared.nodes, declared.cls, declared.name, annotations)


def _hidden_names(cls: type) -> list[str]:
    names: list[str] = []
    for base in cls.__mro__:
        names += _HIDDEN.get(base, ())
        if base.__module__ != "builtins":
            slots = vars(base).get("__slots__", ())
            names += (slots,) if isinstance(slots, str) else slots
    return [name for name in names if name not in ("__dict__", "__weakref__")]


def _blank(cls: type[BaseException], args: tuple[object, ...]) -> BaseException:
    """An exception with these arguments, made by the builtin it derives from."""
    base = next(each for each in cls.__mro__ if vars(builtins).get(each.__name__) is each)
    assert issubclass(base, BaseException)
    try:
        made: BaseException = base.__new__(cls, *args)
        base.__init__(made, *args)
    except Exception as error:
        hint = "register a codec for the type"
        got = f"arguments {base.__name__} refuses ({type(error).__name__}: {error})"
        raise Fault(f"a {cls.__qualname__}", got, hint) from error
    if type(made) is not cls:
        raise Fault(f"a {cls.__qualname__}", f"arguments that make it a {type(made).__qualname__}")
    object.__setattr__(made, "args", args)  # past a frozen dataclass, here and above
    return made
