"""Import of a new model into an archive: its entries and what its materials add to libraries, as one plan."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from viewer.errors import reading_from
from viewer.formats.archive import nres
from viewer.formats.record import Bytes
from viewer.formats.text import decode
from viewer.model.convert import exchange
from viewer.model.convert.importing.importer import Import
from viewer.model.convert.importing.materials.additions import NewMaterials, new_materials
from viewer.model.convert.scene_file import SceneFile
from viewer.model.game.registry import LIGHTMAPS, MATERIALS, TEXTURES
from viewer.model.material.lookup import MaterialLookup
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import CaselessFolder
from viewer.operations.imports.importing import entry_changes, files_of_scene, new_resource, with_files
from viewer.operations.imports.plan import ImportPlan, listed_libraries
from viewer.operations.opening import Source
from viewer.progress import checkpoint
from viewer.translation import _


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
        made = files_of_scene(materials.scene, file.path, source.reading)
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
    """The plan of the resource of a JSON file as a new entry, before it is worked out; raises `MshviewError`.

    Parameters
    ----------
    source
        The entry, which does not exist.
    """
    made = new_resource(library, path)
    return ImportPlan(path, source, entries=tuple(entry_changes(library, source.address, made.model)))


def missing_libraries(library: FileStore, folder: Path) -> Mapping[Path, Bytes]:
    """Empty libraries by the paths of those that a game folder does not have."""
    found, empty = CaselessFolder(folder, library), nres.build([])
    missing = (name for name in (MATERIALS, TEXTURES, LIGHTMAPS) if found.file(name) is None)
    return {folder / decode(name): empty for name in missing}
