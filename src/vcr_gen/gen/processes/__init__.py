"""Work for all cores."""
