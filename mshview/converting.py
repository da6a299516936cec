"""New files: models of files of other programs, and patches."""

from __future__ import annotations

import os
from pathlib import Path

from mshview.checking import checked
from mshview.workspace import new_workspace
from viewer.dataclass import replace as changed
from viewer.errors import OutputError, UsageError
from viewer.formats.record import Bytes
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.operations.arguments import flag, path_text
from viewer.operations.opening import Source

Name = str | os.PathLike[str]


@checked(out=path_text, textures=path_text, replace=flag, y_up=flag)
def import_file(  # noqa: PLR0913 each is an option of the command line
    path: Name,
    out: Name,
    *,
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
    textures
        A new library for the textures; the materials go into ``Material.lib`` next to it.
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
        If the file cannot be read, is no model, or exists already; then nothing is written.
    """
    from viewer.model.convert.scene_file import JSON, SceneFile, suffix_of  # noqa: PLC0415
    from viewer.operations.imports.importing import new_files, new_resource, plan_new  # noqa: PLC0415

    store, file, target = new_workspace().store, Path(path), Path(out)
    choice, libraries = ReadingChoice(reading), dict[Path, Bytes]()
    if suffix_of(file.name) == JSON:
        made = new_resource(store, file)
    else:
        scene = changed(SceneFile.open(store, file), fps=fps, is_y_up=y_up)
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
    source = Source(Address(target), choice, game=None if game is None else Path(game))
    advice = "" if replace else "replace=True takes its place"
    planned = plan_new(store, made, source, libraries, advice=advice)
    planned.apply()
    return [*map(str, made.losses)]


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
    from viewer.model.patch.making import made  # noqa: PLC0415 not needed for reading
    from viewer.model.store.writing import NewFile  # noqa: PLC0415
    from viewer.model.write import saving  # noqa: PLC0415

    store = new_workspace().store
    old, new = (store.open(Address.given(os.fspath(it))) for it in (before, after))
    patch = made(old.data, new.data, old.address.name)
    saving.write([NewFile(Path(path), patch.encode())])
