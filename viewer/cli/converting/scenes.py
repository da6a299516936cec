"""Models as glTF or OBJ, for ``export``, and the suffixes of all formats."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Final

from viewer.cli.documents import open_document
from viewer.cli.picturing.drawing import add_control
from viewer.cli.usage.arguments import number
from viewer.errors import UsageError, suggestion
from viewer.formats.record import Bytes
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.convert import exchange
from viewer.model.convert.exchange import GLTF, JSON, OBJ, SCENES
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.scene import Clips, Options, Scene
from viewer.model.convert.scene_parts.left_out import notes_of
from viewer.model.convert.source import ModelSource
from viewer.model.store.file_store import FileStore, Item

FORMATS: Final = (*SCENES, JSON)
"""The suffixes of the formats that are exported and imported; JSON is the text of any resource."""
ALL: Final = "all"
FASTEST: Final = 1e6
"""Most frames per second."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A resource in another format.

    Parameters
    ----------
    data
        The bytes of the file, which may come in parts.
    beside
        Further files, by their names, which go into the same folder.
    lossy
        What the format cannot hold, a sentence each.
    notes
        What the user should know of it.
    """

    data: Iterable[Bytes]
    beside: Mapping[str, Iterable[Bytes]] = field(default_factory=dict)
    lossy: Sequence[str] = ()
    notes: Sequence[str] = ()


def suffix_of(name: str, chosen: str | None, option: str) -> str:
    """Return the suffix of a file in a format, or the chosen one; raises `UsageError` for an unknown one.

    `option` is what named the file.
    """
    if chosen is not None:
        return chosen
    suffix = name.rpartition(".")[2].lower() if "." in name else ""
    if suffix in FORMATS:
        return suffix
    known = ", ".join(f".{it}" for it in FORMATS)
    hint = suggestion(suffix, FORMATS) if suffix else ""
    raise UsageError(
        f"{name!r} does not end in one of {known}{hint}; --format names the format", source=option
    )


def declare(parser: ArgumentParser) -> None:
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
