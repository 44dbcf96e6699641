"""Names requests: `tools/call`, or `tools/call:search` for one tool, prompt or resource."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import final

from vcr_gen import Tape
from vcr_gen.errors import UsageError
from vcr_gen.spelling import did_you_mean


@final
@dataclass(frozen=True, slots=True)
class Target:
    """The requests of a method, or those among them with a name."""

    method: str
    name: str = ""
    """A pattern for the name of a tool or prompt, or the URI of a resource; empty for all."""

    def __str__(self) -> str:
        return f"{self.method}:{self.name}" if self.name else self.method

    @property
    def pattern(self) -> str:
        """A pattern for what messages call the requests."""
        return f"{self.method} {self.name}" if self.name else f"{self.method}|{self.method} *"

    def is_for(self, title: str) -> bool:
        """Whether a request is meant that messages call this, such as `tools/call search`."""
        return any(fnmatchcase(title, pattern) for pattern in self.pattern.split("|"))


def target_of(text: str) -> Target:
    """The requests that a text names."""
    method, _, name = text.partition(":")
    if not method:
        raise UsageError(f"expected METHOD or METHOD:NAME, such as tools/call:search; got {text!r}")
    return Target(method, name)


@final
@dataclass(frozen=True, slots=True)
class RecordedMessage:
    """What a recorded client said."""

    title: str
    """Its method and name, as in messages: `tools/call search`."""
    is_request: bool
    line: int


def recorded_messages(path: Path) -> Iterator[RecordedMessage]:
    """What the client of a cassette said, in order."""
    with Tape(path) as tape:
        for call in sorted(tape.calls(), key=lambda call: call.index):
            if call.boundary == "server":
                title = call.name.partition(" ")[2]
                yield RecordedMessage(title, call.method == "request", call.line)


def check_recorded(path: Path, targets: Iterable[Target], *, requests: bool = False) -> None:
    """Refuse a name that no message of a recorded client has, or no request."""
    messages = recorded_messages(path)
    titles = {message.title for message in messages if message.is_request or not requests}
    methods = {title.partition(" ")[0] for title in titles}
    named = {title.replace(" ", ":", 1) for title in titles}
    for target in targets:
        if not any(target.is_for(title) for title in titles):
            of_method = {name for name in named if name.startswith(f"{target.method}:")}
            did = "asked for" if requests else "said"
            raise UsageError(
                f"{path}: the client never {did} {target}"
                f"{did_you_mean(str(target), named | methods)}\n\n"
                f"hint: it {did} {', '.join(sorted(of_method or methods))}"
            )
