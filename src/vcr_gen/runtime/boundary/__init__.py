"""The parts of a wrapper: its boundary, its calls, and its port."""
