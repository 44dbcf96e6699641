"""Reads files of other recorders: YAML and JSON, without executing what they name.

Each value knows its place, so that a message about a wrong one can name it.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

import yaml

from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.tape.reading import open_regular

_KINDS: Final = {
    dict: "a mapping",
    list: "a list",
    tuple: "a list",
    str: "text",
    bytes: "binary data",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "nothing",
}
_PYTHON: Final = "tag:yaml.org,2002:python/"


@final
@dataclass(frozen=True, slots=True)
class Document:
    """A value of a file, and its place."""

    path: Path
    value: Any
    name: str = ""
    """Such as `interactions[2].response.status`."""
    line: int | None = None
    lines: tuple[int, ...] = ()
    """The lines of the entries of the document, if they are known."""

    def wrong(self, expected: str) -> CassetteFormatError:
        """The error for an unexpected value; it does not show the value, which may be secret."""
        where = f"{self.name}: " if self.name else ""
        got = _KINDS.get(type(self.value), type(self.value).__name__)
        return CassetteFormatError(
            f"{where}expected {expected}; got {got}", path=self.path, line=self.line
        )

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def __getitem__(self, key: str) -> "Document":
        """The value of a key; nothing if the key is missing."""
        if not isinstance(self.value, dict):
            raise self.wrong("a mapping")
        name = f"{self.name}.{key}" if self.name else key
        return Document(self.path, self.value.get(key), name, self.line, self.lines)

    def entries(self) -> "list[Document]":
        """The items of a list; each knows its own line if the file says it."""
        if not isinstance(self.value, list | tuple):
            raise self.wrong("a list")
        lines = self.lines if len(self.lines) == len(self.value) else ()
        return [
            Document(self.path, item, f"{self.name}[{at}]", lines[at] if lines else self.line)
            for at, item in enumerate(self.value)
        ]

    def items(self) -> "Iterator[tuple[str, Document]]":
        """The keys of a mapping and their values."""
        if not isinstance(self.value, dict):
            raise self.wrong("a mapping")
        for key in self.value:
            if not isinstance(key, str):
                raise self.wrong("text as its keys")
            yield key, self[key]

    def text(self, default: str | None = None) -> str:
        """The value, which must be text."""
        if self.value is None and default is not None:
            return default
        if not isinstance(self.value, str):
            raise self.wrong("text")
        return self.value

    def number(self) -> int:
        """The value, which must be a whole number."""
        if type(self.value) is not int:
            raise self.wrong("a number")
        return self.value


def read_json(path: Path) -> Document:
    """Read a JSON file."""
    text = _text_of(path)
    try:
        return Document(path, json.loads(text))
    except json.JSONDecodeError as error:
        raise CassetteFormatError(
            f"not valid JSON: {error.msg}", path=path, line=error.lineno
        ) from None
    except (RecursionError, ValueError) as error:
        raise CassetteFormatError(f"not valid JSON: {error}", path=path) from None


def read_yaml(path: Path, entries: str) -> Document:
    """Read a YAML file; `entries` is the key of its list, whose items get their lines."""
    text = _text_of(path)
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        lines = tuple(_lines(node, entries))
        value = None if node is None else loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise CassetteFormatError(
            f"not valid YAML: {error.problem}", path=path, line=mark.line + 1 if mark else None
        ) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise CassetteFormatError(f"not valid YAML: {error}", path=path) from None
    finally:
        loader.dispose()
    return Document(path, value, lines=lines)


def _text_of(path: Path) -> str:
    with open_regular(path) as stream:
        try:
            return stream.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise CassetteFormatError(f"not UTF-8: {error.reason}", path=path) from None


def _lines(node: Any, entries: str) -> Iterator[int]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == entries and isinstance(value, yaml.SequenceNode):
                yield from (item.start_mark.line + 1 for item in value.value)


_Base: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader


class _Loader(_Base):  # type: ignore[misc]
    """A safe loader that also reads the harmless tags of Python that vcrpy writes."""


def _pair(loader: Any, node: Any) -> tuple[Any, ...]:
    return tuple(loader.construct_sequence(node, deep=True))


def _file(loader: Any, node: Any) -> Any:
    """The content of a file that was sent."""
    state = loader.construct_mapping(node, deep=True).get("state") or (b"",)
    return state[0]


def _parts(loader: Any, node: Any) -> Any:
    """The parts of a body that came from an iterator."""
    arguments: Any = loader.construct_mapping(node, deep=True).get("args") or ([],)
    parts = [part.encode() if isinstance(part, str) else part for part in arguments[0]]
    return b"".join(parts)


for _tag in ("str", "unicode"):
    _Loader.add_constructor(_PYTHON + _tag, lambda loader, node: loader.construct_scalar(node))
_Loader.add_constructor(_PYTHON + "tuple", _pair)
_Loader.add_constructor(_PYTHON + "object/new:_io.BytesIO", _file)
_Loader.add_constructor(_PYTHON + "object/apply:builtins.iter", _parts)
