"""Recordings of other tools, read and played into a cassette of ours."""
