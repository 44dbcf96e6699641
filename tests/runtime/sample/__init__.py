"""An application's boundaries, one Protocol or more for each kind of call."""
