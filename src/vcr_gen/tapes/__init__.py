"""Recorded tapes as data: what the cassette tools and the report show, compare and rewrite."""
