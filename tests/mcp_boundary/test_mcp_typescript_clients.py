"""Official TypeScript clients: live, recorded, and with the mock server."""

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.mcp_boundary.mcp_commands import SERVER, recording, serving
from tests.mcp_boundary.node_packages import node_folder, server_command

pytestmark = pytest.mark.slow

TIMES = int(os.environ.get("VCR_GEN_TYPESCRIPT", "10"))
AT_ONCE = 2


def observed(generation: str, negotiation: str, server: tuple[str, ...]) -> list[object]:
    program = str(node_folder() / "client.mjs")
    command = ("node", program, generation, negotiation, *server)
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    seen: list[object] = json.loads(run.stdout)
    return seen


def without_order(seen: list[object]) -> list[str]:
    return sorted(map(repr, seen))


def check(tape: Path, generation: str, negotiation: str, server: tuple[str, ...]) -> None:
    """What a client sees is the same with a server, with the proxy, and with the mock."""
    live = observed(generation, negotiation, server)
    recorded = observed(generation, negotiation, recording(tape, *server))
    assert without_order(live) == without_order(recorded)
    paced = (*serving(tape), "--pace", "1")
    with ThreadPoolExecutor(AT_ONCE) as clients:
        served = [clients.submit(observed, generation, negotiation, paced) for _ in range(TIMES)]
    for each in served:
        assert recorded == each.result()


@pytest.mark.parametrize(
    ("generation", "negotiation", "launches"),
    [
        ("1", "legacy", {"tape.yaml"}),
        ("2", "legacy", {"tape.yaml"}),
        ("2", "auto", {"tape.yaml", "tape.probe.yaml"}),
        ("2", "2026-07-28", {"tape.yaml", "tape.probe.yaml"}),
    ],
)
def test_a_client_sees_the_same(tmp_path, generation, negotiation, launches):
    check(tmp_path / "tape.yaml", generation, negotiation, SERVER)
    assert {each.name for each in tmp_path.iterdir()} == launches


def test_a_probe_that_finds_an_older_server_is_served_too(tmp_path):
    server = server_command("filesystem", tmp_path / "server", str(tmp_path / "server"))
    check(tmp_path / "tape.yaml", "2", "auto", server)
    assert (tmp_path / "tape.probe.yaml").exists()
