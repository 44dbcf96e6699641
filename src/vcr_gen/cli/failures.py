"""Turns an exception that nobody caught into a message a person can act on."""

import os

from vcr_gen.errors import DivergenceError, VcrError

__all__ = ["explain"]

_EXTRA = {"black", "jinja2", "libcst", "mypy"}


def explain(error: BaseException) -> str:
    """What went wrong and what to do; never a traceback."""
    if isinstance(error, VcrError | DivergenceError):
        return str(error)
    if isinstance(error, ModuleNotFoundError):
        package = (error.name or "").partition(".")[0]
        if package in _EXTRA:
            return (
                f"vcr-gen: VCR410 {package} is not installed; the generator needs the extra `gen`\n"
                '  hint: pip install "vcr-gen[gen]"'
            )
    if isinstance(error, OSError) and error.filename is not None:
        return f"vcr-gen: {error.filename}: {error.strerror or error}"
    if isinstance(error, OSError) and error.strerror:
        return f"vcr-gen: {_gone() or error.strerror}"
    return (
        f"vcr-gen: internal error: {type(error).__name__}: {error}\n"
        "  hint: this is a bug in vcr-gen, please report it; "
        "VCR_GEN_DEBUG=1 in the environment shows the traceback"
    )


def _gone() -> str:
    """What to say when somebody deleted the folder in which the command runs."""
    try:
        os.getcwd()
    except OSError:
        return "the working directory does not exist any more"
    return ""
