"""The fronts are imported from one place, and importing them loads no client library."""

import subprocess
import sys
from pathlib import Path

import vcr_gen.boundaries.http as fronts
from vcr_gen import Cassette


def test_a_front_stays_a_function_after_its_first_use(tmp_path: Path) -> None:
    with Cassette(tmp_path / "tape.yaml", "all") as cassette:
        for name in sorted(set(fronts.__all__) - {"HttpMatch"}):
            around = (print,) if name == "http_inbound" else ()  # an application, never called
            for _ in range(2):
                getattr(fronts, name)(cassette, *around)


def test_importing_the_package_loads_no_client_library() -> None:
    code = (
        "import sys, vcr_gen.boundaries.http; "
        "print([name for name in ('httpx', 'httpx2', 'requests', 'aiohttp', 'h11', 'trustme', "
        "'websockets') "
        "if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
