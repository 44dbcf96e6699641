"""Replaying: the tape takes the environment's place."""
