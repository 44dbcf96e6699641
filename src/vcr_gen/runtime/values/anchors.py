"""Named roots under which paths are stored relative, so that a cassette works anywhere."""

import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from operator import is_not
from os import PathLike, fspath
from pathlib import Path
from typing import Final, final

from vcr_gen.errors import UsageError
from vcr_gen.runtime.plain import Plain

__all__ = ["Anchors", "is_everywhere", "usual_roots"]

_NAME: Final = re.compile(r"[A-Za-z][\w-]*")
_BEFORE: Final = r"(?<![\w./-])"
_AFTER: Final = r"(?![\w-]|\.\w)"
"""A root must match as a whole path, not inside another path or name."""

_EVERYWHERE: Final = frozenset(
    f"{prefix}{root}"
    for prefix in ("", "/private")  # their real paths on macOS
    for root in ("/", "/home", "/root", "/tmp", "/Users", "/usr/tmp", "/var/root", "/var/tmp")
)


def is_everywhere(root: str) -> bool:
    """Whether a folder exists on every machine, so that a program may contain it literally."""
    return root in _EVERYWHERE


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

    The usual roots hold beside the declared ones, but a usual root that every machine has stays as
    it is: a program that says `/tmp` means `/tmp` everywhere. A cassette keeps a digest of each
    root that it met, and in its replay no other usual roots hold.
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
        self._recorded_under: dict[str, str] = {}
        """Digests of the recording's roots that differ from this machine's, by name."""
        self._spelled_out: dict[str, str] = {}
        """The recorded roots that were found in a text, with their names."""
        self._used: set[str] = set()
        self._met: dict[str, str] = {}
        self._compile()

    def __bool__(self) -> bool:
        return bool(self._roots)

    @property
    def names(self) -> tuple[str, ...]:
        """The declared names and the used automatic ones, in a stable order."""
        return tuple(sorted({*self._declared, *(self._used & set(self._usual))}))

    @property
    def digests(self) -> dict[str, str]:
        """The digests of the used roots, by name."""
        return {name: _digest(root) for name, root in sorted(self._met.items())}

    def describe(self, values: Iterable[Plain]) -> tuple[str, ...]:
        """A line for each anchor in these stored values: its name and its current root."""
        texts = (text for value in values for text in _texts(value) if "${" in text)
        found = (match for text in texts for match in self._restored.finditer(text))
        names = {match[2] for match in found if match[1] == "$"}
        return tuple(
            f"${{{name}}} is the anchor `{name}`, here {self._roots[name]}"
            for name in sorted(names)
        )

    def hold_as_recorded(
        self, recorded: Iterable[str], digests: Mapping[str, str], path: Path
    ) -> None:
        """Adopt the anchors of a recording; raise unless each of them is declared."""
        names = set(recorded)
        for name in sorted(names - set(self._roots)):
            now = "switched off" if name in self._switched_off else "not declared"
            raise UsageError(
                f"{path}: recorded with the anchor {name!r}, which is {now}\n\n"
                f"hint: pass it: Cassette(…, anchors={{{name!r}: …}})"
            )
        names.update(digests)
        self._usual = {name: root for name, root in self._usual.items() if name in names}
        here = {_digest(root) for root in self._names}
        self._recorded_under = {
            name: digest
            for name, digest in digests.items()
            if name in self._roots and digest not in here
        }
        self._compile()

    def may_be_in(self, text: str) -> bool:
        """A cheap check whether a text may contain a root or the name of one."""
        if self._roots:
            for needle in self._needles:
                if needle in text:
                    return True
        return False

    def store(self, value: Plain) -> Plain:
        """The value with every root replaced by its name; the same object if it has none."""
        if not self._roots:
            return value
        return _rewrite(value, self._needles, self._stored, self._to_name)

    def restore(self, value: Plain) -> Plain:
        """The value with every name replaced by this machine's root."""
        if not self._roots:
            return value
        return _rewrite(value, ("${",), self._restored, self._to_root)

    @property
    def travelled(self) -> bool:
        """Whether the cassette was recorded with different roots."""
        return bool(self._recorded_under)

    def comparable(self, value: Plain) -> Plain:
        """A stored value in a form in which equal recorded and live values are equal.

        Two names may have the same root here. And a root of the recording counts as its name, too:
        the program may spell it out, or ask the machine for it.
        """
        restored = self.restore(value)
        if not self.travelled:
            return self.store(restored)
        if self._find_spelled_out(restored):
            self._compile()
        return _rewrite(restored, self._needles, self._stored, self._to_compared_name)

    def _find_spelled_out(self, value: Plain) -> bool:
        """Find texts with a root of the recording; whether a new one was found."""
        known = len(self._spelled_out)
        for name, digest in self._recorded_under.items():
            length = int(digest.partition("-")[0])
            pattern = re.compile(rf"{_BEFORE}(?=(/.{{{length - 1}}}){_AFTER})")
            for text in _texts(value):
                for found in pattern.finditer(text):
                    if _digest(found[1]) == digest:
                        self._spelled_out[found[1]] = name
        return len(self._spelled_out) > known

    def _compile(self) -> None:
        self._roots = {
            **{name: spellings[0] for name, spellings in self._usual.items()},
            **self._declared,
        }
        self._names = {root: name for name, spellings in self._usual.items() for root in spellings}
        self._as_it_is = {*filter(is_everywhere, self._names), *self._spelled_out}
        self._names.update((root, name) for name, root in self._declared.items())
        self._as_it_is.difference_update(self._declared.values())
        for root, name in self._spelled_out.items():
            self._names.setdefault(root, name)
        self._needles = ("${", *self._names)
        longest_first = sorted(self._names, key=len, reverse=True)
        paths = "|".join(re.escape(root) for root in longest_first) or "(?!)"
        names = "|".join(re.escape(name) for name in self._roots) or "(?!)"
        self._stored = re.compile(rf"\$+\{{(?:{names})\}}|{_BEFORE}(?:{paths}){_AFTER}")
        self._restored = re.compile(rf"(\$+)\{{({names})\}}")

    def _to_name(self, found: re.Match[str]) -> str:
        text = found[0]
        if text.startswith("$"):
            self._used.add(text.strip("${}"))
            return f"${text}"
        name = self._names[text]
        self._met[name] = text
        if text in self._as_it_is:
            return text
        self._used.add(name)
        return f"${{{name}}}"

    def _to_compared_name(self, found: re.Match[str]) -> str:
        text = found[0]
        return f"${text}" if text.startswith("$") else f"${{{self._names[text]}}}"

    def _to_root(self, found: re.Match[str]) -> str:
        return self._roots[found[2]] if found[1] == "$" else found[0][1:]


def _checked(name: str, root: str | PathLike[str]) -> str:
    text = fspath(root).rstrip("/")
    if not _NAME.fullmatch(name):
        raise UsageError(f"anchor name {name!r}: expected a word such as 'project'")
    if not text.startswith("/"):
        raise UsageError(f"anchor {name!r}: expected an absolute path below /; got {root!r}")
    return text


def _digest(root: str) -> str:
    """The digest of a root: enough to recognise it, without the path in the file."""
    return f"{len(root)}-{sha256(root.encode(errors='surrogatepass')).hexdigest()[:12]}"


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
