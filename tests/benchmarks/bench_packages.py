"""Measures one project that wraps every Protocol of many installed packages.

    python tests/benchmarks/bench_packages.py [SITE_PACKAGES]

Without an argument the packages beside this Python are used. The project looks into far more
modules than it wraps, so this is where memory would grow with what is merely looked into.
"""

import ast
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "gen"))

from corpus_run import Corpus, module_name  # noqa: E402

from vcr_gen.gen.runs.format_outputs import format_outputs  # noqa: E402
from vcr_gen.gen.runs.pipeline import Generation, generate  # noqa: E402

MOST_MEGABYTES = 400.0
MOST_SECONDS = 45.0


def main(arguments: list[str]) -> int:
    """Find the Protocols, leave out what cannot be wrapped, and measure the rest in a process."""
    site_packages = Path(arguments[0]) if arguments else Path(ast.__file__).parent
    if not arguments:
        site_packages = Path(json.__file__).parents[1] / "site-packages"
        site_packages = next(Path(sys.prefix, "lib").glob("python3*/site-packages"), site_packages)
    with tempfile.TemporaryDirectory() as folder:
        corpus = Corpus(site_packages.resolve(), Path(folder) / "generated")
        protocols = sorted(set(_protocols(site_packages)))
        refused = set(generate(corpus.config(protocols)).refused)
        kept = [protocol for protocol in protocols if protocol not in refused]
        request = json.dumps([str(corpus.site_packages), str(corpus.output), kept])
        done = subprocess.run(
            [sys.executable, __file__, "--measure"], input=request, text=True, check=True
        )
    return done.returncode


def _measure(site_packages: str, output: str, protocols: list[str]) -> int:
    corpus = Corpus(Path(site_packages), Path(output))
    config = corpus.config(protocols)
    generation: Generation = generate(config)
    texts = format_outputs(config, generation.files, known={})
    used = resource.getrusage(resource.RUSAGE_SELF)
    packages = {protocol.partition(".")[0].partition(":")[0] for protocol in protocols}
    megabytes, seconds = used.ru_maxrss / 1024, used.ru_utime + used.ru_stime
    print(f"Protocols {len(generation.boundaries)}, packages {len(packages)}")
    print(f"files read {len(generation.inputs)}, files generated {len(texts)}")
    print(f"most memory, MB {megabytes:8.0f}  <= {MOST_MEGABYTES:g}")
    print(f"CPU seconds     {seconds:8.1f}  <= {MOST_SECONDS:g}")
    return int(megabytes > MOST_MEGABYTES or seconds > MOST_SECONDS)


def _protocols(site_packages: Path) -> Iterator[str]:
    """`module:Name` of every top-level class that names `Protocol` among its bases."""
    for path in sorted(site_packages.rglob("*.py*")):
        name = module_name(path.relative_to(site_packages))
        if name is None or path.suffix not in {".py", ".pyi"}:
            continue
        data = path.read_bytes()
        if b"Protocol" not in data or b"(Protocol" not in data:
            continue
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError):
            continue
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and any(map(_is_protocol, node.bases)):
                yield f"{name}:{node.name}"


def _is_protocol(base: ast.expr) -> bool:
    named = base.value if isinstance(base, ast.Subscript) else base
    return isinstance(named, ast.Name) and named.id == "Protocol"


if __name__ == "__main__":
    if sys.argv[1:] == ["--measure"]:
        raise SystemExit(_measure(*json.load(sys.stdin)))
    raise SystemExit(main(sys.argv[1:]))
