"""All rows of a table and all keys of a node replaced at once.

Source: spec/animation.md 6, 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from viewer.errors import EditError
from viewer.formats import splice
from viewer.formats.msh.keys import KEY
from viewer.formats.msh.nodes import NODE
from viewer.formats.part import Part
from viewer.formats.record import Field, Record
from viewer.model.edit.choices import NodeChoice, RowChoice, node_of
from viewer.model.edit.draft import Draft
from viewer.model.edit.keys.track_edit import TrackEdit
from viewer.translation import Sentence

MOST_NUMBERS: Final = 4
"""Rows that are named by their numbers."""


@dataclass(frozen=True, slots=True)
class ReplaceRows:
    """Set a field of rows to values of their own; `SetField` sets all rows to the same.

    Parameters
    ----------
    table
        Path of a table of records of equal size: ``positions``.
    rows
        The rows.
    field
        Name of a stored field.
    data
        The stored values, one after the other in ascending order of the rows.
    """

    table: str
    rows: RowChoice
    field: str
    data: bytes

    @property
    def words(self) -> str:
        """The place of the values; of many rows their number."""
        count = self.rows.text.count(",") + 1
        if count > MOST_NUMBERS:
            words = "replace {field} of {count} rows of {table}"
            return Sentence(words, field=self.field, count=count, table=self.table)
        return Sentence("replace {place}", place=f"{self.table}[{self.rows.shown}].{self.field}")

    def apply(self, draft: Draft) -> None:
        """Write the values.

        Raises `EditError` for rows and fields that do not exist, if there are not as many bytes as the
        rows hold, or if nothing could be read after it.
        """
        part = draft.part(self.table)
        rows = self.rows.rows(draft, self.table)
        record, field = _declared(part, self.field)
        if len(self.data) != len(rows) * field.size:
            message = Sentence(
                "{size} bytes for {count} rows of {each}",
                size=len(self.data),
                count=len(rows),
                each=field.size,
            )
            raise EditError(message, table=self.table, index=next(iter(rows), None), field=self.field)
        before = bytes(part.stored)
        after = np.frombuffer(before, record.dtype).copy()
        after[field.name][rows] = np.frombuffer(self.data, np.dtype((field.dtype, field.shape)), len(rows))
        draft.splice_readable(splice.moved(splice.between(before, after.tobytes()), part.start))


def _declared(part: Part, name: str) -> tuple[Record, Field]:
    """The record of a table and one of its fields; raises `EditError`."""
    record = part.record
    if record is None or part.is_list or part.transform is not None or part.size != part.count * record.size:
        raise EditError(Sentence("is not a table of records of equal size"), table=part.name)
    for field in record.fields:
        if field.name == name:
            return record, field
    names = ", ".join(field.name for field in record.fields)
    raise EditError(Sentence("has no field {name}; it has {names}", name=name, names=names), table=part.name)


@dataclass(frozen=True, slots=True)
class ReplaceTrack:
    """Give a node other keys; with two keys or more it is animated.

    Parameters
    ----------
    node
        Index or name.
    keys
        The keys as they are stored, each 24 bytes; at whole frames, the first at 0.
    """

    node: NodeChoice
    keys: bytes

    @property
    def words(self) -> str:
        """The node and the number of keys."""
        return Sentence("give node {node} {count} keys", node=self.node, count=len(self.keys) // KEY.size)

    def apply(self, draft: Draft) -> None:
        """Write the keys and the frame map; raises `EditError` for bytes that are no keys or no track."""
        node = node_of(draft, self.node)
        count, rest = divmod(len(self.keys), KEY.size)
        if rest or not count:
            message = Sentence("{size} bytes are no keys of {each}", size=len(self.keys), each=KEY.size)
            raise EditError(message, table=NODE.name, index=node)
        edit = TrackEdit(draft)
        edit.put(node, KEY.view(self.keys).copy(), is_animated=count > 1)
        edit.write()
