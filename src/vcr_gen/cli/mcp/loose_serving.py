"""What `vcr-gen mcp serve` answers differently than recorded: strategies and faults."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vcr_gen.cli.outcome import ERROR, FINE
from vcr_gen.errors import UsageError

if TYPE_CHECKING:
    from vcr_gen.boundaries.mcp.faults import Fault

__all__ = ["checked", "dry_run", "matching"]


def matching(path: Path, strategies: Sequence[str]) -> dict[str, Any]:
    """The options of the cassette for the strategies; they must be for something that it has."""
    if not strategies:
        return {}
    from vcr_gen.boundaries.mcp.request_matching import mcp_matching
    from vcr_gen.boundaries.mcp.request_targets import check_recorded, target_of

    options = mcp_matching(*strategies)
    if path.exists():
        named = (text.rpartition("=")[0] for text in strategies if "=" in text)
        check_recorded(path, map(target_of, named))
    return options


def checked(path: Path, faults: Sequence[str]) -> "list[Fault]":
    """The faults; each must be for requests that the cassette has."""
    if not faults:
        return []
    from vcr_gen.boundaries.mcp.faults import parse_fault
    from vcr_gen.boundaries.mcp.request_targets import check_recorded

    parsed = [parse_fault(text) for text in faults]
    if path.exists():
        check_recorded(path, (fault.target for fault in parsed), requests=True)
    return parsed


def dry_run(path: Path, faults: Sequence[str]) -> int:
    """Print which recorded requests each fault hits; a fault that hits none is a mistake."""
    if not faults:
        raise UsageError("--dry-run says what faults hit\n\nhint: add --fault METHOD=FAULT")
    from vcr_gen.boundaries.mcp.request_targets import recorded_messages

    requests = [message for message in recorded_messages(path) if message.is_request]
    outcome = FINE
    for fault in checked(path, faults):
        meant = [request for request in requests if fault.target.is_for(request.title)]
        hit = [request for number, request in enumerate(meant, 1) if fault.hits(number)]
        print(fault.text)
        for request in hit:
            print(f"  {path}:{request.line}: {request.title}")
        if not hit:
            print(f"  hits nothing: the cassette has {len(meant)} of these requests")
            outcome = ERROR
    return outcome
