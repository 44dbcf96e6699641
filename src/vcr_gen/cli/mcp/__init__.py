"""`vcr-gen mcp`: its actions and their shared code."""
