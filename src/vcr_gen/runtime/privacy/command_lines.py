"""Passwords in command lines, in a `.netrc` and in statements of SQL."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from vcr_gen.runtime.privacy.credential_names import Naming
from vcr_gen.runtime.privacy.header_values import cookies
from vcr_gen.runtime.privacy.heuristics import credential, is_filler
from vcr_gen.runtime.privacy.spans import Span


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


_GROUPS: Final = {
    "az buildah cf docker helm nerdctl oc podman skopeo": _Options(("-p",), command="login"),
    "7z mariadb mariadb-dump mysql mysqladmin mysqldump mysqlimport rar unrar": _Options(
        attached=("-p",)
    ),
    "cqlsh mongo mongodump mongorestore mongosh rabbitmqadmin sshpass": _Options(("-p",)),
    "ldapadd ldapmodify ldappasswd ldapsearch ldapwhoami": _Options(("-w",)),
    "bcp isql sqlcmd unzip zip": _Options(("-P",)),
    "redis-cli": _Options(("-a", "--pass")),
    "curl": _Options(logins=("-u", "-U", "--user", "--proxy-user"), cookies=("-b", "--cookie")),
    "http https": _Options(logins=("-a", "--auth")),
    "ftp lftp": _Options(logins=("-u",), between=","),
    "smbclient": _Options(logins=("-U",), between="%"),
    "openssl": _Options(logins=("-passin", "-passout", "-pass")),
}
_PROGRAMS: Final = {name: options for names, options in _GROUPS.items() for name in names.split()}
_REMOTE: Final = frozenset({"rsync", "scp", "sftp", "ssh"})
_NAMES: Final = "|".join(sorted(map(re.escape, _PROGRAMS), key=len, reverse=True))
PROGRAM: Final = re.compile(rf"(?<![\w.-])(?:{_NAMES})(?:\.exe)?(?=\s+\S|[\"'])")
_WORD: Final = re.compile(
    r"(?:\"(?:[^\"\\]|\\.){0,4096}\"|'[^']{0,4096}'|\\[^\n]|[^\s\"'\\|;&<>()`]){1,4096}"
)
_SPACE: Final = re.compile(r"(?:[ \t]|\\\r?\n)*")
_PIECES: Final = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'([^']*)'|\\(.)|([^\"'\\]+)", re.DOTALL)
_MOST_WORDS: Final = 400

_SQL_TEXT: Final = (
    r"(?:[EeNn]?'((?:[^'\\]|''|\\.){1,1000})'|\$\$([^$]{1,1000})\$\$|\"([^\"]{1,1000})\")"
)
_STATEMENTS: Final = tuple(
    (hint, re.compile(pattern))
    for hint, pattern in (
        (  # of a .netrc
            "login",
            r"(?:^|(?<=[\n\"'`])|(?<=\\n))[ \t]{0,16}(?:machine\s{1,8}[\w.:\[\]-]{0,255}[\w\]]"
            r"|default)(?:\s{1,8}(?:login|account)\s{1,8}\S{0,255}[^\s,;:]){1,2}\s{1,8}password"
            r"\s{1,8}([^\s\"'`\\]{1,256})",
        ),
        (  # without its machine, and not `login and password required`
            "login",
            r"(?:^|(?<=\n))[ \t]{0,16}login\s{1,8}\S{1,256}\s{1,8}password[ \t]{1,8}"
            r"(?!(?:[A-Za-z]?[a-z]*|[A-Z]+)[.,:;!?]?(?:\s|\Z))(\S{1,256})[ \t]{0,8}(?=[\r\n]|\Z)",
        ),
        (
            "identified",
            r"(?is)\bidentified\s{1,8}(?:with\s{1,8}[\w\"'`]{1,60}\s{1,8})?(?:by|as)\s{1,8}"
            rf"(?:password\s{{1,8}})?{_SQL_TEXT}",
        ),
        (
            "identified",
            r"(?is)\buser\s{1,8}\S{1,100}\s{1,8}identified\s{1,8}by\s{1,8}([^\s;'\"$]{1,256})",
        ),
        (
            "password",
            r"(?is)\b(?:(?:alter|create)\s{1,8}(?:or\s{1,8}replace\s{1,8})?"
            r"(?:user|role|login|group)\b[^;]{0,300}?\bpassword|set\s{1,8}password\b[^;=]{0,200}=)"
            rf"\s{{0,8}}=?\s{{0,8}}(?:password\s{{0,4}})?\(?\s{{0,4}}{_SQL_TEXT}",
        ),
    )
)
"""Lines of a `.netrc` and statements of SQL, with a word of each; a group is the password."""


def command_spans(text: str) -> Iterator[Span]:
    """The passwords in commands, in the text of a `.netrc` and in statements of SQL."""
    lower = text.lower()
    for hint, pattern in _STATEMENTS:
        for found in pattern.finditer(text) if hint in lower else ():
            group = found.lastindex or 0
            yield from _password(text, *found.span(group), found[group].replace("''", "'"))
    position = 0
    while (program := PROGRAM.search(text, position)) is not None:
        words, position = _words_from(text, program.start())
        for number, start, end in _in_words([word for word, _ in words]):
            word, places = words[number]
            yield from _password(text, places[start], places[end - 1] + 1, word[start:end])


def argument_spans(words: Sequence[str]) -> dict[int, tuple[Span, ...]]:
    """The passwords in the arguments of a command, by the index of the argument."""
    found: dict[int, tuple[Span, ...]] = {}
    for number, start, end in _in_words(words):
        password = _password(words[number], start, end, words[number][start:end])
        found[number] = (*found.get(number, ()), *password)
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


def _password(text: str, start: int, end: int, secret: str) -> Iterator[Span]:
    if secret and not is_filler(secret):
        yield credential(text, start, end, "password", Naming.STRONG, secret=secret)
