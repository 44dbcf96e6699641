"""Measures one project that wraps every Protocol of many installed packages.

    python tests/benchmarks/bench_packages.py [SITE_PACKAGES]

Without an argument the packages beside this Python are used. The project looks into far more
modules than it wraps, so this is where memory would grow with what is merely looked into.
"""

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "gen"))

from corpus_run import Corpus, find_protocols  # noqa: E402

from vcr_gen.gen.pipeline.generation import Generation, generate  # noqa: E402
from vcr_gen.gen.rendering.formatting import format_files  # noqa: E402

MOST_MEGABYTES = 400.0
MOST_SECONDS = 45.0


def main(arguments: list[str]) -> int:
    """Find the Protocols that can be wrapped, then measure; each in a process of its own.

    A process inherits the peak memory of the one that starts it.
    """
    beside = next(Path(sys.prefix, "lib").glob("python3*/site-packages"))
    site_packages = Path(arguments[0]).resolve() if arguments else beside
    with tempfile.TemporaryDirectory() as folder:
        places = [str(site_packages), str(Path(folder) / "generated")]
        found = subprocess.run(
            [sys.executable, __file__, "--find", *places], stdout=subprocess.PIPE, check=True
        )
        measured = subprocess.run(
            [sys.executable, __file__, "--measure", *places], input=found.stdout, check=False
        )
    return measured.returncode


def _measure(corpus: Corpus, protocols: list[str]) -> int:
    config = corpus.config(protocols)
    generation: Generation = generate(config)
    texts = format_files(config, generation.files)
    used = resource.getrusage(resource.RUSAGE_SELF)
    packages = {protocol.partition(".")[0].partition(":")[0] for protocol in protocols}
    megabytes, seconds = used.ru_maxrss / 1024, used.ru_utime + used.ru_stime
    print(f"Protocols {len(generation.boundaries)}, packages {len(packages)}")
    print(f"files read {len(generation.inputs)}, files generated {len(texts)}")
    print(f"most memory, MB {megabytes:8.0f}  <= {MOST_MEGABYTES:g}")
    print(f"CPU seconds     {seconds:8.1f}  <= {MOST_SECONDS:g}")
    return int(megabytes > MOST_MEGABYTES or seconds > MOST_SECONDS)


def _wrappable(corpus: Corpus) -> list[str]:
    protocols = sorted(set(_protocols(corpus)))
    refused = set(generate(corpus.config(protocols)).refused)
    return [protocol for protocol in protocols if protocol not in refused]


def _protocols(corpus: Corpus) -> Iterator[str]:
    """`module:Name` of every top-level Protocol."""
    packages = {
        path.name.partition(".")[0].removesuffix("-stubs")
        for path in corpus.site_packages.iterdir()
        if path.suffix == ".py" or path.is_dir()
    }
    return find_protocols(corpus, sorted(packages))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--find", packages, generated]:
            json.dump(_wrappable(Corpus(Path(packages), Path(generated))), sys.stdout)
        case ["--measure", packages, generated]:
            found = json.load(sys.stdin)
            raise SystemExit(_measure(Corpus(Path(packages), Path(generated)), found))
        case arguments:
            raise SystemExit(main(arguments))
