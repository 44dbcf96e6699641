"""Names that the modules of the plugin share; every test run imports this module."""

from typing import Final

FOLDER: Final = "cassettes"
MARKER: Final = "vcrgen"
CASSETTE: Final = "vcrgen_cassette"
PREFIX: Final = "vcrgen_"
"""The prefix of all our fixtures and options."""
HOOKS: Final = "vcrgen-hooks"
"""The name under which the hooks for tests with cassettes are registered."""
RESULTS: Final = "vcrgen"
"""The key of what workers of xdist send to the controller."""
MODES: Final = ("none", "once", "new_episodes", "all", "verify", "rewrite")
STALE: Final = ("warn", "fail", "record")
FORMATS: Final = ("yaml", "jsonl")
HERMETIC: Final = ("warn", "fail")
UNUSED_FILE: Final = "VCR_GEN_UNUSED"
"""The environment variable with the file to which unused cassettes are written, for
`vcr-gen cassette prune`."""
CASSETTE_STARTS: Final = (b"vcr-gen:", b'{"vcr-gen"')
"""The first bytes of our cassettes; other recorders keep theirs in the same folders."""
