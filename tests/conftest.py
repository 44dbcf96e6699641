"""Lets the tests below import the helpers that lie here."""
