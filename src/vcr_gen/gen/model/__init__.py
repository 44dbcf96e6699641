"""What the generator knows about boundaries, without syntax trees."""
