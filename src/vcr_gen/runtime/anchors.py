"""Named roots under which paths are stored relative, so that a cassette travels."""

import re
from collections.abc import Callable, Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import final

from vcr_gen.errors import UsageError
from vcr_gen.runtime.plain import Plain

__all__ = ["Anchors"]

_NAME = re.compile(r"[A-Za-z][\w-]*")


@final
class Anchors:
    """Rewrites text under a declared root to `${name}/…`, and back for the machine that replays."""

    def __init__(self, roots: Mapping[str, str | PathLike[str]]) -> None:
        self._roots: dict[str, str] = {}
        for name, root in roots.items():
            text = fspath(root).rstrip("/")
            if not _NAME.fullmatch(name):
                raise UsageError(f"anchor name {name!r}: expected a word such as 'project'")
            if not text.startswith("/"):
                raise UsageError(
                    f"anchor {name!r}: expected an absolute path below /; got {root!r}"
                )
            self._roots[name] = text
        self._names = {root: name for name, root in self._roots.items()}
        longest_first = sorted(self._names, key=len, reverse=True)
        paths = "|".join(re.escape(root) for root in longest_first) or "(?!)"
        names = "|".join(re.escape(name) for name in self._roots) or "(?!)"
        # A root counts only as a whole path: neither inside another one nor as part of a name.
        self._stored = re.compile(rf"\$+\{{(?:{names})\}}|(?<![\w./-])(?:{paths})(?![\w-]|\.\w)")
        self._restored = re.compile(rf"(\$+)\{{({names})\}}")

    def __bool__(self) -> bool:
        return bool(self._roots)

    @property
    def names(self) -> tuple[str, ...]:
        """The declared names, in a stable order."""
        return tuple(sorted(self._roots))

    def require(self, recorded: Iterable[str], path: Path) -> None:
        """Raise unless every root that a cassette was recorded with is declared here."""
        missing = [name for name in recorded if name not in self._roots]
        if missing:
            raise UsageError(
                f"{path}: recorded with the anchor {missing[0]!r}, which is not declared now\n\n"
                f"hint: Cassette(…, anchors={{{missing[0]!r}: …}})"
            )

    def store(self, value: Plain) -> Plain:
        """The value with every root replaced by its name."""
        if not self._roots:
            return value
        return _rewrite(value, self._stored, self._to_name)

    def restore(self, value: Plain) -> Plain:
        """The value with every name replaced by this machine's root."""
        if not self._roots:
            return value
        return _rewrite(value, self._restored, self._to_root)

    def _to_name(self, found: re.Match[str]) -> str:
        text = found[0]
        return f"${text}" if text.startswith("$") else f"${{{self._names[text]}}}"

    def _to_root(self, found: re.Match[str]) -> str:
        return self._roots[found[2]] if found[1] == "$" else found[0][1:]


def _rewrite(
    value: Plain, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str]
) -> Plain:
    if isinstance(value, str):
        return pattern.sub(replace, value) if "/" in value or "$" in value else value
    if isinstance(value, dict):
        return {
            pattern.sub(replace, key): _rewrite(item, pattern, replace)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_rewrite(item, pattern, replace) for item in value]
    return value
