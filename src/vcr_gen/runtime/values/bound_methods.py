"""Methods with their types compiled for one session."""

import json
import marshal
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from vcr_gen.errors import DecodeError, EncodeError
from vcr_gen.field_path_syntax import FieldPath
from vcr_gen.runtime.boundary.call_kinds import Kind, given_type, shape_of
from vcr_gen.runtime.boundary.rules import Loosening, Rules, how_in_words
from vcr_gen.runtime.boundary.spec import Method
from vcr_gen.runtime.codec import Codec
from vcr_gen.runtime.codec.markers import joined_of, plain_key
from vcr_gen.runtime.codec.placeholders import unnumbered_text
from vcr_gen.runtime.codec.tags import LIVE
from vcr_gen.runtime.plain import Plain, image_of, may_hold
from vcr_gen.runtime.privacy import Redaction, Secrets
from vcr_gen.runtime.tape.events import Outcome
from vcr_gen.runtime.values.anchors import Anchors
from vcr_gen.runtime.values.channel import ValueChannel, Way, at_work

_LIVE: Final = re.compile(rf'("(?:{"|".join(map(re.escape, LIVE))})":) -?\d+')
_SORTED_JSON: Final = json.JSONEncoder(sort_keys=True)
_CHANGEABLE: Final = frozenset({list, dict, set, bytearray, memoryview, deque})


def _image(passing: ValueChannel, value: Any) -> bytes:
    try:
        return marshal.dumps(value, 2)  # most are of plain types, and this is fast
    except ValueError:
        pass
    try:
        return marshal.dumps(passing.encode(value), 2)
    except EncodeError:  # by now it holds something that cannot be stored
        return b""


def _items(iterable: Iterable[Any]) -> Iterator[Any]:
    """The items; the iterable is not used before the first one is requested."""
    yield from iterable


@final
@dataclass(frozen=True, slots=True)
class Bound:
    """A method, ready to carry calls."""

    method: Method
    arguments: Mapping[str, ValueChannel]
    kind: Kind
    value: ValueChannel
    """The result, an item of it, or what is awaited."""
    whole: ValueChannel
    """The result as one value, if an iterable is stored as a value."""
    sent: ValueChannel
    returned: ValueChannel
    raised: ValueChannel
    nothing: ValueChannel
    """The end of a stream that has no value: closed, or asynchronous."""
    joined: Callable[[list[Any]], Plain] | None
    """The function that compares all items of a stream at once, in mode `verify`."""
    loosenings: tuple[Loosening, ...]
    """The rules that loosen arguments."""
    has_live: bool
    """Whether arguments can contain live objects."""

    def key(self, stored: Mapping[str, Plain]) -> str:
        """A text key of the arguments, equal for matching calls."""
        masked = {
            name: self.arguments[name].masked(value) if name in self.arguments else value
            for name, value in stored.items()
        }
        text = _SORTED_JSON.encode(masked)
        if self.has_live:  # the tape says which number a new object has
            text = _LIVE.sub(r"\1 0", text)
        # A replay has different credentials, and so different placeholders.
        return unnumbered_text(text)

    def ended(self, outcome: Outcome) -> ValueChannel:
        """The channel of the outcome of a call."""
        if outcome == "raised":
            return self.raised
        if self.kind in (Kind.STREAM, Kind.ASYNC_STREAM):
            return self.returned
        return self.whole if self.kind is Kind.ITERABLE else self.value

    def items(self, iterable: Any) -> Iterator[Any] | None:
        """The iterator of an iterable; None if it is stored as one value.

        That is where the codec knows the class: a list, a deque, a user's own with a codec.
        """
        if isinstance(iterable, Iterator):
            return iterable
        if type(iterable).__module__ == "builtins" or not isinstance(iterable, Iterable):
            return None
        codec = self.whole.codec
        if codec.replace_live is not None:  # to try it out would count the live objects inside
            return None if isinstance(iterable, Collection) else _items(iterable)
        try:
            self.whole.run(codec.encode, iterable)
        except EncodeError as error:
            return _items(iterable) if error.path == "$" else None
        return None

    def in_words(self) -> dict[str, str]:
        """The loosened fields, for the header of a cassette."""
        words = {parameter.name: "unrecorded" for parameter in self.method.unrecorded}
        words |= dict.fromkeys(self.method.secrets, "secret")
        for passing in (*self.arguments.values(), self.value, self.sent, self.returned):
            words |= passing.in_words()
        return words | {rule.path: how_in_words(rule.how) for rule in self.method.rules}

    def take(
        self,
        arguments: Mapping[str, object],
        give: Callable[[ValueChannel, object], tuple[Plain, Any]],
    ) -> tuple[dict[str, Plain], Mapping[str, object]]:
        """The plain form of the arguments, and the arguments as the other side gets them."""
        if not self.has_live:
            try:
                return self.encode(arguments), arguments
            except Exception:  # each argument is tried by itself, and `give` says what fails
                pass
        encoded: dict[str, Plain] = {}
        forwarded = dict(arguments)
        for name, passing in self.arguments.items():
            value = arguments[name]
            if value is not ...:
                encoded[name], forwarded[name] = give(passing, value)
        return encoded, forwarded

    def images(self, arguments: Mapping[str, object]) -> dict[str, bytes]:
        """Snapshots that show whether the callee changed an argument, such as a shuffled list.

        Nothing for calls that run code of the application, which may well change its own.
        """
        changeable = [name for name in self.arguments if type(arguments[name]) in _CHANGEABLE]
        if not changeable or self.has_live:
            return {}
        return {name: _image(self.arguments[name], arguments[name]) for name in changeable}

    def encode(self, arguments: Mapping[str, object]) -> dict[str, Plain]:
        """The plain form of the arguments."""
        encoded: dict[str, Plain] = {}
        before, at_work.channel = at_work.channel, self.nothing  # one for all, if none is live
        try:
            for name, passing in self.arguments.items():
                value = arguments[name]
                if value is not ...:  # a default that only the implementation knows
                    if self.has_live:
                        at_work.channel = passing
                    encoded[name] = passing.codec.encode(value)
        except EncodeError as error:
            raise passing.refusal(value, error) from None
        finally:
            at_work.channel = before
        return encoded

    def is_as_recorded(self, recorded: Any, encoded: Any) -> bool:
        """Whether encoded arguments equal the recorded ones exactly.

        Then they hold no secret and no path under an anchor: those have names on the tape.
        """
        known = self.image(recorded)
        return known is not None and known == image_of(encoded)

    def image(self, plain: Any) -> bytes | None:
        """Bytes that are equal for exactly equal arguments; None if these must be compared.

        A rule has to see calls until it was of use, and a name of an anchor has a meaning.
        """
        for loosening in self.loosenings:
            if not loosening.was_of_use:
                return None
        image = image_of(plain)
        return None if may_hold(image, b"${") else image

    def accepts(self, arguments: Mapping[str, object]) -> bool:
        """Whether the arguments are of the declared types."""
        try:
            self.encode(arguments)
        except EncodeError:
            return False
        return True

    def feed(self, stored: Mapping[str, Plain]) -> dict[str, object]:
        """The live arguments of a recorded call, for the program.

        The environment sends back secrets that the program itself has given out, such as tokens.
        """
        for name in stored:
            if name not in self.arguments:
                what = f"{self.method.name}: argument `{name}`"
                raise DecodeError(path=what, expected="a parameter", got="no such parameter")
        for parameter in self.method.parameters:
            if parameter.name not in stored and not parameter.optional:
                what = f"{self.method.name}: argument `{parameter.name}`"
                raise DecodeError(path=what, expected="a value", got="nothing")
        return {
            name: passing.feed(passing.secrets.revealed(stored[name])) if name in stored else ...
            for name, passing in self.arguments.items()
        }


@final
class Binder:
    """Compiles each method of a session once."""

    def __init__(
        self,
        codec: Callable[[object, Way], Codec],
        *,
        anchors: Anchors,
        secrets: Secrets | None = None,
        rules: Rules | None = None,
        crossing: object = None,
    ) -> None:
        self._codec = codec
        self._crossing = crossing
        self._anchors = anchors
        self._secrets = secrets or Secrets(Redaction())
        self._rules = rules or Rules()
        self._bound: dict[int, Bound] = {}

    def bind(self, method: Method) -> Bound:
        """The method with its types compiled."""
        bound = self._bound.get(id(method))
        if bound is None:
            bound = self._bound[id(method)] = self._compile(method)
        return bound

    def in_words(self) -> dict[str, dict[str, str]]:
        """The loosened fields of all called methods, and the rules of the cassette."""
        words = self._rules.in_words()
        for bound in list(self._bound.values()):
            if found := bound.in_words():
                words[bound.method.name] = found | words.get(bound.method.name, {})
        return words

    def known(self) -> dict[str, Bound]:
        """The called methods, by their names on the tape."""
        found = list(self._bound.values())
        return {bound.method.name: bound for bound in found if bound.method.call is not None}

    def anything(self, what: str) -> ValueChannel:
        """The channel of a value without a declared type."""
        codec = self._codec(Any, "outward")
        return ValueChannel(
            codec, self._anchors, self._secrets, "outward", what, crossing=self._crossing
        )

    def _compile(self, method: Method) -> Bound:
        there: Way = "inward" if method.inbound else "outward"
        back: Way = "outward" if method.inbound else "inward"
        shape = shape_of(method.result)
        if method.asynchronous:
            shape = type(shape)(Kind.VALUE, method.result)

        name = method.name

        def passing(annotation: object, way: Way, what: str, root: str = "") -> ValueChannel:
            codec = self._codec(annotation, way)
            for steps in codec.few:
                self._secrets.spare(name, FieldPath("", root, steps))
            loosening = self._rules.loosening(name, root, method.rules)
            what = f"{name}: {what}"
            return ValueChannel(
                codec,
                self._anchors,
                self._secrets,
                way,
                what,
                root,
                loosening,
                method.late,
                self._crossing,
            )

        given = "$result" if shape.kind in (Kind.VALUE, Kind.AWAITABLE) else "$item"
        arguments = {
            parameter.name: passing(
                given_type(parameter.annotation),
                there,
                f"argument `{parameter.name}`",
                parameter.name,
            )
            for parameter in method.parameters
        }
        return Bound(
            method=method,
            arguments=arguments,
            loosenings=tuple(each.loosening for each in arguments.values() if each.loosening),
            has_live=any(each.codec.replace_live is not None for each in arguments.values()),
            kind=shape.kind,
            value=passing(shape.value, back, "result", given),
            whole=passing(method.result, back, "result", "$result"),
            sent=passing(shape.sent, there, "value sent", "$sent"),
            returned=passing(shape.returned, back, "return value", "$result"),
            raised=passing(BaseException, back, "exception", "$raised"),
            nothing=passing(None, back, "end"),
            joined=_joined(shape.value),
        )


def _joined(item: object) -> Callable[[list[Any]], Plain] | None:
    key = joined_of(item)
    return None if key is None else lambda items: plain_key(key, items, "joined")
