"""Recording: what crosses is written down as it passes."""
