"""Reads recordings of other tools and writes them as cassettes."""
