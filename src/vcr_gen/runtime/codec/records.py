"""Records: values with named fields, stored as a dict of them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from vcr_gen.paths import Step
from vcr_gen.runtime.codec.compare import Compare, Difference, compare_fields, differences
from vcr_gen.runtime.codec.fault import Fault, show, step_to
from vcr_gen.runtime.codec.node import EXACT, NO_FIT, ClassNode, Node, Nodes
from vcr_gen.runtime.codec.plain_kinds import DICT, Plain

_V = TypeVar("_V")


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record."""

    name: str
    annotation: object
    required: bool = True
    """Whether a value without it is refused; otherwise it is stored only when it is there."""
    unrecorded: bool = False
    """Never stored; `default` provides the value when it is read."""
    default: Callable[[], object] | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """How a class of records is taken apart and put together."""

    fields: tuple[Field, ...]
    build: Callable[[dict[str, object]], object]
    read: Callable[[object, str], object] = getattr
    """Raises AttributeError or KeyError when the field is not set."""
    rebuild: Callable[[object, dict[str, object]], object] | None = None
    """A copy of a value with some fields replaced; for live parts."""
    extra_kinds: frozenset[str] = frozenset()
    names: Callable[[object], Iterable[str]] | None = None
    """The names in a value that may have additional fields; these are refused."""
    closed: bool = False
    """Whether it is a dict with known keys (TypedDict): in its own order, and of no subclass."""


class RecordNode(ClassNode):
    """Values with the fields of a shape."""

    merges = True

    def __init__(self, nodes: Nodes, cls: type, name: str, shape: Shape) -> None:
        super().__init__(nodes, cls, name)
        self.kinds = frozenset({DICT}) | shape.extra_kinds
        self._shape: Final = shape
        self._fields: Final = {
            field.name: (field, nodes.node(field.annotation)) for field in shape.fields
        }
        self._unrecorded: Final = [field for field in shape.fields if field.unrecorded]
        recorded = [each for each in self._fields.values() if not each[0].unrecorded]
        self._stored: Final = [
            (field.name, node.encode, field.required) for field, node in recorded
        ]
        self._read: Final = [
            (field.name, node.decode, field.required, node.name) for field, node in recorded
        ]

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        """The nodes of the fields."""
        return [((name,), node) for name, (_, node) in self._fields.items()]

    def bare(self, value: object) -> Plain:
        """The fields' plains."""
        read = self._shape.read
        out: dict[str, Plain] = {}
        name = ""
        if self._shape.names is not None:
            self._refuse_unknown(self._shape.names(value), allowed=self._fields)
        try:
            for name, encode, required in self._stored:
                try:
                    item = read(value, name)
                except (AttributeError, KeyError):
                    if required:
                        raise Fault("a value", "nothing: the field is not set") from None
                    continue
                out[name] = encode(item)
        except Fault as fault:
            fault.within(step_to(name))
            raise
        return _in_order_of(value, out) if self._shape.closed else out

    def restore(self, plain: Plain) -> object:
        """The value with these fields."""
        if type(plain) is not dict:
            raise Fault(self.name, show(plain))
        return self.assemble(plain, self.decode_fields(plain))

    def assemble(self, plain: dict[str, Plain], values: dict[str, object]) -> object:
        """Make the value from its decoded fields."""
        del plain
        try:
            return self._shape.build(values)
        except Exception as error:
            got = f"fields it refuses ({type(error).__name__})"
            raise Fault(self.name, got) from error

    def decode_fields(self, plain: Mapping[str, Plain]) -> dict[str, object]:
        """The values of the fields."""
        values: dict[str, object] = {}
        name = ""
        try:
            for name, decode, required, expected in self._read:
                if name in plain:
                    values[name] = decode(plain[name])
                elif required:
                    raise Fault(expected, "nothing: the field is missing")
        except Fault as fault:
            fault.within(step_to(name))
            raise
        if len(values) != len(plain):
            self._refuse_unknown(plain, allowed=[name for name, *_ in self._read])
        for field in self._unrecorded:
            if field.default is not None or field.required:
                values[field.name] = field.default() if field.default else None
        return _in_order_of(plain, values) if self._shape.closed else values

    def compare_bare(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """Field by field."""
        return compare_fields(self._compare_of, recorded, actual)

    def encode(self, value: object) -> Plain:
        """The plain of a value; for a TypedDict, of exactly a dict."""
        if type(value) is self.cls:
            return self.bare(value)
        if self._shape.closed:
            raise Fault(self.name, show(value))
        return self.others.encode(value)

    def decode(self, plain: Plain) -> object:
        """The value of a plain; a TypedDict is never tagged."""
        return self.restore(plain) if self._shape.closed else super().decode(plain)

    def fits(self, value: object) -> int:
        """As for any class, but nothing stands in for a TypedDict."""
        if self._shape.closed:
            return EXACT if type(value) is self.cls else NO_FIT
        return super().fits(value)

    def _compare_of(self, name: str) -> Compare:
        return self._fields[name][1].compare if name in self._fields else differences

    def _refuse_unknown(self, names: Iterable[str], *, allowed: Container[str]) -> None:
        for name in names:
            if name not in allowed:
                raise Fault(f"a field of {self.name}", f"the unknown field {show(name)}")

    def replace_bare(self, value: object) -> object:
        """The value with the live parts of its fields replaced."""
        if self._shape.rebuild is None:
            return value
        changed: dict[str, object] = {}
        for name, (_, node) in self._fields.items():
            try:
                before = self._shape.read(value, name)
            except (AttributeError, KeyError):
                continue
            after = node.replace(before)
            if after is not before:
                changed[name] = after
        return self._shape.rebuild(value, changed) if changed else value


def _in_order_of(model: object, values: dict[str, _V]) -> dict[str, _V]:
    """The values in the order in which a dict has their keys: a program may write it as JSON."""
    assert isinstance(model, Mapping)
    return {name: values[name] for name in (*model, *values) if name in values}
