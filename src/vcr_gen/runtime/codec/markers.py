"""What words in `Annotated` mean: Secret, Volatile, Match, …"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Final, get_args, get_origin

from vcr_gen.boundary import ByName, Match, Secret, Shown, Unrecorded, Volatile, name_of
from vcr_gen.boundary import Codec as CodecMarker
from vcr_gen.errors import EncodeError, UsageError
from vcr_gen.field_path_syntax import Step
from vcr_gen.runtime.codec.compare import VALUE_DIFFERS, Difference, differences
from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.lookup import ByNameNode
from vcr_gen.runtime.codec.node import EXACT, NO_FIT, Node, Nodes, Wrapper
from vcr_gen.runtime.codec.object_identity import encode_apart
from vcr_gen.runtime.codec.placeholders import REDACTED, is_placeholder
from vcr_gen.runtime.codec.scalars import bytes_to_plain
from vcr_gen.runtime.codec.tags import KINDS, NULL, STR, kind_of
from vcr_gen.runtime.plain import Plain, check_plain

NOT_SHOWN: Final = "<not shown>"
"""Replaces, in messages, a value at the place of a redacted secret."""


def metadata_of(annotation: object) -> tuple[object, ...]:
    """The words of an `Annotated`, if it is one."""
    return get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()


def is_marker(word: object) -> bool:
    """Whether a word in `Annotated` is a marker of vcr-gen."""
    return isinstance(word, CodecMarker | Match | Shown) or any(
        word is each for each in (ByName, Secret, Volatile, Unrecorded)
    )


def joined_of(annotation: object) -> Callable[[list[Any]], Any] | None:
    """The function that compares all items of a stream of this type at once, if there is one."""
    found = (word.joined for word in metadata_of(annotation) if isinstance(word, Match))
    return next(filter(None, found), None)


def is_unrecorded(annotation: object) -> bool:
    """Whether the annotation says that its value is not recorded."""
    return any(word is Unrecorded for word in metadata_of(annotation))


def mark(nodes: Nodes, inner: Node, words: Iterable[object]) -> Node:
    """Give a node the meaning of the words around its annotation."""
    words = list(words)
    node = inner
    for word in words:
        if isinstance(word, CodecMarker):
            node = custom_node(nodes, None, inner.name, word.encode, word.decode)
    if any(word is ByName for word in words):
        node = ByNameNode(inner, rebuilds=nodes.rebuilds)
    for word in words:
        if isinstance(word, Given):
            node = GivenNode(node, nodes.node(word.stream))
    for word in words:
        if isinstance(word, Match) and word.joined is None:
            node = _compared(node, word)
    if any(word is Volatile for word in words):
        node = VolatileNode(node)
    if any(word is Secret for word in words) and not _is_live(inner):
        node = SecretNode(node, nodes.hide, rebuilds=nodes.rebuilds)
    if any(word is Unrecorded for word in words):
        node = UnrecordedNode(node)
    return node


def _compared(node: Node, match: Match) -> Node:
    if match.key is not None:
        return KeyNode(node, match.key)
    assert match.same is not None
    return MatchNode(node, match.same)


def _is_live(node: Node) -> bool:
    """Whether only an object's number is stored, if anything: it contains no secret."""
    parts = [part for _, part in node.parts()]
    return node.is_live or (
        bool(parts) and all(part.is_live or part.kinds == {NULL} for part in parts)
    )


_TEXT_ONLY: Final = (
    "only text and bytes can be replayed from a secret; mark a text inside it instead"
)


class SecretNode(Wrapper):
    """A value that is never stored: its placeholder is stored, or null for `None`."""

    loosens = "secret"

    def __init__(self, inner: Node, hide: Callable[[Plain], str], *, rebuilds: bool) -> None:
        super().__init__(inner)
        self._hide: Final = hide
        self._rebuilds: Final = rebuilds
        self.hides = True
        self.few = False
        self.natural = inner.natural & {STR, NULL}

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset({STR}) | (self.inner.kinds & {NULL})

    def encode(self, value: object) -> Plain:
        """The placeholder; the value is only checked against its type."""
        plain: Plain = REDACTED
        refused = False
        try:
            plain = encode_apart(self.inner.encode, value)
        except Fault:
            refused = True
        if refused:  # outside of `except`, so that no traceback leads to the value
            raise Fault(self.name, "a secret of another type")
        if plain is None:
            return None
        if self._rebuilds and not self._stands_for_one(REDACTED):
            raise Fault("text or bytes where it is marked Secret", f"a {self.name}", _TEXT_ONLY)
        return self._hide(plain)

    def _stands_for_one(self, placeholder: str) -> bool:
        """Whether a replay can feed the placeholder instead of a value."""
        try:
            self.inner.decode(placeholder)
        except Fault:
            return False
        return True

    def decode(self, plain: Plain) -> object:
        """The placeholder as text or bytes; other types cannot be restored."""
        if plain is None and NULL in self.inner.kinds:
            return self.inner.decode(None)
        if not isinstance(plain, str) or not is_placeholder(plain):
            raise Fault(f"{REDACTED} (a secret)", "something else, not shown")
        try:
            return self.inner.decode(plain)
        except Fault:
            raise Fault(self.name, "a secret that was not stored", _TEXT_ONLY) from None

    def verdict(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """Compare two placeholders; a secret never equals `None` or a stored secret."""
        left, right = _shown(recorded), _shown(actual)
        sides = (left, right)
        if NOT_SHOWN not in sides and (left == right or (REDACTED in sides and None not in sides)):
            return ()
        return (Difference("$", left, right, VALUE_DIFFERS),)


def _shown(plain: Plain) -> str | None:
    if plain is None or (isinstance(plain, str) and is_placeholder(plain)):
        return plain
    return NOT_SHOWN


class VolatileNode(Wrapper):
    """A value that is stored and shown, but not compared."""

    loosens = "volatile"

    def verdict(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        del recorded, actual
        return ()


class MatchNode(Wrapper):
    """A value that is compared by a function."""

    def __init__(self, inner: Node, alike: Callable[[Any, Any], bool]) -> None:
        super().__init__(inner)
        self._alike: Final = alike
        self.loosens = f"match {name_of(alike)}"

    def verdict(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        try:
            left, right = self.inner.decode(recorded), self.inner.decode(actual)
        except Fault as fault:
            return (Difference("$", recorded, actual, f"not comparable: got {fault.got}"),)
        if self._alike(left, right):
            return ()
        return (Difference("$", recorded, actual, f"{name_of(self._alike)} says they differ"),)


class KeyNode(Wrapper):
    """A value that is compared by its key."""

    def __init__(self, inner: Node, key: Callable[[Any], Any]) -> None:
        super().__init__(inner)
        self.loosens = f"match {name_of(key)}"
        self._key: Final = key
        self.key_of = self._key_of

    def _key_of(self, plain: Plain) -> Plain:
        return plain_key(self._key, self.inner.decode(plain))

    def verdict(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        try:
            left, right = self._key_of(recorded), self._key_of(actual)
        except Fault as fault:
            return (Difference("$", recorded, actual, f"not comparable: got {fault.got}"),)
        return differences(left, right)


def plain_key(key: Callable[[Any], Any], value: object, option: str = "key") -> Plain:
    """The key of a value, if it is plain data; it may contain bytes."""
    found: Plain = key(value)
    try:
        check_plain(found)
    except EncodeError:
        found = _without_bytes(found)
    else:
        return found
    try:
        check_plain(found)
    except EncodeError as error:
        what = f"expected plain data; got {error.got}"
        raise UsageError(f"Match({option}={name_of(key)}): {what}") from None
    return found


def _without_bytes(key: Any) -> Any:
    """A key with the stored form of bytes instead of them."""
    if isinstance(key, list):
        return [_without_bytes(item) for item in key]
    if isinstance(key, dict):
        return {name: _without_bytes(item) for name, item in key.items()}
    return bytes_to_plain(key) if isinstance(key, bytes) else key


class UnrecordedNode(Node):
    """A value that is neither stored nor compared; nothing in it is looked at."""

    kinds = frozenset({NULL})
    loosens = "unrecorded"
    discards = True

    def __init__(self, inner: Node) -> None:
        self.name = inner.name
        self._inner: Final = inner

    def encode(self, value: object) -> Plain:
        del value
        return None

    def decode(self, plain: Plain) -> object:
        if plain is not None:
            raise Fault("nothing (the value is not recorded)", show(plain))
        return None

    def fits(self, value: object) -> int:
        return self._inner.fits(value)

    def verdict(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        del recorded, actual
        return ()


def custom_node(
    nodes: Nodes,
    cls: type | None,
    name: str,
    encode: Callable[[Any], object],
    decode: Callable[[Any], object],
) -> Node:
    """The node of values that functions of the user turn into anything the codec knows."""
    anything = nodes.node(object)
    return CustomNode(
        cls,
        name,
        lambda value: anything.encode(encode(value)),
        lambda plain: decode(anything.decode(plain)),
    )


class CustomNode(Node):
    """A value stored by functions that make plain data of it."""

    kinds = KINDS

    def __init__(
        self,
        cls: type | None,
        name: str,
        encode: Callable[[Any], Plain],
        decode: Callable[[Any], object],
    ) -> None:
        self.name = name
        self._cls: Final = cls
        self._encode: Final = encode
        self._decode: Final = decode

    def encode(self, value: object) -> Plain:
        if self._cls is not None and type(value) is not self._cls:
            raise Fault(self.name, show(value))
        try:
            return self._encode(value)
        except Fault:
            raise
        except Exception as error:
            raise self._refusal("value", error) from error

    def decode(self, plain: Plain) -> object:
        try:
            return self._decode(plain)
        except Fault:
            raise
        except Exception as error:
            raise self._refusal("plain", error) from error

    def _refusal(self, what: str, error: Exception) -> Fault:
        got = f"a {what} its codec refuses ({type(error).__name__}: {error})"
        return Fault(self.name, got)

    def fits(self, value: object) -> int:
        if self._cls is None:
            return UNKNOWN_FIT
        return EXACT if type(value) is self._cls else NO_FIT


UNKNOWN_FIT: Final = 20_000


_STREAM: Final = "$stream"


@dataclass(frozen=True, slots=True)
class Given:
    """A word in `Annotated`, for the type of an argument: an iterator there is of type `stream`."""

    stream: object


class GivenNode(Wrapper):
    """A value as inside, or a stream of the application or the environment."""

    def __init__(self, inner: Node, stream: Node) -> None:
        super().__init__(inner)
        self._stream: Final = stream

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        return (((), self.inner), ((), self._stream))

    def encode(self, value: object) -> Plain:
        return self._of_value(value).encode(value)

    def decode(self, plain: Plain) -> object:
        return self._of_plain(plain).decode(plain)

    def fits(self, value: object) -> int:
        return self._of_value(value).fits(value)

    def opened(self, plain: Plain) -> tuple[Node, Plain]:
        return self._of_plain(plain).opened(plain)

    def replace(self, value: object) -> object:
        return self._of_value(value).replace(value)

    def _of_value(self, value: object) -> Node:
        return self._stream if isinstance(value, Iterator) else self.inner

    def _of_plain(self, plain: Plain) -> Node:
        return self._stream if kind_of(plain) == _STREAM else self.inner
