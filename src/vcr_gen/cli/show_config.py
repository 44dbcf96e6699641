"""`vcr-gen --show-config`: the effective settings as TOML or JSON."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from vcr_gen.cli.terminal import OutputFormat
from vcr_gen.gen.settings.config import (
    BOUNDARY_SETTINGS,
    OVERRIDE_SETTINGS,
    SETTINGS,
    BoundaryRule,
    Config,
    Override,
    Setting,
)

__all__ = ["show_config"]


def show_config(config: Config, output_format: OutputFormat) -> str:
    """Every setting with its value, including defaults."""
    settings = {setting.key: _value(config, config, setting) for setting in SETTINGS}
    tables = {
        "boundary": [_entry(config, rule, BOUNDARY_SETTINGS) for rule in config.boundaries],
        "overrides": [_entry(config, rule, OVERRIDE_SETTINGS) for rule in config.overrides],
    }
    if output_format == "json":
        return json.dumps({**settings, **tables}, indent=2)
    lines = [f"# from {config.display(config.file)}" if config.file else "# all defaults"]
    lines += ["[tool.vcr-gen]", *_assignments(settings)]
    for name, entries in tables.items():
        for entry in entries:
            lines += ["", f"[[tool.vcr-gen.{name}]]", *_assignments(entry)]
    return "\n".join(lines)


def _entry(
    config: Config, rule: BoundaryRule | Override, settings: Iterable[Setting]
) -> Mapping[str, object]:
    """The settings of one table that say something."""
    values = {setting.key: _value(config, rule, setting) for setting in settings}
    return {key: value for key, value in values.items() if value}


def _value(config: Config, holder: object, setting: Setting) -> object:
    value = getattr(holder, setting.attribute)
    if setting.key == "target-version":
        return ".".join(map(str, value))
    if isinstance(value, tuple):
        return [_spelled(config, item) for item in value]
    return _spelled(config, value)


def _spelled(config: Config, value: object) -> object:
    return config.in_project(value) if isinstance(value, Path) else value


def _assignments(settings: Mapping[str, object]) -> list[str]:
    # JSON and TOML spell strings, numbers and lists of strings alike.
    return [f"{key} = {json.dumps(v)}" for key, v in settings.items() if v is not None]
