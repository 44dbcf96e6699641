"""A cassette recorded in one folder, by one user, replays in another, by another."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from guarded.bridges import Echo
from vcr_guarded import VcrApi

from vcr_gen import Cassette, DivergenceError
from vcr_gen.errors import UsageError
from vcr_gen.runtime.values.anchors import Anchors, usual_roots

PROGRAM = """
import os, sys, tempfile
from pathlib import Path
from guarded.bridges import Echo
from vcr_guarded import VcrApi
from vcr_gen import Cassette

tape, mode, *project = sys.argv[1:]
with Cassette(tape, mode, anchors={"project": os.getcwd()} if project else None) as cassette:
    api = VcrApi.attach(cassette, Echo)
    home, tmp, here = Path.home(), Path(tempfile.gettempdir()), Path.cwd()
    print(api.open(home / ".config" / "app.toml"))
    print(api.open(tmp / "work" / "a.txt"))
    print(api.open(here / "data"))
    print(api.ask({"text": f"{tmp}/x and {home}:{here}/y", str(tmp): [f"file {home}/z"]}))
    print(api.ask(b"log in %s/log" % str(tmp).encode()))
    print(api.ask("literal ${home} and ${tmp}/x $${tmp}"))
"""


def run(tape: Path, mode: str, root: Path, *, project: bool = True) -> str:
    """The program in a process of its own, with its own home, temporary folder and project."""
    folders = {name: root / name for name in ("home of", "tmp", "project")}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "HOME": str(folders["home of"]),
        "TMPDIR": str(folders["tmp"]),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tape), mode, *(["x"] if project else [])],
        cwd=folders["project"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.replace(str(root), "ROOT")


def test_a_cassette_travels_to_another_folder_and_another_home(tmp_path):
    tape = tmp_path / "tape.yaml"
    recorded = run(tape, "all", tmp_path / "ada")
    text = tape.read_text()
    assert str(tmp_path) not in text
    assert "${home}/.config/app.toml" in text
    assert "${tmp}/work/a.txt" in text
    assert "${project}/data" in text
    assert "literal $${home} and $${tmp}/x $$${tmp}" in text
    assert run(tape, "none", tmp_path / "bob" / "deep") == recorded


def test_home_and_tmp_need_not_be_declared(tmp_path):
    tape = tmp_path / "tape.yaml"
    root = tmp_path / "same"
    recorded = run(tape, "all", root, project=False)
    assert str(root / "home of") not in tape.read_text()
    assert run(tape, "none", root, project=False) == recorded


def test_a_home_inside_of_the_project_is_told_from_it(tmp_path):
    anchors = Anchors(
        {"project": "/srv/app"}, usual={"home": ("/srv/app/home",), "tmp": ("/srv/app/home/tmp",)}
    )
    assert [anchors.store(f"/srv/app{rest}") for rest in ("/x", "/home/x", "/home/tmp/x", "s")] == [
        "${project}/x",
        "${home}/x",
        "${tmp}/x",
        "/srv/apps",
    ]


def test_one_folder_with_two_names_is_compared_as_one(tmp_path, monkeypatch):
    """Recorded in a project below the home; replayed where the home is the project."""
    tape = tmp_path / "tape.yaml"
    monkeypatch.setenv("HOME", "/home/ada")
    with Cassette(tape, "all", anchors={"project": "/home/ada/app"}) as cassette:
        api = VcrApi(cassette=cassette, inner=Echo())
        api.open(Path("/home/ada/app/x"))
        api.open(Path("/home/ada/y"))
    monkeypatch.setenv("HOME", "/build")
    with Cassette(tape, "none", anchors={"project": "/build"}) as cassette:
        api = VcrApi(cassette=cassette)
        assert api.open(Path("/build/x")) == Path("/build/x")
        assert api.open(Path("/build/y")) == Path("/build/y")
    with pytest.raises(DivergenceError), Cassette(tape, "none", anchors={"project": "/b"}) as it:
        VcrApi(cassette=it).open(Path("/build/x"))


def test_a_temporary_folder_behind_a_link_has_one_name(tmp_path, monkeypatch):
    (tmp_path / "private").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "private")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "link"))
    anchors = Anchors({}, usual=usual_roots())
    assert anchors.store(f"{tmp_path}/link/a") == "${tmp}/a"
    assert anchors.store(f"{tmp_path}/private/a") == "${tmp}/a"
    assert anchors.restore("${tmp}/a") == f"{tmp_path}/link/a"


LITERAL = """
import sys, tempfile
from pathlib import Path
from guarded.bridges import Echo
from vcr_guarded import VcrApi
from vcr_gen import Cassette

tape, mode, *literals = sys.argv[1:]
with Cassette(tape, mode) as cassette:
    api = VcrApi.attach(cassette, Echo)
    for literal in literals:
        print(api.open(Path(literal)) == Path(literal))
        print(api.ask(f"see {literal}:") == f"see {literal}:")
    api.ask([*literals, tempfile.gettempdir() + "/work", str(Path.home() / "x")])
"""


def run_literal(tape: Path, mode: str, home: str, tmp: str, *literals: str) -> str:
    """The program that spells paths out, on a machine with this home and temporary folder."""
    environment = {**os.environ, "HOME": home, "TMPDIR": tmp}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", LITERAL, str(tape), mode, *literals],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("there", ["/tmp", "own"])
@pytest.mark.parametrize("here", ["/tmp", "own"])
def test_a_folder_that_every_machine_has_is_stored_as_it_is(tmp_path, here, there):
    """A program that says `/tmp` means `/tmp`; one that asks for the folder gets its own."""
    roots = []
    for name, tmp in (("ada", here), ("bob", there)):
        own = tmp_path / name / "tmp"
        own.mkdir(parents=True)
        roots.append((str(tmp_path / name), str(own) if tmp == "own" else tmp))
    literals = ("/tmp", "/tmp/a.sock", "/home", "/home/carol/x", "/root/.profile")
    tape = tmp_path / "tape.yaml"
    for mode, (home, tmp) in zip(("all", "none"), roots, strict=True):
        assert set(run_literal(tape, mode, home, tmp, *literals).split()) == {"True"}
    assert "/tmp/a.sock" in tape.read_text()


@pytest.mark.parametrize("there", ["/root", "/home/app", "own"])
@pytest.mark.parametrize("here", ["/root", "/home/app", "own"])
def test_the_home_of_any_machine_matches(tmp_path, here, there):
    tape = tmp_path / "tape.yaml"
    run_literal(tape, "all", here.replace("own", str(tmp_path)), "/tmp", "/srv/data")
    run_literal(tape, "none", there.replace("own", str(tmp_path)), "/tmp", "/srv/data")
    if here == "own":
        assert str(tmp_path) not in tape.read_text()


def test_another_path_than_the_recorded_one_is_still_noticed(tmp_path, monkeypatch):
    tape = tmp_path / "tape.yaml"
    monkeypatch.setenv("HOME", "/home/app")
    with Cassette(tape, "all") as cassette:
        VcrApi(cassette=cassette, inner=Echo()).open(Path("/home/app/data"))
    monkeypatch.setenv("HOME", "/home/ada")
    for path in ("/home/app/date", "/home/bob/data", "/home/app"):
        with pytest.raises(DivergenceError), Cassette(tape, "none") as cassette:
            VcrApi(cassette=cassette).open(Path(path))


def test_equal_calls_in_free_order_are_found_on_another_machine(tmp_path, monkeypatch):
    tape = tmp_path / "tape.yaml"
    monkeypatch.setenv("HOME", "/root")
    with Cassette(tape, "all", order="lanes") as cassette:
        api = VcrApi(cassette=cassette, inner=Echo())
        assert [api.ask(str(Path.home() / name)) for name in "ab"] == ["/root/a", "/root/b"]
    monkeypatch.setenv("HOME", "/home/ada")
    with Cassette(tape, "none", order="lanes") as cassette:
        api = VcrApi(cassette=cassette)
        assert [api.ask(str(Path.home() / name)) for name in "ba"] == ["/root/b", "/root/a"]


def test_an_anchor_is_switched_off_with_none(tmp_path, monkeypatch):
    tape = tmp_path / "tape.yaml"
    monkeypatch.setenv("HOME", "/home/ada")
    with Cassette(tape, "all", anchors={"home": None}) as cassette:
        VcrApi(cassette=cassette, inner=Echo()).ask("/home/ada/x")
    assert "/home/ada/x" in tape.read_text()
    assert "anchors" not in tape.read_text()
    monkeypatch.setenv("HOME", "/home/bob")
    with Cassette(tape, "none") as cassette:
        assert VcrApi(cassette=cassette).ask("/home/ada/x") == "/home/ada/x"


def test_an_anchor_that_a_cassette_needs_cannot_be_switched_off(tmp_path, monkeypatch):
    tape = tmp_path / "tape.yaml"
    monkeypatch.setenv("HOME", "/home/ada")
    with Cassette(tape, "all") as cassette:
        VcrApi(cassette=cassette, inner=Echo()).ask(str(Path.home() / ".x"))
    with pytest.raises(UsageError, match="recorded with the anchor 'home', which is switched off"):
        Cassette(tape, "none", anchors={"home": None})


def test_only_an_automatic_anchor_can_be_switched_off(tmp_path):
    with pytest.raises(UsageError, match="no automatic anchor 'temp'; expected home or tmp"):
        Cassette(tmp_path / "t.yaml", "all", anchors={"temp": None})


def test_a_failure_names_the_anchor(tmp_path, monkeypatch):
    tape = tmp_path / "tape.yaml"
    monkeypatch.setenv("HOME", "/home/ada")
    with Cassette(tape, "all") as cassette:
        VcrApi(cassette=cassette, inner=Echo()).open(Path("/home/ada/data"))
    monkeypatch.setenv("HOME", "/home/bob")
    with pytest.raises(DivergenceError) as caught, Cassette(tape, "none") as cassette:
        VcrApi(cassette=cassette).open(Path("/srv/data"))
    assert "${home} is the anchor `home`, here /home/bob" in str(caught.value)


def test_only_what_was_met_stands_in_the_header(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/home/ada")
    with Cassette(tmp_path / "a.yaml", "all") as cassette:
        VcrApi(cassette=cassette, inner=Echo()).ask("no path")
    assert "anchors" not in (tmp_path / "a.yaml").read_text()
    with Cassette(tmp_path / "b.yaml", "all") as cassette:
        VcrApi(cassette=cassette, inner=Echo()).ask(str(Path.home() / "x"))
    text = (tmp_path / "b.yaml").read_text()
    assert "anchors:\n- home\n" in text
    assert "ada" not in text


@pytest.mark.parametrize("root", ["C:\\work", "relative/folder", ""])
def test_a_root_that_is_no_absolute_path_is_refused(root, tmp_path):
    with pytest.raises(UsageError, match="expected an absolute path below /"):
        Cassette(tmp_path / "t.yaml", "all", anchors={"project": root})
