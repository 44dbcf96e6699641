"""Named roots under which paths are stored relative, so that a cassette works anywhere."""

import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import is_not
from os import PathLike, fspath
from pathlib import Path
from typing import Final, final

from vcr_gen.errors import UsageError
from vcr_gen.runtime.plain import Plain, image_of, may_hold

_NAME: Final = re.compile(r"[A-Za-z][\w-]*")
_BEFORE: Final = r"(?<![\w./-])"
_AFTER: Final = r"(?![\w-]|\.\w)"
"""A root must match as a whole path, not inside another path or name."""

_EVERYWHERE: Final = {"/tmp": "tmp", "/private/tmp": "tmp", "/root": "home"}
"""Folders that many machines share, and the automatic anchors whose roots they often are."""


def is_everywhere(root: str) -> bool:
    """Whether many machines have a folder, so that a program may contain it literally."""
    return root == "/" or root in _EVERYWHERE


def usual_roots() -> dict[str, tuple[str, ...]]:
    """`home` and `tmp` of this machine, as spelled and with links resolved."""
    found = {"home": os.path.expanduser("~"), "tmp": tempfile.gettempdir()}
    roots: dict[str, tuple[str, ...]] = {}
    for name, root in found.items():
        spellings = dict.fromkeys((root.rstrip("/"), os.path.realpath(root).rstrip("/")))
        if all(spelling.startswith("/") for spelling in spellings):  # neither `/` nor Windows
            roots[name] = tuple(spellings)
    return roots


@final
class Anchors:
    """Rewrites paths under a root to `${name}/…`, and back in a replay.

    The usual roots hold beside the declared ones, but a usual root that many machines have stays as
    it is: a program that says `/tmp` means `/tmp` everywhere.
    """

    def __init__(
        self,
        roots: Mapping[str, str | PathLike[str] | None],
        *,
        usual: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self._switched_off = {name for name, root in roots.items() if root is None}
        self._declared = {
            name: _checked(name, root) for name, root in roots.items() if root is not None
        }
        known = usual or {}
        for name in sorted(self._switched_off - set(known)):
            raise UsageError(
                f"there is no automatic anchor {name!r}; expected {' or '.join(sorted(known))}"
            )
        self._usual = {name: known[name] for name in known if name not in roots}
        self._used: set[str] = set()
        self._roots = {
            **{name: spellings[0] for name, spellings in self._usual.items()},
            **self._declared,
        }
        self._stored = {
            root: name
            for name, spellings in self._usual.items()
            for root in spellings
            if not is_everywhere(root)
        } | {root: name for name, root in self._declared.items()}
        replaced = set(self._stored.values()) & set(self._usual)
        alike = {root: name for root, name in _EVERYWHERE.items() if name in replaced}
        self._compared = alike | self._stored
        """The roots that are one when values are compared, with their names."""
        self.needles = ("${", *self._stored) if self._roots else ()
        """A value without any of these stays as it is; each contains `$` or `/`."""
        self._needles_to_compare = ("${", *self._compared)
        self._to_store = _pattern_of(self._stored, self._roots)
        self._to_compare = _pattern_of(self._compared, self._roots)
        names = "|".join(map(re.escape, self._roots)) or "(?!)"
        self._to_restore = re.compile(rf"(\$+)\{{({names})\}}")

    def __bool__(self) -> bool:
        return bool(self._roots)

    @property
    def names(self) -> tuple[str, ...]:
        """The declared names and the used automatic ones, in a stable order."""
        return tuple(sorted({*self._declared, *(self._used & set(self._usual))}))

    def describe(self, values: Iterable[Plain]) -> tuple[str, ...]:
        """A line for each anchor in these stored values: its name and its current root."""
        texts = (text for value in values for text in _texts(value) if "${" in text)
        found = (match for text in texts for match in self._to_restore.finditer(text))
        names = {match[2] for match in found if match[1] == "$"}
        return tuple(
            f"${{{name}}} is the anchor `{name}`, here {self._roots[name]}"
            for name in sorted(names)
        )

    def check_recorded(self, recorded: Iterable[str], path: Path) -> None:
        """Raise unless each anchor of a recording is declared here."""
        for name in sorted(set(recorded) - set(self._roots)):
            now = "switched off" if name in self._switched_off else "not declared"
            raise UsageError(
                f"{path}: recorded with the anchor {name!r}, which is {now}\n\n"
                f"hint: pass it: Cassette(…, anchors={{{name!r}: …}})"
            )

    def store(self, value: Plain) -> Plain:
        """The value with every root replaced by its name; the same object if it has none."""
        return _rewritten(value, self.needles, self._to_store, self._to_name)

    def restore(self, value: Plain) -> Plain:
        """The value with every name replaced by this machine's root."""
        if not self._roots:
            return value
        return _rewritten(value, ("${",), self._to_restore, self._to_root)

    def comparable(self, value: Plain) -> Plain:
        """A stored value in a form in which equal recorded and live values are equal.

        Two names may have the same root here, and `/tmp` may be the temporary folder of the machine
        that recorded.
        """
        needles = self._needles_to_compare
        if not _may_hold(value, needles):
            return value
        return _rewrite(self.restore(value), needles, self._to_compare, self._to_compared_name)

    def _to_name(self, found: re.Match[str]) -> str:
        text = found[0]
        self._used.add(text.strip("${}") if text.startswith("$") else self._stored[text])
        return f"${text}" if text.startswith("$") else f"${{{self._stored[text]}}}"

    def _to_compared_name(self, found: re.Match[str]) -> str:
        text = found[0]
        return f"${text}" if text.startswith("$") else f"${{{self._compared[text]}}}"

    def _to_root(self, found: re.Match[str]) -> str:
        return self._roots[found[2]] if found[1] == "$" else found[0][1:]


def _checked(name: str, root: str | PathLike[str]) -> str:
    text = fspath(root).rstrip("/")
    if not _NAME.fullmatch(name):
        raise UsageError(f"anchor name {name!r}: expected a word such as 'project'")
    if not text.startswith("/"):
        raise UsageError(f"anchor {name!r}: expected an absolute path below /; got {root!r}")
    return text


def _pattern_of(roots: Iterable[str], names: Iterable[str]) -> re.Pattern[str]:
    """Finds roots, and texts that look like a name and must be escaped."""
    paths = "|".join(map(re.escape, sorted(roots, key=len, reverse=True))) or "(?!)"
    words = "|".join(map(re.escape, names)) or "(?!)"
    return re.compile(rf"\$+\{{(?:{words})\}}|{_BEFORE}(?:{paths}){_AFTER}")


def _texts(value: Plain) -> Iterator[str]:
    """Every text in a value, including keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _rewritten(
    value: Plain,
    needles: tuple[str, ...],
    pattern: re.Pattern[str],
    replace: Callable[[re.Match[str]], str],
) -> Plain:
    """Like `_rewrite`, with a quick check first: few values contain a root or a name."""
    return _rewrite(value, needles, pattern, replace) if _may_hold(value, needles) else value


def _may_hold(value: Plain, needles: tuple[str, ...]) -> bool:
    image = image_of(value)
    return any(may_hold(image, os.fsencode(needle)) for needle in needles)


def _rewrite(
    value: Plain,
    needles: tuple[str, ...],
    pattern: re.Pattern[str],
    replace: Callable[[re.Match[str]], str],
) -> Plain:
    """The value with every text that contains one of `needles` rewritten."""
    if isinstance(value, str):
        for needle in needles:
            if needle in value:
                return pattern.sub(replace, value)
        return value
    if type(value) is dict:
        keys = [str(_rewrite(key, needles, pattern, replace)) for key in value]
        items = [_rewrite(item, needles, pattern, replace) for item in value.values()]
        is_changed = any(map(is_not, (*keys, *items), (*value, *value.values())))
        return dict(zip(keys, items, strict=True)) if is_changed else value
    if type(value) is list:
        items = [_rewrite(item, needles, pattern, replace) for item in value]
        return items if any(map(is_not, items, value)) else value
    return value
