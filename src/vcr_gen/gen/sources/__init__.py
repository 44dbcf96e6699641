"""Source text, read without importing it: trees, modules, and what their names stand for."""
