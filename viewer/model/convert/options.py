"""Options of an export: how the scene of a model is made."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from msgspec import Struct

from viewer.model.clips.clip import FRAME_RATE
from viewer.model.convert.export_option import ExportOption
from viewer.translation import _
from viewer.typed_json import Limits

Cell = tuple[int, int]
"""Row and column of the slot matrix."""
SLOWEST, FASTEST = 1e-6, 1e6
"""Bounds of the frames per second."""


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
        ExportOption(
            "--cells",
            _(
                "glTF: all puts every cell into the file, each as a scene; the chosen one is the default "
                "scene"
            ),
            "all_cells",
            words=("one", "all"),
        ),
    ] = False
    has_textures: Annotated[
        bool,
        ExportOption(
            "--no-textures",
            _("leave the pictures out"),
            "textures",
            title=_("Textures"),
            hint=_("Pictures of the materials, as PNG."),
        ),
    ] = True
    has_frame_keys: Annotated[
        bool,
        ExportOption(
            "--keys",
            _(
                "glTF: wide turns get keys at whole frames too, as Blender would be off between keys "
                "(default); import leaves them out again; or those of the model alone"
            ),
            "frame_keys",
            words=("native", "frames"),
        ),
    ] = True
    rest: Annotated[
        float, ExportOption("--rest", _("time of the rest pose in frames, default 0"), "rest", metavar="T")
    ] = 0.0
    fps: Annotated[
        float,
        Limits(FASTEST, SLOWEST),
        ExportOption(
            "--fps",
            _("frames a second, default {frame_rate:g}", frame_rate=FRAME_RATE),
            "fps",
            metavar="F",
        ),
    ] = float(FRAME_RATE)
    is_y_up: Annotated[
        bool,
        ExportOption(
            "--y-up",
            _("Y is up, the default of glTF"),
            "y_up",
            opposite=("--z-up", _("Z is up, the default of OBJ")),
        ),
    ] = True
    clips: Annotated[
        Clips,
        ExportOption(
            "--animation",
            _("glTF: all frames as one animation (default), each clip of the controller as its own, or none"),
            "animation",
        ),
    ] = Clips.STRIP
    nodes: frozenset[int] | None = None
