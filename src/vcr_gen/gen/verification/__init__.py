"""Whether wrappers on disk fit their Protocols."""
