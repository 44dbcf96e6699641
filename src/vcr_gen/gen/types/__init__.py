"""Resolves annotations and defaults, and finds how a generated module can import their names."""
