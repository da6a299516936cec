"""How the document is looked at: one immutable value, and the functions that make the next one.

Panels never assign: they queue a function from one `ViewState` to the next, applied after all
panels have drawn. A picture is a function of a document and a `ViewState`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from viewer.session.selection import Selection
from viewer.session.view.camera import Camera
from viewer.session.view.material_play import MaterialPlay
from viewer.session.view.texture_switches import TextureSwitches

LOD_COUNT: Final = 3
GROUP_COUNT: Final = 5
FRAME_RATE: Final = 15.0
"""Frames in a second of the game; its own rate is unknown."""
Cell = tuple[int, int]
"""LOD and group."""
SAMPLES: Final = (1, 2, 4, 8)
"""Samples per pixel to choose from."""
_NO_OVERRIDES: Final[Mapping[int, Cell]] = MappingProxyType({})


class Shading(StrEnum):
    """What gives a pixel its colour; the values are saved."""

    TEXTURED = "textured"
    LIT = "lit"
    UNLIT = "unlit"
    ALBEDO = "albedo"
    LIGHTMAP = "lightmap"
    ALPHA = "alpha"
    UV_CHECKER = "uv-checker"
    STREAM18 = "stream18"
    NORMALS = "normals"
    WIREFRAME = "wireframe"
    NODE = "node"
    BATCH = "batch"
    MATERIAL = "material"


class Overlay(StrEnum):
    """What is drawn in addition to the model; the values are saved."""

    GRID = "grid"
    AXES = "axes"
    NODE_AXES = "node_axes"
    BONES = "bones"
    SLOT_BOUNDS = "slot_bounds"
    HEADER_BOUNDS = "header_bounds"
    EDGES = "edges"
    NORMALS = "vertex_normals"


class Background(StrEnum):
    """What is behind the model; the values are saved."""

    DARK = "dark"
    LIGHT = "light"
    TRANSPARENT = "transparent"


class Loop(StrEnum):
    """What happens at the last frame; the values are saved."""

    LOOP = "loop"
    ONCE = "once"
    PING_PONG = "ping-pong"


@dataclass(frozen=True, slots=True)
class ViewState:
    """Everything that decides a picture besides the document.

    Parameters
    ----------
    lod, group
        The cell of the slot matrix that is shown, 0 to 2 and 0 to 4.
    overrides
        Nodes that show another cell.
    hidden, isolated
        Nodes left out; where `isolated` is a set, all nodes outside it are left out too.
    flash, flash_time
        Batches that flash while the pointer rests on what stands for them, and seconds since they began.
    time
        In frames, 0 to the last frame.
    past
        Frames of the laps before this one: at the end of a loop the nodes start over and the materials go
        on. It is 0 wherever a time is gone to, so that a time alone tells what is seen there.
    speed
        Frames per second; at `FRAME_RATE` the model moves as it does in the game, as far as we know.
    materials
        Which materials show another variant, and which of them stand still.
    is_reversed
        Ping-pong is on its way back.
    samples
        Samples per pixel; the renderer takes as many as it can up to this.
    """

    lod: int = 0
    group: int = 0
    overrides: Mapping[int, Cell] = field(default_factory=lambda: _NO_OVERRIDES)
    shading: Shading = Shading.TEXTURED
    textures: TextureSwitches = field(default_factory=TextureSwitches)
    overlays: frozenset[Overlay] = frozenset({Overlay.GRID, Overlay.AXES})
    background: Background = Background.DARK
    samples: int = 4
    hidden: frozenset[int] = frozenset()
    isolated: frozenset[int] | None = None
    selection: Selection = field(default_factory=Selection)
    flash: frozenset[int] = frozenset()
    flash_time: float = 0.0
    camera: Camera = field(default_factory=Camera)
    time: float = 0.0
    past: float = 0.0
    is_playing: bool = False
    is_reversed: bool = False
    speed: float = FRAME_RATE
    loop: Loop = Loop.LOOP
    materials: MaterialPlay = field(default_factory=MaterialPlay)

    def shows(self, node: int) -> bool:
        """Tell whether a node is neither hidden nor outside what is isolated."""
        return node not in self.hidden and (self.isolated is None or node in self.isolated)

    def cell(self, node: int) -> Cell:
        """LOD and group that a node shows."""
        return self.overrides.get(node, (self.lod, self.group))


def with_cell(view: ViewState, lod: int, group: int) -> ViewState:
    """Show a cell of the slot matrix; out of range stops at the nearest."""
    return replace(view, lod=min(max(lod, 0), LOD_COUNT - 1), group=min(max(group, 0), GROUP_COUNT - 1))


def with_override(view: ViewState, node: int, cell: Cell | None) -> ViewState:
    """Let one node show another cell; None lets it follow the rest again."""
    others = {other: at for other, at in view.overrides.items() if other != node}
    return replace(view, overrides=MappingProxyType(others if cell is None else {**others, node: cell}))


def toggle_overlay(view: ViewState, overlay: Overlay) -> ViewState:
    """Show an overlay that was not shown, or stop showing it."""
    return replace(view, overlays=view.overlays ^ {overlay})


def next_shading(view: ViewState, step: int = 1) -> ViewState:
    """Go on to the next way of shading, round and round."""
    modes = list(Shading)
    return replace(view, shading=modes[(modes.index(view.shading) + step) % len(modes)])


def hide(view: ViewState, nodes: Iterable[int]) -> ViewState:
    """Leave out more nodes."""
    return replace(view, hidden=view.hidden | frozenset(nodes))


def show(view: ViewState, nodes: Iterable[int]) -> ViewState:
    """Leave out these nodes no longer."""
    return replace(view, hidden=view.hidden - frozenset(nodes))


def show_all(view: ViewState) -> ViewState:
    """Leave out nothing."""
    return replace(view, hidden=frozenset(), isolated=None)


def isolate(view: ViewState, nodes: Iterable[int]) -> ViewState:
    """Leave out everything but these nodes; the same nodes again, or none, bring the rest back."""
    chosen = frozenset(nodes)
    return replace(view, isolated=None if not chosen or chosen == view.isolated else chosen)


def for_document(view: ViewState) -> ViewState:
    """What stays of a view when another document is opened: nothing that names its nodes."""
    return replace(
        view,
        overrides=_NO_OVERRIDES,
        hidden=frozenset(),
        isolated=None,
        selection=Selection(),
        flash=frozenset(),
        flash_time=0.0,
        time=0.0,
        past=0.0,
        materials=MaterialPlay(),
    )
