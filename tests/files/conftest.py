"""Settings of the tests of cassette files."""

from hypothesis import settings

# The machine may be busy: how long an example takes says nothing about the code.
settings.register_profile("files", deadline=None)
settings.load_profile("files")
