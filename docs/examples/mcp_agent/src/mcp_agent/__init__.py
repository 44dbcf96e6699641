"""An agent that renews library loans through an MCP server, before they are due."""
