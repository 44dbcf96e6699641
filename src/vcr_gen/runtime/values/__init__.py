"""Values on their way between the program and the tape."""
