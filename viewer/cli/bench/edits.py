"""Speed and memory of editing, undoing and saving."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Final

from viewer.app.editing.edit_controller import EditController
from viewer.app.editing.journal import Bases, Journal
from viewer.app.jobs import Jobs
from viewer.app.scene_renderer import UploadedModels
from viewer.app.settings.settings import Settings
from viewer.app.state import State
from viewer.cli.bench.subjects import Subjects
from viewer.cli.bench.timing import Work
from viewer.model.edit.row_choice import RowChoice
from viewer.model.edit.set_field import SetField
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.writing import digest_of
from viewer.model.write import saving
from viewer.operations.opening import Source
from viewer.render.offscreen import OffscreenRenderer
from viewer.session.opened.document import Document
from viewer.session.opened.edited_document import edited
from viewer.session.opened.tabs import Tabs
from viewer.session.view.view_state import ViewState

STEPS: Final = 1000
MEMORY: Final = "edits_memory_mb"
MEGABYTE: Final = 1e6


class Editor:
    """What the window does with an edit, without the window: bytes, steps, the next document."""

    def __init__(self, model: Address, folder: Path) -> None:
        self.library = FileStore()
        self.address = str(model)
        document = Document.open(self.library, Source(model))
        self.state = State(Settings(), Tabs.of(ViewState(), document))
        self._jobs = Jobs(lambda: None)
        journal = Journal(folder / "journals", self._jobs, _raise)
        self.edits = EditController(self.state, self.library, journal, Bases(), lambda *_: None)

    @property
    def document(self) -> Document:
        """The model as it is now."""
        assert self.state.document is not None
        return self.state.document

    def renew(self) -> None:
        """What the window does once a frame."""
        self.state.tabs = self.state.tabs.changed(document=edited(self.document, self.library))

    def set(self, table: str, field: str, value: object, row: int = 0) -> None:
        """Set a field as one step."""
        self.edits.edit(self.address, (SetField(table, RowChoice.of(row), field, value),))

    def close(self) -> None:
        """End the threads."""
        self._jobs.close()


def _raise(error: OSError) -> None:
    raise error


def edit_field_60k(subjects: Subjects) -> Work:
    """From a changed vertex of a model to its redrawn frame, without the rasterizing that any frame takes."""
    editor = Editor(subjects.medium, subjects.folder)
    renderer = OffscreenRenderer(editor.document)
    models = UploadedModels(renderer.renderer)
    models.show(editor.document)
    view = ViewState()
    view = replace(view, camera=editor.document.framed(view.camera, view, 16 / 9))
    heights = count(1)

    def change() -> None:
        editor.set("positions", "position", (0.5, 0.5, 0.001 * next(heights)))
        editor.renew()
        models.show(editor.document)
        renderer.renderer.draw(view, editor.document.animation.pose(0.0), subjects.sizes.frame)

    return Work(change, after=renderer.ctx.finish)


def undo_1000(subjects: Subjects) -> Work:
    """Undo 1,000 edits one by one and redo them, and show the model after both."""
    editor = _edited(subjects)

    def there_and_back() -> None:
        for step in (-1, 1):
            for _ in range(STEPS):
                editor.edits.step(step)
            editor.renew()

    return Work(there_and_back, warm_up=1)


def _edited(subjects: Subjects) -> Editor:
    """A model after 1,000 edits, one step each."""
    editor = Editor(subjects.medium, subjects.folder)
    for number in range(STEPS):
        editor.set("batches", "flags", number % 0xFFFF + 1, number % len(editor.document.model.batches))
    return editor


def edit_save_25mb(subjects: Subjects) -> Work:
    """Change a field of a model inside a large archive, and save it: compared, written, read again."""
    editor = Editor(subjects.large_archive.child("#0"), subjects.folder)
    path = subjects.large_archive.path
    values = count(1)
    saved = [digest_of(editor.library.file(path))]

    def change() -> None:
        editor.set("batches", "flags", next(values))
        done = saving.save(path, editor.library.file(path), expected=saved.pop())
        saved.append(done.digest)
        editor.library.adopt(path, done.revision)

    return Work(change)


def memory(subjects: Subjects) -> float:
    """Memory, in MB, that 1,000 edits of a model take more than the model itself."""
    tracemalloc.start()
    try:
        editor = Editor(subjects.medium, subjects.folder)
        before = tracemalloc.get_traced_memory()[0]
        editor.close()
        editor = _edited(subjects)
        editor.renew()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    editor.close()
    return (after - before) / MEGABYTE


CASES: Final[Mapping[str, Callable[[Subjects], Work]]] = {
    "edit_field_60k": edit_field_60k,
    "undo_1000": undo_1000,
    "edit_save_25mb": edit_save_25mb,
}
