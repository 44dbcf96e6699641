"""The value codec: annotation to encoder and decoder, compiled once, strict both ways."""

from vcr_gen.runtime.codec.annotations import (
    late_import,
    resolve_annotations,
)
from vcr_gen.runtime.codec.compare import (
    MISSING,
    NOT_RECORDED,
    ONLY_RECORDED,
    TYPE_DIFFERS,
    Difference,
    Missing,
    differences,
    same,
)
from vcr_gen.runtime.codec.compiler import Codec, Compiler
from vcr_gen.runtime.codec.registry import Registry

__all__ = [
    "MISSING",
    "NOT_RECORDED",
    "ONLY_RECORDED",
    "TYPE_DIFFERS",
    "Codec",
    "Compiler",
    "Difference",
    "Missing",
    "Registry",
    "differences",
    "late_import",
    "resolve_annotations",
    "same",
]
