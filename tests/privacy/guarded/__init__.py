"""A small program with secrets, whose boundaries the tests of this folder wrap."""
