"""Measures what recording adds to an MCP session over stdio, and how soon a driven one ends.

The baseline is the same client with the same server, without anything in between.

Run: .venv/bin/python tests/benchmarks/bench_mcp.py
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

_REQUESTS = 300
_RUNS = 5
_VCR_GEN = (sys.executable, "-m", "vcr_gen", "mcp")
_SERVER = """
import json, sys, time
for line in sys.stdin:
    frame = json.loads(line)
    text = "A longer text, which says what the thing is good for. " * 12
    result = {"content": [{"type": "text", "text": text}], "structuredContent": frame["params"]}
    answer = {"jsonrpc": "2.0", "id": frame["id"], "result": result}
    print(json.dumps(answer), flush=True)
    if sys.argv[1:]:
        with open(sys.argv[1], "w") as file:
            file.write(str(time.time()))
"""


def round_trips(command: Sequence[str]) -> list[float]:
    """The seconds of each call of a tool, one after another."""
    found = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        for number in range(_REQUESTS):
            params = {"name": "search", "arguments": {"query": "bikes", "page": number}}
            frame = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
            started = time.perf_counter()
            process.stdin.write(json.dumps(frame).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == number
            found.append(time.perf_counter() - started)
        process.stdin.close()
    assert process.returncode == 0
    return found


def shown(label: str, found: float, limit: float) -> bool:
    """Print a number beside its limit; whether that holds."""
    verdict = "OK" if found <= limit else "BROKEN"
    print(f"{label:<62} {found:8.2f}  <= {limit:<5g} {verdict}", flush=True)
    return found <= limit


def main() -> int:
    """Print all of it; 1 when a limit is broken."""
    with tempfile.TemporaryDirectory() as name:
        program, answered = Path(name, "server.py"), Path(name, "answered")
        program.write_text(_SERVER)
        server = (sys.executable, str(program))
        tape = str(Path(name, "tape.yaml"))
        bare, recorded = [], []
        for _ in range(_RUNS):  # in turns, so that both see the same machine
            bare += round_trips(server)
            recorded += round_trips((*_VCR_GEN, "record", "-o", tape, "--", *server))
        print(f"a tool call without a proxy, ms, median {median(bare) * 1e3:.2f}")
        added = (median(recorded) - median(bare)) * 1e3
        holds = shown("ms that recording adds to a tool call, median", added, 1.5)
        ends = []
        for _ in range(_RUNS):
            subprocess.run((*_VCR_GEN, "drive", tape, "--", *server, str(answered)), check=True)
            ends.append(time.time() - float(answered.read_text()))
        holds &= shown("s from the last answer to the end of drive, median", median(ends), 0.5)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
