"""The generator's model of boundaries, without syntax trees."""
