"""Wraps every Protocol of public packages: `python -m tests.corpus [PACKAGE ...]`.

The packages are installed into a virtual environment of their own, kept between runs. Nothing may
crash, every refusal needs a code, at least 96 % must be wrapped, and what is wrapped must import,
have its Protocol's signatures, stay as it is under black, and pass `mypy --strict` and pyright in
strict mode wherever the Protocol's own module does, but for a few known shapes.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "gen"))

from corpus_run import SOURCES, Corpus, wrap_packages, write  # noqa: E402
from corpus_types import type_complaints  # noqa: E402
from gen_projects import blackened  # noqa: E402

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

ENOUGH = 0.96
"""A third of the Protocols are optype's, one for each dunder of Python: 18 of them have members
that Python itself uses (`__class__`, `__new__`, `__dict__`). narwhals has 12 with `Self` as the
argument of a type parameter with a bound (VCR207). These are most of the refusals."""

KNOWN = {
    "vcr_narwhals/_compliant/group_by.py": "contravariant variables whose bound is a Protocol",
    "vcr_narwhals/_compliant/namespace.py": "a base whose type arguments have narrower bounds",
    "vcr_optype/_core/_can.py": "a default of one type variable that is another",
    "vcr_optype/types/_package.py": "members that typing itself gives every Protocol",
    "vcr_upath/types/_package.py": "a member that pyright believes to exist on this platform",
}
"""Generated modules that type checkers reject, and why; nobody has asked for these shapes."""


def main(arguments: list[str]) -> int:
    """Run over all packages, or over those named; the number of complaints decides."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description=__doc__)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE")
    parser.add_argument("--inbound", action="store_true", help="wrap as what others call")
    parser.add_argument("--python", default=sys.executable, help="install for this Python")
    options = parser.parse_args(arguments)
    packages = {name: PACKAGES.get(name, name) for name in options.packages} or PACKAGES
    environment = _install(packages, options.python)
    site_packages = next((environment / "lib").glob("python3*/site-packages"))
    complaints: list[str] = []
    found = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "generated"
        corpus = Corpus(site_packages, output, "inbound" if options.inbound else "outbound")
        for package in packages.values():
            outcome = wrap_packages(corpus, [package])
            write(outcome.generation)
            unstable = [
                f"black changes {file.path.relative_to(output)}"
                for file in outcome.generation.files
                if file.settled and blackened(file.text) != file.text
            ]
            found += len(outcome.protocols)
            refused += len(outcome.refused)
            complaints += unstable
            complaints += [
                complaint for complaint in outcome.complaints() if not complaint.startswith("only")
            ]
            print(f"{package}: {len(outcome.protocols)} Protocols", flush=True)
            for diagnostic in outcome.diagnostics:
                print(f"  {diagnostic}")
        complaints += _signatures(corpus)
        typed = type_complaints(corpus, environment / "checked")
        complaints += [line for line in typed if not any(f"/{known}:" in line for known in KNOWN)]
    wrapped = 1 - refused / max(1, found)
    if wrapped < ENOUGH:
        complaints.append(f"less than {ENOUGH:.0%} are wrapped")
    print("\n".join(complaints))
    print(f"{found} Protocols, {wrapped:.1%} wrapped, {len(complaints)} complaints")
    return 1 if complaints else 0


def _install(packages: dict[str, str], python: str) -> Path:
    """A virtual environment for a Python, with the packages in it."""
    version = "import sys; print(*sys.version_info[:2], sep='.')"
    said = subprocess.run([python, "-c", version], capture_output=True, text=True, check=True)
    environment = HERE.parent / f".venv-corpus-{said.stdout.strip()}"
    if not (environment / "bin" / "python").exists():
        subprocess.run([python, "-m", "venv", environment], check=True)
    install = [environment / "bin" / "python", "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, *packages, "pyyaml"], check=True)
    return environment


def _signatures(corpus: Corpus) -> list[str]:
    result = subprocess.run(
        [corpus.python, HERE / "gen" / "corpus_signatures.py", corpus.output],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(SOURCES), "PATH": "/usr/bin:/bin"},
    )
    return (result.stdout + (result.stderr if result.returncode else "")).splitlines()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
