"""From the model to views: what a generated module says, name by name."""
