"""Res10 in a search: labels are called what sockets take, unless they are the names of nodes."""

from __future__ import annotations

from typing import Final

from viewer.formats.msh import strings
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import has_name_records

TAKES: Final = "takes"
"""What the text of a label is called."""
_TEXT: Final = "text"


def has_labels(value: object) -> bool:
    """Tell whether a decoded payload is a model with labels."""
    return isinstance(value, Model) and has_name_records(value)


def name_of_field(table: str, field: str, *, is_labeled: bool) -> str:
    """Return what a field is called in results."""
    return TAKES if is_labeled and (table, field) == (strings.TABLE, _TEXT) else field
