"""The gizmo: arrows and rings that move and turn a node, or one of its keys, with the mouse.

While it is held only the view shows where the node will be; releasing the mouse makes one change of it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from enum import Enum
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt
from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui
from imgui_bundle.imguizmo import im_guizmo
from msgspec.structs import replace

from viewer.geometry import quaternions
from viewer.geometry.transforms import Doubles
from viewer.model.edit.change import Change
from viewer.model.edit.nodes.set_key import NO_TURN, AddKey, PlaceNode
from viewer.model.mesh.pose.animation import Pose
from viewer.session.edits.row_commands import node_choice
from viewer.session.opened.document import Document
from viewer.session.view.view_state import HeldNode
from viewer.translation import _
from viewer.ui.actions.actions import Action
from viewer.ui.context import UiContext
from viewer.ui.editing.in_place import InPlaceEdit
from viewer.ui.widgets import key_focus, theme
from viewer.ui.widgets.floating import Area, card
from viewer.ui.widgets.widgets import icon_button, labeled, text, tooltip

BOTTOM: Final = (0.5, 1.0)
LEAST_MOVE: Final = 1e-6
"""Offsets and angles below are no change, model units and radians."""
_STEPS: Final = (0.1, 5.0)
"""Steps of moving and turning with Ctrl, model units and degrees."""


class Handle(Enum):
    """The handle of the gizmo: moving or turning."""

    MOVE = "move"
    TURN = "turn"


_OPERATIONS: Final = {
    Handle.MOVE: im_guizmo.OPERATION.translate,
    Handle.TURN: im_guizmo.OPERATION.rotate,
}
_ACTIONS: Final = (
    (Handle.MOVE, _("Move a part"), "W"),
    (Handle.TURN, _("Turn a part"), "R"),
)
_BUTTONS: Final = (
    (Handle.MOVE, fa.ICON_FA_UP_DOWN_LEFT_RIGHT, _("Move (W)")),
    (Handle.TURN, fa.ICON_FA_ROTATE, _("Turn (R)")),
)


class Gizmo:
    """Draws the gizmo at the selected node and changes it; owner: the shell.

    Attributes
    ----------
    handle
        What it does; None while it is not shown.
    """

    def __init__(self) -> None:
        self.handle: Handle | None = None
        self._is_key = False
        self._is_local = False
        self._start: Doubles | None = None
        self._shown: Document | None = None
        self._is_over = False
        self._edits = InPlaceEdit()

    @property
    def takes_mouse(self) -> bool:
        """Whether the mouse is over it or holds it, so that it does not turn the camera."""
        return self._is_over

    def actions(self) -> Iterator[Action]:
        """Yield the actions that show the gizmo."""
        for handle, title, keys in _ACTIONS:
            yield Action(
                f"edit.{handle.value}",
                title,
                partial(self.toggle, handle),
                keys,
                is_on=partial(self._is_shown, handle),
                begins_group=handle is Handle.MOVE,
            )

    def _is_shown(self, handle: Handle, _ignored: UiContext) -> bool:
        return self.handle is handle

    def toggle(self, handle: Handle, frame: UiContext) -> None:
        """Show it, or hide it; what plays is paused."""
        self.handle = None if self.handle is handle else handle
        if self.handle is not None:
            frame.change(lambda view: replace(view, is_playing=False))

    def draw(self, frame: UiContext, area: Area) -> None:
        """Draw it in the current window, and a card with its choices."""
        self._edits.draw()
        document, pose, node = frame.document, frame.state.pose, frame.view.selection.node
        if self.handle is None or document is None or pose is None:
            self._let_go(frame)
            return
        if node is None or not can_place(document, pose, node) or frame.view.is_playing:
            self._let_go(frame)
            _draw_reason(frame, area)
            return
        self._draw_card(area, document, pose, node)
        self._manipulate(frame, area, document, pose, node)

    def _let_go(self, frame: UiContext) -> None:
        """Show the node where its keys put it."""
        self._is_over = False
        if self._start is not None or frame.view.held is not None:
            self._start = None
            frame.change(lambda view: replace(view, held=None))

    def _manipulate(self, frame: UiContext, area: Area, document: Document, pose: Pose, node: int) -> None:
        is_cancelled = self._start is not None and key_focus.takes_escape()
        im_guizmo.enable(not is_cancelled)
        local, above = pose.local[node].astype(np.float64), _above(document, pose, node)
        matrix = self._handled(frame, area, above @ local)
        self._is_over = im_guizmo.is_over() or im_guizmo.is_using()
        if is_cancelled:
            self._let_go(frame)
        elif im_guizmo.is_using():
            if self._start is None:
                self._start = local
            held = self._held(np.linalg.inv(above) @ matrix)
            frame.change(lambda view: replace(view, held=HeldNode(node, tuple(held.ravel().tolist()))))
        elif self._start is not None:
            self._release(frame, document, pose, node, local)
        # The edit is shown by now: the node is where its keys put it.
        elif frame.view.held is not None:
            frame.change(lambda view: replace(view, held=None))

    def _handled(self, frame: UiContext, area: Area, world: Doubles) -> Doubles:
        """Let the user handle a matrix, ``world_from_node``; return it as it is then."""
        assert self.handle is not None
        camera = frame.view.camera
        im_guizmo.begin_frame()
        im_guizmo.set_drawlist()
        im_guizmo.set_orthographic(camera.is_orthographic)
        im_guizmo.set_rect(area.left, area.top, area.width, area.height)
        mode = im_guizmo.MODE.local if self._is_local else im_guizmo.MODE.world
        matrix = _columns(world)
        snap = im_guizmo.Matrix3([_STEPS[self.handle is Handle.TURN]] * 3)
        im_guizmo.manipulate(
            _columns(camera.view_from_world),
            _columns(camera.clip_from_view(area.width / max(area.height, 1.0))),
            _OPERATIONS[self.handle],
            mode,
            matrix,
            None,
            snap if imgui.get_io().key_ctrl else None,
        )
        # Columns become rows again.
        return np.array(matrix.values, np.float64).reshape(4, 4).T

    def _held(self, local: Doubles) -> Doubles:
        """The start of the drag with only that changed which the handle changes, so that nothing drifts."""
        assert self._start is not None
        held = self._start.copy()
        if self.handle is Handle.MOVE:
            held[:3, 3] = local[:3, 3]
        else:
            held[:3, :3] = _orthonormal(local[:3, :3])
        return held

    def _release(self, frame: UiContext, document: Document, pose: Pose, node: int, local: Doubles) -> None:
        """Make the change that the drag was; the node stays held until it is shown."""
        start, self._start = self._start, None
        assert start is not None
        changes = placing(document, pose, node, start, local, is_key=self._is_key)
        if changes:
            self._edits.make(frame, document, changes, node)

    def _draw_card(self, area: Area, document: Document, pose: Pose, node: int) -> None:
        with card("##gizmo", area, BOTTOM):
            for handle, icon, hint in _BUTTONS:
                if icon_button(icon, handle.value, str(hint), is_on=self.handle is handle):
                    self.handle = handle
                imgui.same_line(0, theme.em(0.2))
            imgui.same_line(0, theme.em(0.8))
            can_be_key = len(document.animation.track(node)) > 1 and can_key(pose, node)
            self._is_key = self._is_key and can_be_key
            for is_key, key, words, hint in _TARGETS:
                imgui.begin_disabled(is_key and not can_be_key)
                if imgui.radio_button(labeled(str(words), key), self._is_key is is_key):
                    self._is_key = is_key
                imgui.end_disabled()
                tooltip(str(hint if can_be_key or not is_key else _NO_KEY))
                imgui.same_line(0, theme.em(0.6))
            if imgui.checkbox(labeled(_("local axes"), "local"), self._is_local)[0]:
                self._is_local = not self._is_local
            tooltip([_("Along the axes of the node instead of those of the world."), _("Ctrl: in steps")])


_TARGETS: Final = (
    (False, "whole", _("all keys"), _("Moves the node in its whole animation.")),
    (True, "key", _("key at this time"), _("Changes one key; between keys, adds one.")),
)
_NO_KEY: Final = _(
    "Only of a part with several keys that follows the time shown: a clip may blend two times, or a channel "
    "may drive the part. The whole strip shows single keys."
)


def can_place(document: Document, pose: Pose, node: int) -> bool:
    """Tell whether a node has keys that put it where it is."""
    return node < len(pose.local) and len(document.animation.track(node)) > 0


def can_key(pose: Pose, node: int) -> bool:
    """Tell whether a node is at one time of the strip, at which it can have a key."""
    moment = pose.moment
    is_one_time = moment.other is None and (moment.time_b is None or moment.weight_b == 0)
    return is_one_time and node not in [driven for driven, _time in moment.driven]


def placing(
    document: Document, pose: Pose, node: int, start: Doubles, local: Doubles, *, is_key: bool
) -> tuple[Change, ...]:
    """Return the changes that move a node from one ``parent_from_node`` to another; none if nothing moves.

    Parameters
    ----------
    is_key
        Of the key at the time of the pose alone, which is added if there is none.
    """
    offset = local[:3, 3] - start[:3, 3]
    # The transpose of a rotation is its inverse; turn[1:] is zero if nothing turns.
    turn = quaternions.of_matrix(local[:3, :3] @ start[:3, :3].T)
    is_moved, is_turned = np.abs(offset).max() > LEAST_MOVE, np.linalg.norm(turn[1:]) > LEAST_MOVE
    if not (is_moved or is_turned):
        return ()
    named = node_choice(document.names, node)
    placed = PlaceNode(
        named,
        (float(offset[0]), float(offset[1]), float(offset[2])) if is_moved else (0.0, 0.0, 0.0),
        (*map(float, turn),) if is_turned else NO_TURN,
    )
    if not is_key:
        return (placed,)
    track, frame = document.animation.track(node), round(pose.time)
    times = document.model.keys["time"][track.start : track.stop].tolist()
    # The key at the frame, or the index that a key added there will have.
    key = bisect_left(times, frame)
    is_there = key < len(times) and times[key] == frame
    placed = replace(placed, key=key)
    return (placed,) if is_there else (AddKey(named, frame), placed)


def _above(document: Document, pose: Pose, node: int) -> Doubles:
    """``world_from_parent`` of a node."""
    parent = int(document.skeleton.parents[node])
    return np.eye(4) if parent < 0 else pose.world[parent].astype(np.float64)


def _columns(matrix: npt.ArrayLike) -> im_guizmo.Matrix16:
    """A matrix as ImGuizmo takes it: column by column."""
    return im_guizmo.Matrix16(np.asarray(matrix, np.float64).T.ravel().tolist())


def _orthonormal(rotation: Doubles) -> Doubles:
    """The rotation nearest to a matrix (3, 3)."""
    # Without the singular values, scale and shear are gone (orthogonal Procrustes).
    u, _sizes, v = np.linalg.svd(rotation)
    found: Doubles = u @ v
    return found


def _draw_reason(frame: UiContext, area: Area) -> None:
    """Draw the reason why there is no gizmo."""
    with card("##gizmo", area, BOTTOM):
        if frame.view.is_playing:
            text(_("Pause to move or turn a part."), theme.DIM)
        elif frame.view.selection.node is None:
            text(_("Select a part to move or turn it."), theme.DIM)
        else:
            text(_("This part has no keys, so it cannot be moved."), theme.DIM)
