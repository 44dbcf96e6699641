"""Fetches the test suite of an installed library from its source distribution, and runs it."""

import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


def fetch_suite(library: str, folder: Path, *more: str) -> Path:
    """The folder, with the library's tests and with packages that they import besides."""
    source = ("--no-deps", f"--no-binary={library}", f"{library}=={version(library)}")
    subprocess.run([*PIP, "download", *source, "--dest", folder], check=True, timeout=300)
    subprocess.run([*PIP, "install", "--target", folder / "more", *more], check=True, timeout=300)
    with tarfile.open(next(folder.glob(f"{library}-*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    return folder


def failed_tests(
    folder: Path, plugin: str, chosen: tuple[str, ...], environment: Mapping[str, str]
) -> list[str]:
    """The names of the tests that fail with a plugin of this folder, in a mode of cassettes."""
    (source,) = folder.glob("*/tests")
    mode = environment["SUITE_MODE"]
    report = folder / f"{mode}.xml"
    paths = os.pathsep.join((str(Path(__file__).parent), str(folder / "more")))
    plugins = ("-p", plugin, "-p", "no:cacheprovider")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", *plugins, *chosen],
        cwd=source.parent,
        env={
            **os.environ,
            "SUITE_CASSETTES": str(folder / "cassettes"),
            "PYTHONPATH": paths,
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert " passed" in done.stdout, done.stdout + done.stderr
    return [
        case.get("name", "")
        for case in ElementTree.parse(report).iter("testcase")
        if case.find("failure") is not None or case.find("error") is not None
    ]
