"""From text to files: what is ours, what must change, and the writing itself."""
