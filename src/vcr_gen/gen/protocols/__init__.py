"""Protocols, found and read into the model."""
