"""The settings of a project: what decides what is generated, besides the sources."""
