"""Exchanges in the tools for cassettes: by method and path, and in short."""

import json
from pathlib import Path

import httpx
import pytest
from http_endpoints import serving

from vcr_gen import Cassette
from vcr_gen.boundaries.http import http_transport
from vcr_gen.cli import main

Output = pytest.CaptureFixture[str]


@pytest.fixture(name="tapes", scope="module")
def _tapes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tapes")
    paths = (folder / "before.yaml", folder / "after.yaml")
    with serving() as server:
        base = f"http://127.0.0.1:{server.port}"
        for count, path in enumerate(paths, start=1):
            with (
                Cassette(path, "all") as cassette,
                httpx.Client(transport=http_transport(cassette)) as client,
            ):
                for number in range(count):
                    client.get(f"{base}/chunked?page={number}")
                client.post(f"{base}/post-json", json={"count": count})
                with pytest.raises(httpx.ReadError):
                    client.get(f"{base}/reset-in-the-body")
    return paths


def test_stats_count_by_method_and_path(tapes: tuple[Path, Path], capsys: Output) -> None:
    assert main(["cassette", "stats", "--output-format=json", *map(str, tapes)]) == 0
    methods = json.loads(capsys.readouterr().out)["methods"]
    assert {row["method"]: (row["calls"], row["raised"]) for row in methods} == {
        "http GET /chunked": (3, 0),
        "http GET /reset-in-the-body": (2, 2),
        "http POST /post-json": (2, 0),
    }


def test_the_overview_shows_requests_and_heads_in_short(
    tapes: tuple[Path, Path], capsys: Output
) -> None:
    assert main(["cassette", "show", "--overview", str(tapes[0])]) == 0
    first, second, third = capsys.readouterr().out.splitlines()
    assert '/chunked?page=0)  · HTTP/1.1 200 OK  · "one"  · ' in first
    assert "→ http.exchange(POST http://127.0.0.1:" in second
    assert 'raised HttpError(error="httpx.ReadError"' in third


def test_a_difference_names_the_request(tapes: tuple[Path, Path], capsys: Output) -> None:
    assert main(["cassette", "diff", *map(str, tapes)]) == 1
    shown = capsys.readouterr().out
    assert "~ modified http.exchange(POST http://127.0.0.1:" in shown
    assert "args.request.body.json.count: value differs" in shown
    assert "/chunked?page=1)\n" in shown
    assert main(["cassette", "diff", "--output-format=json", *map(str, tapes)]) == 1
    document = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in document["modified"]] == ["http POST /post-json"]


def test_the_report_names_calls_by_method_and_path(tapes: tuple[Path, Path]) -> None:
    page = tapes[0].with_suffix(".html")
    assert main(["cassette", "report", str(tapes[0]), "-o", str(page), "-q"]) == 0
    assert '"name":"http POST /post-json"' in page.read_text(encoding="utf-8")
