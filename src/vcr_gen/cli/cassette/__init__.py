"""`vcr-gen cassette`: each of its actions, and what they share."""
