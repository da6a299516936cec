"""``--overlay``: fields as a user understands them, next to the declared ones."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from viewer.cli.usage.values import Value, takes
from viewer.errors import reading_from
from viewer.model.kinds.columns import Columns
from viewer.model.kinds.explained import has_own, set_own
from viewer.model.store.file_store import FileStore

if TYPE_CHECKING:
    from viewer.model.kinds.own_field import OwnField
    from viewer.model.kinds.own_fields import OwnFields


def add_overlay(parser: ArgumentParser) -> None:
    """Add the file of the user's fields."""
    takes(
        parser.add_argument(
            "--overlay",
            metavar="FILE",
            help="a JSON file with your own names, types and meanings of fields, shown as yours",
        ),
        Value.FILE,
    )


def use_overlay(options: Namespace) -> OwnFields | None:
    """Use the fields of the file that the options name, or none; raises `MshviewError`."""
    set_own(())
    if options.overlay is None:
        return None
    from viewer.model.kinds import own_fields  # noqa: PLC0415 few users have one

    path = Path(options.overlay)
    with reading_from(path):
        found = own_fields.OwnFields.parse(FileStore().file(path))
        own_fields.use(found)
    return found


def with_own_columns(kind: str, table: str, rows: Any) -> Any:
    """The rows of a table with a column for each of the user's fields in it, under the user's name."""
    if not has_own() or not isinstance(rows, Columns):
        return rows
    from viewer.model.kinds.own_fields import used  # noqa: PLC0415 few users have one

    overlay = used()
    if overlay is None:
        return rows
    made = {it.name: _column(it, rows) for it in overlay.of(kind, table)}
    return rows.with_columns(**{name: it for name, it in made.items() if it is not None})


def _column(own: OwnField, rows: Columns) -> Any:
    """The values of a column as the user's type; None if the table does not have it as it is stored."""
    stored = rows.columns.get(own.field)
    if own.name in rows.columns or not isinstance(stored, np.ndarray) or not rows.length:
        return None
    from viewer.model.kinds.own_fields import records_of  # noqa: PLC0415 few users have one

    declared = records_of(own.format)[own.table].field(own.field)
    if stored.nbytes != declared.size * rows.length:
        return None
    return own.read(np.asarray(stored))


def with_own_values(kind: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The description of a payload with the user's columns in its tables."""
    return {name: with_own_columns(kind, name, value) for name, value in fields.items()}
