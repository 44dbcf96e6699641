"""What becomes of a value on its way between the program and the tape."""
