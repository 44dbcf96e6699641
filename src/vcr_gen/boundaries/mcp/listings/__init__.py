"""What MCP servers list: compared between versions, and checked for what it tells a model."""
