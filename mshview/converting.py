"""New files: models of files of other programs, and patches."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mshview.checking import checked
from mshview.workspace import new_workspace
from viewer.errors import OutputError, UsageError
from viewer.formats.record import Bytes
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.operations.arguments import FINITE, OneOf, flag, path_text
from viewer.operations.opening import Source
from viewer.operations.reading_options import ReadingOptions

if TYPE_CHECKING:
    from viewer.model.convert.scene_file import SceneFile
    from viewer.model.store.file_store import FileStore

Name = str | os.PathLike[str]


READINGS: Final = OneOf(tuple(map(str, ReadingChoice)))


@checked(
    out=path_text, into=path_text, textures=path_text, replace=flag, fps=FINITE, y_up=flag, reading=READINGS
)
def import_file(  # noqa: PLR0913 each is an option of the command line
    path: Name,
    out: Name | None = None,
    *,
    into: Name | None = None,
    textures: Name | None = None,
    replace: bool = False,
    fps: float = 15.0,
    y_up: bool | None = None,
    game: Name | None = None,
    reading: str = "auto",
) -> list[str]:
    """Write a new model of a glTF or OBJ file, or any resource of a ``.json``; return what is lost.

    `Resource.import_from` changes a model that exists.

    Parameters
    ----------
    path
        The file that is read.
    out
        The file that is written, whole or not at all; the wear table of a model stands next to it.
    into
        A new entry of an archive, as ``models.rlb::crate.msh``. `out` is then the whole archive with it and
        its wear table; None: the archive itself, which is kept as ``NAME.bak``.
    textures
        A new library for the textures; the materials go into ``Material.lib`` next to it. With `into` it is
        ``Textures.lib`` of a game folder, whose libraries get what they do not have, all or nothing of it;
        a library that is not there is made. None: no library is changed, and what they lack is lost.
    replace
        Take the place of a model that exists, which is kept as ``NAME.bak``.
    fps
        Frames a second of a file that does not say it.
    y_up
        Whether Y is up in an OBJ; None: as its comments or its JSON say, else Z.
    game, reading
        As of `open`; the model is checked among the files of the game folder.

    Raises
    ------
    Error
        If the file cannot be read, is no model, or exists already, or the entry does, or it adds errors to
        the archive; then nothing is written.
    """
    from viewer.model.convert.scene_file import JSON, SceneFile, suffix_of  # noqa: PLC0415
    from viewer.operations.imports.importing import new_files, new_resource  # noqa: PLC0415
    from viewer.operations.imports.new_model import plan_new  # noqa: PLC0415
    from viewer.operations.saving import write  # noqa: PLC0415

    store, file, choice = new_workspace().store, Path(path), ReadingChoice(reading)
    folder, libraries = None if game is None else Path(game), dict[Path, Bytes]()
    if into is not None:
        scene = None
        if suffix_of(file.name) != JSON:
            scene = SceneFile.open(store, file).read_as(fps, is_y_up=y_up)
        folder = Path(textures).parent if textures is not None and folder is None else folder
        source = Source(Address.given(os.fspath(into)), ReadingOptions(choice, game=folder))
        target = source.address.path if out is None else Path(out)
        return _into(store, file, scene, source, target, has_libraries=textures is not None)
    if out is None:
        raise UsageError("one of out and into is needed", source="out")
    target = Path(out)
    if suffix_of(file.name) == JSON:
        made = new_resource(store, file)
    else:
        scene = SceneFile.open(store, file).read_as(fps, is_y_up=y_up)
        made = new_files(scene, choice, has_libraries=textures is not None)
    if textures is not None and made.libraries is None:
        raise UsageError("only a model has textures", source="textures")
    if textures is not None and made.libraries is not None:
        library = Path(textures)
        libraries = {library: made.libraries.textures}
        libraries |= {library.with_name(name): data for name, data in made.libraries.others.items()}
        for it in libraries:
            if it.exists():
                raise OutputError("exists already; textures go into new libraries", source=it)
    source = Source(Address(target), ReadingOptions(choice, game=folder))
    advice = "" if replace else "replace=True takes its place"
    planned = plan_new(store, made, source, libraries, advice=advice)
    write(planned.files or ())
    return [*map(str, planned.losses)]


def _into(
    store: FileStore, path: Path, scene: SceneFile | None, source: Source, out: Path, *, has_libraries: bool
) -> list[str]:
    """Write an archive with a new entry, a model of a scene or a resource of JSON; return what is lost."""
    from viewer.model.compare.file_plan import refused  # noqa: PLC0415
    from viewer.operations.imports.importing import has_entry  # noqa: PLC0415
    from viewer.operations.imports.new_model import plan_new_entry, plan_new_resource  # noqa: PLC0415
    from viewer.operations.imports.output import written_import  # noqa: PLC0415
    from viewer.operations.saving import write  # noqa: PLC0415

    address = source.address
    if not address.entries:
        raise UsageError("names no entry, as archive.rlb::crate.msh does", source=f"into: {address}")
    if has_entry(store, address):
        raise UsageError("exists already; Resource.import_from changes it", source=address)
    if scene is None:
        plan = plan_new_resource(store, path, source)
    else:
        plan = plan_new_entry(store, scene, source, makes_libraries=has_libraries)
    if not has_libraries:
        plan = plan.without(plan.library_indices)
    plan = plan.worked_out(store)
    written = written_import(store, plan, out, is_alone=False, has_wear=True)
    if errors := refused(written):
        words = "not written, as it adds errors; the first: {found.source}: {found.diagnostic}"
        raise UsageError(words.format(found=errors[0]), source=address)
    write(written)
    return [*map(str, plan.losses)]


@checked()
def make_patch(before: Name, after: Name, path: Name) -> None:
    """Write what turns one file into another as a patch, which `Resource.apply_patch` applies.

    Parameters
    ----------
    before, after
        Addresses of the two files.
    path
        The JSON file that is written.

    Raises
    ------
    Error
        If one cannot be read, or the patch cannot be written.
    """
    from viewer.model.compare.file_plan import FilePlan  # noqa: PLC0415 not needed for reading
    from viewer.operations.patching import make_patch  # noqa: PLC0415
    from viewer.operations.saving import refuse_sources, write  # noqa: PLC0415

    store = new_workspace().store
    addresses = [Address.given(os.fspath(it)) for it in (before, after)]
    refuse_sources([Path(path)], [it.path for it in addresses])
    patch = make_patch(*map(store.open, addresses))
    write([FilePlan(Path(path), data=patch.encode())])
