"""Every Protocol of packages that are installed for development; `make corpus` runs over more."""

import subprocess
import sys
from pathlib import Path

import pytest
from corpus_run import SOURCES, Corpus, Outcome, wrap_packages, write
from corpus_types import type_complaints
from gen_projects import SITE_PACKAGES, blackened

PACKAGES = [
    "_pytest", "anyio", "attr", "black", "build", "click", "grimp", "hypothesis", "importlinter",
    "jinja2", "libcst", "mypy", "packaging", "pluggy", "pydantic", "rich", "trio",
]  # fmt: skip
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus(SITE_PACKAGES, tmp_path_factory.mktemp("corpus") / "generated")


@pytest.fixture(scope="module")
def outcome(corpus: Corpus) -> Outcome:
    made = wrap_packages(corpus, PACKAGES)
    write(made.generation)
    return made


def test_nearly_every_protocol_of_public_packages_is_wrapped(outcome: Outcome) -> None:
    assert len(outcome.protocols) > 60
    assert outcome.complaints() == []


def test_black_leaves_text_alone_that_is_called_settled(outcome: Outcome) -> None:
    generation = outcome.generation
    settled = [file for file in generation.files if file.settled]
    assert [file.path for file in settled if blackened(file.text) != file.text] == []
    assert len(settled) > len(generation.files) * 0.8


@pytest.mark.usefixtures("outcome")
def test_wrappers_of_public_protocols_have_their_signatures(corpus: Corpus) -> None:
    assert run("corpus_signatures.py", corpus) == []


@pytest.mark.usefixtures("outcome")
def test_wrappers_of_public_protocols_record_and_replay(corpus: Corpus) -> None:
    *complaints, last = run("corpus_replay.py", corpus)
    assert complaints == []
    assert int(last.partition(" ")[0]) > 80, last


def run(program: str, corpus: Corpus) -> list[str]:
    """What a program of its own says of the wrappers."""
    result = subprocess.run(
        [sys.executable, str(HERE / program), str(corpus.output)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(SOURCES)},
    )
    return result.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.usefixtures("outcome")
def test_strict_checkers_accept_wrappers_wherever_they_accept_the_source(
    corpus: Corpus, tmp_path: Path
) -> None:
    assert type_complaints(corpus, tmp_path) == []
