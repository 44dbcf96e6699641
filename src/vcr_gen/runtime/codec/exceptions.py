"""Exceptions: type, arguments, attributes, notes and cause, rebuilt without running their code."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping
from typing import Final

from vcr_gen.paths import Step
from vcr_gen.runtime.codec.compare import Compare, Difference, compare_fields
from vcr_gen.runtime.codec.node import ClassNode, Node, Nodes
from vcr_gen.runtime.codec.plain_kinds import DICT, Fault, Plain, show
from vcr_gen.runtime.codec.registry import HINT

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
    SyntaxError: (
        "msg",
        "filename",
        "lineno",
        "offset",
        "text",
        "end_lineno",
        "end_offset",
    ),
}
"""Attributes that live neither in `args` nor in `__dict__`."""

_UNSET: Final = object()


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
        self._attributes: Final = {
            attribute: nodes.node(annotation) for attribute, annotation in annotations.items()
        }

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        """The nodes of the annotated attributes."""
        return [((ATTRIBUTES, name), node) for name, node in self._attributes.items()]

    def arguments(self, value: BaseException) -> list[object]:
        """The arguments of the exception."""
        return list(value.args)

    def make(self, arguments: list[object]) -> BaseException:
        """An exception made from these arguments alone."""
        return _blank(self._make, tuple(arguments))

    def bare(self, value: object) -> Plain:
        """The stored parts of the exception."""
        assert isinstance(value, BaseException)
        try:
            return self._parts_of(value)
        except Fault as fault:
            if fault.hint == HINT:  # a codec for the part may be no help: a response, a connection
                fault.hint = (
                    f"register a codec for the whole {self.cls.__name__}: registry.register("
                    f"{self.cls.__name__}, encode, decode) and Cassette(…, codecs=registry); "
                    "or let the bridge raise one of its own instead (`raise … from None`)"
                )
            raise

    def _parts_of(self, value: BaseException) -> dict[str, Plain]:
        out: dict[str, Plain] = {ARGS: self._encode_part(ARGS, self.arguments(value))}
        attributes = self._read_attributes(value)
        if attributes:
            out[ATTRIBUTES] = self._encode_attributes(attributes)
        notes = getattr(value, "__notes__", None)
        if notes is not None:
            out[NOTES] = self._encode_part(NOTES, notes)
        if value.__cause__ is not None:
            out[CAUSE] = self._encode_part(CAUSE, value.__cause__)
        elif value.__suppress_context__:
            out[SUPPRESSED] = True
        return out

    def restore(self, plain: Plain) -> object:
        """An equal exception."""
        if type(plain) is not dict or ARGS not in plain:
            raise Fault(self.name, show(plain))
        for key in plain:
            if key not in (ARGS, ATTRIBUTES, NOTES, CAUSE, SUPPRESSED):
                raise Fault(f"a part of {self.name}", f"the unknown part {show(key)}")
        if SUPPRESSED in plain and (plain[SUPPRESSED] is not True or CAUSE in plain):
            raise Fault("true, and no cause", show(plain[SUPPRESSED])).within(f".{SUPPRESSED}")
        args = self._decode_part(ARGS, plain[ARGS])
        if not isinstance(args, list):
            raise Fault("a list of arguments", show(plain[ARGS])).within(f".{ARGS}")
        made = self.make(args)
        if ATTRIBUTES in plain:
            self._restore_attributes(made, plain[ATTRIBUTES])
        if NOTES in plain:
            notes = self._decode_part(NOTES, plain[NOTES])
            if not isinstance(notes, list):
                raise Fault("a list of notes", show(plain[NOTES])).within(f".{NOTES}")
            object.__setattr__(made, "__notes__", notes)
        if CAUSE in plain:
            cause = self._decode_part(CAUSE, plain[CAUSE])
            if not isinstance(cause, BaseException):
                raise Fault("an exception", show(plain[CAUSE])).within(f".{CAUSE}")
            object.__setattr__(made, "__cause__", cause)
        elif SUPPRESSED in plain:
            object.__setattr__(made, "__suppress_context__", True)
        return made

    def compare_bare(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """Part by part, so that an annotated attribute is compared as its words say."""
        return compare_fields(self._compare_of, recorded, actual)

    def _compare_of(self, part: str) -> Compare:
        return self._compare_attributes if part == ATTRIBUTES else self._anything.compare

    def _compare_attributes(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        return compare_fields(
            lambda name: self._attributes.get(name, self._anything).compare, recorded, actual
        )

    def _encode_part(self, name: str, value: object) -> Plain:
        try:
            return self._anything.encode(value)
        except Fault as fault:
            fault.within(f".{name}")
            raise

    def _decode_part(self, name: str, plain: Plain) -> object:
        try:
            return self._anything.decode(plain)
        except Fault as fault:
            fault.within(f".{name}")
            raise

    def _encode_attributes(self, attributes: Mapping[str, object]) -> Plain:
        out: dict[str, Plain] = {}
        for name, value in attributes.items():
            try:
                out[name] = self._attributes.get(name, self._anything).encode(value)
            except Fault as fault:
                fault.within(f".{ATTRIBUTES}.{name}")
                raise
        return out

    def _restore_attributes(self, made: BaseException, plain: Plain) -> None:
        if not isinstance(plain, dict):
            raise Fault("the attributes of an exception", show(plain)).within(f".{ATTRIBUTES}")
        for name, each in plain.items():
            try:
                value = self._attributes.get(name, self._anything).decode(each)
                if not name.isidentifier() or name.startswith("__"):
                    raise Fault("the name of an attribute", show(name))
                _set(made, name, value)
            except Fault as fault:
                fault.within(f".{ATTRIBUTES}.{name}")
                raise

    def _read_attributes(self, value: BaseException) -> dict[str, object]:
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


def _set(made: BaseException, name: str, value: object) -> None:
    # `vars` first: a frozen dataclass refuses setattr, and a property must not run.
    if name in _hidden_names(type(made)):
        object.__setattr__(made, name, value)
    else:
        vars(made)[name] = value


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
