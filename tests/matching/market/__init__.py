"""A package with boundaries whose fields are compared in every way there is."""
