"""The formats of other programs by the suffix of their files: how each is written, read, and checked."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Final

from msgspec import Struct

from viewer.errors import MshviewError
from viewer.formats.archive.nres import Entry
from viewer.formats.archive.rsli import PackedEntry
from viewer.formats.splice import same_bytes
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.options import Options
from viewer.model.convert.scene import Scene
from viewer.model.convert.scene_file import GLB, GLTF, JSON, OBJ, SceneFile, nothing
from viewer.model.convert.source import ModelSource, lightmaps_of
from viewer.model.kinds.registry import MODEL
from viewer.progress import checkpoint
from viewer.translation import _


def files_of(scene: Scene, suffix: str, stem: str, *, is_alone: bool = False) -> dict[str, bytes]:
    """The files of a scene by name; the last is the requested one, the others are those that it names.

    Parameters
    ----------
    stem
        Its name without the suffix.
    is_alone
        Whether one file holds everything, if the format can do that.
    """
    if suffix == OBJ:
        from viewer.model.convert.obj import write as obj  # noqa: PLC0415 only one format is needed

        found = obj.files_of(scene, stem)
        return found | {f"{stem}.{OBJ}": found.pop(f"{stem}.{OBJ}")}
    from viewer.model.convert.gltf import write as gltf  # noqa: PLC0415 only one format is needed

    if suffix == GLB:
        return {f"{stem}.{GLB}": gltf.glb_of(scene)}
    return {f"{stem}.{GLTF}": gltf.gltf_of(scene)} if is_alone else gltf.files_of(scene, stem)


def read(file: SceneFile, template: ModelSource | None = None) -> Scene:
    """The scene in a file; raises `FormatError` with the place in it.

    Parameters
    ----------
    template
        The model that the file is compared with.
    """
    data = memoryview(file.data)
    if file.suffix == OBJ:
        from viewer.model.convert.obj import read as obj  # noqa: PLC0415 only one format is needed
        from viewer.model.convert.obj.frame import frame_of  # noqa: PLC0415

        return obj.read(data, frame_of(file, template), file.next_to, has_axis=file.is_y_up is not None)
    from viewer.model.convert.gltf import read as gltf  # noqa: PLC0415 only one format is needed

    lightmaps = () if template is None else lightmaps_of(template)
    fps = file.fps or gltf.FPS
    return gltf.read(data, file.next_to, fps=fps, is_y_up=file.is_y_up, lightmaps=lightmaps)


STEM: Final = "model"


class RoundTrip(Struct, frozen=True):
    """The result of a model's way through one format and back.

    Parameters
    ----------
    suffix
        The format.
    size
        Bytes of all files.
    seconds_out, seconds_in
        Time for writing them, and for reading and comparing them.
    is_identical
        Whether the model has the same bytes again.
    differences
        What differs, a sentence each; the error if it failed.
    losses
        What the format cannot hold, a sentence each.
    """

    suffix: str
    size: int = 0
    seconds_out: float = 0.0
    seconds_in: float = 0.0
    is_identical: bool = False
    differences: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()


def round_trip(source: ModelSource, suffix: str, entry: Entry | PackedEntry | None = None) -> RoundTrip:
    """The way of a model through a format and back, in memory; an error becomes a difference.

    Parameters
    ----------
    entry
        What the directory of its archive says of it.
    """
    checkpoint()
    try:
        return _text(source, entry) if suffix == JSON else _scene(source, suffix)
    except MshviewError as error:
        return RoundTrip(suffix, differences=(error.text,))


def _text(source: ModelSource, entry: Entry | PackedEntry | None) -> RoundTrip:
    from viewer.model.convert.text.reading import bytes_of  # noqa: PLC0415 only JSON needs it
    from viewer.model.convert.text.writing import text_of  # noqa: PLC0415

    started = perf_counter()
    text = "".join(text_of(MODEL, source.data, entry)).encode()
    written = perf_counter()
    after = bytes_of(text)
    is_same = same_bytes(after, source.data)
    told = () if is_same else (_("the bytes are others"),)
    return RoundTrip(JSON, len(text), written - started, perf_counter() - written, is_same, told)


def _scene(source: ModelSource, suffix: str) -> RoundTrip:
    """A scene with all cells that the format holds, and without images, which no model has."""
    from viewer.model.convert.importing.importer import changes_of  # noqa: PLC0415 export needs only the way out
    from viewer.model.edit.draft import Draft  # noqa: PLC0415
    from viewer.model.edit.plan import plan  # noqa: PLC0415

    started = perf_counter()
    options = Options(has_all_cells=suffix != OBJ, has_textures=False, is_y_up=suffix != OBJ)
    files = files_of(scene_of(source, options), suffix, STEM)
    written = perf_counter()
    checkpoint()

    def resolver(name: str) -> bytes:
        return files[name] if name in files else nothing(name)

    main = f"{STEM}.{suffix}"
    given = read(SceneFile(Path(main), files[main], suffix, resolver), source)
    found = changes_of(source, given, source.wear_names)
    made = plan(Draft(MODEL, source.data, resolved=source.choice, value=source.model), found.changes)
    words = (*(it.words for it in found.wear), *(step.change.words for step in made.steps))
    is_same = not found.wear and same_bytes(made.after, source.data)
    size = sum(map(len, files.values()))
    times = (written - started, perf_counter() - written)
    return RoundTrip(suffix, size, *times, is_same, () if is_same else words, (*found.losses, *found.notes))
