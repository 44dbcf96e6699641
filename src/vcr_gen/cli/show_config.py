"""`vcr-gen --show-config`: the effective settings as TOML or JSON."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

from vcr_gen.cli.terminal import OutputFormat
from vcr_gen.gen.settings.config import Config

__all__ = ["show_config"]


def show_config(config: Config, output_format: OutputFormat) -> str:
    """Every setting with its value, including defaults."""
    scalars, tables = _settings(config)
    if output_format == "json":
        return json.dumps({**scalars, **tables}, indent=2)
    lines = [f"# from {config.display(config.file)}" if config.file else "# all defaults"]
    lines += ["[tool.vcr-gen]", *_assignments(scalars)]
    for name, entries in tables.items():
        for entry in entries:
            lines += ["", f"[[tool.vcr-gen.{name}]]", *_assignments(entry)]
    return "\n".join(lines)


def _settings(
    config: Config,
) -> tuple[Mapping[str, object], Mapping[str, list[Mapping[str, object]]]]:
    def paths(values: Iterable[Path]) -> list[str]:
        return [config.in_project(value) for value in values]

    scalars: dict[str, object] = {
        "sources": paths(config.sources),
        "exclude": list(config.exclude),
        "output": config.in_project(config.output),
        "target-version": ".".join(map(str, config.target_version)),
        "platform": config.platform,
        "formatter": config.formatter,
        "line-length": config.line_length,
        "template-dir": config.in_project(config.template_dir) if config.template_dir else None,
        "search-path": paths(config.search_path),
        "required-version": config.required_version,
        "cache-dir": config.in_project(config.cache_dir),
    }
    boundaries: list[Mapping[str, object]] = [
        {key: value for key, value in asdict(rule).items() if key != "line" and value}
        for rule in config.boundaries
    ]
    overrides: list[Mapping[str, object]] = [
        {
            "module": list(override.modules),
            "formatter": override.formatter,
            "line-length": override.line_length,
            "template-dir": (
                config.in_project(override.template_dir) if override.template_dir else None
            ),
        }
        for override in config.overrides
    ]
    return scalars, {"boundary": boundaries, "overrides": overrides}


def _assignments(settings: Mapping[str, object]) -> list[str]:
    # JSON and TOML spell strings, numbers and lists of strings alike.
    return [f"{key} = {json.dumps(v)}" for key, v in settings.items() if v is not None]
