"""The view of a document: one immutable value, and the functions that make the next one.

Panels never assign: they queue a function from one `ViewState` to the next, applied after all
panels have drawn. An image is a function of a document and a `ViewState`.

Source: spec/field-notes.md 3 (the parts that are drawn).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any, Final

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from viewer.formats.msh.guesses import NO_GUESSES
from viewer.geometry.transforms import point_of
from viewer.model.clips.clip import FRAME_RATE
from viewer.model.mesh.pose.animation import Pose
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.mesh.shown import NO_OVERRIDES, OWN_VIEW, Cell, PartChoice
from viewer.options import OF_SETTINGS, Lifetime, MenuEntry, Option, OptionChoice, ShellOption
from viewer.session.options import OF_TAB, is_shared, is_stored, outlives_document, taking
from viewer.session.play.material_play import MaterialPlay
from viewer.session.play.playback import (
    FASTEST,
    SLOWEST,
    FrameRange,
    Ghosts,
    Playback,
    Rgb,
    UnitPlay,
    with_value,
)
from viewer.session.selection import Selection
from viewer.session.view.camera import FAR, Camera, Coordinate
from viewer.session.view.options import background as background_options
from viewer.session.view.options import section as section_plane
from viewer.session.view.options.background import Background, tone_of
from viewer.session.view.options.drawn_parts import DrawnParts
from viewer.session.view.options.lighting import Lighting
from viewer.session.view.options.overlays import DRAWN, OVERLAYS, Overlay
from viewer.session.view.options.section import SectionAxis
from viewer.session.view.options.shading import SHADINGS, Shading
from viewer.session.view.options.textures import TextureSwitches
from viewer.session.view.options.triangle_lab import TriangleLab
from viewer.translation import _
from viewer.typed_json import Allowed, Limits

OWN_VIEW_PLANES: Final = (0.05, 10.0)
"""Near and far plane of the own view, model units."""


class HeldNode(Struct, frozen=True):
    """Place at which a node is held, instead of that of its keys.

    Parameters
    ----------
    local
        ``parent_from_node`` row by row, 16 numbers.
    """

    node: int
    local: tuple[float, ...]

    def shown_in(self, pose: Pose, skeleton: Skeleton) -> Pose:
        """The pose with the node, and all that is under it, where it is held."""
        if not 0 <= self.node < len(pose.local):
            return pose
        local = pose.local.copy()
        local[self.node] = np.array(self.local, np.float32).reshape(4, 4)
        return replace(pose, local=local, world=skeleton.world_from_node(local))


LOD_COUNT: Final = 3
GROUP_COUNT: Final = 5
SAMPLES: Final = (1, 2, 4, 8)
"""Samples per pixel to choose from."""


class Loop(StrEnum):
    """Behavior at the last frame; the values are saved."""

    LOOP = "loop"
    ONCE = "once"
    PING_PONG = "ping-pong"


def _shown_usually(_before: ViewState, after: ViewState) -> ViewState:
    """The view with all files in its shading."""
    return replace(after, usual=replace(after.usual, shading=None))


def _forwards_again(before: ViewState, after: ViewState) -> ViewState:
    """The view played forwards if it was in a ping-pong, which alone turns back."""
    return replace(after, is_reversed=after.is_reversed and before.loop is not Loop.PING_PONG)


class Usual(Struct, frozen=True):
    """The shading and cell of other files, while one file is shown in another way.

    Parameters
    ----------
    shading
        The shading of other files; None if this file has the same.
    cell
        The LOD and group of other files; None if this file has the same.
    """

    shading: Shading | None = None
    cell: Cell | None = None


class ViewState(Struct, frozen=True):
    """The view of a document: with the document it determines an image.

    Parameters
    ----------
    lod, group
        The requested cell of the slot matrix: its row 0 to 2 and its column 0 to 4.
    drawn
        How the parts of a model are chosen from that.
    overrides
        Nodes that show exactly another cell.
    laid_over
        Other cells that are shown over that, translucent in a color each.
    hidden, isolated
        Nodes that are not shown, and those that are shown alone; of a unit, components, as the selected
        ones; of an effect, blocks are selected.
    flash, flash_time
        Batches that flash while the pointer is on their row or link, and seconds since the flash began.
    time
        In frames, 0 to the last frame.
    frames
        The marked frames that are played; None plays all of them.
    past
        Frames elapsed in earlier loops, for the materials, which continue when the nodes start over.
        Reset to 0 by seeking, so that `time` alone determines the image.
    speed
        Frames per second of the strip; a clip is played in its own time at `FRAME_RATE`.
    playback
        The clip, the channels and the root.
    materials
        Variants and frozen materials.
    is_reversed
        It plays backwards, in ping-pong until the next end.
    background, background_color
        What lies behind everything, and the color of an own background.
    has_view_cube
        The viewport has a cube that shows the direction of the camera.
    usual
        What other files are shown in, if this one differs: ``Show without textures`` for a damaged one.
    followed, held
        The node that the camera moves along with, one that is being moved with the mouse; None for none.
    snaps_to_frames
        Scrubbing goes from frame to frame.
    ghosts
        The other times that are shown too, if their overlay is.
    lab, unit
        The query of triangles that is shown; what applies to the parts of a unit.
    guesses
        What tables of unknown meaning are looked at as.
    section, section_offset, is_section_flipped
        The axis that a plane cuts models across, where, and whether the larger coordinates are kept; without
        an offset it runs through what the camera looks at.
    samples
        Samples per pixel; the renderer uses the highest supported number up to this.
    """

    lod: Annotated[int, Limits(LOD_COUNT - 1), Option(lasts=Lifetime.TAB, link="lod")] = 0
    group: Annotated[int, Limits(GROUP_COUNT - 1), Option(lasts=Lifetime.TAB, link="group")] = 0
    drawn: DrawnParts = field(default_factory=DrawnParts)
    overrides: Mapping[int, Cell] = field(default_factory=lambda: NO_OVERRIDES)
    laid_over: frozenset[Cell] = frozenset()
    time: Annotated[float, Limits(FAR), Option(lasts=Lifetime.DOCUMENT, link="time")] = 0.0
    camera: Annotated[Camera, OF_TAB] = field(default_factory=Camera)
    shading: Annotated[
        Shading,
        Option(
            _("Shading"),
            (_("{next}: next, {previous}: previous", next="M", previous="Shift+M"),),
            stored="shading",
            link="shading",
            choices=SHADINGS,
            action=MenuEntry("view.shading"),
            has_button=True,
            shell=ShellOption("--shading", _("one of %(choices)s; {unless}"), metavar="MODE"),
            settles=_shown_usually,
        ),
    ] = Shading.TEXTURED
    lighting: Lighting = field(default_factory=Lighting)
    textures: TextureSwitches = field(default_factory=TextureSwitches)
    overlays: Annotated[
        frozenset[Overlay],
        Option(
            _("Overlays"),
            stored="overlays",
            link="show",
            choices=OVERLAYS,
            action=MenuEntry("view.overlay", menu="view.overlays"),
            shell=ShellOption(
                "--show",
                _("show also, separated by commas: {names}; {{unless}}", names=DRAWN),
                usual=_("default nothing"),
                metavar="LIST",
            ),
        ),
    ] = frozenset({Overlay.GRID, Overlay.AXES})
    has_view_cube: Annotated[
        bool,
        Option(_("View cube"), stored="has_view_cube", action=MenuEntry("view.cube", menu="view.camera")),
    ] = True
    background: Annotated[Background, background_options.KIND] = Background.DARK
    background_color: Annotated[Rgb, background_options.COLOR] = (0.16, 0.22, 0.29)
    section: Annotated[SectionAxis, section_plane.AXIS] = SectionAxis.OFF
    section_offset: Annotated[Coordinate | None, section_plane.OFFSET] = None
    is_section_flipped: Annotated[bool, section_plane.FLIP] = False
    samples: Annotated[
        int,
        Allowed(SAMPLES),
        Option(
            _("anti-aliasing"),
            (_("Samples per pixel: more are smoother and slower."),),
            stored="samples",
            section=OF_SETTINGS,
        ),
    ] = 4
    hidden: frozenset[int] = frozenset()
    isolated: frozenset[int] | None = None
    selection: Selection = field(default_factory=Selection)
    flash: frozenset[int] = frozenset()
    flash_time: float = 0.0
    frames: FrameRange | None = None
    past: float = 0.0
    is_playing: Annotated[bool, OF_TAB] = False
    is_reversed: Annotated[bool, OF_TAB] = False
    speed: Annotated[
        float, Limits(FASTEST, SLOWEST), Option(_("playback speed"), stored="speed", section=OF_SETTINGS)
    ] = FRAME_RATE
    loop: Annotated[
        Loop,
        Option(
            _("Playback mode"),
            (_("{key}: toggle ping-pong", key="P"),),
            stored="loop",
            choices=(
                OptionChoice(Loop.LOOP, _("Loop"), icon="repeat"),
                OptionChoice(Loop.ONCE, _("Play once"), icon="arrow-right-long"),
                OptionChoice(Loop.PING_PONG, _("Ping-pong"), icon="right-left"),
            ),
            action=MenuEntry("playback.mode", menu="playback", begins_group=True),
            settles=_forwards_again,
        ),
    ] = Loop.LOOP
    materials: MaterialPlay = field(default_factory=MaterialPlay)
    playback: Playback = field(default_factory=Playback)
    usual: Usual = field(default_factory=Usual)
    followed: Annotated[int | None, OF_TAB] = None
    held: Annotated[HeldNode | None, OF_TAB] = None
    snaps_to_frames: Annotated[bool, Option(stored="snaps_to_frames")] = True
    ghosts: Ghosts = field(default_factory=Ghosts)
    lab: TriangleLab = field(default_factory=TriangleLab)
    unit: UnitPlay = field(default_factory=UnitPlay)
    guesses: Annotated[Mapping[str, str], Option(link="guesses")] = field(default_factory=lambda: NO_GUESSES)

    @property
    def usual_shading(self) -> Shading:
        """The shading of the other files."""
        return self.usual.shading or self.shading

    @property
    def usual_cell(self) -> Cell:
        """LOD and group of the other files."""
        return self.usual.cell or (self.lod, self.group)

    @property
    def tone(self) -> Background:
        """The background whose colors of lines and letters are seen on that of the view."""
        return tone_of(self.background, self.background_color)

    @property
    def shows_portals(self) -> bool:
        """Whether portals of all kinds are shown, not signs alone."""
        return Overlay.PORTALS in self.overlays

    @property
    def parts(self) -> PartChoice:
        """The choice of the parts that are shown."""
        return PartChoice(
            lod=self.lod,
            group=OWN_VIEW if self.drawn.is_own_view else self.group,
            rule=self.drawn.cells,
            is_destroyed=self.drawn.is_destroyed,
            cutaway=self.drawn.cutaway,
            overrides=self.overrides,
            hidden=self.hidden,
            isolated=self.isolated,
            batches=self.lab.batches,
        )


def with_lod(view: ViewState, lod: int) -> ViewState:
    """Show a LOD, clamped to the rows of the slot matrix; the model is not destroyed."""
    usual = replace(view.usual, cell=None)
    view = replace(view, lod=min(max(lod, 0), LOD_COUNT - 1), usual=usual)
    return with_drawn(view, is_destroyed=False)


def with_destruction(view: ViewState) -> ViewState:
    """Show the model at life 0."""
    return with_drawn(view, is_destroyed=True)


def step_lod(view: ViewState, step: int) -> ViewState:
    """Show the next LOD, or with step -1 the previous one; the destruction comes after the last."""
    if view.drawn.is_destroyed:
        return view if step > 0 else with_lod(view, LOD_COUNT + step)
    return with_lod(view, view.lod + step)


def with_group(view: ViewState, group: int) -> ViewState:
    """Show a group, clamped to the columns of the slot matrix, from outside."""
    view = replace(view, group=min(max(group, 0), GROUP_COUNT - 1), usual=replace(view.usual, cell=None))
    return with_drawn(view, has_auto_detail=False, is_own_view=False)


def with_cell(view: ViewState, lod: int, group: int) -> ViewState:
    """Show a cell of the slot matrix, clamped to its range."""
    return with_group(with_lod(view, lod), group)


def with_cell_here(view: ViewState, lod: int, group: int) -> ViewState:
    """Show another cell of the slot matrix in this file alone, as it has nothing in the usual one."""
    if (lod, group) == (view.lod, view.group):
        return view
    usual = replace(view.usual, cell=view.usual_cell)
    return replace(with_cell(view, lod, group), usual=usual)


def with_drawn(view: ViewState, **fields: Any) -> ViewState:
    """Choose the parts of a model in another way."""
    return replace(view, drawn=replace(view.drawn, **fields))


def with_override(view: ViewState, node: int, cell: Cell | None) -> ViewState:
    """Override the cell of one node; None removes the override."""
    return replace(view, overrides=with_value(view.overrides, node, cell))


def toggle_following(view: ViewState) -> ViewState:
    """Let the camera follow the active node, by default the first one, or follow none any more."""
    return replace(view, followed=(view.selection.node or 0) if view.followed is None else None)


def following(view: ViewState, before: Pose, after: Pose) -> ViewState:
    """The view after another pose of the same model: its camera has moved with the node that it follows."""
    node = view.followed
    if node is None or node >= min(len(before.world), len(after.world)):
        return view
    way = after.world[node, :3, 3].astype(np.float64) - before.world[node, :3, 3]
    target = point_of(np.asarray(view.camera.target) + way)
    return replace(view, camera=replace(view.camera, target=target))


def toggle_overlay(view: ViewState, overlay: Overlay) -> ViewState:
    """Show or hide an overlay."""
    return replace(view, overlays=view.overlays ^ {overlay})


def with_shading(view: ViewState, mode: Shading) -> ViewState:
    """Show all files in a shading mode."""
    return _shown_usually(view, replace(view, shading=mode))


def with_shading_here(view: ViewState, mode: Shading) -> ViewState:
    """Show this file alone in a shading mode."""
    return replace(view, shading=mode, usual=replace(view.usual, shading=view.usual_shading))


def next_shading(view: ViewState, step: int = 1, among: Iterable[Shading] = Shading) -> ViewState:
    """Switch to the next shading mode of some, cyclically; `step` is 1 or -1."""
    modes, chosen = list(Shading), set(among) | {view.shading}
    index = (modes.index(view.shading) + step) % len(modes)
    while modes[index] not in chosen:
        index = (index + step) % len(modes)
    return with_shading(view, modes[index])


def hide(view: ViewState, nodes: Iterable[int]) -> ViewState:
    """The view with more nodes hidden."""
    return replace(view, hidden=view.hidden | frozenset(nodes))


def show(view: ViewState, nodes: Iterable[int]) -> ViewState:
    """The view with some hidden nodes shown again."""
    return replace(view, hidden=view.hidden - frozenset(nodes))


def show_all(view: ViewState) -> ViewState:
    """The view with all nodes shown."""
    return replace(view, hidden=frozenset(), isolated=None)


def isolate(view: ViewState, nodes: Iterable[int]) -> ViewState:
    """Show only these nodes; the same nodes again, or none, end the isolation."""
    chosen = frozenset(nodes)
    return replace(view, isolated=None if not chosen or chosen == view.isolated else chosen)


def with_look(view: ViewState, other: ViewState) -> ViewState:
    """A view with what applies to the whole program from another one: not camera, cell, nodes and time."""
    shared, usual = taking(view, other, is_shared), other.usual_shading
    if view.usual.shading is None:
        return replace(shared, shading=usual)
    return replace(shared, shading=view.shading, usual=replace(view.usual, shading=usual))


def has_look_of(view: ViewState, other: ViewState) -> bool:
    """Whether two views have in common what applies to the whole program, of which the look is a part."""
    return view is other or with_look(view, other) == with_look(view, view)


def for_document(view: ViewState) -> ViewState:
    """The part of a view that stays when another document is opened: nothing that is of this one alone."""
    lod, group = view.usual_cell
    kept = taking(ViewState(), view, outlives_document)
    return replace(kept, lod=lod, group=group, shading=view.usual_shading)


def lasting(view: ViewState) -> ViewState:
    """The part of a view that is remembered for the next start; the sky is a file that is open now."""
    view = replace(view, shading=view.usual_shading, lighting=view.lighting.without_sky)
    return taking(ViewState(), view, is_stored)


def remembering(view: ViewState, kept: ViewState) -> ViewState:
    """A view with the part of another one that is remembered; all files have its shading."""
    return taking(with_shading(view, kept.shading), kept, is_stored)
