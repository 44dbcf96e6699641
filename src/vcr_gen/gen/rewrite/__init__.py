"""Writes people's source with libcst: a Protocol taken from a class, a mark on a Protocol."""
