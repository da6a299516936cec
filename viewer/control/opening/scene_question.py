"""The question what becomes of a file of another program: it may be imported, added, or only looked at."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from viewer.control.state import State
from viewer.model.mesh.model import Variant
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.importing import question_of


def ask_about(state: State, library: FileStore, path: Path, archive: Address | None = None) -> None:
    """Ask what becomes of a file, in the open archive or a given one; raises `MshviewError` without one."""
    front, document = state.tabs.active.address, state.document
    has_model = document is not None and document.model.variant is not Variant.TERRAIN
    library.head(path, 1)  # a file that cannot be read is an error before anything is asked
    asked = question_of(library, path, front, archive, is_model=has_model)
    state.converting = replace(state.converting, asked=asked)
