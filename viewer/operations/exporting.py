"""Export: a resource as files of another program or as text, all of them made before one is written.

A unit is one scene. `corpus/exports.py` exports the resources of an archive.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import starmap
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import FormatError, OutputError, UsageError
from viewer.formats.record import Bytes
from viewer.model.compare.file_plan import FilePlan
from viewer.model.convert import exchange
from viewer.model.convert.from_model import notes_of, scene_of
from viewer.model.convert.options import Cell, Options, holders
from viewer.model.convert.scene import Scene
from viewer.model.convert.scene_file import JSON, OBJ, SIDECAR
from viewer.model.convert.source import ModelSource
from viewer.model.kinds.registry import ALL_KINDS, MODEL, UNIT, promised_kind
from viewer.model.store.item import Item
from viewer.operations.export_sources import SourceReader
from viewer.operations.given_options import parameters, with_options
from viewer.operations.saving import refuse_sources
from viewer.options import ShellOption, options_of
from viewer.progress import checkpoint
from viewer.translation import _

WHOLE: Final = Options()
ModelReader = Callable[[Item], ModelSource]
"""Reads the model in an item with its materials and clips; raises `MshviewError`."""
SCENE_KINDS: Final = frozenset({MODEL.id, UNIT.id})
"""Kinds that a scene is made of when they are named."""


def _parameter(shell: ShellOption, _value: Any) -> str:
    return shell.parameter


class ExportOptions(Struct, frozen=True):
    """A format, one of `scene_file.SUFFIXES`, and how the scene of a model is made for it."""

    suffix: str
    scene: Options = WHOLE

    @classmethod
    def given(
        cls,
        suffix: str,
        cell: Cell,
        values: Mapping[str, Any],
        configured: Collection[str] = (),
        named: Callable[[ShellOption, Any], str] = _parameter,
    ) -> ExportOptions:
        """Those of a format with the options that the shell or the library give by name.

        Raises `UsageError` for one that the format cannot hold.

        Parameters
        ----------
        configured
            Names of options that a configuration gives, for every format: those are left out instead.
        named
            The name of an option with a value in the message.
        """
        usual = Options(cell=cell, is_y_up=suffix != OBJ)
        scene = with_options(usual, values)
        for name, option in parameters(Options).items():
            known, value, shell = holders(option), option.of(scene), option.option.shell
            if suffix in known or name in configured or value == option.of(usual) or shell is None:
                continue
            formats = ", ".join(f".{it}" for it in known)
            words = _("is not for .{suffix}, but for {formats}", suffix=suffix, formats=formats)
            raise UsageError(words, source=named(shell, value))
        return cls(suffix, scene)

    @property
    def is_scene(self) -> bool:
        """Whether a scene is written; JSON has the bytes of any resource instead."""
        return self.suffix != JSON

    @property
    def possible(self) -> Options:
        """The scene's options without what the format cannot hold."""
        scene = self.scene
        for option in options_of(Options):
            if self.suffix not in holders(option):
                scene = option.set(scene, option.of(WHOLE))
        return scene

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of the resources that files of the format can hold."""
        return frozenset({MODEL.id}) if self.is_scene else ALL_KINDS

    @property
    def what(self) -> str:
        """The name of the resources in messages."""
        return "model" if self.is_scene else "resource"


class Failure(Struct, frozen=True):
    """A resource that cannot be written, and why."""

    name: str
    reason: str


class ExportPreview(Struct, frozen=True):
    """The content of files that are not written yet.

    Attributes
    ----------
    files
        Names and sizes in bytes, the requested file first; the sizes of many are not known before, and are 0.
    nodes, triangles, materials, pictures, clips, frames
        The numbers of these in the scene; all 0 for JSON and for an archive.
    replaced
        Names of files that exist.
    losses, notes
        What the files do not hold, and what the user should know of them.
    refused
        What is left out of many.
    error
        Why it cannot be exported; empty if it can.
    """

    files: tuple[tuple[str, int], ...] = ()
    nodes: int = 0
    triangles: int = 0
    materials: int = 0
    pictures: int = 0
    clips: int = 0
    frames: int = 0
    replaced: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    refused: tuple[Failure, ...] = ()
    error: str = ""

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(size for _ignored, size in self.files)

    @classmethod
    def of_names(cls, folder: Path, names: Iterable[str], sizes: Iterable[int] = ()) -> ExportPreview:
        """The preview of files by their names, with the sizes that are known."""
        names, sizes = [*names], [*sizes]
        try:
            existing = {path.name for path in folder.iterdir()}
        except OSError:  # a folder that does not exist yet
            existing = set()
        files = tuple(zip(names, sizes or [0] * len(names), strict=True))
        return cls(files, replaced=tuple(it for it in names if it in existing))


class ResourceText(Struct, frozen=True):
    """The JSON of a resource, made in parts as it is written: it is several times as long as the bytes."""

    item: Item

    def __iter__(self) -> Iterator[bytes]:
        """Yield the parts; raises `FormatError`."""
        from viewer.model.convert.text.writing import text_of  # noqa: PLC0415 only JSON needs it

        it = self.item
        return (part.encode() for part in text_of(promised_kind(it), it.data, it.entry))

    def __len__(self) -> int:
        """The number of bytes."""
        return sum(map(len, self))


class ExportPlan(Struct, frozen=True):
    """The files of one resource, which appear together or not at all.

    Attributes
    ----------
    path
        The requested file.
    files
        The plans of all files; the last is the requested one, and names the others.
    scene
        The scene in them; None for JSON.
    notes
        What the user should know of them.
    """

    path: Path
    files: tuple[FilePlan, ...]
    scene: Scene | None = None
    notes: tuple[str, ...] = ()

    @property
    def losses(self) -> tuple[str, ...]:
        """The losses of the files, a sentence each."""
        return () if self.scene is None else self.scene.losses

    @property
    def preview(self) -> ExportPreview:
        """The content of the files."""
        files = self.files[::-1]
        names = [it.path.name for it in files]
        found = ExportPreview.of_names(self.path.parent, names, (it.size_after for it in files))
        scene = self.scene
        if scene is None:
            return found
        shown = zip(scene.nodes, scene.chosen.shown, strict=True)
        meshes = [scene.meshes[node.cells[cell]] for node, cell in shown if cell is not None]
        is_moving = f"{self.path.stem}.{OBJ}" not in names and any(it.track is not None for it in scene.nodes)
        return replace(
            found,
            nodes=len(scene.nodes),
            triangles=sum(len(part.triangles) for mesh in meshes for part in mesh.primitives),
            materials=len(scene.materials),
            pictures=len(scene.images),
            clips=len(scene.clips) if is_moving else 0,
            frames=scene.frame_count if is_moving else 1,
            losses=scene.losses,
            notes=self.notes,
        )


def _planned(path: Path, data: Bytes | Iterable[bytes]) -> FilePlan:
    """The plan of a file: as a sidecar, which nobody has named, it keeps what another program has there."""
    return FilePlan(path, data=data, has_backup=_is_foreign_sidecar(path))


def _is_foreign_sidecar(path: Path) -> bool:
    if not path.name.endswith(SIDECAR) or not path.exists():
        return False
    from viewer.model.convert.obj.frame import is_sidecar  # noqa: PLC0415 only OBJ has sidecars

    return not is_sidecar(path)


def plan_export(
    item: Item,
    options: ExportOptions,
    path: Path,
    read: SourceReader,
    *,
    is_alone: bool = False,
) -> ExportPlan:
    """The files of one resource; raises `MshviewError`, also for the file that holds the resource.

    Parameters
    ----------
    is_alone
        Whether one file has to hold everything, as on standard output; raises `UsageError` for a format that
        cannot.
    """
    kind = promised_kind(item)
    if not is_alone:
        refuse_sources([path], [item.address.path])
    if not options.is_scene:
        return ExportPlan(path, (_planned(path, ResourceText(item)),))
    notes: tuple[str, ...] = (str(STILL),)
    if kind is UNIT:
        scene = read.unit(item, options.possible)
    elif kind is MODEL:
        source = read(item)
        scene = scene_of(source, options.possible)
        notes = tuple(notes_of(source, scene))
    else:
        raise FormatError(_("is no model, and .{suffix} holds models only", suffix=options.suffix))
    checkpoint()
    *others, (_ignored, data) = exchange.files_of(scene, options.suffix, path.stem, is_alone=is_alone).items()
    if is_alone and others:
        raise UsageError("the format has several files, which standard output cannot take", source="-o")
    if path.name in dict(others):  # `-o a.bin --format gltf`, whose buffer is a.bin too
        raise OutputError("is the name of a file next to it too", source=path)
    checkpoint()
    files = (*((path.with_name(name), it) for name, it in others), (path, data))
    if not is_alone:
        refuse_sources((it for it, _data in files), [item.address.path])
    return ExportPlan(path, tuple(starmap(_planned, files)), scene, notes)


STILL = _("the chassis alone moves: the other parts are as they are at time 0, on their sockets")
