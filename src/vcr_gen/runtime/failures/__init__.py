"""Failures in words: what differs, where, since when, and what to do about it."""
