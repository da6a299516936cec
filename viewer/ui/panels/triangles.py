"""Triangles panel: the engine's query by masks, applied live, and the descriptor of the selected triangle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import acos, degrees
from typing import Any, Final, NamedTuple

import numpy as np
from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec import Struct
from msgspec.structs import replace

from viewer.formats.msh import terrain, triangles
from viewer.formats.msh.triangles import NO_SELECTOR
from viewer.formats.record import Record, Rows, Status
from viewer.geometry.transforms import Indices
from viewer.model.mesh.triangle_query import EDGES, NO_LINK, Link, Masks, TriangleLinks, flags_of
from viewer.model.store.place import Place
from viewer.model.tables.table_names import VERTICES
from viewer.session.field_text import numbers_text
from viewer.session.opened.document import Document
from viewer.session.places import triangle_record
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.triangle_lab import TriangleLab, found_in
from viewer.session.view.view_state import ViewState, with_shading, with_shading_here
from viewer.translation import Text, _, count_text, translated
from viewer.ui.context import UiContext
from viewer.ui.fields.field_view import STATUS_NAMES, certainty, draw_facts
from viewer.ui.fields.resource_links import draw_link
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.table_grid import table_rows
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import empty, identified, labeled, section, text, tooltip, wrapped

RED: Final[Color] = (0.95, 0.40, 0.36, 1.0)
YELLOW: Final[Color] = (1.0, 0.85, 0.30, 1.0)
MOST_LISTED: Final = 200
"""Rows of each list of odd edges and links."""
LARGEST: Final = 0xFFFFFFFF
"""The largest mask."""
MASK: Final = 4.5
"""Width of a mask, font heights."""
_TABLE: Final = imgui.TableFlags_.row_bg | imgui.TableFlags_.no_saved_settings
_FIT: Final = int(_TABLE) | int(imgui.TableFlags_.sizing_fixed_fit)


class FlagBit(NamedTuple):
    """A bit of the flags: its value, its name if it has one, and how many triangles of the model have it."""

    value: int
    name: str
    triangles: int


class LabSummary(Struct, frozen=True, eq=False):
    """The summary of a model under a query of triangles.

    Attributes
    ----------
    passing, tested
        Numbers of triangles.
    bits
        The bits that have a name or that any triangle has.
    """

    passing: int
    tested: int
    bits: tuple[FlagBit, ...]
    links: TriangleLinks


def record_of(document: Document) -> Record:
    """The record with the flags of triangles: descriptors, or faces of a terrain."""
    return terrain.FACE if document.is_terrain else triangles.TRIANGLE


def summary(document: Document, frame: UiContext, lab: TriangleLab) -> LabSummary:
    """Apply a query to what a view shows."""
    visible = document.shown(frame.view).visible(has_portals=frame.view.shows_portals)
    found = found_in(document.model, document.draws, visible, lab)
    links = TriangleLinks.of(document.model, document.draws)
    flags = flags_of(document.model, np.arange(len(links)))
    return LabSummary(len(found.row), found.tested, tuple(_bits(document, flags)), links)


def _bits(document: Document, flags: Indices) -> Iterator[FlagBit]:
    names = record_of(document).field("flags").flags or {}
    for number in range(32):
        # << binds before &: flags & (1 << number).
        count = int(np.count_nonzero(flags & 1 << number)) if len(flags) else 0
        if count or 1 << number in names:
            yield FlagBit(1 << number, names.get(1 << number, ""), count)


class TrianglesPanel:
    """The query on the left, the selected triangle on the right, odd edges and links below."""

    id = "triangles"
    title = _("Triangles")

    def __init__(self) -> None:
        self._summary = Cached(summary)

    def draw(self, frame: UiContext) -> None:
        """Draw the Triangles panel."""
        document = frame.document
        if document is None or not len(record_table(document)):
            words = _("The query of triangles works on a model with triangle descriptors (Res7).")
            empty(words if document is not None else _("The triangles of the open model appear here."))
            return
        view, lab = frame.view, frame.view.lab
        made_of = document.identity, document.revision, view.parts, lab, view.shows_portals
        found = self._summary.of(made_of, document, frame, lab)
        if not imgui.begin_table("##lab", 2, imgui.TableFlags_.resizable | imgui.TableFlags_.borders_inner_v):
            return
        imgui.table_next_column()
        if imgui.begin_child("query", ImVec2(0, 0)):
            _draw_query(frame, document, found)
        imgui.end_child()
        imgui.table_next_column()
        if imgui.begin_child("selected", ImVec2(0, 0)):
            _draw_selected(frame, document, found.links)
            _draw_odd(frame, document, found.links)
        imgui.end_child()
        imgui.end_table()


def record_table(document: Document) -> Rows:
    """The rows of the descriptors, or of the faces of a terrain."""
    model = document.model
    return model.faces if document.is_terrain else model.tri_descriptors


def _change(frame: UiContext, lab: TriangleLab) -> None:
    frame.change(lambda view: replace(view, lab=lab))


def _with_masks(lab: TriangleLab, masks: Masks) -> TriangleLab:
    """A lab with other masks; the first ones show which triangles pass."""
    return replace(lab, masks=masks, is_marked=lab.is_marked or masks != Masks())


def _draw_query(frame: UiContext, document: Document, found: LabSummary) -> None:
    lab = frame.view.lab
    masks = lab.masks
    passing = _("{count} of {tested} pass", count=count_text(found.passing), tested=count_text(found.tested))
    if lab.start is not None:
        passing = _("{count} reached from triangle {row}", count=count_text(found.passing), row=lab.start)
    text(passing, theme.ACCENT)
    entered = _draw_masks("triangles", masks)
    if entered is not None:
        _change(frame, _with_masks(lab, entered))
    _draw_switches(frame)
    _draw_flood(frame)
    _draw_bits(frame, document, found.bits)
    if not document.is_terrain:
        text(_("batches that are drawn, by their flags"), theme.DIM)
        entered = _draw_masks("batches", lab.batches)
        if entered is not None:
            _change(frame, replace(lab, batches=entered))


def _draw_masks(name: str, masks: Masks) -> Masks | None:
    """Draw the fields of two masks; return others if they were entered."""
    result = None
    for key, words, value in (
        ("required", _("required"), masks.required),
        ("forbidden", _("forbidden"), masks.forbidden),
    ):
        if key != "required":
            _flow(theme.em(MASK) + imgui.calc_text_size(words).x)
        imgui.set_next_item_width(theme.em(MASK))
        flags = imgui.InputTextFlags_.enter_returns_true | imgui.InputTextFlags_.chars_hexadecimal
        is_entered, entered = imgui.input_text(labeled(words, f"{name}_{key}"), f"{value:X}", flags)
        tooltip(_("A mask in hexadecimal; Enter applies it"))
        if is_entered:
            result = replace(masks, **{key: int(entered or "0", 16) & LARGEST})
    return result


def _flow(width: float) -> None:
    """Go on in the same line if an item has room there, without its frame."""
    controls.same_line_if_room(width + theme.em(1))


def _draw_switches(frame: UiContext) -> None:
    lab = frame.view.lab
    for name, title, hint in (
        ("is_marked", _("Mark"), _("Tint in the viewport what passes")),
        ("has_numbers", _("Numbers"), _("Write the order of the engine's callbacks next to them")),
        ("has_edges", _("Odd edges"), _("Open edges red, edges of more than two triangles yellow")),
        ("has_links", _("Neighbors"), _("Edges, neighbors and both normals of the selected triangle")),
    ):
        if name != "is_marked":
            _flow(imgui.get_frame_height() + imgui.calc_text_size(title).x)
        is_on = getattr(lab, name)
        if controls.checkbox(title, name, hint, is_on=is_on):
            shown: dict[str, Any] = {name: not is_on}
            _change(frame, replace(lab, **shown))
    words, hint = _("Heat map"), _("Color by the angle between the stored normal and that of the vertices")
    _flow(imgui.get_frame_height() + imgui.calc_text_size(words).x)
    is_on = frame.view.shading is Shading.NORMAL_ERROR
    if controls.checkbox(words, "heat_map", hint, is_on=is_on):
        frame.change(partial(_with_heat_map, is_on=not is_on))


def _with_heat_map(view: ViewState, *, is_on: bool) -> ViewState:
    """Show this file in the heat map of normals, or as the others again."""
    if is_on:
        return with_shading_here(view, Shading.NORMAL_ERROR)
    usual = view.usual_shading
    return with_shading(view, Shading.TEXTURED if usual is Shading.NORMAL_ERROR else usual)


def _draw_flood(frame: UiContext) -> None:
    lab, row = frame.view.lab, chosen_record(frame)
    words = _("Flood fill") if row is None else _("Flood fill from {row}", row=row)
    hint = _("Only what links reach from the selected triangle over triangles that pass")
    if controls.small_button(f"{fa.ICON_FA_FILL_DRIP}  {words}", "flood", hint, is_enabled=row is not None):
        _change(frame, replace(lab, start=row, is_marked=True))
    if lab.start is not None:
        imgui.same_line()
        if controls.small_button(_("End"), "end_flood"):
            _change(frame, replace(lab, start=None))
    imgui.same_line()
    if controls.small_button(_("Clear"), "clear_masks"):
        _change(frame, replace(lab, masks=Masks(), start=None))


def chosen_record(frame: UiContext) -> int | None:
    """The descriptor of the selected triangle, in a terrain its face; None without one."""
    place = None if frame.document is None else triangle_record(frame.document, frame.view.selection)
    return None if place is None else place.row


def _draw_bits(frame: UiContext, document: Document, bits: Sequence[FlagBit]) -> None:
    """A row for each bit of the flags, with boxes that require and forbid it."""
    columns = {_("bit"): 0, _("require"): 0, _("forbid"): 0, _("count"): 0, _("meaning"): -1}
    lab, status = frame.view.lab, record_of(document).field("flags").status
    for bit in table_rows("##bits", columns, bits, _FIT, has_headers=True):
        text(f"0x{bit.value:X}")
        for name in ("required", "forbidden"):
            imgui.table_next_column()
            mask = getattr(lab.masks, name)
            if imgui.checkbox(f"##{name}{bit.value}", bool(mask & bit.value))[0]:
                _change(frame, _with_masks(lab, replace(lab.masks, **{name: mask ^ bit.value})))
        imgui.table_next_column()
        text(count_text(bit.triangles), theme.TEXT if bit.triangles else theme.FAINT)
        imgui.table_next_column()
        known = status if bit.name else Status.OPEN
        text(str(STATUS_NAMES[known]), theme.WARNING)
        tooltip(certainty(known))
        imgui.same_line()
        words = translated(bit.name) if bit.name else _("unknown")
        if imgui.calc_text_size(words).x > imgui.get_content_region_avail().x:
            imgui.new_line()
        wrapped(words, theme.TEXT if bit.name else theme.FAINT)


def _draw_selected(frame: UiContext, document: Document, links: TriangleLinks) -> None:
    row = chosen_record(frame)
    if row is None:
        wrapped(_("The neighbors of the triangle that is clicked in the viewport appear here."), theme.DIM)
        return
    title = _("Triangle {row}", row=row)
    if not section(labeled(title, "selected_triangle")):
        return
    flags = int(flags_of(document.model, np.array([row]))[0])
    names = record_of(document).field("flags").flags or {}
    set_bits = [names.get(1 << bit, f"0x{1 << bit:X}") for bit in range(32) if flags & 1 << bit]
    _draw_neighbors(frame, document, links, row)
    draw_facts("descriptor_facts", {_("flags"): f"0x{flags:04X}  {', '.join(set_bits) or _('none set')}"})
    draw_facts("normals", normal_facts(document, links, row))


def normal_facts(document: Document, links: TriangleLinks, row: int) -> dict[str, str]:
    """The stored normal of a descriptor or face against that of its winding."""
    rows = record_table(document)
    stored = triangles.decode_normal(rows["normal"][row]).astype(np.float64)
    facts: dict[str, str] = {_("stored normal"): numbers_text(stored)}
    corners = links.corners[row]
    if corners[0] < 0:
        return facts
    a, b, c = document.model.positions[corners].astype(np.float64)
    cross = np.cross(b - a, c - a)
    size, length = float(np.linalg.norm(cross)), float(np.linalg.norm(stored))
    if size == 0 or length == 0:
        return {**facts, _("computed normal"): _("none, as it has no area") if size == 0 else ""}
    cosine = min(max(float(cross @ stored) / size / length, -1.0), 1.0)
    angle = _("{angle:.3f} degrees apart", angle=degrees(acos(cosine)))
    return {**facts, _("computed normal"): f"{numbers_text(cross / size + 0.0)}\n{angle}"}


class EdgeState(NamedTuple):
    """The state of an edge, and the color."""

    words: str
    color: Color


def edge_states(links: TriangleLinks, row: int, edge: int) -> Iterator[EdgeState]:
    """The oddities of an edge and its link; none if both are regular."""
    for words, chosen, color in (
        (_("open"), links.is_open, RED),
        (_("more than two triangles"), links.is_crowded, YELLOW),
        (_("does not link back"), links.is_one_way, YELLOW),
        (_("does not have this edge"), links.is_apart, YELLOW),
        (_("does not exist"), links.is_outside, RED),
    ):
        if chosen[row, edge]:
            yield EdgeState(words, color)


def _draw_neighbors(frame: UiContext, document: Document, links: TriangleLinks, row: int) -> None:
    columns = dict.fromkeys((_("edge"), _("vertices"), _("neighbor"), _("its edge"), _("state")), 0.0)
    table = record_of(document).name
    for edge in table_rows("##neighbors", columns, range(EDGES), _FIT, has_headers=True):
        text(str(edge))
        tooltip(_("Alt+{number} goes over it", number=edge + 1))
        imgui.table_next_column()
        corners = links.corners[row]
        for end in (edge, (edge + 1) % EDGES) if corners[0] >= 0 else ():
            place = Place(document.address, VERTICES, int(corners[end]))
            draw_link(frame, f"end{edge}_{end}", str(corners[end]), place)
            imgui.same_line()
        imgui.table_next_column()
        target = int(links.target[row, edge])
        if target == NO_LINK:
            text(_("none"), theme.FAINT)
        else:
            draw_link(frame, f"neighbor{edge}", str(target), Place(document.address, table, target))
        imgui.table_next_column()
        selector = int(links.selector[row, edge])
        text(_("none") if selector == NO_SELECTOR else str(selector), theme.DIM)
        imgui.table_next_column()
        for state in edge_states(links, row, edge):
            text(state.words, state.color)


def _draw_odd(frame: UiContext, document: Document, links: TriangleLinks) -> None:
    """Lists of the odd edges and links of the whole model."""
    lists: tuple[tuple[str, Text, np.ndarray], ...] = (
        ("open", _("Open edges"), links.is_open),
        ("crowded", _("Edges of more than two triangles"), links.is_crowded),
        ("one_way", _("Links that do not lead back"), links.is_one_way),
        ("apart", _("Links to a triangle without that edge"), links.is_apart),
        ("outside", _("Links to a row that does not exist"), links.is_outside),
    )
    for name, title, chosen in lists:
        count = int(chosen.sum())
        if count and section(
            labeled(f"{title}: {count_text(count)}", f"odd_{name}"), is_open_at_first=count <= EDGES
        ):
            with identified(name):
                # The running sum counts the chosen ones up to each: those that are at most the limit are
                # the first ones.
                kept = chosen & (np.cumsum(chosen).reshape(chosen.shape) <= MOST_LISTED)
                _draw_list(frame, document, links.listed(kept))
            if count > MOST_LISTED:
                text(_("and {count} more", count=count_text(count - MOST_LISTED)), theme.FAINT)


def _draw_list(frame: UiContext, document: Document, found: Sequence[Link]) -> None:
    """Links to the triangles, wrapped to the width of the panel."""
    table = record_of(document).name
    for number, link in enumerate(found):
        words = f"{link.record}.{link.edge}"
        words = words if link.target == NO_LINK else f"{words} {fa.ICON_FA_ARROW_RIGHT} {link.target}"
        if number:
            controls.same_line_if_room(imgui.calc_text_size(words).x)
        draw_link(frame, f"odd{number}", words, Place(document.address, table, link.record))
