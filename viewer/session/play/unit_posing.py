"""Poses of the parts of a unit in a view, their appearance, and the effects that play on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial, reduce

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.geometry.bounds import Bounds, JoinedShapes
from viewer.geometry.transforms import Doubles
from viewer.model.game.assembly import matrices_at
from viewer.model.mesh.pose.animation import Pose
from viewer.model.mesh.shown import NO_OVERRIDES
from viewer.operations.effects.model_effects import MOST
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.session.opened.document import Document
from viewer.session.play import model_effects, playing, posing, timeline
from viewer.session.play.model_effects import PlayedEffect
from viewer.session.play.playback import Playback
from viewer.session.play.posing import NOTHING
from viewer.session.selection import Selection
from viewer.session.view.camera import Camera
from viewer.session.view.options.background import Background
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.triangle_lab import TriangleLab
from viewer.session.view.view_state import ViewState

ONCE = frozenset({Overlay.GRID, Overlay.AXES})
"""Overlays that the first part draws for all."""
OF_A_PART = frozenset({Overlay.EDGES, Overlay.NORMALS, Overlay.BONES, Overlay.NODE_AXES, Overlay.SLOT_BOUNDS})
OF_A_PART |= {Overlay.TESTED_POINTS, Overlay.PORTALS}
"""Overlays that each part has."""
LABELS = frozenset({Overlay.NAMES, Overlay.SOCKETS, Overlay.PORTALS})
"""Overlays with texts at the nodes and portals of each part, which the window writes over the image."""


class PlacedPart(Struct, frozen=True, eq=False):
    """A part that is drawn.

    Attributes
    ----------
    pose
        Its nodes in the space of the unit.
    view
        How it is shown.
    matrix
        ``unit_from_part``, (4, 4), which the pose contains.
    """

    component: int
    document: Document
    pose: Pose
    view: ViewState
    matrix: Doubles


class UnitLook(Struct, frozen=True, eq=False):
    """An image of a unit: its parts in a view.

    Attributes
    ----------
    size
        Width and height, pixels.
    is_clear
        Whether what the unit does not cover is transparent.
    """

    unit: AssembledUnit
    view: ViewState
    size: tuple[int, int]
    is_clear: bool = False

    def is_like(self, other: UnitLook | None) -> bool:
        """Whether another look gives the same image from the same textures."""
        if other is None or self.unit is not other.unit:
            return False
        return (self.view, self.size, self.is_clear) == (other.view, other.size, other.is_clear)


def playback_of(unit: AssembledUnit, view: ViewState, component: int) -> Playback:
    """The playback of a part: for the chassis that of the view, for others their own.

    Sounds, what drives effects and what starts them are those of the view for all parts.
    """
    shared = view.playback
    if component == unit.root:
        return shared
    own = view.unit.playbacks.get(component, Playback()).with_look(shared)
    driven = replace(own.effects, strength=shared.effects.strength, surface=shared.effects.surface)
    return replace(own, effects=driven)


def with_playback(unit: AssembledUnit, view: ViewState, component: int, playback: Playback) -> ViewState:
    """The view with what a part plays changed."""
    if component == unit.root:
        return replace(view, playback=playback)
    return replace(view, unit=view.unit.with_playback(component, playback))


def view_of(unit: AssembledUnit, view: ViewState, component: int) -> ViewState:
    """The view of the model of one part: nothing of it is hidden, and its channels are its own."""
    document = unit.documents[component]
    is_selected, is_root = component in view.selection.nodes, component == unit.root
    return replace(
        view,
        hidden=frozenset(),
        isolated=None,
        overrides=NO_OVERRIDES,
        laid_over=frozenset(),
        selection=Selection(tuple(range(document.model.node_count)) if is_selected else ()),
        overlays=view.overlays & (ONCE | OF_A_PART),
        playback=playback_of(unit, view, component),
        time=view.time if is_root else 0.0,
        past=view.past if is_root else view.past + timeline.now(view),
        lab=TriangleLab(),
    )


def placed(unit: AssembledUnit, view: ViewState) -> tuple[PlacedPart, ...]:
    """The parts that a view shows, the selected ones last, as their outline lies over the others."""
    found = sorted(_standing(unit, view), key=lambda it: it.component in view.selection.nodes)
    # The first one draws background, sky, grid and axes for all.
    others = (
        replace(
            it,
            view=replace(
                it.view,
                overlays=it.view.overlays - ONCE,
                background=Background.DARK,
                lighting=replace(it.view.lighting, has_dome=False),
            ),
        )
        for it in found[1:]
    )
    return (*found[:1], *others)


def _standing(unit: AssembledUnit, view: ViewState) -> Iterator[PlacedPart]:
    """The parts that a view shows, in their order."""
    views = {it: view_of(unit, view, it) for it in unit.documents}
    poses = {it: posing.pose(document, views[it]) for it, document in unit.documents.items()}
    matrices = matrices_at(unit.parts, poses)
    for part in unit.drawn:
        matrix, row = matrices[part.component], part.component
        is_hidden = row in view.hidden or (view.isolated is not None and row not in view.isolated)
        if matrix is None or is_hidden:
            continue
        moved = matrix.copy()
        moved[:3, 3] += view.unit.explode * unit.apart[row]
        pose = replace(poses[row], world=(moved @ poses[row].world).astype(np.float32))
        yield PlacedPart(row, unit.documents[row], pose, views[row], moved)


def played(unit: AssembledUnit, view: ViewState, parts: Sequence[PlacedPart]) -> tuple[PlayedEffect, ...]:
    """The effects that play on some parts."""

    def stood(part: PlacedPart, seconds: float) -> tuple[Pose, Doubles]:
        before = _standing(unit, model_effects.earlier(view, seconds)) if seconds else ()
        found = next((it for it in before if it.component == part.component), part)
        return found.pose, found.matrix

    return tuple(
        replace(it, key=part.component * MOST + it.key)
        for part in parts
        for it in model_effects.played_on(part.document, part.view, partial(stood, part))
    )


def with_effect_toggled(unit: AssembledUnit, view: ViewState, component: int, row: int) -> ViewState:
    """Start an effect of a part now, or stop it; what else plays with the clip then goes on by itself."""
    own = view_of(unit, view, component)
    changed = model_effects.toggled(own, unit.documents[component], row)
    if changed.playback.effects.is_with_clip is not own.playback.effects.is_with_clip:
        for other, document in unit.documents.items():
            started = model_effects.playing_rows(document, other_view := view_of(unit, view, other))
            playback = model_effects.with_effects(other_view, started=started).playback
            view = with_playback(unit, view, other, playback)
        view = model_effects.toggle_with_clip(view)
    view = with_playback(unit, view, component, changed.playback)
    return replace(view, is_playing=changed.is_playing)


def without_effects(unit: AssembledUnit, view: ViewState) -> ViewState:
    """Stop all effects of all parts."""
    for component in unit.documents:
        own = model_effects.without_effects(view_of(unit, view, component))
        view = with_playback(unit, view, component, own.playback)
    return view


def framed(parts: tuple[PlacedPart, ...], camera: Camera, aspect: float) -> Camera:
    """The camera moved to show some parts."""
    shapes = [it.document.posed(it.pose, it.view) for it in parts]
    known = [(shape, box) for shape in shapes if (box := shape.bounds) is not None]
    bounds = reduce(Bounds.union, [box for _, box in known], known[0][1]) if known else NOTHING
    shape = JoinedShapes(tuple(shape for shape, _ in known)) if known else NOTHING
    return replace(camera, reach=bounds.diagonal).frame(shape, aspect)


def with_depths(
    parts: tuple[PlacedPart, ...], camera: Camera, effects: Sequence[PlayedEffect] = ()
) -> Camera:
    """The camera with one range of depths for all parts, drawn one after the other, and their effects."""
    far = 2 * camera.distance
    for it in effects:
        ends = np.array([it.inputs.origin, it.inputs.target])
        far = max(far, float(np.nan_to_num(np.linalg.norm(ends - camera.eye, axis=1)).max()))
    for part in parts:
        extent = part.document.extent
        nodes = np.nan_to_num(part.pose.world[:, :3, 3].astype(np.float64))
        away = np.linalg.norm(nodes - camera.eye, axis=1).max(initial=0.0)
        far = max(far, float(away) + (0.0 if extent is None else 2 * extent.diagonal))
    near = -far if camera.is_orthographic else max(camera.distance / 500, far / 1e5)
    return replace(camera, planes=(near, far))


def advance(unit: AssembledUnit, view: ViewState, seconds: float) -> ViewState:
    """Move the channels of all parts that move by themselves."""
    for component, document in unit.documents.items():
        playback = playback_of(unit, view, component)
        if playback.turning:
            own = replace(view, playback=playback)
            moved = playing.advance_channels(own, document.controller, seconds).playback
            view = with_playback(unit, view, component, moved)
    return view


def is_turning(view: ViewState) -> bool:
    """Whether a channel of a part moves by itself."""
    return bool(view.playback.turning) or any(it.turning for it in view.unit.playbacks.values())
