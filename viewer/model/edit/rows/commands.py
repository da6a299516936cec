"""Commands of effects, which have a record for each opcode."""

from __future__ import annotations

from typing import Final

import numpy as np

from viewer.errors import EditError
from viewer.formats.fxid import COMMAND_KINDS, ENABLED, HEADER
from viewer.formats.part import Part
from viewer.model.edit.draft import Draft
from viewer.model.edit.rows.arrangement import NewRow, plain_table
from viewer.translation import Sentence

_KINDS: Final = {kind.name: kind for kind in COMMAND_KINDS.values()}
RECORDS: Final = (*_KINDS,)
"""The kinds of commands."""


def _new_command(_: Draft, __: Part, row: NewRow) -> bytes:
    kind = _KINDS.get(row.record)
    if kind is None:
        message = Sentence("name the kind of the new command: {names}", names=", ".join(RECORDS))
        raise EditError(message)
    command = kind.record.new()
    command["word"] = np.uint32(kind.opcode | ENABLED)
    return command.tobytes()


arrange = plain_table(HEADER.name, "command_count", _new_command)
"""Rearranges the commands of an effect."""
