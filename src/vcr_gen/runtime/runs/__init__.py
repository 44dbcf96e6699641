"""The life of a cassette from opening to closing, in each mode."""
