"""From an annotation to a codec, compiled once."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, get_args, get_origin

from vcr_gen.errors import DecodeError, EncodeError, VcrError
from vcr_gen.field_path_syntax import Step
from vcr_gen.runtime.codec.annotations import strip_annotated
from vcr_gen.runtime.codec.classes import class_node
from vcr_gen.runtime.codec.compare import Difference, differences
from vcr_gen.runtime.codec.dynamic import DynamicNode, Recursive
from vcr_gen.runtime.codec.fault import Fault
from vcr_gen.runtime.codec.lookup import check_held, describe, find_loaded, plain_type_name
from vcr_gen.runtime.codec.marked_places import Mark, find_few, find_marks, reachable
from vcr_gen.runtime.codec.markers import custom_node, mark, metadata_of
from vcr_gen.runtime.codec.node import Node, UnsupportedNode
from vcr_gen.runtime.codec.object_identity import (
    decode_one_value,
    encode_one_value,
    replace_in_one_value,
)
from vcr_gen.runtime.codec.placeholders import REDACTED
from vcr_gen.runtime.codec.registry import Registered, Registry, hint_for
from vcr_gen.runtime.codec.standard_types import standard_name, standard_type
from vcr_gen.runtime.codec.unions import form_node
from vcr_gen.runtime.plain import Plain


@dataclass(frozen=True, slots=True)
class Codec:
    """Stores the values of one annotation."""

    encode: Callable[[Any], Plain]
    """Value to plain; raises EncodeError."""
    decode: Callable[[Plain], Any]
    """Plain to value, strictly; raises DecodeError."""
    compare: Callable[[Plain, Plain], tuple[Difference, ...]]
    """The differences that count, recorded first."""
    replace_live: Callable[[Any], Any] | None = None
    """The value with each live part replaced; None if it cannot contain live objects."""
    marks: tuple[Mark, ...] = ()
    """Where the type itself says that less than equality counts."""
    few: tuple[tuple[Step, ...], ...] = ()
    """Where in the values only a declared few are possible."""


LiveHook = Callable[[object], Node | None]


def _nothing_live(annotation: object) -> Node | None:
    del annotation
    return None


def _without_name(plain: Plain) -> str:
    del plain
    return REDACTED


class Compiler:
    """Compiles annotations; results are cached.

    `live` is asked first about each annotation (without `Annotated`), so that the runtime can
    provide the nodes of handles, callbacks and streams. `hide` gives the placeholder that is stored
    for a secret. With `rebuilds`, what is encoded is decoded in another run, so that exceptions
    must be of classes which that will have.
    """

    def __init__(
        self,
        *,
        registry: Registry | None = None,
        live: LiveHook = _nothing_live,
        hide: Callable[[Plain], str] = _without_name,
        rebuilds: bool = False,
    ) -> None:
        self._registry: Final = registry or Registry()
        self._live: Final = live
        self.hide: Final = hide
        self.rebuilds: Final = rebuilds
        self.stores_objects: Final = not self._registry.declared_only
        self.by_attributes: Final = self._registry.by_attributes
        self._found: dict[tuple[str, type], type] = {}
        self._version = self._registry.version
        self._nodes: dict[object, Node] = {}
        self._fresh: dict[object, Node] = {}
        self._values: dict[type, Node] = {}
        self._codecs: dict[object, Codec] = {}
        self._compiling: dict[object, Recursive] = {}
        self._kept: dict[int, object] = {}
        self._lock: Final = threading.RLock()

    def forget_lookups(self) -> None:
        """Forget the classes that values and names led to: the next session may have others."""
        with self._lock:
            self._found.clear()
            for cls in [cls for cls in self._values if cls.__module__ != "builtins"]:
                del self._values[cls]
                self._nodes.pop(cls, None)

    def codec(self, annotation: object) -> Codec:
        """The codec of an annotation."""
        self._notice_registrations()
        key = self._key(annotation)
        codec = self._codecs.get(key)
        if codec is None:
            codec = self._codecs[key] = as_codec(self.node(annotation))
        return codec

    def node(self, annotation: object) -> Node:
        """The node of an annotation; the way back to it while it is being compiled."""
        key = self._key(annotation)
        known = self._nodes.get(key)
        if known is not None:
            return known
        with self._lock:
            return (
                self._nodes.get(key)
                or self._fresh.get(key)
                or self._compiling.get(key)
                or self._compile_once(key, annotation)
            )

    def of_value(self, cls: type) -> Node:
        """The node that stores exactly the values of a class."""
        known = self._values.get(cls)
        if known is None:
            known = self.node(cls)
            if known.is_live:  # nothing said that the other side is to use it
                raise Fault("", f"a live object of type {self.type_name(cls)}", DECLARE)
            if isinstance(known, DynamicNode | UnsupportedNode):
                raise Fault("", f"a value of type {self.type_name(cls)}", hint_for(cls))
            self._values[cls] = known
        return known

    def may_name(self, cls: type) -> bool:
        """Whether a recording may name the class as a value where any class is accepted.

        Classes of values and abstract ones: not `subprocess.Popen`, unless it is registered.
        """
        is_abstract = inspect.isabstract(cls) or getattr(cls, "_is_protocol", False)
        if is_abstract or self._registry.name_of(cls) is not None:
            return True
        return not isinstance(self.node(cls), DynamicNode | UnsupportedNode)

    def type_name(self, cls: type) -> str:
        """The name a tag gives to a class."""
        return self._registry.name_of(cls) or standard_name(cls) or plain_type_name(cls)

    def check_found_again(self, cls: type) -> None:
        """Raise `Fault` if another run needs the class and cannot find it by its name."""
        registered = self._registry.name_of(cls) is not None
        if self.rebuilds and issubclass(cls, BaseException) and not registered:
            check_held(cls)

    def find_type(self, name: str, base: type) -> type:
        """The class of that name below `base`."""
        found = self._found.get((name, base))
        if found is None:
            found = self._registry.named(name) or standard_type(name)
            if found is None or not issubclass(found, base):
                found = find_loaded(name, base)
            self._found[name, base] = found
        return found

    def _compile_once(self, key: object, annotation: object) -> Node:
        back = Recursive(describe(annotation, self.type_name))
        self._compiling[key] = back
        try:
            made = self._compile(annotation)
        except Exception as error:  # a user's class can do anything when it is looked at
            made = UnsupportedNode(back.name, f"{type(error).__name__}: {error}")
        finally:
            del self._compiling[key]
        back.settle(made)
        self._fresh[key] = made
        if not self._compiling:  # other threads see a recursive type only when it is complete
            self._nodes.update(self._fresh)
            self._fresh.clear()
        return made

    def _compile(self, annotation: object) -> Node:
        words = metadata_of(annotation)
        if words:
            inner = self.node(strip_annotated(annotation))
            return mark(self, inner, words)
        registered = self._registered(annotation)
        if registered is not None:
            return custom_node(
                self, registered.type_, registered.name, registered.encode, registered.decode
            )
        live = self._live(annotation)
        if live is not None:
            live.name = describe(annotation, self.type_name)
            return live
        form = form_node(self, annotation)
        if form is not None:
            return form
        origin = get_origin(annotation) or annotation
        assert isinstance(origin, type)
        return class_node(self, origin, get_args(annotation))

    def _registered(self, annotation: object) -> Registered | None:
        cls = get_origin(annotation) or annotation
        return self._registry.codec_of(cls) if isinstance(cls, type) else None

    def _notice_registrations(self) -> None:
        if self._version != self._registry.version:
            self._version = self._registry.version
            self._nodes, self._values, self._codecs, self._found = {}, {}, {}, {}

    def _key(self, annotation: object) -> object:
        try:
            hash(annotation)
        except TypeError:  # words in Annotated need not be hashable
            self._kept[id(annotation)] = annotation
            return ("unhashable", id(annotation))
        return annotation


def as_codec(node: Node) -> Codec:
    """A node as the runtime uses it."""

    def compare(recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        return differences(recorded, actual, node)

    reached = reachable(node)
    has_live = any(each.is_live for each in reached)
    encode, decode, replace = node.encode, node.decode, node.replace
    if any(each.holds_objects for each in reached):
        encode, decode = partial(encode_one_value, encode), partial(decode_one_value, decode)
        replace = partial(replace_in_one_value, replace)
    return Codec(
        _translated(encode, EncodeError),
        _translated(decode, DecodeError),
        compare,
        _translated(replace, EncodeError) if has_live else None,
        find_marks(node) if any(each.loosens for each in reached) else (),
        find_few(node) if any(each.few for each in reached) else (),
    )


def _translated(
    function: Callable[[Any], Any], public: type[EncodeError] | type[DecodeError]
) -> Callable[[Any], Any]:
    """A function of a node that raises the public error instead of a fault."""

    def translated(value: Any) -> Any:
        try:
            return function(value)
        except Fault as fault:
            error, cause = public(**fault.facts), fault.__cause__
        except RecursionError:
            error, cause = public(**_TOO_DEEP.facts), None
        except VcrError:
            raise
        except Exception as raised:  # by code of the value's class: a property, an iterator
            got = f"one whose code raises {type(raised).__name__}: {raised}"
            error, cause = public(**Fault("a value that can be read", got).facts), raised
        raise error from cause

    return translated


DECLARE: Final = (
    "declare it in the annotation: BinaryIO or TextIO for a file, Iterator[…] for a generator, "
    "Callable[…] for a function, its Protocol (or `P | object`) for other objects"
)
_TOO_DEEP: Final = Fault(
    "less nesting", "more than the stack holds, or a value that contains itself"
)
