"""From text to files: which files are ours, what must change, and writing."""
