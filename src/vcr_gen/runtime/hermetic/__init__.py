"""Hermetic replays: what a program does past its boundaries."""
