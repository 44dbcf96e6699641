"""Recordings of other tools for MCP, read into a cassette of ours, and written from one."""
