"""A small assistant that knows the weather, and talks through the openai SDK."""
