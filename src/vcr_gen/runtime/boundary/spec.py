"""The declared facts of a boundary: name, direction, methods and types."""

import re
import sys
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import Field, dataclass, fields
from functools import cached_property
from inspect import formatannotation, iscoroutinefunction, signature
from typing import Any, Final, Literal, TypeAlias, cast, final, get_overloads

from vcr_gen.boundary import Match, Unrecorded, Volatile
from vcr_gen.errors import UsageError
from vcr_gen.field_path_syntax import FieldPath, parse_path
from vcr_gen.runtime.boundary.calls import OMITTED, Call, OwnCalls
from vcr_gen.runtime.boundary.rules import Rule
from vcr_gen.runtime.codec import late_import, resolve_annotations
from vcr_gen.runtime.codec.annotations import Unresolved

Direction: TypeAlias = Literal["outbound", "inbound"]

_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")
_CLASS: Final = re.compile(r"<class '([\w.]+)'>")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One recorded argument of a method."""

    name: str
    """Its name in the Protocol, and so on the tape."""
    annotation: object
    field: str
    """The field of the typed event."""
    optional: bool = False
    """Whether a call may leave it out, for a default that only the callee knows."""


@dataclass(frozen=True, slots=True)
class Method:
    """One member of a boundary, or one thing that a live object can do, with its types."""

    name: str
    """As the tape names it: `Boundary.method`."""
    parameters: tuple[Parameter, ...]
    result: object
    """The declared result type."""
    asynchronous: bool
    inbound: bool
    """Whether the environment makes the call."""
    unrecorded: tuple[Parameter, ...] = ()
    """The parameters that are passed through."""
    call: type[Call] | None = None
    """The typed event; a live object that is not a boundary has none."""
    rules: tuple[Rule, ...] = ()
    """Rules for comparing its values, in addition to its types."""
    secrets: tuple[str, ...] = ()
    """The field paths of secrets that the types do not mark."""
    leaves: bool = False
    """Whether it leaves a context manager, with the exception that ended the block."""
    late: tuple[str, ...] = ()
    """The types that are imported when first needed, each as `module:name`."""


@final
class Boundary:
    """A Protocol that data crosses, as generated code describes it."""

    def __init__(
        self,
        name: str,
        *,
        direction: Direction,
        protocol: str,
        wrapper: type[Any],
        calls: Mapping[str, type[Call]] | None = None,
        opposite: Collection[str] = (),
        handles: Collection[str] = (),
        late_imports: Mapping[str, str] | None = None,
        secret: Mapping[str, Collection[str]] | None = None,
        volatile: Mapping[str, Collection[str]] | None = None,
        match: Mapping[str, Mapping[str, Callable[[Any, Any], bool]]] | None = None,
    ) -> None:
        self.name = name
        self.direction: Direction = direction
        self.protocol = protocol
        self.wrapper = wrapper
        self._method_calls = calls or {}
        self._opposite = opposite
        self._handles = handles
        self._late_imports = late_imports or {}
        self._secret = secret or {}
        self._volatile = volatile or {}
        self._match = match or {}
        self._methods: dict[type[Call], Method] = {}
        wrapper.__vcr_boundary__ = self

    def __repr__(self) -> str:
        return f"<{self.direction} boundary {self.name}>"

    @cached_property
    def calls(self) -> Mapping[str, type[Call]]:
        """The typed calls by their names on the tape: those of its plain attributes first."""
        members = vars(self.wrapper).values()
        found = (each.calls for each in members if isinstance(each, OwnCalls))
        return {key: call for calls in (*found, self._method_calls) for key, call in calls.items()}

    @cached_property
    def _keys(self) -> Mapping[type[Call], str]:
        return {call: key for key, call in self.calls.items()}

    @cached_property
    def reachable(self) -> tuple["Boundary", ...]:
        """This boundary and every one whose objects can be reached through it."""
        found: dict[int, Boundary] = {id(self): self}
        queue = [self]
        while queue:
            for other in queue.pop()._others():
                if id(other) not in found:
                    found[id(other)] = other
                    queue.append(other)
        return tuple(found.values())

    def _others(self) -> Iterator["Boundary"]:
        """The boundaries whose objects it hands out.

        One whose module cannot be imported hurts only the calls that hand out such an object.
        """
        for place in self._handles:
            with suppress(NameError):
                yield cast("Boundary", late_import(place))

    @cached_property
    def protocol_type(self) -> object:
        """The Protocol class; None if it exists only for type checkers."""
        try:
            return late_import(self.protocol)
        except NameError:
            return None

    def distance(self, value: object) -> int | None:
        """How far an object is from following the Protocol, judged without using it.

        Each member that it lacks counts; of two Protocols that it follows, the larger is nearer.
        None for an object without any of it, and for a text or list without some of it.
        """
        cls = type(value)
        own = getattr(value, "__dict__", {})
        lacking = sum(name not in own and not hasattr(cls, name) for name in self._members)
        is_other = lacking == len(self._members) or cls.__module__ == "builtins"
        if lacking and is_other and not hasattr(cls, "__getattr__"):
            return None
        return 100 * lacking + max(0, 99 - len(self._members))

    @cached_property
    def _members(self) -> frozenset[str]:
        return frozenset(map(_member, self.calls))

    def _expected(self, key: str, unknown: object) -> object:
        """The result type that Python expects of a special method without an annotation."""
        if key in {"__enter__", "__aenter__"}:  # mostly the object itself
            return self.wrapper | Any
        return _ITERATED.get(key, unknown)

    def _taken(self, key: str, annotation: object) -> object:
        """The parameter types of a member; `object` in comparisons, as Python expects."""
        compares = key in {"__eq__", "__ne__"} and annotation is object
        return self.wrapper | object if compares else annotation

    def inbound(self, key: str) -> bool:
        """Whether the environment calls this member."""
        return (self.direction == "inbound") != (key in self._opposite)

    def method(self, call: type[Call]) -> Method:
        """The method that a typed event calls; its types are resolved on first use."""
        known = self._methods.get(call)
        if known is None:
            known = self._methods[call] = self._resolve(call)
        return known

    def key_of(self, call: type[Call]) -> str:
        """The name of the member that a typed event calls."""
        if call not in self._keys:
            raise UsageError(f"{call.__name__} is not a call of the boundary {self.name}")
        return self._keys[call]

    def parameter_names(self) -> dict[str, tuple[str, ...]]:
        """The names of each member's parameters."""
        return {
            key: tuple(field.metadata.get("parameter", field.name) for field in _fields(call))
            for key, call in self.calls.items()
        }

    def secret_fields(self) -> Iterator[tuple[str, FieldPath]]:
        """The field paths of secrets that the types do not mark, each with its method."""
        for key in self.calls:
            for path in self._secret.get(_member(key), ()):
                yield f"{self.name}.{key}", parse_path(path)

    def _rules(self, key: str) -> Iterator[Rule]:
        name = f"{self.name}.{key}"
        for path in self._volatile.get(_member(key), ()):
            yield Rule(name, path, Volatile)
        for path, same in self._match.get(_member(key), {}).items():
            yield Rule(name, path, Match(same))

    def signatures(self) -> dict[str, str]:
        """The signature of each member as text, as recorded in a cassette."""
        return {key: _signature(call) for key, call in self.calls.items()}

    def has_calls_of(self, other: "Boundary") -> bool:
        """Whether two boundaries differ in results alone, as a sync and an async form do."""

        def calls(boundary: Boundary) -> dict[str, str]:
            found = boundary.signatures().items()
            return {key: signature.rpartition(" -> ")[0] for key, signature in found}

        return self.direction == other.direction and calls(self) == calls(other)

    def _resolve(self, call: type[Call]) -> Method:
        key = self.key_of(call)
        scope = vars(sys.modules[call.__module__])
        types = resolve_annotations(call, scope, self._late_imports)
        returned = resolve_annotations(call.__call__, scope, self._late_imports, around=call)
        result = returned["return"]
        if result in (Any, Unresolved):
            result = self._expected(key, result)
        optional = _left_out(self.wrapper, key)
        names = {field.name: field.metadata.get("parameter", field.name) for field in _fields(call)}
        parameters = [
            Parameter(name, self._taken(key, types[field]), field, optional=name in optional)
            for field, name in names.items()
        ]
        return Method(
            name=f"{self.name}.{key}",
            leaves=_member(key) in {"__exit__", "__aexit__"},
            parameters=tuple(p for p in parameters if not _is_unrecorded(p)),
            result=result,
            asynchronous=iscoroutinefunction(call.__call__),
            inbound=self.inbound(key),
            unrecorded=tuple(p for p in parameters if _is_unrecorded(p)),
            call=call,
            rules=tuple(self._rules(key)),
            secrets=tuple(self._secret.get(_member(key), ())),
            late=tuple(self._late_types(call)),
        )

    def _late_types(self, call: type[Call]) -> Iterator[str]:
        said = set(re.findall(r"\w+", _signature(call)))
        yield from (place for name, place in self._late_imports.items() if name in said)


_ITERATED: Final = {"__iter__": Iterator[Any], "__aiter__": AsyncIterator[Any]}


def make_call(call: Any, method: Method, arguments: Mapping[str, object]) -> Any:
    """The typed event of a call; unrecorded arguments are None."""
    fields: dict[str, object] = dict.fromkeys(p.field for p in method.unrecorded)
    fields.update((p.field, arguments[p.name]) for p in method.parameters)
    return call(**fields)


def _member(key: str) -> str:
    """The Protocol's member that a key names: overloads and setters have separate keys."""
    return key.partition("#")[0].partition(".")[0]


def _is_unrecorded(parameter: Parameter) -> bool:
    return Unrecorded in getattr(parameter.annotation, "__metadata__", ())


def _left_out(wrapper: type[Any], key: str) -> frozenset[str]:
    """The parameters of a wrapper's member whose default is `...`."""
    member = getattr(wrapper, key.partition("#")[0], None)
    if not callable(member):  # a property
        return frozenset()
    return frozenset(
        parameter.name
        for function in (member, *get_overloads(member))
        for parameter in signature(function).parameters.values()
        if parameter.default is OMITTED
    )


def _fields(call: Any) -> tuple["Field[Any]", ...]:
    return fields(call)


def _signature(call: type[Call]) -> str:
    parts = [
        f"{field.metadata.get('parameter', field.name)}: {_text(field.type)}"
        for field in _fields(call)
    ]
    result = call.__call__.__annotations__.get("return", "Any")
    return f"({', '.join(parts)}) -> {_text(result)}"


def _text(annotation: object) -> str:
    """An annotation as text, the same in every run and on every Python.

    Metadata may show its address, Python 3.13 names path classes by their private module, and
    whether `typing.` is shown depends on the version of Python. All three are removed. Classes of
    `typing`, such as `BinaryIO`, are shown without `<class …>`.
    """
    if isinstance(annotation, str):
        return annotation
    text = _CLASS.sub(r"\1", _ADDRESS.sub("", formatannotation(annotation)))
    return text.replace("pathlib._local.", "pathlib.").replace("typing.", "")
