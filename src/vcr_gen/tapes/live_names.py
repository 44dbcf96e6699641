"""Renames live objects in stored values: a tape refers to them by number or name."""

from collections.abc import Callable

from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.values.objects import LIVE_WORDS

__all__ = ["map_live_objects"]


def map_live_objects(value: Plain, rename: Callable[[Plain], Plain]) -> Plain:
    """The value with every number or name of a live object passed through `rename`."""
    if isinstance(value, dict):
        if len(value) == 1:
            ((key, item),) = value.items()
            if key in LIVE_WORDS and isinstance(item, int | str):
                return {key: rename(item)}
        return {key: map_live_objects(item, rename) for key, item in value.items()}
    if isinstance(value, list):
        return [map_live_objects(item, rename) for item in value]
    return value
