"""Official TypeScript clients: live, recorded, and with the mock server."""

import json
import os
import subprocess

import pytest
from tests.mcp_boundary.mcp_commands import SERVER, recording, serving
from tests.mcp_boundary.node_packages import node_folder

pytestmark = pytest.mark.slow

TIMES = int(os.environ.get("VCR_GEN_TYPESCRIPT", "3"))


def observed(generation: str, negotiation: str, server: tuple[str, ...]) -> list[object]:
    program = str(node_folder() / "client.mjs")
    command = ("node", program, generation, negotiation, *server)
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    seen: list[object] = json.loads(run.stdout)
    return seen


def without_order(seen: list[object]) -> list[str]:
    return sorted(map(repr, seen))


@pytest.mark.parametrize(
    ("generation", "negotiation"), [("1", "legacy"), ("2", "legacy"), ("2", "auto")]
)
def test_a_client_sees_the_same(tmp_path, generation, negotiation):
    tape = tmp_path / "tape.yaml"
    live = observed(generation, negotiation, SERVER)
    recorded = observed(generation, negotiation, recording(tape))
    assert without_order(live) == without_order(recorded)
    paced = (*serving(tape), "--pace", "1")
    for _ in range(TIMES):
        assert recorded == observed(generation, negotiation, paced)
