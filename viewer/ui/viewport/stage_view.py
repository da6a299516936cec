"""The image of what is shown in space with all that lies over it: one for models, units and effects."""

from __future__ import annotations

from collections.abc import Callable

from imgui_bundle import ImVec2, imgui

from viewer.session.play.stage import UnitStage
from viewer.ui.context import UiContext
from viewer.ui.viewport import view_cube
from viewer.ui.viewport.gizmo import Gizmo
from viewer.ui.viewport.hint_cards import HintCard, MissingCard
from viewer.ui.viewport.marks import MarksOverlay
from viewer.ui.viewport.trails import TrailsOverlay
from viewer.ui.viewport.view_cube import ViewCube
from viewer.ui.viewport.viewport import Viewport
from viewer.ui.viewport.viewport_overlay import LegendCard, draw_overlay
from viewer.ui.viewport.world_labels import ModelLabels, UnitLabels, WorldLabels
from viewer.ui.widgets.floating import Area

_FLAGS = imgui.WindowFlags_.no_scrollbar | imgui.WindowFlags_.no_scroll_with_mouse


class StageView:
    """The viewport with its overlays; owner: the shell.

    Parameters
    ----------
    show_materials
        Brings the panel of materials to the front.

    Attributes
    ----------
    viewport
        The image and the mouse in it.
    gizmo
        What moves nodes.
    follows_model
        Something over the image of the model moves with it: labels, the gizmo.
    """

    def __init__(self, viewport: Viewport, show_materials: Callable[[], None]) -> None:
        self.viewport, self.gizmo = viewport, Gizmo()
        self.follows_model = False
        self._view_cube = ViewCube()
        self._missing, self._legend, self._hint = MissingCard(show_materials), LegendCard(), HintCard()
        self._unit_labels = UnitLabels()
        self._labels, self._trails, self._marks = ModelLabels(), TrailsOverlay(), MarksOverlay()

    def draw_in(self, frame: UiContext, size: ImVec2) -> None:
        """Draw it as a part of the current window, above or next to other things."""
        if imgui.begin_child("stage", size, imgui.ChildFlags_.none, _FLAGS):
            self.draw(frame)
        imgui.end_child()

    def draw(self, frame: UiContext) -> None:
        """Draw it in the rest of the current window."""
        area = Area.of_room()
        self.viewport.is_covered = frame.document is not None and self.gizmo.takes_mouse
        self.viewport.draw(frame)
        if frame.state.is_arriving:
            return
        stage = frame.state.stage
        if frame.document is not None:
            self._draw_over_model(frame, area)
        elif isinstance(stage, UnitStage):
            labels = WorldLabels(frame.view.camera, area)
            self._unit_labels.add(frame, stage.unit, labels)
            _write(labels, frame, area)
        draw_overlay(frame, area)
        self.viewport.measure.draw(frame, area)
        if stage is not None:
            self._view_cube.draw(frame, area)
        self._legend.draw(frame, area)
        if frame.document is not None:
            self._missing.draw(frame, area)
            if not frame.state.settings.has_seen_hint:
                self._hint.draw(frame, frame.document, area)

    def _draw_over_model(self, frame: UiContext, area: Area) -> None:
        """Draw what belongs to the nodes of a model: the gizmo, labels, marks, trails."""
        self.gizmo.draw(frame, area)
        labels = WorldLabels(frame.view.camera, area)
        self._labels.add(frame, labels)
        has_marks = self._marks.add(frame, area, labels)
        has_trails = self._trails.draw(frame, area)
        has_points = self.viewport.measure.has_points(frame)
        follows = self.gizmo.handle is not None, labels.has_any, has_trails, has_marks, has_points
        self.follows_model = any(follows)
        _write(labels, frame, area)
        self._marks.paint(frame, area)


def _write(labels: WorldLabels, frame: UiContext, area: Area) -> None:
    """Write the labels that there are, none of them on the cube."""
    if labels.has_any:
        if view_cube.is_shown(frame.view, area):
            labels.take(*view_cube.corners(area))
        labels.draw()
