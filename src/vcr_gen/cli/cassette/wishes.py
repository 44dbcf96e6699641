"""The options of `vcr-gen cassette migrate` that say what was renamed, added and removed."""

import argparse
import difflib
import json
from collections.abc import Collection, Iterable
from itertools import chain

from vcr_gen.errors import EncodeError, UsageError
from vcr_gen.runtime.plain import Plain, check_plain
from vcr_gen.tapes.method_migration import AddedParameter
from vcr_gen.tapes.migration import Wishes
from vcr_gen.tapes.signature_text import Signature
from vcr_gen.tapes.signatures import Recorded

__all__ = ["add_wish_options", "read_wishes", "refuse_unmet"]


def add_wish_options(parser: argparse.ArgumentParser) -> None:
    """Add the options; each may be given several times."""

    def add(option: str, metavar: str, text: str) -> None:
        parser.add_argument(option, action="append", default=[], metavar=metavar, help=text)

    add("--rename-boundary", "OLD=NEW", "a boundary has another name")
    add("--rename-method", "SHELL.OLD=NEW", "a method has another name: Shell.run=execute")
    add("--rename-parameter", "SHELL.RUN.OLD=NEW", "a parameter has another name")
    add(
        "--add-parameter",
        "SHELL.RUN.NAME[: TYPE]=JSON",
        "recorded calls get this argument; the type is needed where no wrapper tells it",
    )
    add("--remove-parameter", "SHELL.RUN.NAME", "recorded calls lose this argument")
    add("--keep-values", "SHELL.RUN", "types changed, but the recorded values are right")


def read_wishes(arguments: argparse.Namespace) -> Wishes:
    """What the options ask for."""
    boundaries = dict(_pair("--rename-boundary", text) for text in arguments.rename_boundary)
    return Wishes(
        boundaries=boundaries,
        methods=dict(_method(text, boundaries.values()) for text in arguments.rename_method),
        parameters=dict(map(_parameter, arguments.rename_parameter)),
        added=dict(map(_added, arguments.add_parameter)),
        removed={_place("--remove-parameter", text) for text in arguments.remove_parameter},
        kept=set(arguments.keep_values),
    )


def refuse_unmet(wishes: Wishes, cassettes: Collection[Recorded]) -> None:
    """Raise when an option names something that no cassette has: it must be a slip."""
    boundaries = set(chain.from_iterable(one.boundaries for one in cassettes))
    methods = set(chain.from_iterable(one.signatures for one in cassettes))
    parameters = {
        f"{name}.{parameter}"
        for one in cassettes
        for name, text in one.signatures.items()
        for parameter in getattr(Signature.read(text), "parameters", ())
    }
    new = set(wishes.boundaries.values())

    def check(what: str, names: Iterable[str], known: Collection[str]) -> None:
        for name in names:
            # A name may already be the new one; whether that is right, the plan finds out.
            if name in known or name.partition(".")[0] in new:
                continue
            meant = difflib.get_close_matches(name, sorted(known), n=1)
            hint = f"; did you mean {meant[0]!r}?" if meant else ""
            raise UsageError(f"no cassette has a {what} {name!r}{hint}")

    check("boundary", wishes.boundaries, boundaries)
    check("method", wishes.methods, methods)
    renamed = {f"{of.partition('.')[0]}.{to}" for of, to in wishes.methods.items()}
    known = methods | renamed
    check("method", [*(of for of, _ in wishes.added), *wishes.kept], known)
    named = {*wishes.parameters, *wishes.removed}
    check("parameter", [f"{of}.{name}" for of, name in named if of not in renamed], parameters)


def _pair(option: str, text: str) -> tuple[str, str]:
    old, sign, new = text.partition("=")
    if not (old and sign and new):
        raise UsageError(f"{option}: expected OLD=NEW; got {text!r}")
    return old, new


def _method(text: str, renamed: Iterable[str]) -> tuple[str, str]:
    old, new = _pair("--rename-method", text)
    boundary, dot, _ = old.partition(".")
    if not dot:
        raise UsageError(f"--rename-method: expected Boundary.method=NEW; got {text!r}")
    for prefix in (boundary, *renamed):  # the new name may be spelled with its boundary
        new = new.removeprefix(f"{prefix}.")
    return old, new


def _parameter(text: str) -> tuple[tuple[str, str], str]:
    old, new = _pair("--rename-parameter", text)
    return _place("--rename-parameter", old), new.rpartition(".")[2]


def _added(text: str) -> tuple[tuple[str, str], AddedParameter]:
    head, sign, value = text.partition("=")
    place, _, type_ = head.partition(":")
    if not sign:
        raise UsageError(f"--add-parameter: expected Boundary.method.name=VALUE; got {text!r}")
    return _place("--add-parameter", place.strip()), AddedParameter(
        _json(text, value), type_.strip()
    )


def _json(text: str, value: str) -> Plain:
    try:
        plain: Plain = json.loads(value)
        check_plain(plain)
    except (ValueError, EncodeError) as error:
        raise UsageError(
            f"--add-parameter: the value in {text!r} must be JSON (text in double quotes): {error}"
        ) from None
    return plain


def _place(option: str, text: str) -> tuple[str, str]:
    method, _, name = text.rpartition(".")
    if not name.isidentifier() or "." not in method:
        raise UsageError(f"{option}: expected Boundary.method.parameter; got {text!r}")
    return method, name
