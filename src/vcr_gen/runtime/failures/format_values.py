"""Formats recorded values for messages: as Python would spell them, and short."""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from vcr_gen.field_path_syntax import step_text
from vcr_gen.runtime.codec import MISSING, TYPE_DIFFERS, Difference, Missing
from vcr_gen.runtime.codec.tags import LIVE
from vcr_gen.runtime.failures.text_diff import diff_lines, diff_texts, equal_start, visible
from vcr_gen.runtime.failures.typed_values import AS_IS, value_at
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import hidden, hidden_in

_ENOUGH: Final = 20_000
"""How many characters of a value are formatted; a message shows far fewer."""
_DEEPEST: Final = 50
_EXCEPTION: Final = frozenset({"args", "attributes", "notes", "cause", "context_suppressed"})
_BRACKETS: Final = {"tuple": ("(", ")"), "set": ("{", "}"), "frozenset": ("frozenset({", "})")}
_NO_CLASS: Final = frozenset({"Any", "Dict", "Mapping", "MutableMapping"})


def readable(value: Plain, declared: str = "", depth: int = 0) -> str:
    """A stored value on one line; `declared` is its annotation."""
    if depth > _DEEPEST:
        return "…"
    if isinstance(value, dict):
        shown = filled(shown_forms(declared).form, value)
        return shown or _mapping(value, declared, depth)
    if isinstance(value, list):
        return _joined("[", (("", item) for item in value), "]", depth, item_type(declared))
    if value is None or isinstance(value, bool):
        return str(value)
    return json.dumps(value[:_ENOUGH] if isinstance(value, str) else value, ensure_ascii=False)


def short_name(qualified: str) -> str:
    """A class without its module: `app.ports.Step` is `Step`, also inside brackets."""
    return re.sub(r"(?:\w+[.:])+(\w+)", r"\1", qualified)


@lru_cache(256)
def item_type(annotation: str) -> str:
    """The type of the items of a list or stream; empty if unknown."""
    node = _parsed(annotation)
    if not isinstance(node, ast.Subscript):
        return ""
    inner = node.slice
    return ast.unparse(inner.elts[0] if isinstance(inner, ast.Tuple) else inner)


@lru_cache(256)
def _class_name(annotation: str) -> str:
    """The class that an annotation names; empty if it names none or several."""
    node = _parsed(annotation)
    if isinstance(node, ast.BinOp):
        sides = [side for side in (node.left, node.right) if ast.unparse(side) != "None"]
        node = sides[0] if len(sides) == 1 else None
    if not isinstance(node, ast.Name | ast.Attribute):
        return ""
    name = short_name(ast.unparse(node))
    return name if name[:1].isupper() and name not in _NO_CLASS else ""


def _parsed(annotation: str) -> ast.expr | None:
    try:
        return ast.parse(annotation, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # a file may contain anything
        return None


class ShownForms(NamedTuple):
    """What a `Shown("…", name="…")` in an annotation says; empty texts if there is none."""

    form: str = ""
    name: str = ""


@lru_cache(256)
def shown_forms(annotation: str) -> ShownForms:
    """The forms in an annotation."""
    node = _parsed(annotation)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        for word in node.slice.elts[1:]:
            if isinstance(word, ast.Call) and ast.unparse(word.func) == "Shown":
                given = {keyword.arg: keyword.value for keyword in word.keywords}
                form = word.args[0] if word.args else None
                return ShownForms(_text_in(form), _text_in(given.get("name")))
    return ShownForms()


def _text_in(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def filled(form: str, value: Plain) -> str:
    """The form with the fields of a value; texts without quotes, so that it reads as prose.

    Empty if the value does not have all of them; `{name?}` is left out where it is missing.
    """
    missing = False

    def field(found: re.Match[str]) -> str:
        nonlocal missing
        part: Plain | Missing = value
        for name in filter(None, found[1].split(".")):
            part = _field_of(part, name)
        if part is MISSING:
            missing = missing or not found[2]
            return ""
        return part[:_ENOUGH] if isinstance(part, str) else readable(part)

    text = re.sub(r"\{([\w.]*)(\??)\}", field, form).rstrip()
    return "" if missing else text


def _field_of(value: Plain | Missing, name: str) -> Plain | Missing:
    if isinstance(value, dict):
        return value.get(name, MISSING)
    if isinstance(value, str) and name == "path":  # of a URL
        return re.sub(r"^[a-zA-Z][\w+.-]*://[^/?#]*|[?#].*$", "", value, flags=re.DOTALL) or "/"
    return MISSING


def _mapping(value: Mapping[str, Plain], declared: str, depth: int) -> str:
    if "$type" in value:
        fields = {key: item for key, item in value.items() if key != "$type"}
        return _tagged(short_name(str(value["$type"])), fields, depth)
    if len(value) == 1:
        [(key, item)] = value.items()
        if key.startswith("$"):
            return _special(key, item, depth)
    name = _class_name(declared)
    if name and all(map(str.isidentifier, value)):
        return _tagged(name, value, depth)
    entries = ((f"{json.dumps(key, ensure_ascii=False)}: ", item) for key, item in value.items())
    return _joined("{", entries, "}", depth)


def _tagged(name: str, fields: Mapping[str, Plain], depth: int) -> str:
    """An object, spelled as a call of its class."""
    arguments = fields.get("args")
    items = fields.get("$value")
    if name in _BRACKETS and isinstance(items, list) and (items or name == "tuple"):
        start, end = _BRACKETS[name]
        end = f",{end}" if name == "tuple" and len(items) == 1 else end
        return _joined(start, (("", item) for item in items), end, depth)
    if set(fields) == {"$value"}:
        return _joined(f"{name}(", [("", fields["$value"])], ")", depth)
    if isinstance(arguments, list) and set(fields) <= _EXCEPTION:
        attributes = fields.get("attributes")
        if not arguments and isinstance(attributes, dict):
            return _tagged(name, _only_fields(attributes), depth)
        return _joined(f"{name}(", (("", item) for item in arguments), ")", depth)
    entries = ((f"{key.removeprefix('$')}=", item) for key, item in fields.items())
    return _joined(f"{name}(", entries, ")", depth)


def _only_fields(attributes: Mapping[str, Plain]) -> Mapping[str, Plain]:
    """The attributes of an exception; of one that only carries a record, that record's fields."""
    values = [value for value in attributes.values() if value is not None]
    match values:
        case [dict(record)] if record and all(map(str.isidentifier, record)):
            return record
    return attributes


def _special(key: str, value: Plain, depth: int) -> str:
    """A value with a tag: a live object, a number beyond 64 bits."""
    if key in LIVE:
        is_new = isinstance(value, int) and value < 0  # the tape has no number for it
        return f"a new {LIVE[key]}" if is_new else f"{LIVE[key]} #{value}"
    if key in ("$int", "$float", AS_IS):
        return str(value)
    if key == "$items" and isinstance(value, list):
        pairs = [pair for pair in value if isinstance(pair, list) and len(pair) == 2]
        entries = ((f"{readable(name, '', depth + 1)}: ", item) for name, item in pairs)
        return _joined("{", entries, "}", depth)
    return _joined(f"{key[1:]}(", [("", value)], ")", depth)


def _joined(
    start: str, entries: Iterable[tuple[str, Plain]], end: str, depth: int, declared: str = ""
) -> str:
    texts: list[str] = []
    length = 0
    for label, item in entries:
        texts.append(f"{label}{readable(item, declared, depth + 1)}")
        length += len(texts[-1])
        if length > _ENOUGH:
            return f"{start}{', '.join(texts)}…"
    return f"{start}{', '.join(texts)}{end}"


_WIDTH = 100
_SHORT = 60
"""Texts of this length are shown whole."""
_LEAD = 20
"""How much of a long value is shown before the place where it differs."""
_FEW = 2
"""How many differing fields are added to a short form."""
_CLASS: Final = ".$type"
"""The end of the path to a value's class."""


def show(value: Plain, width: int = _WIDTH, declared: str = "") -> str:
    """A value on one line, shortened to `width`; `declared` is its annotation, if known."""
    return cut(visible(hidden(readable(hidden_in(value), declared))), width)


def cut(text: str, width: int) -> str:
    """A text of at most `width` characters, not cut inside a placeholder."""
    if len(text) <= width:
        return text
    short = text[: width - 1]
    start = short.rfind("<redacted")
    return f"{short[:start] if start > short.rfind('>') else short}…"


def show_age(age: timedelta) -> str:
    """A duration in its largest unit."""
    seconds = int(age.total_seconds())
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        if seconds >= length or unit == "second":
            count = seconds // length
            break
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"


def show_arguments(
    arguments: Mapping[str, Plain],
    types: Mapping[str, str] = MappingProxyType({}),
    differing: Mapping[str, int] = MappingProxyType({}),
) -> str:
    """Arguments as in a call; if they are long, a part of each.

    `types` are their annotations. The `differing` fields come first, to be visible, and long texts
    are cut around the character where they begin to differ.
    """
    arguments = _differing_first(arguments, differing) if differing else arguments
    hidden_fields = list(_not_in_forms(arguments, types, differing))
    text = ", ".join([_listed(arguments, types, _WIDTH), *hidden_fields])
    if len(text) > _WIDTH:
        width = max(40, _WIDTH // len(arguments))
        text = ", ".join([_listed(arguments, types, width), *hidden_fields])
    return cut(text, _WIDTH)


def _listed(arguments: Mapping[str, Plain], types: Mapping[str, str], width: int) -> str:
    shown = {name: show(value, width, types.get(name, "")) for name, value in arguments.items()}
    return ", ".join(
        # A value with a form of its own explains itself.
        text if shown_forms(types.get(name, "")).form else f"{name}={text}"
        for name, text in shown.items()
    )


def _not_in_forms(
    arguments: Mapping[str, Plain], types: Mapping[str, str], differing: Mapping[str, int]
) -> Iterator[str]:
    """The differing fields that the short form of their argument does not show."""
    for path in list(differing)[:_FEW]:
        name, dot, field = path.partition(".")
        form = shown_forms(types.get(name, "")).form
        if form and dot and f"{{{re.split(r'[.[]', field)[0]}" not in form:
            value = value_at(arguments, path)
            yield f"{field}={'nothing' if value is MISSING else show(value, _WIDTH // 2)}"


def places_of(differences: Iterable[Difference]) -> dict[str, int]:
    """Where values differ: the paths, and for texts the first character that differs."""
    return {each.path: _first_difference(each.recorded, each.actual) for each in differences}


def _first_difference(recorded: Plain | Missing, actual: Plain | Missing) -> int:
    return equal_start(_text_of(recorded), _text_of(actual))


def _text_of(value: Plain | Missing) -> str:
    """A text that is shown as one: as it is stored, or as it is."""
    if isinstance(value, dict):
        value = value.get(AS_IS, "")
    return value if isinstance(value, str) else ""


def _differing_first(
    fields: Mapping[str, Plain], places: Mapping[str, int], here: str = ""
) -> dict[str, Plain]:
    """The fields with differing ones first, at every level."""
    differing: dict[str, Plain] = {}
    same: dict[str, Plain] = {}
    for name, value in fields.items():
        inner = f"{here}{step_text(name)}" if here else name
        if _differs_at(inner, places):
            differing[name] = _focused(value, places, inner)
        else:
            same[name] = value
    return differing | same


def _focused(value: Plain, places: Mapping[str, int], here: str) -> Plain:
    """A differing value, so that the place where it differs is visible."""
    if isinstance(value, dict) and AS_IS not in value:
        return _differing_first(value, places, here)
    if isinstance(value, list):
        first = next((n for n in range(len(value)) if _differs_at(f"{here}[{n}]", places)), 0)
        shown = [
            _focused(item, places, f"{here}[{n}]") for n, item in enumerate(value[first:], first)
        ]
        is_long = first > 0 and len(readable(value[:first])) > _LEAD
        return [{AS_IS: "…"}, *shown] if is_long else value[:first] + shown
    differs = places.get(here, 0)
    text = _text_of(value)
    if len(text) <= _SHORT:
        return value
    start = max(differs - _LEAD, text.rfind("\n", 0, differs) + 1)
    if start <= 0:
        return value
    cut_text = f"…{text[start:]}"
    return {AS_IS: cut_text} if isinstance(value, dict) else cut_text


def _differs_at(here: str, places: Iterable[str]) -> bool:
    return any(path == here or path.startswith((f"{here}.", f"{here}[")) for path in places)


def without_consequences(differences: Iterable[Difference]) -> list[Difference]:
    """The differences without those inside a value whose class differs: they are consequences."""
    found = list(differences)
    replaced = [each.path.removesuffix(_CLASS) for each in found if each.path.endswith(_CLASS)]
    inside = tuple(start for path in replaced for start in (f"{path}.", f"{path}["))
    return [
        each for each in found if each.path.endswith(_CLASS) or not each.path.startswith(inside)
    ]


def show_difference(difference: Difference) -> str:
    """The difference in a field; for texts, the changed lines and characters."""
    path, recorded, actual = difference.path, difference.recorded, difference.actual
    if isinstance(recorded, str) and isinstance(actual, str):
        if path.endswith(_CLASS):
            names = f"recorded {short_name(recorded)}, got {short_name(actual)}"
            return f"{path.removesuffix(_CLASS)}: {names}"
        recorded, actual = hidden(recorded), hidden(actual)
        if "\n" in recorded or "\n" in actual:
            rows = diff_lines(recorded, actual)
        else:
            quoted = (json.dumps(text, ensure_ascii=False) for text in (recorded, actual))
            rows = diff_texts(*quoted)
    else:
        texts = _text_of(recorded), _text_of(actual)
        before = "nothing" if recorded is MISSING else show(recorded)
        after = "nothing" if actual is MISSING else show(actual)
        if difference.reason == TYPE_DIFFERS:
            return f"{path}: recorded {before}, got {after}"
        rows = (
            diff_texts(*map(hidden, texts))
            if all(texts) and path != "on"
            else [f"- {before}", f"+ {after}"]
        )
    return "\n".join([f"{path}: {difference.reason}", *(f"  {row}" for row in rows)])
