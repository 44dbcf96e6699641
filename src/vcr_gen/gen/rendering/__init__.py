"""From views to text, formatted."""
