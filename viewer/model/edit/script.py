"""The script form of changes: JSON objects, each with the name of what it does and the values of the change.

``{"do": "set", "table": "batches", "rows": "3", "field": "flags", "value": 8}``: the other keys are the
fields of the change's class; those with a default can be left out. Lists are tuples, null is None, an
enumeration is its value, bytes are hexadecimal, rows are a text, a number or a list of numbers.

A class takes part by its declaration with `change`, if its module is one of `ROOMS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from viewer.errors import FormatError, suggestion
from viewer.model.edit import change, repair, replace_texture, set_bytes, set_field
from viewer.model.edit.archive import add_effect, entries, entry_order
from viewer.model.edit.change import Change
from viewer.model.edit.geometry import links, move, slot_changes
from viewer.model.edit.neighbors import follow_nodes
from viewer.model.edit.nodes import node_count, rename_node, set_key, track_edit
from viewer.model.edit.rows import arrangement, row_changes
from viewer.translation import _
from viewer.typed_json import made, plain_fields

TABLE: Final = "changes"
"""The list of changes in errors."""
DO: Final = "do"
ROOMS: Final = (
    *(set_field, rename_node, node_count, set_key, track_edit, move, links, slot_changes),
    *(row_changes, replace_texture, entries, entry_order, add_effect),
    *(arrangement, follow_nodes, repair, set_bytes),
)
"""The modules that declare changes, or import one that does; in the order of the options of edit."""
# After the imports above, which fill the table.
CHANGES: Final[Mapping[str, type[Change]]] = dict(sorted(change.CHANGES.items()))
"""The class of each change, by the name in its script form."""


def parse(script: object) -> tuple[Change, ...]:
    """The changes of a script, a list of objects; raises `FormatError` with the row and the field."""
    if not isinstance(script, list):
        raise FormatError(_("is not a list of changes"))
    return tuple(change_of(row, item) for row, item in enumerate(script))


def change_of(row: int, form: object) -> Change:
    """The change of a script form; raises `FormatError` for row `row` of the script."""
    try:
        return _change(form)
    except FormatError as error:
        raise FormatError(error.message, table=TABLE, index=row, field=error.field) from None


def _change(form: object) -> Change:
    if not isinstance(form, dict) or not isinstance(form.get(DO), str):
        raise FormatError(_('is not a change: an object with "do"'))
    name: str = form[DO]
    kind = CHANGES.get(name)
    if kind is None:
        words = "{name!r} is not a change{hint}"
        raise FormatError(_(words, name=name, hint=suggestion(name, CHANGES)), field=DO)
    return made(kind, {key: value for key, value in form.items() if key != DO}, is_strict=True)


def form_of(change: Change) -> dict[str, Any]:
    """The script form of a change; raises `ValueError` if its class has none."""
    name = next((name for name, kind in CHANGES.items() if kind is type(change)), None)
    if name is None:
        raise ValueError(f"{type(change).__name__} has no script form")
    return {DO: name, **plain_fields(change)}


def forms(changes: Iterable[Change]) -> list[dict[str, Any]]:
    """The script of changes; raises `ValueError` like `form_of`."""
    return [form_of(change) for change in changes]
