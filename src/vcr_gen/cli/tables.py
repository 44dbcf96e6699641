"""Numbers and rows as people read them: aligned, and short."""

from collections.abc import Sequence

__all__ = ["cut", "duration", "table"]


def table(rows: Sequence[Sequence[str]], *, right: int = 0) -> str:
    """The rows with their columns aligned; the first `right` ones at their right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if number < right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def duration(seconds: float) -> str:
    """A time with three digits that count."""
    if seconds >= 1:
        return f"{seconds:.3g} s" if seconds < 1000 else f"{seconds:.0f} s"
    if seconds >= 0.001:
        return f"{seconds * 1e3:.3g} ms"
    return f"{seconds * 1e6:.3g} µs"


def cut(text: str, width: int | None) -> str:
    """The text, cut where it is longer than there is room for."""
    return text if width is None or len(text) <= width else f"{text[: width - 1]}…"
