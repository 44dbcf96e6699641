"""Recognises single lines that black leaves alone: plain statements in black's own spacing.

Brackets are checked from the inside out: an innermost pair whose content is plain is replaced by a
placeholder, until none is left. Whatever is not recognised is simply not called stable.
"""

import re
from functools import lru_cache
from typing import Final, Literal, TypeAlias

__all__ = ["LineKind", "closes_block", "is_argument", "is_parameter", "is_wide", "kind_of_line"]

LineKind: TypeAlias = Literal[
    "class", "decorator", "def", "else", "flow", "import", "statement", "stub", ""
]
"""What a line is to black's rules for blank lines; empty when it is not known to be stable."""

_NAME: Final = r"[^\W\d]\w*"
_DOTTED: Final = rf"{_NAME}(?:\.{_NAME})*"
# § stands for a string or a literal in brackets, ¶ for a subscript or the arguments of a call.
_ATOM: Final = rf"(?:(?:{_NAME}|§)(?:\.{_NAME}|¶)*|-?\d+(?:\.\d+)?|\.\.\.)"
_UNION: Final = rf"(?:await |lambda: )?{_ATOM}(?: \| {_ATOM})*"
_EXPRESSION: Final = rf"{_UNION}(?: if {_ATOM} else {_UNION})?"
_SEQUENCE: Final = rf"\*?{_EXPRESSION}(?:, \*?{_EXPRESSION})*"
_ARGUMENT: Final = rf"(?:{_NAME}=|\*\*?)?{_EXPRESSION}"
_ARGUMENTS: Final = rf"{_ARGUMENT}(?:, {_ARGUMENT})*"
_PAIR: Final = rf"§: {_EXPRESSION}"
_PARAMETER: Final = (
    rf"(?:{_NAME}(?:: {_EXPRESSION}(?: = {_EXPRESSION})?|={_EXPRESSION})?"
    rf"|\*(?:{_NAME}(?:: \*?{_EXPRESSION})?)?|\*\*{_NAME}(?:: {_EXPRESSION})?|/)"
)
_IMPORTED: Final = rf"{_NAME}(?: as {_NAME})?"

_STRING = re.compile(r'(?<!\w)b?"[^"\\]*"')
_CALLED = re.compile(rf"(?<=[\w¶])\((?:{_ARGUMENTS})?\)|(?<=[\w¶§])\[{_SEQUENCE}\]")
_LITERAL = re.compile(
    rf"(?:^|(?<=[=,:(\[ ]))(?:\[(?:{_SEQUENCE})?\]|\{{(?:{_PAIR}(?:, {_PAIR})*|{_SEQUENCE})?\}})"
    r"|(?:(?<=[(=])|(?<=[^:=], )|(?<=[(=]lambda: ))"
    rf"\((?:{_EXPRESSION}(?:,|(?:, {_EXPRESSION})+))?\)"
)
# A keyword before a bracket is no call, and black would move or remove the bracket.
_KEYWORD = re.compile(
    r"\b(?:and|as|assert|async|await|del|elif|else|except|for|from|global|if|import|in|is|lambda"
    r"|nonlocal|not|or|print|raise|return|while|with|yield)[\[({]|\b0\d|\b\d+_"
)
_DEF = re.compile(
    rf"(?:async )?def {_NAME}\((?P<parameters>.*)\)(?: -> (?P<returns>.+?))?:(?P<stub> \.\.\.)?"
)
_PARAMETERS = re.compile(rf"(?:{_PARAMETER}(?:, {_PARAMETER})*)?")
_ONE_PARAMETER = re.compile(_PARAMETER)
_ONE_ARGUMENT = re.compile(rf"{_ARGUMENT}|{_PAIR}|{_IMPORTED}")
_WHOLE = re.compile(_EXPRESSION)
_STATEMENTS: Final[tuple[tuple[LineKind, re.Pattern[str]], ...]] = (
    ("decorator", re.compile(rf"@{_ATOM}")),
    ("import", re.compile(rf"import {_DOTTED}(?: as {_NAME})?")),
    ("import", re.compile(rf"from \.*{_DOTTED} import {_IMPORTED}(?:, {_IMPORTED})*")),
    ("class", re.compile(rf"class {_NAME}¶?:")),
    ("flow", re.compile(rf"(?:if|if not|(?:async )?with) {_ATOM}(?: as {_NAME})?:")),
    ("else", re.compile(r"else:")),
    (
        "statement",
        re.compile(
            rf"(?:return|yield|raise)(?: {_EXPRESSION})?|pass|del {_DOTTED}|{_EXPRESSION}"
            rf"|{_DOTTED}(?:: {_EXPRESSION})?(?: = {_EXPRESSION})?"
        ),
    ),
)


@lru_cache(maxsize=65_536)
def kind_of_line(line: str) -> LineKind:
    """The kind of a whole logical line on one physical line, without its indentation."""
    if match := _DEF.fullmatch(line):
        parameters, returns = _flat(match["parameters"]), _flat(match["returns"] or "None")
        if parameters is None or returns is None:
            return ""
        if not _PARAMETERS.fullmatch(parameters) or not _WHOLE.fullmatch(returns):
            return ""
        return "stub" if match["stub"] else "def"
    code, gap, comment = line.partition("  # ")
    if gap and (not comment.isprintable() or comment != comment.strip() or '"' in comment):
        return ""
    flat = _flat(code)
    if flat is None or flat == "...":
        return ""
    return next((kind for kind, pattern in _STATEMENTS if pattern.fullmatch(flat)), "")


@lru_cache(maxsize=65_536)
def is_argument(line: str) -> bool:
    """Whether this is one argument, imported name, or item of a dict, without its comma."""
    flat = _flat(line)
    return flat is not None and _ONE_ARGUMENT.fullmatch(flat) is not None


@lru_cache(maxsize=65_536)
def is_parameter(line: str) -> bool:
    """Whether this is one parameter of a function, without its comma."""
    flat = _flat(line)
    return flat is not None and _ONE_PARAMETER.fullmatch(flat) is not None


@lru_cache(maxsize=65_536)
def closes_block(line: str) -> LineKind:
    """The kind of a `def` whose parameters stand on lines of their own, by its last line."""
    match = re.fullmatch(r"\)(?: -> (?P<returns>.+?))?:(?P<stub> \.\.\.)?", line)
    returns = _flat(match["returns"] or "None") if match else None
    if match is None or returns is None or not _WHOLE.fullmatch(returns):
        return ""
    return "stub" if match["stub"] else "def"


def is_wide(line: str, limit: int) -> bool:
    """Whether a line may be longer than the limit; black counts some characters as two."""
    return len(line) > limit or (not line.isascii() and 2 * len(line) > limit)


def _flat(text: str) -> str | None:
    """The text with strings and brackets replaced from the inside out; None when that fails."""
    if "§" in text or "¶" in text:
        return None
    flat = _STRING.sub("§", text)
    if '"' in flat or "'" in flat or "\\" in flat or "#" in flat or _KEYWORD.search(flat):
        return None
    while "(" in flat or "[" in flat or "{" in flat:
        inner = _CALLED.sub("¶", _LITERAL.sub("§", flat))
        if inner == flat:
            return None
        flat = inner
    return flat
