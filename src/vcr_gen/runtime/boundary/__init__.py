"""What a wrapper is made of: its boundary, its calls, and the port they go through."""
