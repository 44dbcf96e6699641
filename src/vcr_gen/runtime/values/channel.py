"""How one value crosses the boundary: encoded, forwarded, restored, compared."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from traceback import walk_tb
from typing import Any, Final, Literal, TypeAlias, final

from vcr_gen.errors import DecodeError, EncodeError
from vcr_gen.field_path_syntax import FieldPath, step_text
from vcr_gen.runtime.boundary.object_in_use import in_use, titled
from vcr_gen.runtime.boundary.rules import Loosening
from vcr_gen.runtime.codec import Codec, Difference, same
from vcr_gen.runtime.codec.annotations import import_failures
from vcr_gen.runtime.codec.field_paths import replace
from vcr_gen.runtime.plain import Plain, image_of, may_hold
from vcr_gen.runtime.privacy import Secrets, decode_with_typed_placeholders
from vcr_gen.runtime.values.anchors import Anchors

Way: TypeAlias = Literal["outward", "inward"]
"""Outward: from the application to the environment. Inward: the other way."""


class _AtWork(threading.local):
    """The channel whose value is being encoded, decoded or compared in this thread.

    Codecs are compiled once per process. Codecs of live objects and secrets find here the
    session that they work for.
    """

    channel: "ValueChannel | None" = None


at_work: Final = _AtWork()


@final
@dataclass(frozen=True, slots=True)
class ValueChannel:
    """How a value crosses the boundary: its stored form, and what the other side gets."""

    codec: Codec
    anchors: Anchors
    secrets: Secrets
    way: Way
    what: str
    """The value in words, for messages."""
    root: str = ""
    """Its name in field paths."""
    loosening: Loosening | None = None
    """The rules of its comparison, if not equality."""
    late: tuple[str, ...] = ()
    """Names in its type that are imported on first use, each as `module:name`."""
    crossing: Any = None
    """The live objects of the session."""

    def run(self, function: Callable[..., Any], *values: Any) -> Any:
        """Run a function of the codec for this channel."""
        before, at_work.channel = at_work.channel, self
        try:
            return function(*values)
        finally:
            at_work.channel = before

    @property
    def of(self) -> str:
        """The method that the value belongs to."""
        return self.what.partition(":")[0]

    def give(self, value: Any) -> tuple[Plain, Any]:
        """The encoded form of a live value, and the object that the other side gets."""
        if self.codec.replace_live is None:
            return self.encode(value), value
        if self.way == "inward":  # wrap inbound objects first: the wrapper has the number
            value = self.forward(value)
            return self.encode(value), value
        forwarded = self.forward(value)  # which is kept alive, with the number that it has
        return self.encode(value), forwarded

    def encode(self, value: Any) -> Plain:
        """The plain form of a live value; `Screen` makes the stored form of it."""
        before, at_work.channel = at_work.channel, self  # not through `run`: most values come here
        try:
            return self.codec.encode(value)
        except EncodeError as error:
            raise self.refusal(value, error) from None
        finally:
            at_work.channel = before

    def refusal(self, value: Any, error: EncodeError) -> EncodeError:
        """The error of the codec, with the name of the value and without its secrets."""
        place = titled(self.what, in_use.get()) + error.path.removeprefix("$")
        refused = EncodeError(
            path=place,
            expected=error.expected,
            got=self.secrets.refused(place, error.got),
            hint="; ".join(filter(None, (*import_failures(self.late), error.hint))),
        )
        if isinstance(value, BaseException) and (site := _raised_at(value)):
            # The new error replaces the exception, which may be the actual mistake.
            refused.add_note(f"the {type(value).__name__} was raised at {site}")
        return refused

    def forward(self, value: Any) -> Any:
        """The object that the other side gets: the value itself, with its live parts wrapped."""
        replace = self.codec.replace_live
        return value if replace is None else self.run(replace, value)

    def feed(self, plain: Plain) -> Any:
        """The live value of a stored form, for the program; its placeholders are remembered."""
        return self.restore(plain, fed=True)

    def restore(self, plain: Plain, *, fed: bool = False) -> Any:
        """The live value of a stored form."""
        image = image_of(plain)
        if may_hold(image, b"${"):
            plain = self.anchors.restore(plain)
        try:
            try:
                value = self._decode(plain)
                # Other placeholders come back in many forms.
                if fed and may_hold(image, b"<redacted:"):
                    self.secrets.feed(plain)
                return value
            except DecodeError as error:  # the secret may be a field that is not text
                return decode_with_typed_placeholders(self._decode, plain, error)
        except DecodeError as error:
            raise DecodeError(
                path=self.what + error.path.removeprefix("$"),
                expected=error.expected,
                got=error.got,
                hint=error.hint,
            ) from None

    def _decode(self, plain: Plain) -> Any:
        before, at_work.channel = at_work.channel, self
        try:
            return self.codec.decode(plain)
        finally:
            at_work.channel = before

    def differences(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """How a live value differs from the recorded one, both in stored form."""
        rules = self.loosening
        refused: tuple[Difference, ...] = ()
        if rules is not None:
            if self.codec.replace_live is not None:  # a volatile function still gets its number
                self._compare(recorded, actual)
            align = self.secrets.align
            actual, refused = rules.aligned(recorded, actual, self.restore, align)
        found = self._compare(recorded, actual)
        if found:  # a replay usually has different credentials and folders
            recorded, actual = self.anchors.comparable(recorded), self.anchors.comparable(actual)
            found = self._compare(recorded, self.secrets.align(recorded, actual))
        return found if rules is None else (*refused, *rules.in_detail(found))

    @property
    def has_key(self) -> bool:
        """Whether a function of the declared type makes what is compared."""
        return any(not mark.steps and mark.key_of is not None for mark in self.codec.marks)

    def in_words(self) -> dict[str, str]:
        """The loosened fields of the declared type."""
        return {
            self.root + "".join(map(step_text, mark.steps)): mark.how for mark in self.codec.marks
        }

    def masked(self, plain: Plain) -> Plain:
        """The stored form without loosened fields, to find equal calls."""
        plain = self.anchors.comparable(plain)
        for mark in self.codec.marks:
            plain = replace(FieldPath("", self.root, mark.steps), plain, mark.key_of or _nothing)
        if self.loosening is not None:
            for active in self.loosening.rules:
                plain = replace(active.path, plain, _nothing)
        return plain

    def _compare(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        if same(recorded, actual):
            return ()
        found: tuple[Difference, ...] = self.run(self.codec.compare, recorded, actual)
        return found


def _raised_at(error: BaseException) -> str:
    """`file:line in function` where an exception was raised; empty if unknown."""
    frames = list(walk_tb(error.__traceback__))
    if not frames:
        return ""
    frame, line = frames[-1]
    return f"{frame.f_code.co_filename}:{line} in {frame.f_code.co_name}"


def _nothing(plain: Plain) -> Plain:
    del plain
    return None
