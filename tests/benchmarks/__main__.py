"""Measures cost as ratios of CPU time, so that machines can be compared: `make bench`.

Each line says what was measured, the ratio, the limit, and whether it holds.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.project import make_project

_AST = "import ast,sys\nfor p in sys.argv[1:]: ast.parse(open(p,encoding='utf-8').read())"
_LIBCST = (
    "import libcst,sys\nfor p in sys.argv[1:]: libcst.parse_module(open(p,encoding='utf-8').read())"
)
_BLACK = (
    "import black,sys\nm=black.Mode(line_length=100)\n"
    "for p in sys.argv[1:]: black.format_str(open(p,encoding='utf-8').read(), mode=m)"
)


@dataclass(frozen=True)
class Cost:
    """CPU seconds of a command with its children, and the most memory one process had."""

    seconds: float
    megabytes: float


def cost_of(command: list[str], folder: Path) -> Cost:
    """Run a command and measure it."""
    # A helper process, so that the children's times are this command's alone.
    helper = (
        "import resource,subprocess,sys\n"
        "done=subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,stderr=subprocess.PIPE)\n"
        "u=resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "sys.stderr.buffer.write(done.stderr)\n"
        "print(u.ru_utime+u.ru_stime,u.ru_maxrss,done.returncode)"
    )
    done = subprocess.run(
        [sys.executable, "-c", helper, *command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )
    seconds, kilobytes, code = done.stdout.split()
    if code != "0":
        raise SystemExit(f"{command} failed with {code}:\n{done.stderr}")
    return Cost(float(seconds), int(kilobytes) / 1024)


def main() -> int:
    """Measure, print the table, and return 1 when a limit is broken."""
    parser = argparse.ArgumentParser(prog="make bench")
    parser.add_argument("--modules", type=int, default=1000)
    parser.add_argument("--methods", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        return _measure(Path(name), options.modules, options.methods)


def _measure(root: Path, modules: int, methods: int) -> int:
    paths = [str(path) for path in make_project(root, modules, methods)]
    vcr_gen = [sys.executable, "-m", "vcr_gen"]

    def base(code: str, files: list[str]) -> float:
        start_up = cost_of([sys.executable, "-c", code], root).seconds
        return cost_of([sys.executable, "-c", code, *files], root).seconds - start_up

    parse, libcst = base(_AST, paths), base(_LIBCST, paths)
    start_up = cost_of([*vcr_gen, "--help"], root).seconds
    cold = cost_of(vcr_gen, root)
    warm = cost_of([*vcr_gen, "--check"], root)
    generated = [str(path) for path in sorted((root / "generated").rglob("*.py"))]
    black = base(_BLACK, generated)
    Path(paths[0]).write_text(Path(paths[0]).read_text().replace("1.0", "2.0"))
    one = cost_of(vcr_gen, root)
    subprocess.run(["rm", "-rf", "generated", ".vcr-gen-cache"], cwd=root, check=True)
    ruff = cost_of([*vcr_gen, "--set", "formatter=ruff"], root)
    half_root = root / "half"
    make_project(half_root, modules // 2, methods)
    half = cost_of(vcr_gen, half_root)
    rows = [
        ("ast.parse of the sources, CPU s", parse, None),
        ("libcst parse of the sources, CPU s", libcst, None),
        ("black on the generated text, CPU s", black, None),
        ("start-up (--help), CPU s", start_up, None),
        ("cold run, CPU s", cold.seconds, None),
        ("no-op --check / ast.parse, start-up apart", (warm.seconds - start_up) / parse, 3.0),
        ("cold run / (libcst + black)", cold.seconds / (libcst + black), 1.25),
        ("cold run with ruff / libcst", ruff.seconds / libcst, 4.0),
        ("one module changed / cold run", one.seconds / cold.seconds, 1.1),
        ("cold run, most memory in MB", cold.megabytes, 300.0),
        ("cold run / two runs of half the size", cold.seconds / (2 * half.seconds), 1.25),
    ]
    failed = False
    for label, value, limit in rows:
        verdict = "" if limit is None else "holds" if value <= limit else "BROKEN"
        failed |= verdict == "BROKEN"
        bound = "" if limit is None else f"<= {limit:g}"
        print(f"{label:<45} {value:8.2f}  {bound:<8} {verdict}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
