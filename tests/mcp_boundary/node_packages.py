"""The official TypeScript clients and servers, installed once beside the virtual environment."""

import fcntl
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

__all__ = ["node_folder", "server_command"]

_SOURCES: Final = Path(__file__).with_name("node")
_FOLDER: Final = Path(sys.prefix, "node")


def node_folder() -> Path:
    """A folder with the packages and with the programs that use them.

    Tests in several processes ask for it at the same time; one of them installs.
    """
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    _FOLDER.mkdir(exist_ok=True)
    with open(_FOLDER / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = (_SOURCES / "package.json").read_bytes()
        installed = _FOLDER / ".installed.json"
        if not installed.exists() or installed.read_bytes() != wanted:
            shutil.copy(_SOURCES / "package.json", _FOLDER)
            command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"]
            subprocess.run(command, cwd=_FOLDER, check=True, stdin=subprocess.DEVNULL)
            installed.write_bytes(wanted)
        for program in _SOURCES.glob("*.mjs"):
            shutil.copy(program, _FOLDER)
    return _FOLDER


def server_command(name: str, folder: Path, *arguments: str) -> tuple[str, ...]:
    """The command of an official server, started by a program in a folder of its own."""
    package = node_folder() / "node_modules/@modelcontextprotocol" / f"server-{name}"
    folder.mkdir(exist_ok=True)
    program = folder / "server.mjs"
    program.write_text(f"import {str(package / 'dist/index.js')!r};\n")
    return (shutil.which("node") or "node", str(program), *arguments)
