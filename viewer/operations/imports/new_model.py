"""Import of a new model or resource: the plan of its files, or of its entries and libraries."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, reading_from
from viewer.formats.archive import nres
from viewer.formats.record import Bytes
from viewer.formats.text import decode
from viewer.model.checks.payload import Payload, Surroundings
from viewer.model.compare.edit_report import EditReport, Finding
from viewer.model.compare.file_plan import FilePlan
from viewer.model.convert import exchange
from viewer.model.convert.importing.importer import Import
from viewer.model.convert.importing.materials.additions import NewMaterials, new_materials
from viewer.model.convert.scene_file import SceneFile
from viewer.model.game.registry import LIGHTMAPS, MATERIALS, TEXTURES
from viewer.model.material.lookup import MaterialLookup
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import CaselessFolder
from viewer.operations.imports.importing import (
    NewFiles,
    checking,
    entry_changes,
    files_of_scene,
    new_resource,
    with_files,
)
from viewer.operations.imports.plan import ImportPlan, listed_libraries
from viewer.operations.opening import Source
from viewer.progress import checkpoint
from viewer.translation import _

if TYPE_CHECKING:
    from viewer.model.convert.text.reading import Resource


def plan_new(
    library: FileStore,
    made: NewFiles,
    source: Source,
    libraries: Mapping[Path, Bytes] | None = None,
    *,
    has_place: bool = True,
    advice: str = "",
    lost: Sequence[str] = (),
) -> ImportPlan:
    """The plan of the files of a new model or resource, the model last, with what is wrong with them.

    Raises `OutputError` if it would take the place of another model.

    Parameters
    ----------
    source
        The model, with the game folder that names are looked up in.
    libraries
        The libraries that are written with it.
    has_place
        Whether it is written there, so that its names are looked up among the files around it; else the plan
        has the libraries and the model, without its wear table.
    advice
        What to do instead of replacing another model; empty if it may be replaced. A resource of JSON may, as
        it has every byte.
    lost
        What is lost besides.
    """
    files = {**(libraries or {})}
    path = source.address.path
    if has_place and made.resources and advice:
        made.refuse_replacing(path, advice)
    checkpoint()
    problems = tuple(_problems_of(library, made, files, source, has_place=has_place))
    if has_place:
        files |= {place: it.data for place, it in made.at(path).items()}
    else:
        files[path] = made.model.data
    others = tuple(FilePlan(place, data=data) for place, data in files.items() if place != path)
    report = EditReport(added=problems)
    model = FilePlan(path, data=files[path], findings=report, remarks=made.notes)
    found = Import((), losses=(*made.stated, *lost), notes=made.notes, clips=made.clips)
    return ImportPlan(made.path, source, found=found, files=(*others, model), deviations=made.deviations)


def plan_new_entry(
    library: FileStore, file: SceneFile, source: Source, *, makes_libraries: bool = False
) -> ImportPlan:
    """The plan of a new model, whose changes of libraries may be declined, as it is before it is worked out.

    Raises `MshviewError` if the file cannot be read, or holds what no model can.

    Parameters
    ----------
    source
        The entry, which does not exist, with the game folder whose libraries get the materials.
    makes_libraries
        Whether libraries that the game folder does not have are made.
    """
    folder = source.find_game(library).folder
    new = missing_libraries(library, folder) if makes_libraries and folder is not None else {}
    library = with_files(library, new)
    with reading_from(file.path):
        scene = exchange.read(file)
    checkpoint()
    if folder is not None:
        materials = new_materials(scene, MaterialLookup.of(library, folder))
    else:
        words = _("no game folder is known: the colors and images of materials are left out")
        materials = NewMaterials(scene, losses=(words,) if scene.materials else ())
    with reading_from(file.path):
        made = files_of_scene(materials.scene, file.path, source.options.reading)
    found = Import(
        (),
        losses=(*made.losses, *materials.losses),
        notes=(*made.notes, *materials.notes),
        libraries=materials.changes,
        clips=made.clips,
    )
    entries = entry_changes(library, source.address, made.model, made.resources)
    plan = ImportPlan(file.path, source, found=found, changes=tuple(listed_libraries(found)))
    return replace(plan, entries=tuple(entries), new_libraries=new)


def plan_new_resource(library: FileStore, path: Path, source: Source) -> ImportPlan:
    """The plan of the resource of a JSON file as an entry, before it is worked out; raises `MshviewError`.

    Parameters
    ----------
    source
        The entry, which need not exist.
    """
    made = new_resource(library, path)
    return ImportPlan(path, source, entries=tuple(entry_changes(library, source.address, made.model)))


def missing_libraries(library: FileStore, folder: Path) -> Mapping[Path, Bytes]:
    """Empty libraries by the paths of those that a game folder does not have."""
    found, empty = CaselessFolder(folder, library), nres.build([])
    missing = (name for name in (MATERIALS, TEXTURES, LIGHTMAPS) if found.file(name) is None)
    return {folder / decode(name): empty for name in missing}


def _problems_of(
    library: FileStore, made: NewFiles, libraries: Mapping[Path, Bytes], source: Source, *, has_place: bool
) -> Iterator[Finding]:
    """Yield what is wrong with a new model, which is written with `libraries`."""
    path = source.address.path
    if not has_place:
        yield from _checked(made.model, path, b"", Surroundings(requested=source.options.reading))
        return
    own = made.at(path)
    files = {**libraries, **{place: it.data for place, it in own.items()}}
    library = with_files(library, files)
    around = checking(library, source).surroundings(library, path)
    for place, it in own.items():
        yield from _checked(it, place, os.fsencode(place.name), around)


def _checked(resource: Resource, path: Path, name: bytes, around: Surroundings) -> Iterator[Finding]:
    payload = Payload(memoryview(resource.data), resource.entry, name, around)
    try:
        found = resource.kind.check(payload) if resource.kind.is_known else []
    except FormatError as error:
        found = [Diagnostic.of(error)]
    return (Finding(Address(path), it) for it in found)
