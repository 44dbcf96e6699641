"""Lines of execution: their names and their work."""
