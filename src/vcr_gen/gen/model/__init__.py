"""What was read, free of syntax trees: all that the writing half knows of the reading half."""
