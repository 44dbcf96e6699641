"""Tables, arrays and schemas of pyarrow: the bytes of its own format, beside a text for people."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from vcr_gen.runtime.codec.libraries.library_codecs import Functions


def codec_of(cls: type[Any]) -> Functions | None:
    """How values of a class of pyarrow are stored."""
    if cls is pa.Table:
        return _write_table, lambda stored: _stream_of(stored).read_all()
    if cls is pa.RecordBatch:
        return _write_table, lambda stored: _stream_of(stored).read_next_batch()
    if cls is pa.ChunkedArray:
        return (
            lambda column: _write_table(pa.table({"items": column})),
            lambda stored: _stream_of(stored).read_all().column(0),
        )
    if issubclass(cls, pa.Array):
        return (
            lambda array: _write_table(pa.record_batch({"items": array})),
            lambda stored: _stream_of(stored).read_next_batch().column(0),
        )
    if cls is pa.Schema:
        return _write_schema, _read_schema
    if cls is pa.Field:
        return lambda field: _write_schema(pa.schema([field])), lambda it: _read_schema(it).field(0)
    if issubclass(cls, pa.DataType):
        return (
            lambda kind: _write_schema(pa.schema([pa.field("items", kind)])),
            lambda stored: _read_schema(stored).field(0).type,
        )
    return None


def _write_table(table: Any) -> dict[str, object]:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write(table)
    return {"schema": str(table.schema), "rows": len(table), "ipc": sink.getvalue().to_pybytes()}


def _stream_of(stored: Any) -> Any:
    return pa.ipc.open_stream(stored["ipc"])


def _write_schema(schema: Any) -> dict[str, object]:
    return {"schema": str(schema), "bytes": schema.serialize().to_pybytes()}


def _read_schema(stored: Any) -> Any:
    return pa.ipc.read_schema(pa.py_buffer(stored["bytes"]))
