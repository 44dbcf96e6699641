"""Checks that wrappers on disk fit their Protocols."""
