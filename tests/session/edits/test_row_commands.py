"""Commands for rows have the titles and icons that their changes declare."""

from __future__ import annotations

from tests.corpora import GAME
from viewer.formats.msh.keys import KEY
from viewer.model.edit import script  # noqa: F401 declares all changes
from viewer.model.edit.change import CHANGES
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.edits.row_commands import GEOMETRY, row_commands
from viewer.session.opened.document import Document


def test_every_menu_entry_that_a_change_declares_is_a_command_of_some_rows() -> None:
    document = Document.open(FileStore(), Source(Address(GAME / "models.rlb", ("walker.msh",))))
    found = {
        (it.kind.script_name, it.name): str(it.title)
        for table in (*GEOMETRY, KEY.name)
        for it in row_commands(document, table, [0])
    }
    declared = {
        (kind.script_name, name): str(it) for kind in CHANGES.values() for name, it in kind.menu.items()
    }
    assert found == declared
    assert found["copy-slot", "copy_slot_geometry"] == "Copy the slot with its geometry"
