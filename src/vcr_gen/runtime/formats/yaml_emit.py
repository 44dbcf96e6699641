"""Writes plain values as readable YAML: text stays text, line by line.

libyaml's own emitter puts a text into one long line of escapes for the sake of a single tab,
trailing space or emoji. This one writes literal blocks wherever YAML can hold the text in one.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from vcr_gen.runtime.formats.file_layout import TEMPLATE_KEY, TEMPLATE_TAG
from vcr_gen.runtime.formats.yaml_characters import find_escaped_only
from vcr_gen.runtime.formats.yaml_scalars import float_text, is_safe_plain
from vcr_gen.runtime.plain import MAX_DEPTH, Plain

_STEP: Final = "  "
_LONGEST_SIMPLE_KEY: Final = 1000  # YAML stops looking for the colon after 1024 characters

_NAMED: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED: Final = re.compile(
    '["\\\\\t\r\n]|'
    "[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


def emit_mapping(value: Mapping[str, Plain]) -> str:
    """`value`, a non-empty mapping, as a block mapping at the left margin."""
    out: list[str] = []
    _mapping(value, "", "", out)
    return "".join(out)


def emit_item(value: Mapping[str, Plain]) -> str:
    """`value` as one item of a sequence at the left margin."""
    if not value:
        return "- {}\n"
    out = ["- "]
    _mapping(value, _STEP, "", out)
    return "".join(out)


def emit_more(more: Mapping[str, Plain]) -> str:
    """More keys of the last item of a sequence at the left margin.

    A list continues with the list that the item ends with.
    """
    out: list[str] = []
    for key, value in more.items():
        if isinstance(value, list):
            _sequence(value, _STEP, _STEP, out)
        else:
            _mapping({key: value}, _STEP, _STEP, out)
    return "".join(out)


def may_be_deep(text: str) -> bool:
    """Whether a text may hold more levels than the plain model allows; each takes two letters."""
    levels = 2 * MAX_DEPTH
    return len(text) > levels and text.count(":\n") + text.count("- ") >= MAX_DEPTH - 2


def _mapping(value: Mapping[str, Plain], indent: str, lead: str, out: list[str]) -> None:
    """Items of a mapping at `indent`; `lead` replaces it on the first line, after a dash."""
    deeper = indent + _STEP
    for key, item in value.items():
        shown = _key(key)
        if len(shown) > _LONGEST_SIMPLE_KEY:
            out += (lead, "? ", shown, "\n", indent, ":")
            _value(item, indent, out, sequence_step=_STEP)
        elif type(item) is str:  # most are texts and numbers
            out.append(f"{lead}{shown}: {_text(item, indent)}\n")
        elif type(item) is int:
            out.append(f"{lead}{shown}: {item}\n")
        elif type(item) is float:
            out.append(f"{lead}{shown}: {float_text(item)}\n")
        elif type(item) is dict and len(item) > 1:  # neither empty nor a template
            out.append(f"{lead}{shown}:\n")
            _mapping(item, deeper, deeper, out)
        else:
            out.append(f"{lead}{shown}:")
            _value(item, indent, out)
        lead = indent


@lru_cache(maxsize=1024)
def _key(key: str) -> str:
    return key if is_safe_plain(key) else _quoted(key)


def _sequence(items: list[Plain], indent: str, lead: str, out: list[str]) -> None:
    for item in items:
        if type(item) is str:
            out.append(f"{lead}- {_text(item, indent)}\n")
            lead = indent
            continue
        out += (lead, "-")
        if item and isinstance(item, dict) and not _is_template(item):
            out.append(" ")
            _mapping(item, indent + _STEP, "", out)
        elif item and isinstance(item, list):
            out.append(" ")
            _sequence(item, indent + _STEP, "", out)
        else:
            _value(item, indent, out)
        lead = indent


def _value(item: Plain, indent: str, out: list[str], *, sequence_step: str = "") -> None:
    """What follows a colon or a dash at `indent`, and the line's end."""
    if isinstance(item, dict):
        if not item:
            out.append(" {}\n")
        elif _is_template(item):
            out += (" ", TEMPLATE_TAG, " ", _text(str(item[TEMPLATE_KEY]), indent), "\n")
        else:
            out.append("\n")
            _mapping(item, indent + _STEP, indent + _STEP, out)
    elif isinstance(item, list):
        if item:
            out.append("\n")
            _sequence(item, indent + sequence_step, indent + sequence_step, out)
        else:
            out.append(" []\n")
    elif isinstance(item, str):
        out.append(f" {_text(item, indent)}\n")
    else:
        out.append(f" {_scalar(item)}\n")


def _is_template(item: Mapping[str, Plain]) -> bool:
    return len(item) == 1 and isinstance(item.get(TEMPLATE_KEY), str)


def _scalar(item: float | None) -> str:
    if item is None:
        return "null"
    if item is True:
        return "true"
    if item is False:
        return "false"
    return float_text(item) if isinstance(item, float) else str(item)


def _text(text: str, outer: str) -> str:
    """A text, whose own lines are indented by a step more than `outer`."""
    if is_safe_plain(text):
        return text
    if "\n" not in text:
        return _quoted(text)
    if "\r" in text or text.isspace() or find_escaped_only(text) >= 0:
        return _quoted_lines(text, outer + _STEP)
    return _literal(text, outer + _STEP)


def _literal(text: str, indent: str) -> str:
    # A reader takes the indentation from the first line unless the header has a number.
    indent_digit = str(len(_STEP)) if text[0] in " \t\n" else ""
    body = text
    chomping = "-"
    if text.endswith("\n"):
        body = text[:-1]
        chomping = "+" if body.endswith("\n") else ""
    lines = [indent + line if line else "" for line in body.split("\n")]
    return f"|{indent_digit}{chomping}\n" + "\n".join(lines)


def _quoted(text: str) -> str:
    if '"' not in text and "\\" not in text and _is_printable(text):
        return f'"{text}"'
    if "\n" not in text and "\r" not in text and "\t" not in text and find_escaped_only(text) < 0:
        return "'" + text.replace("'", "''") + "'"
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _is_printable(text: str) -> bool:
    """Whether a quoted text without quotes and backslashes needs no escapes."""
    return (text.isascii() and text.isprintable()) or _ESCAPED.search(text) is None


def _quoted_lines(text: str, indent: str) -> str:
    """Double-quoted, with one line of source for each line of text."""
    lines = text.split("\n")
    ends_open = not lines[-1]
    if ends_open:
        lines.pop()
    # A reader drops the blanks a source line starts with; an escaped one stays.
    escaped = [_ESCAPED.sub(_escape, line) for line in lines]
    escaped[1:] = ["\\" + line if line.startswith(" ") else line for line in escaped[1:]]
    return '"' + f"\\n\\\n{indent}".join(escaped) + ("\\n" if ends_open else "") + '"'


def _escape(found: re.Match[str]) -> str:
    character = found.group()
    code = ord(character)
    return _NAMED.get(character) or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
