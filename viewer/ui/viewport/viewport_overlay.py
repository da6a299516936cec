"""Overlays of the viewport: orientation, grid step, messages, why nothing is visible, legend of colors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from math import isnan
from typing import Final, NamedTuple

import numpy as np
from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec.structs import replace

from viewer.errors import Severity
from viewer.formats.meaning import meaning
from viewer.formats.msh.nodes import GROUPS
from viewer.formats.msh.terrain import FACE
from viewer.formats.msh.triangles import TRIANGLE
from viewer.model.mesh.model import Variant
from viewer.model.mesh.portals import KINDS, PortalKind
from viewer.model.mesh.shown import Cutaway
from viewer.model.mesh.triangle_query import Masks
from viewer.session.field_text import cell_name, counted, float_text, numbers_text, portal_count
from viewer.session.jobs import DRAWING
from viewer.session.opened.document import Document
from viewer.session.opened.legend import Group, Legend
from viewer.session.play.stage import UnitStage
from viewer.session.play.unit_posing import placed
from viewer.session.program import FrameStatistics
from viewer.session.view.camera import Camera, axes_length, grid_step
from viewer.session.view.coloring import ANGLES, GROUPED, NO_GROUP, PORTAL_COLORS, group_color
from viewer.session.view.options.background import Background
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.section import SectionAxis, offset_of
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.triangle_lab import PASSING, found_in
from viewer.session.view.view_state import (
    ViewState,
    show_all,
    with_cell_here,
    with_drawn,
    with_lod,
    with_shading_here,
)
from viewer.translation import _, count_text, remembered
from viewer.ui.context import UiContext, ViewChange
from viewer.ui.viewport.obstacles import shading_obstacle_of
from viewer.ui.viewport.world_labels import screen_points
from viewer.ui.widgets import theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.floating import LOWER_RIGHT, MARGIN, Area, card
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.widgets import cut, fitting, ghost_button, labeled, text, tooltip


def draw_overlay(frame: UiContext, area: Area) -> None:
    """Draw over the image in the current window."""
    if frame.state.stage is None:
        with card("##invitation", area):
            text(frame.state.busy or _("Drop a model, an archive or a game folder here"))
            if imgui.button(labeled(_("Open…"), "open")):
                frame.later(frame.control.dialogs.open_file)
        return
    _draw_labels(frame, area)
    if frame.document is not None:
        _draw_emptiness(frame, frame.document, area)


def _draw_labels(frame: UiContext, area: Area) -> None:
    """The letters at the ends of the world axes; along the lower edge the grid step and how much is drawn."""
    view, painter = frame.view, imgui.get_window_draw_list()
    painter.push_clip_rect(*area.corners, True)
    if Overlay.AXES in view.overlays:
        for letter in _axis_letters(view.camera, area, theme.em()):
            painter.add_text(*letter)
    place = ImVec2(area.left + theme.em(MARGIN), area.top + area.height - theme.em(1.7))
    for words in edge_texts(view):
        ink = theme.INK if view.tone is Background.LIGHT else theme.DIM
        painter.add_text(place, theme.exact(ink), words)
        place.x += imgui.calc_text_size(words).x + theme.em(1.2)
    if frame.document is not None and not frame.state.statistics.is_whole:
        _draw_progress(frame, place, area.left + area.width - theme.em(MARGIN) - place.x)
    painter.pop_clip_rect()


@lru_cache(maxsize=1)
def _axis_letters(camera: Camera, area: Area, _em: float) -> list[tuple[ImVec2, int, str]]:
    """The letters at the ends of the axes that are seen, as ImGui draws them."""
    return [
        (place - imgui.calc_text_size(letter) / 2, theme.exact(color), letter)
        for place, color, letter in zip(axis_tips(camera, area), theme.AXES, "XYZ", strict=True)
        if place is not None
    ]


def edge_texts(view: ViewState) -> Iterator[str]:
    """Yield the texts along the lower edge: the step of the grid, and where models are cut."""
    if Overlay.GRID in view.overlays:
        yield _grid_text(grid_step(view.camera))
    if view.section is not SectionAxis.OFF:
        axis, offset = view.section.value, numbers_text(offset_of(view))
        yield _("cut at {axis} = {offset}; red: the inside of closed surfaces", axis=axis, offset=offset)


@remembered
def _grid_text(step: float) -> str:
    return str(_("grid: {step} per square, model units", step=float_text(step)))


def _draw_progress(frame: UiContext, place: ImVec2, room: float) -> None:
    """The line that says how much of the picture is drawn, and a button that cancels the rest."""
    statistics, gap = frame.state.statistics, ImVec2(theme.em(0.4), theme.em(0.15))
    button = "" if statistics.is_cancelled else _("Cancel")
    width = imgui.calc_text_size(button).x + 4 * gap.x if button else 0
    words = fitting(progress_texts(statistics), room - width)
    painter, end = imgui.get_window_draw_list(), place + imgui.calc_text_size(words)
    painter.add_rect_filled(place - gap, end + gap + ImVec2(width, 0), theme.packed(theme.BACKDROP), gap.x)
    painter.add_text(place, theme.packed(theme.WARNING), words)
    if button:
        imgui.set_cursor_screen_pos(ImVec2(end.x + 2 * gap.x, place.y))
        if imgui.small_button(labeled(button, "cancel_drawing")):
            frame.later(frame.control.window.cancel_job, DRAWING)


def progress_texts(statistics: FrameStatistics) -> tuple[str, ...]:
    """Return how much of a picture is drawn, as texts from long to short."""
    drawn, total = count_text(statistics.drawn), count_text(statistics.total)
    state = (
        _("cancelled: {drawn} of {total}")
        if statistics.is_cancelled
        else _("still drawing: {drawn} of {total}")
    )
    return tuple(words.format(drawn=drawn, total=total) for words in (state, _("{drawn} of {total}")))


def axis_tips(camera: Camera, area: Area) -> list[ImVec2 | None]:
    """Return the screen positions of the ends of the world axes; None for one behind the eye."""
    tips = screen_points(camera, area, np.eye(3) * axes_length(camera) * 1.12)
    return [None if isnan(x) else ImVec2(x, y) for x, y, _ignored in tips.tolist()]


def _draw_emptiness(frame: UiContext, document: Document, area: Area) -> None:
    """Explain why nothing is visible, and offer a fix."""
    view = frame.view
    if not document.shown(view).triangle_count:
        _draw_remedy(frame, area, remedy(document, view))
    elif reason := shading_obstacle_of(document, view):
        _draw_message(
            area,
            reason,
            _("Show textured"),
            lambda: frame.change(lambda view: with_shading_here(view, Shading.TEXTURED)),
        )


def _draw_remedy(frame: UiContext, area: Area, found: Remedy) -> None:
    def accept() -> None:
        frame.change(found.change)
        if found.moves_camera:
            frame.later(frame.control.camera.restore)
        if found.panel:
            frame.later(frame.control.panels.bring, found.panel)

    _draw_message(area, found.reason, found.offer, accept)


def _draw_message(area: Area, words: str, offer: str, accept: Callable[[], None]) -> None:
    with card("##message", area):
        text(words)
        if offer and imgui.button(labeled(offer, "accept")):
            accept()


class Remedy(NamedTuple):
    """A sentence, the text of a button or nothing, and what the button does: to the view, or a panel."""

    reason: str
    offer: str
    change: ViewChange
    moves_camera: bool = False
    panel: str = ""


def remedy(document: Document, view: ViewState) -> Remedy:
    """Return why a view shows nothing, and the smallest change that would show something."""
    switches = [*_switches(view)]
    together = _together(switches)
    for found in (*switches, together):
        if document.shown(found.change(view)).triangle_count:
            return found
    return _other_cell(document, together.change(view), together)


def _switches(view: ViewState) -> Iterator[Remedy]:
    """The switches of the view that may hide everything, each with what shows the model again."""
    if view.hidden or view.isolated is not None:
        yield Remedy(_("everything in this cell is hidden"), _("Show all"), show_all)
    if view.lab.batches != Masks():
        words = _("no batch in this cell passes the masks of the panel Triangles")
        offer = _("Show all batches")
        yield Remedy(words, offer, lambda v: replace(v, lab=replace(v.lab, batches=Masks())))
    if view.drawn.cutaway is not Cutaway.ALL:
        is_inside = view.drawn.cutaway is Cutaway.INSIDE
        words = _("no internal parts in this cell") if is_inside else _("no external parts in this cell")
        yield Remedy(words, _("Show all parts"), lambda v: with_drawn(v, cutaway=Cutaway.ALL))
    if view.drawn.is_own_view:
        words = _("the own view (group 4) shows nothing of this model")
        yield Remedy(words, _("Show from outside"), lambda v: with_drawn(v, is_own_view=False), True)
    if view.drawn.is_destroyed:
        words = _("nothing is left of this model when it is destroyed")
        yield Remedy(words, _("Show it whole"), lambda v: with_lod(v, 0))


def _together(switches: list[Remedy]) -> Remedy:
    """Remedy that sets all switches at once, if none of them hides everything by itself."""

    def change(view: ViewState) -> ViewState:
        return reduce(lambda changed, each: each.change(changed), switches, view)

    words = _("several switches together hide everything of this model")
    return Remedy(words, _("Show all parts"), change, any(each.moves_camera for each in switches))


def _nothing(document: Document) -> Remedy:
    """The note on a model without geometry, and the button that shows its errors."""
    words = _("this model has no geometry in any cell")
    count = sum(it.severity is Severity.ERROR for it in document.diagnostics)
    offer = counted(count, "Show its {count} error", "Show its {count} errors") if count else ""
    return Remedy(words, offer, lambda v: v, panel="problems")


def _other_cell(document: Document, view: ViewState, together: Remedy) -> Remedy:
    """The button that shows another cell; `view` is what `together` makes of the view."""
    choice = view.parts
    cell = document.chooser.nearest_cell(choice)
    if cell is None:
        return _nothing(document)
    words = _("no geometry in {cell}", cell=cell_name(document, choice.lod, choice.group))
    count = int(document.chooser.triangle_counts(choice)[cell])
    offer = _(
        "Show {cell}  ({triangles})",
        cell=cell_name(document, *cell),
        triangles=counted(count, "{count} triangle", "{count} triangles"),
    )
    return Remedy(words, offer, lambda v: with_cell_here(together.change(v), *cell), together.moves_camera)


MOST_ROWS: Final = 12
SHARE: Final = (0.45, 0.6)
"""Largest share of the viewport's width and height."""
LEAST: Final = 5.0
"""Width for names below which there is no legend, font heights."""
_WHOLE_ROW: Final = imgui.SelectableFlags_.span_all_columns | imgui.SelectableFlags_.allow_overlap


class LegendCard:
    """A card in the lower right corner while there are colors to explain; owner: the shell."""

    def __init__(self) -> None:
        self._legend = Cached(Legend.of)
        self._marked = Cached(_marked_text)
        self._portals = Cached(_portals_of)

    def draw(self, frame: UiContext, area: Area) -> None:
        """Draw what marked triangles, portals and the colors of the shading stand for, if there is room."""
        document, view = frame.document, frame.view
        models = _models_of(frame)
        parts = tuple((it.identity, it.revision, it.shown(own)) for it, own in models)
        portals = self._portals.of((parts, view.shows_portals), models)
        has_groups = (
            document is not None and view.shading in GROUPED and not shading_obstacle_of(document, view)
        )
        if not (has_groups or (document is not None and view.lab.is_marked) or portals):
            return
        line = imgui.get_text_line_height() + 2 * imgui.get_style().cell_padding.y
        rows = min(MOST_ROWS, int(area.card_room[1] * SHARE[1] / line) - 2 - len(portals))
        room = area.card_room[0] * SHARE[0] - 3 * imgui.get_text_line_height()
        if rows < 1 or room < theme.em(LEAST):
            return
        legend, marked = Legend(), ""
        if document is not None and has_groups:
            legend = self._legend.of((*parts, view.shading, rows), document, view, rows)
        if document is not None and view.lab.is_marked:
            marked = self._marked.of((*parts, view.lab, view.shows_portals), document, view)
        if legend.groups or marked or portals:
            with card("##legend", area, LOWER_RIGHT):
                if marked:
                    _draw_marked(frame, marked)
                for kind, count in portals.items():
                    _draw_swatch((*PORTAL_COLORS[kind], 1.0))
                    imgui.same_line()
                    text(portal_count(kind, count))
                if document is not None and legend.groups:
                    self._draw_rows(frame, document, legend, room)

    def _draw_rows(self, frame: UiContext, document: Document, legend: Legend, room: float) -> None:
        text(name_of(frame.view.shading), theme.DIM)
        if imgui.begin_table("##groups", 3, imgui.TableFlags_.sizing_fixed_fit):
            for group in legend.groups:
                imgui.table_next_row()
                _draw_group(frame, document, group, room)
            imgui.end_table()
        if legend.others:
            text(_("and {count} more", count=count_text(legend.others)), theme.DIM)


def _models_of(frame: UiContext) -> Sequence[tuple[Document, ViewState]]:
    """The model, or those of the parts of a unit that are shown, if their portals are."""
    stage = frame.state.stage
    if frame.document is not None:
        return [(frame.document, frame.view)]
    if isinstance(stage, UnitStage) and frame.view.shows_portals:
        return [(it.document, it.view) for it in placed(stage.unit, frame.view)]
    return []


def _portals_of(models: Sequence[tuple[Document, ViewState]]) -> dict[PortalKind, int]:
    """Number of portals of each kind that models show; none without their overlay."""
    found: Counter[PortalKind] = Counter()
    for document, view in models:
        if view.shows_portals:
            found.update(document.chooser.portal_counts(document.shown(view).portals))
    return {kind: found[kind] for kind in KINDS if found[kind]}


def _marked_text(document: Document, view: ViewState) -> str:
    """Return how many triangles are marked, and why."""
    visible = document.shown(view).visible(has_portals=view.shows_portals)
    count = len(found_in(document.model, document.draws, visible, view.lab).row)
    if view.lab.start is not None:
        return _("{count} reached from triangle {row}", count=count_text(count), row=view.lab.start)
    return counted(count, "{count} triangle passes", "{count} triangles pass")


def _draw_marked(frame: UiContext, words: str) -> None:
    _draw_swatch(PASSING)
    imgui.same_line()
    text(words)
    imgui.same_line()
    if ghost_button(fa.ICON_FA_XMARK, "end_mark", _("Mark no triangles"), theme.DIM):
        frame.change(lambda view: replace(view, lab=replace(view.lab, is_marked=False)))


def _draw_group(frame: UiContext, document: Document, group: Group, room: float) -> None:
    imgui.table_next_column()
    is_selected = frame.view.selection == group.selection
    if imgui.selectable(labeled("", f"group{group.number}"), is_selected, _WHOLE_ROW)[0]:
        frame.change(lambda view: replace(view, selection=group.selection))
    if imgui.is_item_hovered():
        frame.flash(group.batches)
    name, count = name_of_group(document, frame.view.shading, group.number), count_text(group.triangles)
    tooltip(
        lambda: [
            name,
            counted(group.triangles, "{count} triangle", "{count} triangles"),
            _("Click to select."),
        ]
    )
    imgui.same_line(0, 0)
    _draw_swatch((*group_color(frame.view.shading, group.number), 1.0))
    imgui.table_next_column()
    cut(name, room=room - imgui.calc_text_size(count).x)
    imgui.table_next_column()
    text(count, theme.DIM)


def _draw_swatch(tint: theme.Color) -> None:
    """Draw a rectangle that takes no clicks, as high as a line of text."""
    corner, side = imgui.get_cursor_screen_pos(), imgui.get_text_line_height()
    end = ImVec2(corner.x + 1.4 * side, corner.y + side)
    imgui.get_window_draw_list().add_rect_filled(corner, end, theme.packed(tint), theme.em(0.15))
    imgui.dummy(ImVec2(1.4 * side, side))


def name_of_group(document: Document, shading: Shading, number: int) -> str:
    """Return what the triangles of a number are: a node, a batch, a material, their flags."""
    if number == NO_GROUP:
        return _("none")
    name = _GROUP_NAMES.get(shading)
    if name is not None:
        return name(document, number)
    return (_("batch {number}") if shading is Shading.BATCH else _("slot {number}")).format(number=number)


def _material_text(document: Document, row: int) -> str:
    names = (it.name for it in document.materials.rows if it.row == row)
    return f"{row}  {next(names, '')}".rstrip()


def _angle_text(band: int) -> str:
    """The angles of a band of the heat map of normals."""
    ends = (0.0, *ANGLES)
    if band < len(ANGLES):
        return _("{low:g} to {high:g} degrees", low=ends[band], high=ends[band + 1])
    return _("{low:g} degrees and more: the other side", low=ends[band])


def _flags_text(document: Document, flags: int) -> str:
    record = FACE if document.model.variant is Variant.TERRAIN else TRIANGLE
    field = next(field for field in record.fields if field.name == "flags")
    return f"0x{flags:0{2 * field.size}X}  {meaning(field, flags)}".rstrip()


_GROUP_NAMES: Final[Mapping[Shading, Callable[[Document, int], str]]] = {
    Shading.NODE: lambda document, number: document.label(number),
    Shading.MATERIAL: _material_text,
    Shading.FLAG: _flags_text,
    Shading.LOD: lambda document, number: cell_name(document, *divmod(number, GROUPS)),
    Shading.NORMAL_ERROR: lambda _ignored, number: _angle_text(number),
}
