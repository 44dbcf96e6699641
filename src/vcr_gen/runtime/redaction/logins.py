"""Passwords that stand behind a user's name, and under no name of their own.

So they do in a `.netrc` (`machine host login me password …`), behind options of curl (`-u me:…`),
and in the credential of basic authorization.
"""

import re
from collections.abc import Iterator
from typing import Final

from vcr_gen.runtime.redaction.looks import is_filler
from vcr_gen.runtime.redaction.spans import Span

__all__ = ["begun_netrc", "is_curl", "login_span", "login_spans", "may_hold_login"]

_RULE: Final = "password"
_MACHINE: Final = re.compile(
    r"(?:^|(?<=[\n\"'`])|(?<=\\n))[ \t]{0,16}(?:machine\s{1,8}[\w.:\[\]-]{0,255}[\w\]]"
    r"|default)(?:\s{1,8}(?:login|account)\s{1,8}\S{0,255}[^\s,;:]){1,2}\s{1,8}password\s{1,8}"
    r"([^\s\"'`\\]{1,256})"
)
_LINES: Final = re.compile(
    r"(?:^|(?<=\n))[ \t]{0,16}login\s{1,8}\S{1,256}\s{1,8}password[ \t]{1,8}(\S{1,256})[ \t]{0,8}"
    r"(?=[\r\n]|\Z)"
)
_WORD: Final = re.compile(r"[A-Za-z]?[a-z]*[.,:;!?]?|[A-Z]+[.,:;!?]?")
_BEGUN: Final = re.compile(
    r"(?:^|(?<=\n))[ \t]{0,16}(?:machine|default|login)(?:\s{1,8}\S{1,256}){0,7}\s{0,8}\Z"
)
_LONGEST: Final = 2048
_CURL: Final = re.compile(r"(?<![\w.-])curl(?:\.exe)?(?=[\s\"'])")
_END: Final = re.compile(r"(?<!\\)\n|\Z")
_OPTION: Final = re.compile(r"-[A-Za-z]{0,8}[uU]|--(?:proxy-)?user")
_IN_COMMAND: Final = re.compile(
    r"(?<=[\s\"'])(?:-[A-Za-z]{0,8}[uU]\s{0,4}|--(?:proxy-)?user(?:=|\s{1,4}))"
    r"[\"']?[^\s:\"'/\\]{1,256}:([^\s\"'\\]{1,256})"
)
_LOGIN: Final = re.compile(r"[^\s:/]{1,256}:(.{1,256})", re.DOTALL)
_OPTION_AND_LOGIN: Final = re.compile(rf"(?:-[uU]|--(?:proxy-)?user=){_LOGIN.pattern}", re.DOTALL)


def may_hold_login(text: str) -> bool:
    """Whether it is worth to look closer; cheap."""
    return ("password" in text and "login" in text) or "curl" in text


def login_spans(text: str) -> Iterator[Span]:
    """The passwords in the text of a `.netrc` and in commands."""
    if "password" in text and "login" in text:
        for found in _MACHINE.finditer(text):
            yield from _password(text, found)
        for found in _LINES.finditer(text):
            if _WORD.fullmatch(found[1]) is None:  # `login and password required`
                yield from _password(text, found)
    position = 0
    while "curl" in text and (command := _CURL.search(text, position)) is not None:
        end = _END.search(text, command.end(), command.end() + _LONGEST)
        position = end.start() if end else len(text)
        for found in _IN_COMMAND.finditer(text, command.end(), position):
            yield from _password(text, found)


def begun_netrc(text: str) -> int:
    """Where a machine begins that may not be all told yet; the length of the text if none does."""
    found = _BEGUN.search(text, max(0, len(text) - _LONGEST))
    return len(text) if found is None else found.start()


def is_curl(argument: str) -> bool:
    """Whether a word of a command is curl."""
    return (
        argument.endswith(("curl", "curl.exe")) and _CURL.match(f"{_name(argument)} ") is not None
    )


def login_span(argument: str, *, after: str) -> Span | None:
    """The password in an argument of curl that is a user and a password; it may be an option."""
    pattern = _LOGIN if _OPTION.fullmatch(after) else _OPTION_AND_LOGIN
    found = pattern.fullmatch(argument)
    return None if found is None else next(_password(argument, found), None)


def _password(text: str, found: "re.Match[str]") -> Iterator[Span]:
    if not is_filler(found[1]):
        yield Span(*found.span(1), _RULE, named=True, open=found.end(1) == len(text))


def _name(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]
