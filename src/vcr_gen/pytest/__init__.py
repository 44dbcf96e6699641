"""The pytest plugin behind `vcr_gen.pytest_plugin`, the entry point.

`fixtures` opens cassettes, `hooks` follows each test through its phases and closes its cassette,
and `summary` collects the results of all processes. Only `fixtures`, `hooks` and `open_cassette`
import the runtime, and only once a test uses a cassette.
"""
