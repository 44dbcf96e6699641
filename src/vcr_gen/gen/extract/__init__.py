"""Makes an annotated Protocol from an existing class, so that one can start without Protocols."""

from vcr_gen.gen.extract.protocol import Extracted, extract

__all__ = ["Extracted", "extract"]
