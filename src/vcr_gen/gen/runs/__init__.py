"""One run, from the settings to a plan, and what the next one need not do again."""
