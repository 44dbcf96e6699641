"""What `vcr-gen http proxy` does with its command, its options and what goes wrong."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from proxy_command import AUTHORITY, PROXY, run, run_proxy, serving

CURL = ("curl", "--silent", "--include", "--max-time", "20")
NOWHERE = "http://127.0.0.1:9/"

SHUFFLED = """\
import sys, urllib.request
from concurrent.futures import ThreadPoolExecutor

base, *names = sys.argv[1:]

def fetch(name):
    request = urllib.request.Request(f"{base}/post-json", name.encode())
    with urllib.request.urlopen(request, timeout=20) as response:
        return name, response.read()

with ThreadPoolExecutor(16) as pool:
    for pair in sorted(pool.map(fetch, names)):
        print(pair)
"""


def test_a_changed_request_is_reported_to_the_client_and_on_stderr(tmp_path: Path) -> None:
    with serving() as base:
        run_proxy(tmp_path, "--", *CURL, f"{base}/json")
    done = run_proxy(tmp_path, "--", *CURL, f"{base}/sse", code=1)
    assert done.stdout.startswith("HTTP/1.1 599 vcr-gen\n")
    for text in (done.stdout, done.stderr):
        assert "http GET /sse was called where the tape has http GET /json" in text
        assert f'+ "{base}/sse"' in text
    assert "hint: if the change is intended, record again: vcr-gen http proxy" in done.stderr


def test_a_request_that_is_no_longer_made_is_reported(tmp_path: Path) -> None:
    with serving() as base:
        run_proxy(tmp_path, "--", *CURL, f"{base}/json", f"{base}/sse")
    done = run_proxy(tmp_path, "--", *CURL, f"{base}/sse", code=1)
    assert "1 recorded event was not used" in done.stderr


def test_a_request_too_many_is_reported(tmp_path: Path) -> None:
    with serving() as base:
        run_proxy(tmp_path, "--", *CURL, f"{base}/json")
    done = run_proxy(tmp_path, "--", *CURL, f"{base}/json", f"{base}/json", code=1)
    assert done.stdout.startswith("HTTP/1.1 200 OK\n")
    assert "HTTP/1.1 599 vcr-gen\n" in done.stdout


def test_the_exit_code_is_the_command_s(tmp_path: Path) -> None:
    with serving() as base:
        script = f"curl -s {base}/json; exit 7"
        first = run_proxy(tmp_path, "--", "sh", "-c", script, code=7)
    second = run_proxy(tmp_path, "--", "sh", "-c", script, code=7)
    assert first.stdout == second.stdout != ""


def test_a_command_that_a_signal_ends_leaves_no_cassette(tmp_path: Path) -> None:
    done = run_proxy(tmp_path, "--", "sh", "-c", "kill -9 $$", code=128 + 9)
    assert done.stderr == "vcr-gen: signal 9 ended the command; the recording is not saved\n"
    assert not (tmp_path / "tape.yaml").exists()


def test_an_interrupted_recording_is_not_saved(tmp_path: Path) -> None:
    command = (*PROXY, "--mode", "all", "--", "sh", "-c", "echo begun; exec sleep 60")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=tmp_path, start_new_session=True, **pipes) as process:
        assert process.stdout.readline() == "begun\n"
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.communicate()[1] == "vcr-gen: interrupted; the recording is not saved\n"
    assert process.returncode == 130
    assert not (tmp_path / "tape.yaml").exists()


def test_a_command_that_sends_nothing_through_the_proxy_is_noticed(tmp_path: Path) -> None:
    expected = (
        "vcr-gen: no request reached the proxy, so the recording is empty; the command must "
        "respect HTTP_PROXY and HTTPS_PROXY\n"
    )
    assert run_proxy(tmp_path, "--", "true").stderr == expected
    assert run_proxy(tmp_path, "--", "true").stderr == ""


def test_a_command_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    done = run_proxy(tmp_path, "--", "no-such-command", code=2)
    assert done.stderr == "vcr-gen: no-such-command: No such file or directory\n"


def test_the_command_keeps_its_own_dashes(tmp_path: Path) -> None:
    done = run_proxy(tmp_path, "--", "printf", "%s ", "a", "--", "-o", "b", "--mode")
    assert done.stdout == "a -- -o b --mode "


def test_the_environment_decides_when_to_record(tmp_path: Path) -> None:
    with serving() as base:
        command = (*CURL, f"{base}/json")
        missing = run_proxy(tmp_path, "--", *command, code=2, mode="")
        assert missing.stderr.endswith(
            "there is no cassette, and mode 'none' does not record\n\nhint: record it: "
            f"vcr-gen http proxy --mode all -o tape.yaml -- {shlex.join(command)}\n"
        )
        run_proxy(tmp_path, "--", *command, mode="", VCR_RECORD="1")
        before = (tmp_path / "tape.yaml").read_bytes()
        run_proxy(tmp_path, "--", *command, mode="", VCR_RECORD="1")
        assert (tmp_path / "tape.yaml").read_bytes() != before
    run_proxy(tmp_path, "--", *command, mode="", CI="1")


def test_in_ci_only_the_command_line_records(tmp_path: Path) -> None:
    with serving() as base:
        command = (*CURL, f"{base}/json")
        missing = run_proxy(tmp_path, "--", *command, code=2, mode="", CI="1")
        assert "hint: record it outside CI, and commit it: vcr-gen http proxy" in missing.stderr
        run_proxy(tmp_path, "--", *command, mode="once", CI="1")
    assert (tmp_path / "tape.yaml").exists()


def test_what_is_ignored_may_differ(tmp_path: Path) -> None:
    options = ("--ignore-query", "time", "--ignore-header", "x-run", "--ignore-body")
    with serving() as base:
        url = f"{base}/post-json"
        run_proxy(tmp_path, *options, "--", *CURL, f"{url}?time=1", "-H", "X-Run: 1", "-d", "a")
    run_proxy(tmp_path, *options, "--", *CURL, f"{url}?time=2", "-H", "X-Run: 2", "-d", "b")


def test_servers_are_trusted_as_without_the_proxy(tmp_path: Path) -> None:
    AUTHORITY.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    with serving("https") as base:
        command = (*CURL, f"{base}/json")
        trusted = run_proxy(tmp_path, "--", *command, SSL_CERT_FILE="authority.pem")
        assert "HTTP/1.1 200 OK" in trusted.stdout
        refused = run_proxy(tmp_path, "--", *command, mode="all")
        assert "HTTP/1.1 502 Bad Gateway" in refused.stdout
        assert "ssl.SSLCertVerificationError" in refused.stdout
        assert "hint: name the authority of the server: --ca-file FILE" in refused.stdout
    assert run_proxy(tmp_path, "--", *command).stdout == refused.stdout


def test_a_client_that_does_not_trust_the_proxy_is_named(tmp_path: Path) -> None:
    AUTHORITY.cert_pem.write_to_path(str(tmp_path / "other.pem"))
    url = "https://localhost:9/"
    done = run_proxy(tmp_path, "--", *CURL, "--cacert", "other.pem", url, code=60)
    assert "a client does not trust the proxy's certificate for localhost" in done.stderr


@pytest.mark.parametrize("url", [NOWHERE, "http://no-such-host.invalid/"])
def test_a_server_that_cannot_be_reached_stays_so_in_a_replay(tmp_path: Path, url: str) -> None:
    recorded = run_proxy(tmp_path, "--", *CURL, url)
    assert recorded.stdout.startswith("HTTP/1.1 502 Bad Gateway\n")
    assert run_proxy(tmp_path, "--", *CURL, url).stdout == recorded.stdout


def test_a_server_that_answers_nothing_stays_so_in_a_replay(tmp_path: Path) -> None:
    with serving() as base:
        run_proxy(tmp_path, "--", *CURL, f"{base}/nothing", code=52)
    run_proxy(tmp_path, "--", *CURL, f"{base}/nothing", code=52)


def test_connections_may_be_opened_in_any_order(tmp_path: Path) -> None:
    program = (sys.executable, "-c", SHUFFLED)
    names = [f"name {number % 12}" for number in range(48)]
    with serving() as base:
        recorded = run_proxy(tmp_path, "--", *program, base, *names)
    replayed = run_proxy(tmp_path, "--", *program, base, *sorted(names, reverse=True))
    assert recorded.stdout.count("name") == len(names)
    assert recorded.stdout == replayed.stdout


def test_a_large_upload_waits_for_permission(tmp_path: Path) -> None:
    tmp_path.joinpath("large.bin").write_bytes(bytes(range(256)) * 8_000)
    with serving() as base:
        command = (*CURL, "-H", "Expect: 100-continue", "-T", "large.bin", f"{base}/post-json")
        recorded = run_proxy(tmp_path, "--", *command)
    assert "HTTP/1.1 100 Continue" in recorded.stdout
    assert '"length": 2048000' in recorded.stdout
    assert run_proxy(tmp_path, "--", *command).stdout == recorded.stdout


class LoginHandler(BaseHTTPRequestHandler):
    token = "sk-proj-" + "aB3dE5gH7jK9" * 4

    def do_GET(self) -> None:
        body = json.dumps({"access_token": self.token}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def test_a_redacted_body_has_the_right_length(tmp_path: Path) -> None:
    program = "import sys, urllib.request as u; print(u.urlopen(sys.argv[1], timeout=20).read())"
    with ThreadingHTTPServer(("127.0.0.1", 0), LoginHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = (sys.executable, "-c", program, f"http://127.0.0.1:{server.server_port}/")
        recorded = run_proxy(tmp_path, "--", *command)
        server.shutdown()
    replayed = run_proxy(tmp_path, "--", *command)
    assert LoginHandler.token in recorded.stdout
    assert LoginHandler.token not in (tmp_path / "tape.yaml").read_text(encoding="utf-8")
    assert re.fullmatch(r"b'{\"access_token\": \"<redacted:.*>\"}'\n", replayed.stdout)


def test_the_missing_extra_is_named(tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['trustme'] = None\n"
        "import importlib.util as u; found = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'trustme' else found(name, *rest)\n"
        "from vcr_gen.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    arguments = ("http", "proxy", "-o", "tape.yaml", "--", "true")
    done = run(tmp_path, sys.executable, "-c", script, *arguments, code=2)
    assert done.stderr == (
        "vcr-gen http proxy needs trustme, which is not installed\n\n"
        'hint: pip install "vcr-gen[proxy]"\n'
    )
