from __future__ import annotations

from typing import Optional, Protocol, TypeAlias

from handles.rows import Row, RowStream

from vcr_gen.boundary import outbound

Rows: TypeAlias = "list[Row]"


@outbound
class Cursor(Protocol):
    def fetch(self) -> Optional[Row]: ...
    def fetch_all(self) -> Rows: ...
    def stream(self) -> RowStream: ...


@outbound
class Connection(Protocol):
    def cursor(self) -> Cursor: ...
    def execute(self, cursor: Cursor, sql: str) -> None: ...
