"""The words that options take; apart, since every test run imports them."""

from typing import Final

__all__ = [
    "ANSWER",
    "CASSETTE_STARTS",
    "FOLDER",
    "FORMATS",
    "HERMETIC",
    "HOOKS",
    "MODES",
    "PREFIX",
    "STALE",
]

FOLDER: Final = "cassettes"
PREFIX: Final = "vcrgen_"
"""How the names of all our fixtures and settings begin."""
HOOKS: Final = "vcrgen-hooks"
"""What the plugin at work is called among plugins."""
MODES: Final = ("none", "once", "new_episodes", "all", "verify", "rewrite")
STALE: Final = ("warn", "fail", "record")
FORMATS: Final = ("yaml", "jsonl")
HERMETIC: Final = ("warn", "fail")
ANSWER: Final = "VCR_GEN_UNUSED"
"""The variable that names the file where `vcr-gen cassette prune` expects an answer."""
CASSETTE_STARTS: Final = (b"vcr-gen:", b'{"vcr-gen"')
"""How a cassette of ours begins; other recorders keep theirs in the same folders."""
