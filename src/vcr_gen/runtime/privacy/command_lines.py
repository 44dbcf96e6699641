"""Passwords in command lines, in a `.netrc` and in statements of SQL."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from vcr_gen.runtime.privacy.field_names import Naming
from vcr_gen.runtime.privacy.header_values import cookies
from vcr_gen.runtime.privacy.heuristics import is_filler, spreads
from vcr_gen.runtime.privacy.spans import Span

__all__ = ["COMMAND_WORD", "PROGRAM", "argument_spans", "command_spans"]

_RULE: Final = "password"


class _Options(NamedTuple):
    """The options of a program that take a password."""

    separate: tuple[str, ...] = ()
    """`-p …`, and `-p…`."""
    attached: tuple[str, ...] = ()
    """Only `-p…`: without a value, the program prompts for the password."""
    logins: tuple[str, ...] = ()
    """`-u user:…`."""
    between: str = ":"
    """The separator between the user and the password."""
    cookies: tuple[str, ...] = ()
    """`-b session=…`."""
    command: str = ""
    """The subcommand that must precede the option."""


_LOGIN: Final = _Options(separate=("-p",), command="login")
_MYSQL: Final = _Options(attached=("-p",))
_WITH_P: Final = _Options(separate=("-p",))
_LDAP: Final = _Options(separate=("-w",))
_ZIP: Final = _Options(separate=("-P",))
_OPENSSL: Final = _Options(logins=("-passin", "-passout", "-pass"))
_PROGRAMS: Final = {
    "7z": _MYSQL,
    "az": _LOGIN,
    "bcp": _ZIP,
    "buildah": _LOGIN,
    "cf": _LOGIN,
    "cqlsh": _WITH_P,
    "curl": _Options(logins=("-u", "-U", "--user", "--proxy-user"), cookies=("-b", "--cookie")),
    "docker": _LOGIN,
    "ftp": _Options(logins=("-u",), between=","),
    "helm": _LOGIN,
    "http": _Options(logins=("-a", "--auth")),
    "https": _Options(logins=("-a", "--auth")),
    "isql": _ZIP,
    "ldapadd": _LDAP,
    "ldapmodify": _LDAP,
    "ldappasswd": _LDAP,
    "ldapsearch": _LDAP,
    "ldapwhoami": _LDAP,
    "lftp": _Options(logins=("-u",), between=","),
    "mariadb": _MYSQL,
    "mariadb-dump": _MYSQL,
    "mongo": _WITH_P,
    "mongodump": _WITH_P,
    "mongorestore": _WITH_P,
    "mongosh": _WITH_P,
    "mysql": _MYSQL,
    "mysqladmin": _MYSQL,
    "mysqldump": _MYSQL,
    "mysqlimport": _MYSQL,
    "nerdctl": _LOGIN,
    "oc": _LOGIN,
    "openssl": _OPENSSL,
    "podman": _LOGIN,
    "rabbitmqadmin": _WITH_P,
    "rar": _MYSQL,
    "redis-cli": _Options(separate=("-a", "--pass")),
    "skopeo": _LOGIN,
    "smbclient": _Options(logins=("-U",), between="%"),
    "sqlcmd": _ZIP,
    "sshpass": _WITH_P,
    "unrar": _MYSQL,
    "unzip": _ZIP,
    "zip": _ZIP,
}
_REMOTE: Final = frozenset({"rsync", "scp", "sftp", "ssh"})
_NAMES: Final = "|".join(sorted(map(re.escape, _PROGRAMS), key=len, reverse=True))
COMMAND_WORD: Final = re.compile(rf"\b(?:{_NAMES}|basic|bearer|default|identified|login|machine)\b")
"""A lower-case word that may precede a password."""
PROGRAM: Final = re.compile(rf"(?<![\w.-])(?:{_NAMES})(?:\.exe)?(?=\s+\S|[\"'])")
_WORD: Final = re.compile(
    r"(?:\"(?:[^\"\\]|\\.){0,4096}\"|'[^']{0,4096}'|\\[^\n]|[^\s\"'\\|;&<>()`]){1,4096}"
)
_SPACE: Final = re.compile(r"(?:[ \t]|\\\r?\n)*")
_PIECES: Final = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'([^']*)'|\\(.)|([^\"'\\]+)", re.DOTALL)
_MOST_WORDS: Final = 400

_MACHINE: Final = re.compile(
    r"(?:^|(?<=[\n\"'`])|(?<=\\n))[ \t]{0,16}(?:machine\s{1,8}[\w.:\[\]-]{0,255}[\w\]]"
    r"|default)(?:\s{1,8}(?:login|account)\s{1,8}\S{0,255}[^\s,;:]){1,2}\s{1,8}password\s{1,8}"
    r"([^\s\"'`\\]{1,256})"
)
_LINES: Final = re.compile(
    r"(?:^|(?<=\n))[ \t]{0,16}login\s{1,8}\S{1,256}\s{1,8}password[ \t]{1,8}(\S{1,256})[ \t]{0,8}"
    r"(?=[\r\n]|\Z)"
)
_PLAIN_WORD: Final = re.compile(r"[A-Za-z]?[a-z]*[.,:;!?]?|[A-Z]+[.,:;!?]?")
_SQL_TEXT: Final = (
    r"(?:[EeNn]?'((?:[^'\\]|''|\\.){1,1000})'|\$\$([^$]{1,1000})\$\$|\"([^\"]{1,1000})\")"
)
_SQL: Final = (
    re.compile(
        r"(?is)\bidentified\s{1,8}(?:with\s{1,8}[\w\"'`]{1,60}\s{1,8})?(?:by|as)\s{1,8}"
        rf"(?:password\s{{1,8}})?{_SQL_TEXT}()"
    ),
    re.compile(
        r"(?is)\buser\s{1,8}\S{1,100}\s{1,8}identified\s{1,8}by()()()\s{1,8}([^\s;'\"$]{1,256})"
    ),
    re.compile(
        r"(?is)\b(?:(?:alter|create)\s{1,8}(?:or\s{1,8}replace\s{1,8})?(?:user|role|login|group)\b"
        r"[^;]{0,300}?\bpassword|set\s{1,8}password\b[^;=]{0,200}=)\s{0,8}=?\s{0,8}"
        rf"(?:password\s{{0,4}})?\(?\s{{0,4}}{_SQL_TEXT}()"
    ),
)


def command_spans(text: str) -> Iterator[Span]:
    """The passwords in commands, in the text of a `.netrc` and in statements of SQL."""
    lower = text.lower()
    if "password" in text and "login" in text:
        for found in _MACHINE.finditer(text):
            yield from _password(text, *found.span(1))
        for found in _LINES.finditer(text):
            if _PLAIN_WORD.fullmatch(found[1]) is None:  # `login and password required`
                yield from _password(text, *found.span(1))
    if "identified" in lower or "password" in lower:
        for pattern in _SQL:
            for found in pattern.finditer(text):
                group = next((n for n in (1, 2, 3, 4) if found[n]), 0)
                if group:
                    secret = found[group].replace("''", "'") if group == 1 else None
                    yield from _password(text, *found.span(group), secret)
    position = 0
    while (program := PROGRAM.search(text, position)) is not None:
        words, position = _words_from(text, program.start())
        for number, start, end in _in_words([word for word, _ in words]):
            places = words[number][1]
            yield from _password(
                text, places[start], places[end - 1] + 1, words[number][0][start:end]
            )


def argument_spans(words: Sequence[str]) -> dict[int, tuple[Span, ...]]:
    """The passwords in the arguments of a command, by the index of the argument."""
    found: dict[int, tuple[Span, ...]] = {}
    for number, start, end in _in_words(words):
        found[number] = (*found.get(number, ()), *_password(words[number], start, end))
    return found


def _in_words(words: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """The passwords in the words of a command: index of the word, start and end."""
    active: dict[str, _Options] = {}
    said = {""}
    before = ""
    for number, word in enumerate(words):
        for program, options in active.items():
            start, end = _place(word, before, options) if options.command in said else (0, 0)
            if before in options.cookies:
                for span in cookies(word, 0, len(word), exact=True):
                    yield number, span.start, span.end
            elif start < end:
                yield number, start, end
                if not options.logins:  # in `sshpass -p … ssh -p 22`, the second is a port
                    del active[program]
                break
        name = re.split(r"[/\\]", word)[-1].removesuffix(".exe") if len(word) < 200 else ""
        if name in _PROGRAMS:
            active[name] = _PROGRAMS[name]
        elif name in _REMOTE:
            active.clear()
        said.add(word)
        before = word


def _place(word: str, before: str, options: _Options) -> tuple[int, int]:
    """The range of the password in a word of a command; empty if there is none."""
    if before in options.separate and word[:1] != "-":
        return 0, len(word)
    for option in (*options.separate, *options.attached):
        if len(option) == 2 and word.startswith(option) and len(word) > 2:
            return 2 + (word[2] == "="), len(word)
    login = _login_start(word, before, options)
    cut = word.find(options.between, login) if login is not None else -1
    return (cut + 1, len(word)) if login is not None and login < cut else (0, 0)


def _login_start(word: str, before: str, options: _Options) -> int | None:
    """The start of the login in a word."""
    for option in options.logins:
        is_short = len(option) == 2
        if before == option or (is_short and re.fullmatch(rf"-[A-Za-z]{{0,8}}{option[1]}", before)):
            return 0 if word[:1] not in ("-", "$") and "://" not in word else None
        if is_short and word.startswith(option) and len(word) > 2:
            return 2
        if not is_short and word.startswith(f"{option}="):
            return len(option) + 1
    return None


def _words_from(text: str, start: int) -> tuple[list[tuple[str, list[int]]], int]:
    """The words of a shell command, each with the positions of its characters, and its end."""
    words: list[tuple[str, list[int]]] = []
    while len(words) < _MOST_WORDS and (found := _WORD.match(text, start)) is not None:
        characters: list[str] = []
        places: list[int] = []
        for piece in _PIECES.finditer(text, found.start(), found.end()):
            group = piece.lastindex or 0
            characters += piece[group]
            places += range(*piece.span(group))
        words.append(("".join(characters), places))
        space = _SPACE.match(text, found.end())
        start = space.end() if space else found.end()
    return words, max(start, 1)


def _password(text: str, start: int, end: int, secret: str | None = None) -> Iterator[Span]:
    value = text[start:end] if secret is None else secret
    if value and not is_filler(value):
        spread = spreads(value, Naming.STRONG)
        yield Span(start, end, _RULE, spreads=spread, open=end == len(text), secret=secret)
