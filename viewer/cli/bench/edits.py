"""Cases of ``bench`` without drawing: editing and saving, export and import, codecs."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Final

import numpy as np
from msgspec.structs import replace

from viewer.app.scene_renderer import UploadedModels
from viewer.cli.bench.subjects import Subjects
from viewer.cli.bench.timing import SLOW_RUNS, Result, Work, by_name, milliseconds, whole
from viewer.control.editing.edit_controller import EditController
from viewer.control.editing.journal import Bases, Journal
from viewer.control.jobs import Jobs, raised
from viewer.control.settings.settings import Settings
from viewer.control.state import State
from viewer.formats.archive import lzss
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.compare.file_plan import FilePlan
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.gltf.read import read
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.importing.check.deviation import Deviation
from viewer.model.convert.importing.check.deviations import deviations
from viewer.model.convert.importing.importer import changes_of
from viewer.model.convert.source import ModelSource
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import plan
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import MODEL
from viewer.model.mesh import draw_builder, reading
from viewer.model.mesh.model import Model
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.operations.saving import write
from viewer.render.offscreen import OffscreenRenderer
from viewer.render.portions import Frame
from viewer.session.opened.document import Document
from viewer.session.opened.edited_document import edited
from viewer.session.opened.tabs import Tabs
from viewer.session.play.posing import framed
from viewer.session.view.view_state import ViewState

STEPS: Final = 1000
MEGABYTE: Final = 1e6


class Editor:
    """The work of an edit without the window: bytes, steps, the next document."""

    def __init__(self, model: Address, folder: Path) -> None:
        self.library = FileStore()
        self.address = model
        document = Document.open(self.library, Source(model))
        self.state = State(Settings(), Tabs.of(ViewState(), document))
        self._jobs = Jobs(lambda: None)
        journal = Journal(folder / "journals", self._jobs, raised)
        self.edits = EditController(self.state, self.library, journal, Bases(), lambda *_: None)

    @property
    def document(self) -> Document:
        """The model as it is now."""
        assert self.state.document is not None
        return self.state.document

    def renew(self) -> None:
        """The work of the window once a frame."""
        self.state.tabs = self.state.tabs.changed(document=edited(self.document, self.library))

    def set(self, table: str, field: str, value: object, row: int = 0) -> None:
        """Set a field as one step."""
        self.edits.edit(self.address, (SetField(table, RowChoice.of(row), field, value),))

    def close(self) -> None:
        """End the worker threads."""
        self._jobs.close()


def edit_field_60k(subjects: Subjects) -> Work:
    """From a changed vertex of a model to its redrawn frame, without the rasterizing that any frame takes."""
    editor = Editor(subjects.medium, subjects.folder)
    renderer = OffscreenRenderer(editor.document)
    models = UploadedModels(renderer.renderer)
    models.show(editor.document)
    view = ViewState()
    view = replace(view, camera=framed(editor.document, view.camera, view, 16 / 9))
    heights = count(1)

    def change() -> None:
        editor.set("positions", "position", (0.5, 0.5, 0.001 * next(heights)))
        editor.renew()
        models.show(editor.document)
        renderer.renderer.draw(Frame(view, editor.document.animation.pose(0.0), subjects.sizes.frame))

    return Work(change, after=renderer.ctx.finish)


def undo_1000(subjects: Subjects) -> Work:
    """Undo 1,000 edits one by one and redo them, and show the model after both."""
    editor = _edited(subjects)

    def there_and_back() -> None:
        for step in (-1, 1):
            for _ in range(STEPS):
                editor.edits.step(step)
            editor.renew()

    return Work(there_and_back, warm_up=1, most=SLOW_RUNS)


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
    saved = [editor.library.file(path)]

    def change() -> None:
        editor.set("batches", "flags", next(values))
        data = editor.library.file(path)
        (done,) = write([FilePlan(path, saved.pop(), data=data)])
        saved.append(data)
        editor.library.adopt(path, done.revision)

    return Work(change, most=SLOW_RUNS)


def edits_memory_mb(subjects: Subjects) -> Result:
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
    return Result("edits_memory_mb", "MB", ((after - before) / MEGABYTE,))


SIDE: Final = 1024
"""Width and height of the textures."""
UNPACKED: Final = 1 << 18
"""Size of the unpacked member, bytes."""

_WORDS: Final = (b"turret", b"hull", b"gun_left", b" 0.5 1024 ", b"\0\0\0\0", b"\xff\x07")


def texm_8888_mb_s(subjects: Subjects) -> Result:
    """A texture of 32-bit pixels."""
    return _texture("texm_8888_mb_s", PixelFormat.ARGB8888, subjects)


def texm_565_mb_s(subjects: Subjects) -> Result:
    """A texture of 16-bit pixels."""
    return _texture("texm_565_mb_s", PixelFormat.RGB565, subjects)


def _texture(name: str, pixel_format: PixelFormat, subjects: Subjects) -> Result:
    noise = np.random.default_rng(0).integers(0, 256, (SIDE, SIDE, 4), np.uint8)
    data = texm.build(noise, pixel_format)
    size = texm.decode(data).levels[0].size
    return _rate(name, size, Work(lambda: texm.decode(data).level(0)), subjects)


def lzss_mb_s(subjects: Subjects) -> Result:
    """A member of words, numbers and zeros, like texts and tables."""
    words = np.random.default_rng(0).integers(0, len(_WORDS), UNPACKED)
    data = b"".join(_WORDS[word] for word in words.tolist())[:UNPACKED]
    packed = lzss.encode(data)
    return _rate("lzss_mb_s", UNPACKED, Work(lambda: lzss.decode(packed, UNPACKED)), subjects)


def _rate(name: str, size: int, work: Work, subjects: Subjects) -> Result:
    """Millions of bytes per second of a stored texture, or of an unpacked member."""
    times = milliseconds(work, subjects.sizes.runs)
    return Result(name, "MB/s", tuple(size / 1e3 / spent for spent in times))


def export_60k(subjects: Subjects) -> Work:
    """Open a model of many triangles with an animation, and make a GLB file of it."""

    def export() -> bytes:
        document = Document.open(FileStore(), Source(subjects.moving))
        found = document.model, document.choice, document.materials, document.controller
        return glb_of(scene_of(ModelSource("model", *found)))

    return Work(export)


def import_60k(subjects: Subjects) -> Work:
    """Read the GLB file of that model with one vertex moved, compare it with it, change it, and check it."""
    return _import(subjects, slice(1))


def import_edited(subjects: Subjects) -> Work:
    """Import of a file with every vertex moved; at most three times as long as without changes."""
    return _import(subjects, slice(None))


def _import(subjects: Subjects, moved: slice) -> Work:
    """An import of the file of a model with some of its vertices moved, counted over all primitives."""
    data = bytes(FileStore().file(subjects.moving.path))
    scene = scene_of(_source(data))
    primitives = [it for mesh in scene.meshes for it in mesh.primitives]
    places = np.concatenate([it.positions for it in primitives])
    places[moved] += 1
    left = iter(np.split(places, np.cumsum([len(it.positions) for it in primitives])))
    meshes = [
        replace(mesh, primitives=tuple(replace(it, positions=next(left)) for it in mesh.primitives))
        for mesh in scene.meshes
    ]
    given = glb_of(replace(scene, meshes=tuple(meshes)))

    def bring_back() -> Sequence[Deviation]:
        source = _source(data)
        found = changes_of(source, read(given))
        made = plan(Draft(MODEL, data, resolved=source.choice, value=source.model), found.changes)
        return deviations(found, source.edited(made.after), made.moves)

    return Work(bring_back)


def _source(data: bytes) -> ModelSource:
    """A model without materials, opened."""
    model = Model.read(data)
    choice = reading.choose(model, Skeleton(model), draw_builder.build(model))
    return ModelSource("model", model, choice)


def export_400_jobs2(subjects: Subjects) -> Work:
    """A whole process that exports all models of an archive to a file each, with a second one to help."""
    out = str(subjects.folder / "exported" / "{entry}.glb")
    return whole("export", str(subjects.archive), "-o", out, "--jobs", "2")


CASES: Final = by_name(
    edit_field_60k, undo_1000, edit_save_25mb, export_60k, import_60k, import_edited, export_400_jobs2
)
RESULTS: Final = (texm_8888_mb_s, texm_565_mb_s, lzss_mb_s, edits_memory_mb)
