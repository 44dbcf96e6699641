import shlex
from pathlib import Path

import yaml
from command_line import run_command

HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"


def test_the_checks_are_offered_and_are_commands_that_exist(tmp_path: Path) -> None:
    hooks = {hook["id"]: hook for hook in yaml.safe_load(HOOKS.read_text())}
    assert set(hooks) == {"vcr-gen", "vcr-gen-verify", "vcr-gen-scan"}
    (tmp_path / "pyproject.toml").write_text("[tool.vcr-gen]\n")
    for hook in hooks.values():
        assert {"id", "name", "description", "entry", "language"} <= set(hook)
        assert hook.get("pass_filenames", True) is (hook["id"] == "vcr-gen-scan")
        program, *arguments = shlex.split(hook["entry"])
        assert program == "vcr-gen"
        run = run_command(*arguments, cwd=tmp_path)
        assert run.code == 0, run.err
