"""Speed of models on their way to other programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from viewer.cli.bench.starting import start
from viewer.cli.bench.subjects import Subjects
from viewer.cli.bench.timing import Work
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.source import ModelSource
from viewer.model.store.file_store import FileStore
from viewer.session.opened.document import Document
from viewer.session.opened.source import Source


def export_60k(subjects: Subjects) -> Work:
    """Open a model of many triangles with an animation, and make a GLB file of it."""

    def export() -> bytes:
        document = Document.open(FileStore(), Source(subjects.moving))
        found = document.model, document.choice, document.materials, document.controller
        return glb_of(scene_of(ModelSource("model", *found)))

    return Work(export)


def export_400_jobs2(subjects: Subjects) -> Work:
    """A whole process that exports all models of an archive to a file each, with a second one to help."""
    out = str(subjects.folder / "exported" / "{entry}.glb")
    address = str(subjects.archive)
    return Work(lambda: start("export", address, "-o", out, "--jobs", "2").wait(), warm_up=1)


CASES: Final[Mapping[str, Callable[[Subjects], Work]]] = {
    "export_60k": export_60k,
    "export_400_jobs2": export_400_jobs2,
}
SLOW: Final = frozenset({"export_400_jobs2"})
"""Those that start a process."""
