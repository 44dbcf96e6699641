"""The generator: annotated Protocols in, wrappers out."""
