"""What a cassette does from its opening to its close, for each mode."""
