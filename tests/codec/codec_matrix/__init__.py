"""What the codec must give back unchanged: annotation and value, by name."""

from typing import Any

from codec_matrix.containers import CONTAINERS
from codec_matrix.exceptions import EXCEPTIONS
from codec_matrix.loose import LOOSE
from codec_matrix.records import RECORDS
from codec_matrix.values import PLAIN_VALUES

_PARTS = (PLAIN_VALUES, CONTAINERS, RECORDS, LOOSE, EXCEPTIONS)

MATRIX: dict[str, tuple[Any, object]] = {
    name: case for part in _PARTS for name, case in part.items()
}
assert len(MATRIX) == sum(map(len, _PARTS)), "two cases have one name"
