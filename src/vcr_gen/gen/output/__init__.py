"""From text to files: finds the files that vcr-gen owns, plans the changes, and writes them."""
