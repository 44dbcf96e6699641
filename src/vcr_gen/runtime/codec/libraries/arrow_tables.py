"""Tables and schemas of pyarrow, as the bytes of its own format beside a text for people."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from vcr_gen.runtime.codec.libraries.library_codecs import Functions

__all__ = ["codec_of"]


def codec_of(cls: type[Any]) -> Functions | None:
    """How values of a class of pyarrow are stored."""
    if cls in (pa.Table, pa.RecordBatch):
        return _write_table, lambda stored: _read_table(cls, stored)
    if cls is pa.Schema:
        return (
            lambda schema: {"schema": str(schema), "bytes": schema.serialize().to_pybytes()},
            lambda stored: pa.ipc.read_schema(pa.py_buffer(stored["bytes"])),
        )
    return None


def _write_table(table: Any) -> dict[str, object]:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write(table)
    return {"schema": str(table.schema), "rows": len(table), "ipc": sink.getvalue().to_pybytes()}


def _read_table(cls: Any, stored: Any) -> Any:
    table = pa.ipc.open_stream(stored["ipc"]).read_all()
    return table if cls is pa.Table else table.combine_chunks().to_batches()[0]
