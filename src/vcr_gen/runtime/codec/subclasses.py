"""Subclasses of Python's own types: stored as the type they extend, with their attributes."""

from __future__ import annotations

import datetime as dt
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.node import ClassNode, DeclaredClass, Node
from vcr_gen.runtime.codec.object_state import Attributes
from vcr_gen.runtime.codec.tags import VALUE
from vcr_gen.runtime.plain import Plain

EXTENDED: Final = "$extended"
"""The key of a value with attributes: `{$extended: {$value: …, attribute: …}}`."""


def _filled(base: Any, fill: Callable[[Any, Any], object]) -> Callable[[type[Any], Any], object]:
    def make(cls: type[Any], items: Any) -> object:
        made = base.__new__(cls)
        fill(made, items)
        return made

    return make


def _datetime(cls: type[Any], value: dt.datetime) -> object:
    return dt.datetime.__new__(
        cls,
        value.year,
        value.month,
        value.day,
        value.hour,
        value.minute,
        value.second,
        value.microsecond,
        value.tzinfo,
        fold=value.fold,
    )


def _time(cls: type[Any], value: dt.time) -> object:
    parts = (value.hour, value.minute, value.second, value.microsecond, value.tzinfo)
    return dt.time.__new__(cls, *parts, fold=value.fold)


def _set_items(made: Any, items: Any) -> None:
    for key, item in items.items():
        OrderedDict.__setitem__(made, key, item)


def _default_dict(cls: type[Any], items: Any) -> object:
    made = defaultdict.__new__(cls)
    _FACTORY.__set__(made, items.default_factory)
    dict.update(made, items)
    return made


_FACTORY: Final[Any] = vars(defaultdict)["default_factory"]

_BUILTINS: Final[dict[type, tuple[Callable[[Any], object], Callable[[type[Any], Any], object]]]] = {
    str: (str.__str__, str.__new__),
    int: (int.__int__, int.__new__),
    float: (float.__float__, float.__new__),
    bytes: (lambda value: bytes.__getitem__(value, slice(None)), bytes.__new__),
    tuple: (lambda value: tuple.__getitem__(value, slice(None)), tuple.__new__),
    frozenset: (lambda value: frozenset(frozenset.__iter__(value)), frozenset.__new__),
    deque: (lambda value: deque(deque.__iter__(value), value.maxlen), _filled(deque, deque.extend)),
    OrderedDict: (
        lambda value: OrderedDict(OrderedDict.items(value)),
        _filled(OrderedDict, _set_items),
    ),
    defaultdict: (
        lambda value: defaultdict(_FACTORY.__get__(value), dict.items(value)),
        _default_dict,
    ),
    list: (lambda value: list.__getitem__(value, slice(None)), _filled(list, list.extend)),
    dict: (dict.copy, _filled(dict, dict.update)),
    set: (lambda value: set(set.__iter__(value)), _filled(set, set.update)),
    dt.datetime: (
        lambda value: dt.datetime.combine(dt.datetime.date(value), dt.datetime.timetz(value)),
        _datetime,
    ),
    dt.date: (
        lambda value: dt.date.fromordinal(dt.date.toordinal(value)),
        lambda cls, value: dt.date.__new__(cls, value.year, value.month, value.day),
    ),
    dt.time: (lambda value: _time(dt.time, value), _time),
    dt.timedelta: (
        lambda value: dt.timedelta(value.days, value.seconds, value.microseconds),
        lambda cls, value: dt.timedelta.__new__(cls, value.days, value.seconds, value.microseconds),
    ),
    Decimal: (Decimal, Decimal.__new__),
}
"""How to go from a subclass to its builtin and back without running the subclass's code."""


class SubclassNode(ClassNode):
    """Stores values of a subclass as the builtin they extend, with attributes if they have any."""

    def __init__(self, declared: DeclaredClass, builtin: type) -> None:
        super().__init__(declared.nodes, declared.cls, declared.name)
        self._to_builtin, self._from_builtin = _BUILTINS[builtin]
        self._inner: Final = declared.nodes.node(builtin)
        self._attributes: Final = Attributes(declared)

    @property
    def kinds(self) -> frozenset[str]:
        return self._inner.kinds | {EXTENDED}

    def part(self, key: str | int) -> Node | None:
        return self._inner.part(key) if key != EXTENDED else None

    def bare(self, value: object) -> Plain:
        inner = self._inner.encode(self._to_builtin(value))
        attributes = self._attributes.encode(value)
        return {EXTENDED: {VALUE: inner, **attributes}} if attributes else inner

    def restore(self, plain: Plain) -> object:
        attributes: dict[str, Plain] = {}
        if type(plain) is dict and EXTENDED in plain:
            extended = plain[EXTENDED]
            if type(extended) is not dict or VALUE not in extended or len(plain) > 1:
                raise Fault(f"{self.name} with attributes", show(extended)).within(f".{EXTENDED}")
            attributes = {name: each for name, each in extended.items() if name != VALUE}
            plain = extended[VALUE]
        made = self._from_builtin(self.cls, self._inner.decode(plain))
        self._attributes.fill(made, attributes)
        return made


def subclass_node(declared: DeclaredClass) -> Node | None:
    """The node of a subclass of one of Python's own types."""
    builtin = next((each for each in _BUILTINS if issubclass(declared.cls, each)), None)
    if builtin is None:
        return None
    _, from_builtin = _BUILTINS[builtin]
    try:
        from_builtin(declared.cls, builtin(1, 1, 1) if issubclass(builtin, dt.date) else builtin())
    except TypeError:  # a class written in C with a `__new__` of its own
        return None
    return SubclassNode(declared, builtin)
