"""Checks that the packages which a ready-made boundary needs are installed."""

from importlib.util import find_spec

from vcr_gen.errors import UsageError


def require(*packages: str, extra: str, wanted_by: str) -> None:
    """Raise an error that says what to install, if one of the packages is missing."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        raise UsageError(
            f"{wanted_by} needs {' and '.join(missing)}, which {are} not installed\n\n"
            f'hint: pip install "vcr-gen[{extra}]"'
        )
