"""Where the packages that a project uses are installed, so that they can be read as source."""

import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path


def default_search_path(root: Path) -> tuple[Path, ...]:
    """Site-packages of the project's environment, then of the Python that runs vcr-gen.

    The running Python comes first when it lives in the project: then it *is* the project's
    environment. A tool environment (pre-commit, pipx) must not hide the project's own.
    """
    running = [Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")]
    candidates = [
        path for environment in _project_environments(root) for path in _site_packages(environment)
    ]
    inside = Path(sys.prefix).is_relative_to(root)
    ordered = [*running, *candidates] if inside else [*candidates, *running]
    found = dict.fromkeys(path for path in ordered if path.is_dir())
    return tuple(dict.fromkeys(path for folder in found for path in (folder, *_links(folder))))


def project_python(root: Path) -> Path | None:
    """The Python of the project's environment; None if it is the running one.

    An environment that lacks our runtime is none in which generated code could be imported.
    """
    if Path(sys.prefix).is_relative_to(root):
        return None
    for environment in _project_environments(root):
        for site_packages in _site_packages(environment):
            folders = (site_packages, *_links(site_packages)) if site_packages.is_dir() else ()
            if any((folder / "vcr_gen").is_dir() for folder in folders):
                pythons = [environment / "bin" / "python", environment / "Scripts" / "python.exe"]
                return next((python for python in pythons if python.exists()), None)
    return None


def _project_environments(root: Path) -> list[Path]:
    active = os.environ.get("VIRTUAL_ENV")
    return ([Path(active)] if active else []) + [root / ".venv"]


def _site_packages(environment: Path) -> Iterator[Path]:
    yield from sorted(environment.glob("lib/python3*/site-packages"), reverse=True)
    yield environment / "Lib" / "site-packages"


def _links(site_packages: Path) -> Iterator[Path]:
    """The folders of editable installs, which `.pth` files point to."""
    for file in sorted(site_packages.glob("*.pth")):
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        for line in lines:
            folder = Path(line.strip())
            if line.strip() and not line.startswith(("import ", "import\t", "#")):
                folder = folder if folder.is_absolute() else site_packages / folder
                if folder.is_dir():
                    yield folder
