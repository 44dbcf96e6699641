"""Converts recordings of other MCP tools to cassettes, and cassettes to theirs."""
