"""Measures cassette files: cost per event, and ratios against the usual libraries in the same run.

Run: .venv/bin/python tests/benchmarks/bench_files.py [EVENTS ...]
"""

import io
import json
import sys
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from time import process_time

import yaml

from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.runtime.tape.recording import Recording

HEADER: dict[str, Plain] = {"recorded_at": "2026-11-16T05:00:00+00:00", "order": "strand"}


def event(number: int) -> dict[str, Plain]:
    """An event as a session has them: about 640 bytes, nested, with text of several lines."""
    return {
        "call": number,
        "boundary": "StepRunner",
        "method": "execute",
        "strand": "main/worker-3",
        "arguments": {
            "step": {"name": f"build-{number}", "argv": ["make", "-j2", "all"], "timeout": 2.5},
            "working_dir": "${project}/src/app",
            "environment": {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "DEBUG": ""},
        },
        "returned": {
            "$type": "Finished",
            "code": 0,
            "seconds": number / 7,
            "stdout": "gcc -c main.c -o main.o\n\tdone: 3 files, 0 warnings \ngcc main.o -o app\n"
            * 3,
            "stderr": None,
            "artifacts": [{"path": "${project}/app", "size": 16384 + number, "fresh": True}],
        },
    }


def seconds(work: Callable[[], object]) -> float:
    """CPU time of one call."""
    started = process_time()
    work()
    return process_time() - started


def record(path: Path, count: int) -> float:
    """Record `count` events; CPU seconds."""
    recording = Recording(path)
    recording.begin(HEADER)

    def work() -> None:
        for number in range(count):
            recording.append(event(number))

    made = seconds(lambda: [event(number) for number in range(count)])
    spent = seconds(work) - made
    recording.finish(HEADER)
    return spent


def load(path: Path) -> None:
    """Stream every event, keeping none."""
    with Reading(path) as reading:
        for _ in reading:
            pass


def verify(path: Path) -> None:
    """Open only: header, end mark and count."""
    Reading(path).close()


def peak_megabytes(work: Callable[[], object]) -> float:
    """The peak of Python's own memory during one call."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def json_load(path: Path) -> None:
    """What the standard library alone takes for the same lines."""
    with path.open("rb") as lines:
        for line in lines:
            json.loads(line)


def safe_dump(count: int) -> None:
    """What PyYAML's C dumper takes to write the same events, one at a time."""
    for number in range(count):
        yaml.dump([event(number)], io.StringIO(), Dumper=yaml.CSafeDumper, sort_keys=False)


def main(counts: list[int]) -> None:
    """Print one block of figures for each size."""
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            per = 1e6 / count
            print(f"{count} events, CPU µs per event")
            for name in ("tape.yaml", "tape.jsonl"):
                path = Path(folder, name)
                append = record(path, count) * per
                loaded = seconds(lambda path=path: load(path)) * per
                opened = seconds(lambda path=path: verify(path)) * per
                size = path.stat().st_size / count
                print(
                    f"  {name}: {size:.0f} bytes, append {append:.1f}, load {loaded:.1f}, ", end=""
                )
                print(
                    f"open {opened:.2f}, peak {peak_megabytes(lambda path=path: load(path)):.2f} MB"
                )
                if name == "tape.jsonl":
                    other = seconds(lambda path=path: json_load(path)) * per
                    print(f"    json.loads {other:.1f}: we take {loaded / other:.2f} of it")
                elif count <= 10_000:
                    other = (
                        seconds(lambda p=path: yaml.load(p.read_bytes(), yaml.CSafeLoader)) * per
                    )
                    print(f"    CSafeLoader {other:.0f}: we take {loaded / other:.2f} of it")
                    other = seconds(lambda count=count: safe_dump(count)) * per
                    print(f"    CSafeDumper {other:.0f}: we take {append / other:.2f} of it")


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or [1_000, 10_000, 100_000])
