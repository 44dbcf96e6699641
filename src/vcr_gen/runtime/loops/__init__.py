"""Event loops: their idle moments, their clock, and whose turn it is."""
