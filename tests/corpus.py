"""Wraps every Protocol of public packages: `python -m tests.corpus [PACKAGE ...]`.

The packages are installed into a virtual environment of their own, kept between runs. Nothing may
crash, every refusal needs a code, at least 97 % must be wrapped, and what is wrapped must import,
have its Protocol's signatures, stay as it is under black, and pass `mypy --strict` wherever the
Protocol's own module does.
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "gen"))

from corpus_run import SOURCES, type_complaints, wrap_packages, write  # noqa: E402
from gen_projects import blackened  # noqa: E402

ENVIRONMENT = HERE.parent / ".venv-corpus"
PACKAGES = {
    "aiohttp": "aiohttp",
    "annotated-types": "annotated_types",
    "anthropic": "anthropic",
    "anyio": "anyio",
    "attrs": "attr",
    "azure-core": "azure",
    "discord.py": "discord",
    "faststream": "faststream",
    "httpcore": "httpcore",
    "inspect-ai": "inspect_ai",
    "langchain-core": "langchain_core",
    "litestar": "litestar",
    "mcp": "mcp",
    "narwhals": "narwhals",
    "openai": "openai",
    "ops": "ops",
    "optype": "optype",
    "protean": "protean",
    "psycopg": "psycopg",
    "pydantic": "pydantic",
    "quri-parts-core": "quri_parts",
    "rich": "rich",
    "sqlalchemy": "sqlalchemy",
    "sqlspec": "sqlspec",
    "starlette": "starlette",
    "strawberry-graphql": "strawberry",
    "structlog": "structlog",
    "temporalio": "temporalio",
    "textual": "textual",
    "trio": "trio",
    "types-gevent": "gevent",
    "universal-pathlib": "upath",
    "whenever": "whenever",
}


def main(chosen: list[str]) -> int:
    """Run over all packages, or over those named; the number of complaints decides."""
    packages = {one: PACKAGES.get(one, one) for one in chosen} or PACKAGES
    site_packages = _install(packages)
    version = sys.version_info[:2]
    complaints: list[str] = []
    found = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "generated"
        for package in packages.values():
            outcome = wrap_packages(site_packages, [package], output, version)
            write(outcome.generation)
            unstable = [
                f"black changes {path.relative_to(output)}"
                for path, text in outcome.generation.files.items()
                if path not in outcome.generation.unsettled and blackened(text) != text
            ]
            found += len(outcome.protocols)
            refused += len(outcome.refused)
            complaints += unstable
            complaints += [one for one in outcome.complaints() if not one.startswith("only")]
            print(f"{package}: {len(outcome.protocols)} Protocols", flush=True)
            for diagnostic in outcome.diagnostics:
                print(f"  {diagnostic}")
        complaints += _signatures(output)
        complaints += type_complaints(
            output, site_packages, str(_python()), ENVIRONMENT / ".mypy_cache"
        )
    wrapped = 1 - refused / max(1, found)
    if wrapped < 0.97:
        complaints.append("less than 97 % are wrapped")
    print("\n".join(complaints))
    print(f"{found} Protocols, {wrapped:.1%} wrapped, {len(complaints)} complaints")
    return 1 if complaints else 0


def _python() -> Path:
    return ENVIRONMENT / "bin" / "python"


def _install(packages: dict[str, str]) -> Path:
    if not _python().exists():
        venv.create(ENVIRONMENT, with_pip=True)
    wanted = [*packages, "pyyaml"]
    subprocess.run([_python(), "-m", "pip", "install", "--quiet", *wanted], check=True)
    return next((ENVIRONMENT / "lib").glob("python3*/site-packages"))


def _signatures(output: Path) -> list[str]:
    result = subprocess.run(
        [_python(), HERE / "gen" / "corpus_signatures.py", output],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(SOURCES), "PATH": "/usr/bin:/bin"},
    )
    return (result.stdout + (result.stderr if result.returncode else "")).splitlines()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
