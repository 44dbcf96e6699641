"""`vcr-gen cassette`: its actions and their shared code."""
