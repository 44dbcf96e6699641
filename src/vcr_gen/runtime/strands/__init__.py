"""Lines of execution: their names, their work and the locks between them."""
