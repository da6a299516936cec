"""Models as glTF or OBJ, for ``export``."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from dataclasses import replace
from pathlib import PurePath
from typing import Final

from viewer.cli.converting import incoming
from viewer.cli.converting.formats import Exported, Imported, suffix_of
from viewer.cli.documents import open_document
from viewer.cli.picturing.drawing import add_control
from viewer.cli.usage.arguments import number
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.convert import exchange
from viewer.model.convert.exchange import GLTF, OBJ
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.scene import Clips, Options, Scene
from viewer.model.convert.scene_parts.left_out import notes_of
from viewer.model.convert.source import ModelSource
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import MODEL
from viewer.model.store.file_store import FileStore, Item

ALL: Final = "all"
FASTEST: Final = 1e6
"""Most frames per second."""


def declare_export(parser: ArgumentParser) -> None:
    """Add what of a model is written, and how."""
    group = parser.add_argument_group("models as glTF or OBJ")
    add = group.add_argument
    add("--lod", type=int, choices=range(3), default=0, metavar="L", help="row of the slot matrix, default 0")
    add("--group", type=int, choices=range(5), default=0, metavar="G", help="its column, default 0")
    add(
        "--cells",
        choices=("one", ALL),
        default="one",
        help="glTF: all puts every cell into the file, each as a scene; the chosen one is the default scene",
    )
    add("--no-textures", action="store_true", help="leave the pictures out")
    add("--rest", type=number, default=0.0, metavar="T", help="time of the rest pose in frames, default 0")
    add("--fps", type=_rate, default=FRAME_RATE, metavar="F", help=f"frames a second, default {FRAME_RATE:g}")
    axes = group.add_mutually_exclusive_group()
    axes.add_argument("--y-up", action="store_true", default=None, help="Y is up, the default of glTF")
    axes.add_argument("--z-up", dest="y_up", action="store_false", help="Z is up, the default of OBJ")
    add(
        "--animation",
        choices=[*map(str, Clips)],
        default=str(Clips.STRIP),
        help="glTF: all frames as one animation (default), each clip of the controller as its own, or none",
    )
    add(
        "--keys",
        choices=("frames", "native"),
        default="frames",
        help="glTF: wide turns get keys at whole frames too, as Blender would be off between keys (default); "
        "import leaves them out again; or those of the model alone",
    )
    add_control(parser)


def _rate(text: str) -> float:
    """A number of frames per second."""
    rate = number(text)
    if not 0 < rate <= FASTEST:
        raise ArgumentTypeError(f"{text} is not above 0 and at most {FASTEST:g}")
    return rate


def declare_import(parser: ArgumentParser) -> None:
    """Add how a new model is made."""
    incoming.declare(parser)


def holds(kind: Kind) -> bool:
    """Whether resources of a kind can be exported: models alone."""
    return kind is MODEL


def exported(options: Namespace, store: FileStore, item: Item, name: str) -> Exported:
    """Return a model in the format that the name or the options say."""
    suffix = suffix_of(name, options.format, "-o")
    document = open_document(options, str(item.address), store)
    title = item.entry.text if item.entry else item.address.name
    source = ModelSource(title, document.model, document.choice, document.materials, document.controller)
    scene = scene_of(source, _options(options, suffix))
    return replace(_files(scene, suffix, name), lossy=scene.losses, notes=(*notes_of(source, scene),))


def _options(options: Namespace, suffix: str) -> Options:
    """How the scene is made."""
    return Options(
        cell=(options.lod, options.group),
        has_all_cells=options.cells == ALL and suffix != OBJ,
        has_textures=not options.no_textures,
        has_frame_keys=options.keys == "frames",
        rest=options.rest,
        fps=options.fps,
        is_y_up=suffix != OBJ if options.y_up is None else options.y_up,
        clips=Clips.STRIP if suffix == OBJ else Clips(options.animation),
    )


def _files(scene: Scene, suffix: str, name: str) -> Exported:
    """The files of a scene."""
    if suffix == GLTF and name == "-":
        from viewer.model.convert.gltf.write import gltf_of  # noqa: PLC0415 only for one file that holds all

        return Exported([gltf_of(scene)])
    *beside, (_, data) = exchange.files_of(scene, suffix, PurePath(name).stem).items()
    return Exported([data], {file: [content] for file, content in beside})


def imported(options: Namespace, store: FileStore, item: Item, template: Item | None) -> Imported:
    """Return the model of a file; raises `MshviewError`."""
    return incoming.imported(options, store, item, template)
