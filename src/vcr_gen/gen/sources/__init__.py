"""Reads source text without importing it: files, syntax, modules and what their names mean."""
