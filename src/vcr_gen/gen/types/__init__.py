"""What annotations and defaults mean, and how another module can say the same."""
