"""Reads the redaction rules and the allowed findings from `pyproject.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from vcr_gen.errors import UsageError
from vcr_gen.gen.diagnostics import closest
from vcr_gen.runtime.privacy import Redaction
from vcr_gen.tapes.findings import Finding

__all__ = ["Allowed", "ScanConfig", "read_scan_config"]

_ALLOW = ("fingerprint", "rule", "path", "reason")
_REDACTION = ("patterns", "keys", "fields", "allow", "off")


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """One `[[tool.vcr-gen.scan.allow]]`: a credential that may stay, and why."""

    reason: str
    fingerprint: str = ""
    rule: str = ""
    path: str = ""
    """A glob, relative to the folder of the configuration file."""

    def covers(self, finding: Finding, root: Path) -> bool:
        """Whether this entry allows a finding."""
        if self.fingerprint:
            return self.fingerprint == finding.fingerprint
        path = finding.path.resolve()
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
        return self.rule in ("", finding.rule) and fnmatch(name, self.path or "*")


@dataclass(frozen=True, slots=True)
class ScanConfig:
    """The rules of `scan` and `redact`, and the findings they ignore."""

    root: Path
    redaction: Redaction
    allowed: tuple[Allowed, ...] = ()

    def allows(self, finding: Finding) -> bool:
        """Whether an entry of the configuration allows the finding."""
        return any(allowed.covers(finding, self.root) for allowed in self.allowed)


def read_scan_config(file: Path | None) -> ScanConfig:
    """The configuration in `file`, or in the nearest `pyproject.toml`."""
    if file is None:
        here = Path.cwd()
        candidates = (folder / "pyproject.toml" for folder in (here, *here.parents))
        file = next((path for path in candidates if path.is_file()), None)
        if file is None:
            return ScanConfig(here, Redaction())
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{file}: {error}") from None
    table = document.get("tool", {}).get("vcr-gen", {})
    if not isinstance(table, Mapping):
        raise UsageError(f"{file}: `tool.vcr-gen`: expected a table")
    scan = _table(file, table, "scan", ("allow",))
    entries = scan.get("allow", [])
    if not isinstance(entries, list):
        raise UsageError(f"{file}: `tool.vcr-gen.scan.allow`: expected [[tool.vcr-gen.scan.allow]]")
    return ScanConfig(
        file.resolve().parent,
        _redaction(file, _table(file, table, "redaction", _REDACTION)),
        tuple(_allowed(file, number, entry) for number, entry in enumerate(entries, start=1)),
    )


def _table(file: Path, table: Mapping[str, Any], name: str, known: tuple[str, ...]) -> Any:
    inner = table.get(name, {})
    if not isinstance(inner, Mapping):
        raise UsageError(f"{file}: `tool.vcr-gen.{name}`: expected a table")
    _refuse_unknown(file, f"tool.vcr-gen.{name}", inner, known)
    return inner


def _refuse_unknown(
    file: Path, where: str, table: Mapping[str, Any], known: tuple[str, ...]
) -> None:
    for key in table:
        if key not in known:
            meant = closest(key, known)
            hint = f"did you mean `{meant}`?" if meant else f"known: {', '.join(known)}"
            raise UsageError(f"{file}: `{where}`: unknown key `{key}`; {hint}")


def _allowed(file: Path, number: int, entry: object) -> Allowed:
    where = f"tool.vcr-gen.scan.allow[{number}]"
    if not isinstance(entry, Mapping):
        raise UsageError(f"{file}: `{where}`: expected a table")
    _refuse_unknown(file, where, entry, _ALLOW)
    for key, value in entry.items():
        if not isinstance(value, str) or not value.strip():
            raise UsageError(f"{file}: `{where}.{key}`: expected text; got {value!r}")
    if "reason" not in entry:
        raise UsageError(
            f'{file}: `{where}`: `reason` is missing: say why this may stay, reason = "…"'
        )
    if not {"fingerprint", "rule", "path"} & set(entry):
        raise UsageError(f"{file}: `{where}`: expected a fingerprint, a rule or a path")
    return Allowed(**{key: str(value) for key, value in entry.items()})


def _redaction(file: Path, table: Mapping[str, Any]) -> Redaction:
    for key, value in table.items():
        fine = (
            isinstance(value, Mapping)
            if key in ("patterns", "fields")
            else isinstance(value, list) and all(isinstance(item, str) for item in value)
        )
        if not fine:
            kind = "a table" if key in ("patterns", "fields") else "a list of strings"
            raise UsageError(f"{file}: `tool.vcr-gen.redaction.{key}`: expected {kind}")
    try:
        return Redaction(**table)
    except (UsageError, TypeError, AttributeError) as error:
        raise UsageError(f"{file}: `tool.vcr-gen.redaction`: {error}") from None
