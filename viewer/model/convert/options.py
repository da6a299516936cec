"""Options of an export: how the scene of a model is made."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, get_args

from msgspec import Struct

from viewer.model.clips.clip import FRAME_RATE
from viewer.model.convert.scene_file import GLB, GLTF, SCENES, FrameRate
from viewer.options import Declared, Option, ShellOption
from viewer.translation import _

OF_EXPORT: Final = "export"
"""The section of the check boxes and the fields of numbers in the export window."""
Cell = tuple[int, int]
"""Row and column of the slot matrix."""


class HeldBy(Struct, frozen=True):
    """The formats whose files can hold an option, by their suffixes; those of all scenes can without it."""

    suffixes: tuple[str, ...]


IN_GLTF: Final = HeldBy((GLB, GLTF))


def holders(option: Declared) -> tuple[str, ...]:
    """The suffixes of the formats whose files can hold an option of `Options`."""
    said = (it.suffixes for it in get_args(option.kind)[1:] if isinstance(it, HeldBy))
    return next(said, SCENES)


class Clips(StrEnum):
    """Division of the animation."""

    STRIP = "strip"
    CLIPS = "clips"
    NONE = "none"


class Options(Struct, frozen=True):
    """Options of making a scene from a model; kept in the file, so that it can be made again for comparison.

    Attributes
    ----------
    cell
        What the nodes show.
    has_all_cells
        Whether the other cells are in the file too.
    has_textures
        Whether images are.
    has_frame_keys
        Whether wide turns get keys at whole frames, for programs that do not turn evenly.
    rest
        Time of the rest pose, frames.
    fps
        Frames per second.
    is_y_up
        Whether the file has Y up; Z otherwise.
    clips
        How the animation is divided.
    nodes
        The nodes that are written, with the parents they need; None for all.
    """

    cell: Cell = (0, 0)
    has_all_cells: Annotated[
        bool,
        IN_GLTF,
        Option(
            shell=ShellOption(
                "--cells",
                _(
                    "glTF: all puts every cell into the file, each as a scene; the chosen one is the default "
                    "scene"
                ),
                states=("one", "all"),
                keyword="all_cells",
            )
        ),
    ] = False
    has_textures: Annotated[
        bool,
        Option(
            _("Textures"),
            (_("Pictures of the materials, as PNG."),),
            section=OF_EXPORT,
            shell=ShellOption("--no-textures", _("leave the pictures out"), is_flag=True, keyword="textures"),
        ),
    ] = True
    has_frame_keys: Annotated[
        bool,
        IN_GLTF,
        Option(
            shell=ShellOption(
                "--keys",
                _(
                    "glTF: wide turns get keys at whole frames too, as Blender would be off between keys "
                    "(default); import leaves them out again; or those of the model alone"
                ),
                states=("native", "frames"),
                keyword="frame_keys",
            )
        ),
    ] = True
    rest: Annotated[
        float,
        Option(shell=ShellOption("--rest", _("time of the rest pose in frames, default 0"), metavar="T")),
    ] = 0.0
    fps: Annotated[
        FrameRate,
        IN_GLTF,
        Option(
            shell=ShellOption(
                "--fps",
                _("glTF: frames a second, default {frame_rate:g}", frame_rate=FRAME_RATE),
                metavar="F",
            )
        ),
    ] = float(FRAME_RATE)
    is_y_up: Annotated[
        bool,
        Option(
            shell=ShellOption(
                "--y-up",
                _("Y is up, the default of glTF"),
                is_flag=True,
                opposite=("--z-up", _("Z is up, the default of OBJ")),
            )
        ),
    ] = True
    clips: Annotated[
        Clips,
        IN_GLTF,
        Option(
            shell=ShellOption(
                "--animation",
                _(
                    "glTF: all frames as one animation (default), each clip of the controller as its own, "
                    "or none"
                ),
            )
        ),
    ] = Clips.STRIP
    nodes: frozenset[int] | None = None
