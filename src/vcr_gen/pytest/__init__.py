"""The pytest plugin behind `vcr_gen.pytest_plugin`, the entry point.

`fixtures` opens and closes cassettes, `hooks` follows each test through its phases, and `summary`
collects the results of all processes. Only `fixtures`, `hooks` and `open_cassette` import the
runtime, and only once a test uses a cassette.
"""
