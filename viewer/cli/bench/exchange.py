"""Speed of models on their way to other programs and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from viewer.cli.bench.starting import finish, start
from viewer.cli.bench.subjects import Subjects
from viewer.cli.bench.timing import Work
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.gltf.read import read
from viewer.model.convert.gltf.write import glb_of
from viewer.model.convert.importing.importer import changes_of
from viewer.model.convert.source import ModelSource
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import Plan, plan
from viewer.model.kinds.registry import MODEL
from viewer.model.mesh import draw_builder, reading
from viewer.model.mesh.model import Model
from viewer.model.mesh.skeleton import Skeleton
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.opened.document import Document


def export_60k(subjects: Subjects) -> Work:
    """Open a model of many triangles with an animation, and make a GLB file of it."""

    def export() -> bytes:
        document = Document.open(FileStore(), Source(subjects.moving))
        found = document.model, document.choice, document.materials, document.controller
        return glb_of(scene_of(ModelSource("model", *found)))

    return Work(export)


def import_60k(subjects: Subjects) -> Work:
    """Read the GLB file of that model with one vertex moved, compare it with it, and change it."""
    data = bytes(FileStore().file(subjects.moving.path))
    scene = scene_of(_source(data))
    first = scene.meshes[0].primitives[0]
    positions = first.positions.copy()
    positions[0] += 1
    edited = replace(scene.meshes[0], primitives=(replace(first, positions=positions),))
    given = glb_of(replace(scene, meshes=(edited, *scene.meshes[1:])))

    def bring_back() -> Plan:
        source = _source(data)
        found = changes_of(source, read(given))
        return plan(Draft(MODEL, data, resolved=source.choice, value=source.model), found.changes)

    return Work(bring_back)


def _source(data: bytes) -> ModelSource:
    """A model without materials, opened."""
    model = Model.read(data)
    choice = reading.choose(model, Skeleton(model), draw_builder.build(model))
    return ModelSource("model", model, choice)


def export_400_jobs2(subjects: Subjects) -> Work:
    """A whole process that exports all models of an archive to a file each, with a second one to help."""
    out = str(subjects.folder / "exported" / "{entry}.glb")
    address = str(subjects.archive)
    return Work(lambda: finish(start("export", address, "-o", out, "--jobs", "2")), warm_up=1)


CASES: Final[Mapping[str, Callable[[Subjects], Work]]] = {
    "export_60k": export_60k,
    "import_60k": import_60k,
    "export_400_jobs2": export_400_jobs2,
}
SLOW: Final = frozenset({"export_400_jobs2"})
"""Those that start a process."""
