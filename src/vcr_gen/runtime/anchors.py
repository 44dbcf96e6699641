"""Named roots under which paths are stored relative, so that a cassette travels."""

import os
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from operator import is_not
from os import PathLike, fspath
from pathlib import Path
from typing import Final, final

from vcr_gen.errors import UsageError
from vcr_gen.runtime.plain import Plain

__all__ = ["Anchors", "usual_roots"]

_NAME: Final = re.compile(r"[A-Za-z][\w-]*")


def usual_roots() -> dict[str, tuple[str, ...]]:
    """`home` and `tmp` of this machine, as they are spelled and as they really are."""
    found = {"home": os.path.expanduser("~"), "tmp": tempfile.gettempdir()}
    roots: dict[str, tuple[str, ...]] = {}
    for name, root in found.items():
        spellings = dict.fromkeys((root.rstrip("/"), os.path.realpath(root).rstrip("/")))
        if all(spelling.startswith("/") for spelling in spellings):  # neither `/` nor Windows
            roots[name] = tuple(spellings)
    return roots


@final
class Anchors:
    """Rewrites text under a root to `${name}/…`, and back for the machine that replays.

    The usual roots hold beside the declared ones. A cassette says which of them it used, and in its
    replay no others hold.
    """

    def __init__(
        self,
        roots: Mapping[str, str | PathLike[str]],
        *,
        usual: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self._declared = {name: _checked(name, root) for name, root in roots.items()}
        self._usual = {
            name: spellings
            for name, spellings in (usual or {}).items()
            if name not in self._declared
        }
        self._used: set[str] = set()
        self._compile()

    def __bool__(self) -> bool:
        return bool(self._roots)

    @property
    def names(self) -> tuple[str, ...]:
        """The declared names, and those of usual roots that were met; in a stable order."""
        return tuple(sorted({*self._declared, *(self._used & set(self._usual))}))

    def hold_as_recorded(self, recorded: Iterable[str], path: Path) -> None:
        """Take the roots of a recording; raise unless each of them is known here."""
        names = set(recorded)
        for name in sorted(names):
            if name not in self._roots:
                raise UsageError(
                    f"{path}: recorded with the anchor {name!r}, which is not declared now\n\n"
                    f"hint: Cassette(…, anchors={{{name!r}: …}})"
                )
        self._usual = {name: root for name, root in self._usual.items() if name in names}
        self._compile()

    def store(self, value: Plain) -> Plain:
        """The value with every root replaced by its name; the same object where none is in it."""
        if not self._roots:
            return value
        return _rewrite(value, self._needles, self._stored, self._to_name)

    def restore(self, value: Plain) -> Plain:
        """The value with every name replaced by this machine's root."""
        if not self._roots:
            return value
        return _rewrite(value, ("${",), self._restored, self._to_root)

    def again(self, value: Plain) -> Plain:
        """A recorded value as it would be stored here, where two names may have the same root."""
        return self.store(self.restore(value))

    def _compile(self) -> None:
        self._roots = {
            **{name: spellings[0] for name, spellings in self._usual.items()},
            **self._declared,
        }
        self._names = {root: name for name, spellings in self._usual.items() for root in spellings}
        self._names.update((root, name) for name, root in self._declared.items())
        self._needles = ("${", *self._names)
        longest_first = sorted(self._names, key=len, reverse=True)
        paths = "|".join(re.escape(root) for root in longest_first) or "(?!)"
        names = "|".join(re.escape(name) for name in self._roots) or "(?!)"
        # A root counts only as a whole path: neither inside another one nor as part of a name.
        self._stored = re.compile(rf"\$+\{{(?:{names})\}}|(?<![\w./-])(?:{paths})(?![\w-]|\.\w)")
        self._restored = re.compile(rf"(\$+)\{{({names})\}}")

    def _to_name(self, found: re.Match[str]) -> str:
        text = found[0]
        if text.startswith("$"):
            self._used.add(text.strip("${}"))
            return f"${text}"
        name = self._names[text]
        self._used.add(name)
        return f"${{{name}}}"

    def _to_root(self, found: re.Match[str]) -> str:
        return self._roots[found[2]] if found[1] == "$" else found[0][1:]


def _checked(name: str, root: str | PathLike[str]) -> str:
    text = fspath(root).rstrip("/")
    if not _NAME.fullmatch(name):
        raise UsageError(f"anchor name {name!r}: expected a word such as 'project'")
    if not text.startswith("/"):
        raise UsageError(f"anchor {name!r}: expected an absolute path below /; got {root!r}")
    return text


def _rewrite(
    value: Plain,
    needles: tuple[str, ...],
    pattern: re.Pattern[str],
    replace: Callable[[re.Match[str]], str],
) -> Plain:
    """The value with every text in it rewritten that holds one of `needles`."""
    if isinstance(value, str):
        for needle in needles:
            if needle in value:
                return pattern.sub(replace, value)
        return value
    if type(value) is dict:
        entries: dict[str, Plain] | None = None
        for key, item in value.items():
            kind = type(item)
            made = item
            if kind is str or kind is dict or kind is list:
                made = _rewrite(item, needles, pattern, replace)
            new = key
            if "/" in key or "$" in key:
                new = str(_rewrite(key, needles, pattern, replace))
            if entries is None and (made is not item or new != key):
                entries = {}
                for before, each in value.items():  # what came first is as it was
                    if before == key:
                        break
                    entries[before] = each
            if entries is not None:
                entries[new] = made
        return value if entries is None else entries
    if type(value) is list:
        items = [_rewrite(item, needles, pattern, replace) for item in value]
        return items if any(map(is_not, items, value)) else value
    return value
