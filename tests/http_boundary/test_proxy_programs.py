"""Programs in three languages see the same live, while recording, and in a replay."""

from pathlib import Path

import pytest
from http_endpoints import path_of
from proxied_programs import PROGRAMS, write_programs
from proxy_command import AUTHORITY, run, run_proxy, serving

NAMES = (
    "json in pieces",
    "sse",
    "until closed",
    "no content",
    "duplicate headers",
    "post json",
    "not found",
    "reset in the body",
    "truncated",
)

FAST = {("curl", "http"), ("urllib", "https"), ("node", "https")}
"""Each program and each scheme; the slow tests have the other pairs."""


@pytest.mark.parametrize(
    ("program", "scheme"),
    [
        pytest.param(program, scheme, marks=[pytest.mark.slow] * ((program, scheme) not in FAST))
        for program in PROGRAMS
        for scheme in ("http", "https")
    ],
)
def test_a_program_sees_the_same(tmp_path: Path, program: str, scheme: str) -> None:
    write_programs(tmp_path)
    AUTHORITY.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    variables = ("SSL_CERT_FILE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
    with serving(scheme) as base:
        command = [*PROGRAMS[program], *(base + path_of(name) for name in NAMES)]
        live = run(tmp_path, *command, **dict.fromkeys(variables, "authority.pem"))
        recorded = run_proxy(tmp_path, "--ca-file", "authority.pem", "--", *command)
    replayed = run_proxy(tmp_path, "--", *command, mode="none")
    assert live.stdout.count("==") == len(NAMES)
    assert live.stdout == recorded.stdout
    assert live.stdout == replayed.stdout
    assert (recorded.stderr, replayed.stderr) == ("", "")
