"""Recorded tapes as data, for the cassette commands and the HTML report."""
