"""What a cassette does from opening to closing, in each mode."""
