"""Settings of the tests of cassette files."""

import os

from hypothesis import settings

# The machine may be busy: how long an example takes says nothing about the code.
# VCR_GEN_EXAMPLES=20000 searches for a night instead of a moment.
examples = int(os.environ.get("VCR_GEN_EXAMPLES", "100"))
settings.register_profile("files", deadline=None, max_examples=examples)
settings.load_profile("files")
