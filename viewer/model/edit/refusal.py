"""The location of what a change refuses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from viewer.errors import EditError, FormatError


@contextmanager
def refused_at(table: str, index: int | None = None, field: str | None = None) -> Iterator[None]:
    """Raise what a value is refused with as an `EditError` at this location."""
    try:
        yield
    except FormatError as error:
        raise EditError(error.message, table=table, index=index, field=field) from None
