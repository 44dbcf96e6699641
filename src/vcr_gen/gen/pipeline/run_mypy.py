"""The one module that runs mypy: once, over Protocols and wrappers together."""

import ast
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.settings.config import Config
from vcr_gen.gen.settings.environments import project_python
from vcr_gen.gen.sources.syntax import parse

_CONFIGURED: Final = {"mypy.ini": "[mypy", ".mypy.ini": "[mypy", "setup.cfg": "[mypy"}
_USAGE_ERROR: Final = 2
_LAST_COLUMN: Final = sys.maxsize

_Span: TypeAlias = tuple[tuple[int, int], tuple[int, int]]
"""Line and column of the start and of the end."""


def type_check(
    config: Config, *, wrappers: Iterable[Path], sources: Collection[Path]
) -> list[Diagnostic]:
    """What mypy reports about wrappers, and about the declarations in the Protocols' modules.

    Errors in imported modules are not reported, nor errors in function bodies beside a Protocol: no
    wrapper depends on them.
    """
    names = sorted(str(path) for path in {*wrappers, *sources} if path.is_file())
    if not names:
        return []
    command = [
        *(sys.executable, "-m", "mypy", "--output", "json", "--follow-imports", "silent"),
        *("--show-absolute-path", "--no-error-summary", "--hide-error-context"),
        *("--explicit-package-bases", "--namespace-packages"),
        *_where_packages_are(config),
        *(() if _has_mypy_config(config.root) else _own_settings(config)),
        *("--", *names),
    ]
    done = subprocess.run(
        command,
        cwd=config.root,
        env=_environment(config),
        capture_output=True,
        text=True,
        check=False,
    )
    bodies = {path.resolve(): _function_bodies(path) for path in sources if path.is_file()}
    found = list(_diagnostics(config, done.stdout, bodies))
    if done.returncode >= _USAGE_ERROR and not found:
        reason = (done.stderr or done.stdout).strip()
        hint = 'is the extra installed? pip install "vcr-gen[gen]"'
        raise RefusedError([Diagnostic("mypy", 0, 0, "VCR310", f"mypy failed: {reason}", hint)])
    return found


def _where_packages_are(config: Config) -> tuple[str, ...]:
    """Options for the project's environment, if vcr-gen runs in a different one."""
    python = project_python(config.root)
    return ("--python-executable", str(python)) if python else ()


def _own_settings(config: Config) -> Iterator[str]:
    """Options of mypy for a project that does not configure it."""
    yield "--strict"
    yield from ("--cache-dir", str(config.cache_dir / "mypy"))
    yield from ("--python-version", ".".join(map(str, config.target_version)))


def _environment(config: Config) -> Mapping[str, str]:
    """The environment with sources and output in front of `MYPYPATH`."""
    roots = [*map(str, config.sources), str(config.output), os.environ.get("MYPYPATH", "")]
    return {**os.environ, "MYPYPATH": os.pathsep.join(root for root in roots if root)}


def _has_mypy_config(root: Path) -> bool:
    """Whether the project configures mypy."""
    for name, header in _CONFIGURED.items():
        file = root / name
        if file.is_file() and header in file.read_text(encoding="utf-8", errors="replace"):
            return True
    try:
        document = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    except (
        OSError,
        ValueError,
        RecursionError,
    ):  # with --config, it may be missing or broken
        return False
    return "mypy" in document.get("tool", {})


def _function_bodies(path: Path) -> list[_Span]:
    """The spans of function bodies in a file; columns count bytes, as mypy's do."""
    return [
        ((node.body[0].lineno, node.body[0].col_offset), (node.end_lineno or 0, _LAST_COLUMN))
        for node in ast.walk(parse(path.read_bytes()).tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def _diagnostics(
    config: Config, output: str, bodies: Mapping[Path, list[_Span]]
) -> Iterator[Diagnostic]:
    for line in output.splitlines():
        try:
            report = json.loads(line)
        except ValueError:
            continue
        if report.get("severity") != "error":
            continue
        file, at = Path(report["file"]).resolve(), (report["line"], report["column"])
        if any(start <= at <= end for start, end in bodies.get(file, ())):
            continue
        yield Diagnostic(
            config.display(file),
            max(report["line"], 1),
            max(report["column"] + 1, 1),
            "VCR310",
            f"{report['message']} [{report.get('code') or 'mypy'}]",
            str(report.get("hint") or ""),
        )
