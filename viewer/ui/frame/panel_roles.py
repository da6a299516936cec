"""The roles of panels: for models or anything, for the time of an animation, for places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from viewer.model.material.materials import MATERIALS
from viewer.model.store.place import Place
from viewer.session.places import CLIPS, is_selectable
from viewer.session.selection import NOTHING
from viewer.ui.context import Panel, UiContext
from viewer.ui.panels.browser import BrowserPanel
from viewer.ui.panels.display import DisplayPanel
from viewer.ui.panels.inspector import InspectorPanel
from viewer.ui.panels.materials import MaterialsPanel
from viewer.ui.panels.outline import OutlinePanel
from viewer.ui.panels.readings import ReadingsPanel
from viewer.ui.panels.tables import TablesPanel
from viewer.ui.panels.triangles import TrianglesPanel
from viewer.ui.timeline.curves import CurvesPanel
from viewer.ui.timeline.dope_sheet import DopeSheetPanel
from viewer.ui.timeline.effects_panel import EffectsPanel, parts_of
from viewer.ui.timeline.timeline import TimelinePanel
from viewer.ui.viewport.cells import CellsPanel

_ABOUT_MODELS: Final = frozenset(
    panel.id
    for panel in (
        OutlinePanel,
        InspectorPanel,
        MaterialsPanel,
        DisplayPanel,
        CellsPanel,
        TimelinePanel,
        DopeSheetPanel,
        CurvesPanel,
        TablesPanel,
        TrianglesPanel,
        ReadingsPanel,
        EffectsPanel,
    )
)
_TIMED: Final = frozenset(
    {MaterialsPanel.id, DisplayPanel.id, TimelinePanel.id, DopeSheetPanel.id, CurvesPanel.id}
)
_PANELS: Final = {MATERIALS: MaterialsPanel.id, CLIPS: TimelinePanel.id}
"""The panels that show some tables."""


def panels_about(panels: Sequence[Panel], frame: UiContext) -> Sequence[Panel]:
    """Return the panels that have something to show of what is open; the middle gets the room of others."""
    resource = frame.state.resource
    if resource is None:
        return panels
    of_unit = {DisplayPanel.id} if resource.unit is not None and any(resource.unit.drawn) else set()
    of_unit |= {EffectsPanel.id} if parts_of(frame) else set()
    return [panel for panel in panels if panel.id not in _ABOUT_MODELS - of_unit]


def is_timed(panel: Panel, frame: UiContext) -> bool:
    """Tell whether a panel may show the time of an animation; the Inspector does of what is selected."""
    if panel.id == InspectorPanel.id:
        return frame.view.selection != NOTHING
    return panel.id in _TIMED


def panel_of(frame: UiContext, place: Place, stage: str) -> str:
    """Return the id of the panel that shows a place."""
    document = frame.document
    if frame.state.resource is not None and place.address == frame.state.resource.address:
        return stage
    if document is None or place.address != document.address:
        return BrowserPanel.id
    if place.table in _PANELS:
        return _PANELS[place.table]
    return InspectorPanel.id if is_selectable(document, place) else TablesPanel.id
