"""Recording: writes everything that crosses the boundaries."""
