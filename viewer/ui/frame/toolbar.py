"""The toolbar in lines that fit, the slot matrix as a popup, the line that offers an install of the game."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, Self

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa

from viewer.model.game.installs import Install
from viewer.model.mesh.shown import Cell
from viewer.options import option_at, options_of
from viewer.session.field_text import GROUP_HINT, LOD_HINT, cell_hint, group_name, lod_name, short_count
from viewer.session.opened.document import Document
from viewer.session.play.stage import documents_of
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.view_state import (
    GROUP_COUNT,
    LOD_COUNT,
    ViewState,
    toggle_overlay,
    with_cell,
    with_group,
    with_lod,
)
from viewer.translation import _
from viewer.ui.context import UiContext, ViewChange
from viewer.ui.display.option_controls import draw_button, draw_list
from viewer.ui.frame.cell_row import groups_of, lods_of
from viewer.ui.viewport.obstacles import is_missing, models, overlay_obstacle
from viewer.ui.viewport.viewport import Viewport
from viewer.ui.widgets import theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.icons import icon_named
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.widgets import colored, fitting, icon_button, labeled, text, tooltip

_NAME = "cells"
_CELL_WIDTH = 8.0
"""Width of the field for LOD and group, font heights."""


class CellPicker:
    """A button in the toolbar and the popup that it opens; owner: the shell."""

    def __init__(self) -> None:
        self._is_requested = False

    def ask(self) -> None:
        """Open the popup in the next frame."""
        self._is_requested = True

    def draw(self, frame: UiContext) -> None:
        """Draw the button, and the popup if it is open."""
        is_pressed = icon_button(
            fa.ICON_FA_TABLE_CELLS,
            "cells",
            _("Choose LOD and group") + "\nL",
            is_enabled=frame.document is not None,
        )
        if is_pressed or self._is_requested:
            self._is_requested = False
            imgui.open_popup(_NAME)
        below = ImVec2(imgui.get_item_rect_min().x, imgui.get_item_rect_max().y + theme.em(0.3))
        imgui.set_next_window_pos(below, imgui.Cond_.appearing)
        if not imgui.begin_popup(_NAME):
            return
        if frame.document is not None:
            text(_("LOD down, group across"), theme.DIM)
            tooltip([str(LOD_HINT), str(GROUP_HINT)])
            _draw_matrix(frame, frame.document)
        imgui.end_popup()


def _draw_matrix(frame: UiContext, document: Document) -> None:
    if not imgui.begin_table("##matrix", GROUP_COUNT + 1, imgui.TableFlags_.sizing_fixed_fit):
        return
    imgui.table_next_column()
    for group in range(GROUP_COUNT):
        imgui.table_next_column()
        text(group_name(document, group), theme.DIM)
    for lod in range(LOD_COUNT):
        imgui.table_next_column()
        imgui.align_text_to_frame_padding()
        text(lod_name(document, lod), theme.DIM)
        for group in range(GROUP_COUNT):
            imgui.table_next_column()
            _draw_cell(frame, document, (lod, group))
    imgui.end_table()


def _draw_cell(frame: UiContext, document: Document, cell: Cell) -> None:
    choice = frame.view.parts
    count, is_own = int(document.chooser.triangle_counts(choice)[cell]), bool(document.triangle_counts[cell])
    is_shown = cell == (choice.lod, choice.group)
    if is_shown:
        imgui.push_style_color(imgui.Col_.button, imgui.get_style().color_(imgui.Col_.header))
    with colored(theme.TEXT if is_own or is_shown else theme.FAINT):
        words = short_count(count) if count else "-"
        if imgui.button(labeled(words, "cell{}{}".format(*cell)), ImVec2(theme.em(_CELL_WIDTH), 0)):
            frame.change(lambda view: with_cell(view, *cell))
            imgui.close_current_popup()
    tooltip(cell_hint(document, cell, count, is_own=is_own))
    if is_shown:
        imgui.pop_style_color()


_OVERLAY_MENU: Final = "overlay_menu"
_OPTIONS: Final = tuple(it for it in options_of(ViewState) if it.option.has_button)
_LISTS: Final = tuple(it for it in _OPTIONS if it.option.choices and not it.option.choices[0].icon)
_BUTTONS: Final = tuple(it for it in _OPTIONS if it not in _LISTS)
_BY_SIZE: Final = option_at(ViewState, "drawn.has_auto_detail")
LIST_ROOM: Final = 9.8
"""Width of a list, font heights."""
_ROOM_FOR_COUNTS: Final = 80.0
"""Least width of the toolbar that shows triangle counts next to the numbers, font heights."""
_ROOM_FOR_OVERLAYS: Final = 62.0
"""Least width that has a button for each overlay; below it they are in a menu."""
_ROOM_FOR_TOOL: Final = 72.0
"""Least width with the tools that explain a pixel and measure, which have keys and stand in the menu too."""
_ROOM_FOR_LISTS: Final = 46.0
NARROW_LIST: Final = 7.0
"""Least width for whole lists, and the width of a list below that."""


class Toolbar:
    """The bar with its picker of cells and the tool of the viewport, in as many lines as it needs."""

    def __init__(self, cells: CellPicker, viewport: Viewport) -> None:
        self._cells, self._viewport = cells, viewport
        self._flow = Flow()
        self._lods, self._groups = Cached(lods_of), Cached(groups_of)

    @property
    def height(self) -> float:
        """Height of the lines, pixels."""
        return self._flow.height

    def draw(self, frame: UiContext) -> None:
        """Draw the bar inside its window."""
        room, flow = imgui.get_content_region_avail().x, self._flow
        flow.begin()
        self._draw_cells(frame, has_counts=room > theme.em(_ROOM_FOR_COUNTS))
        for option in _LISTS:
            with flow.group(option.key):
                draw_list(frame, option, LIST_ROOM if room > theme.em(_ROOM_FOR_LISTS) else NARROW_LIST)
        if room > theme.em(_ROOM_FOR_OVERLAYS):
            with flow.group("overlays"):
                _draw_overlays(frame)
        else:
            with flow.group("overlay_menu"):
                _draw_overlay_menu(frame)
        for option in _BUTTONS:
            with flow.group(option.key):
                draw_button(frame, option)
        with flow.group("framing"):
            _draw_framing(frame)
            if room > theme.em(_ROOM_FOR_TOOL):
                imgui.same_line(0, theme.em(0.15))
                self._viewport.draw_tool_buttons(frame)
        flow.end()

    def _draw_cells(self, frame: UiContext, *, has_counts: bool) -> None:
        """Draw the LODs and the groups."""
        documents, choice = documents_of(frame.state.stage), frame.view.parts
        width = theme.em(3.9 if has_counts else 1.9)
        files = tuple((it.identity, it.revision, it.choice) for it in documents)
        made_of = files, choice, has_counts, width
        reason = models(frame) if frame.state.stage is not None else ""
        with self._flow.group("lod"):
            lods = self._lods.of(made_of, documents, choice, has_counts)
            lods.draw_caption()
            lod = lods.draw_buttons(width, reason)
        with self._flow.group("group"):
            groups = self._groups.of(made_of, documents, choice, has_counts)
            groups.draw_caption()
            draw_button(frame, _BY_SIZE)
            imgui.same_line(0, theme.em(0.15))
            group = groups.draw_buttons(width, reason)
            self._cells.draw(frame)
        if lod is not None:
            frame.change(partial(with_lod, lod=lod))
        if group is not None:
            frame.change(partial(with_group, group=group))


def _with_keys(words: object, keys: str) -> str:
    return f"{words}\n{keys}" if keys else str(words)


_OVERLAY_BUTTONS: Final = tuple(
    (it, str(it.value), icon_named(it.doc.icon), partial(_with_keys, it.doc.words, it.doc.keys))
    for it in Overlay
    if it.doc.has_button
)


def _toggled(overlay: Overlay) -> ViewChange:
    return lambda view: toggle_overlay(view, overlay)


def _refused(hint: Callable[[], str], reason: str) -> str:
    return f"{hint()}\n{reason}"


def _draw_overlays(frame: UiContext) -> None:
    shown, gap = frame.view.overlays, theme.em(0.15)
    for overlay, name, icon, hint in _OVERLAY_BUTTONS:
        reason = overlay_obstacle(frame, overlay)
        words = partial(_refused, hint, reason) if reason else hint
        if icon_button(icon, name, words, is_on=overlay in shown, is_enabled=not reason):
            frame.change(_toggled(overlay))
        imgui.same_line(0, gap)


def _draw_overlay_menu(frame: UiContext) -> None:
    """Draw one button that opens a menu of the overlays."""
    if icon_button(fa.ICON_FA_LAYER_GROUP, "overlays", _("Overlays")):
        imgui.open_popup(_OVERLAY_MENU)
    if imgui.begin_popup(_OVERLAY_MENU):
        for overlay in Overlay:
            if overlay_obstacle(frame, overlay) or is_missing(frame.document, overlay):
                continue
            label = labeled(f"{icon_named(overlay.doc.icon)}  {overlay.doc.words}", overlay.value)
            if imgui.menu_item_simple(label, overlay.doc.keys, overlay in frame.view.overlays):
                frame.change(_toggled(overlay))
        imgui.end_popup()


def _draw_framing(frame: UiContext) -> None:
    has_stage = frame.state.stage is not None
    hint = partial(_with_keys, _("Frame all"), "Home")
    if icon_button(fa.ICON_FA_EXPAND, "frame_all", hint, is_enabled=has_stage):
        frame.later(frame.control.camera.frame_all)
    imgui.same_line(0, theme.em(0.15))
    has_nodes = bool(frame.view.selection.nodes)
    hint = partial(_with_keys, _("Frame selection"), "F")
    if icon_button(fa.ICON_FA_CROSSHAIRS, "frame_selection", hint, is_enabled=has_nodes):
        frame.later(frame.control.camera.frame_selection)


_GROUP_GAP: Final = 1.1
"""Between the groups of a bar, font heights."""


class Flow:
    """The lines of one bar. A group is as wide as it was in the last frame."""

    def __init__(self) -> None:
        self._widths: dict[str, float] = {}
        self._lines = self._count = 1
        self._left = self._right = 0.0
        self._group = ""

    @property
    def height(self) -> float:
        """Height of the lines of the last frame, pixels."""
        return self._lines * imgui.get_frame_height() + (self._lines - 1) * imgui.get_style().item_spacing.y

    def begin(self) -> None:
        """Begin the first line in the room that is left of the window."""
        self._left = imgui.get_cursor_screen_pos().x
        self._right = self._left + imgui.get_content_region_avail().x
        self._count = 0

    def group(self, name: str) -> Self:
        """Keep the items inside a ``with`` of it on one line, after the group before."""
        gap = theme.em(_GROUP_GAP)
        end = imgui.get_item_rect_max().x + gap if self._count else self._left
        if self._count and end + self._widths.get(name, 0.0) <= self._right:
            imgui.same_line(0, gap)
        else:
            self._count += 1
        imgui.begin_group()
        self._group = name
        return self

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_ignored: object) -> None:
        imgui.end_group()
        self._widths[self._group] = imgui.get_item_rect_size().x

    def end(self) -> None:
        """End the last line."""
        self._lines = max(self._count, 1)


def draw_offer(frame: UiContext, install: Install) -> None:
    """Draw what was found, and the buttons that use it or close the line."""
    use, decline = labeled(_("Use"), "use_install"), labeled(_("Don't show again"), "decline_installs")
    style = imgui.get_style()
    texts = (imgui.calc_text_size(label, hide_text_after_double_hash=True).x for label in (use, decline))
    buttons = sum(texts) + 4 * style.frame_padding.x + 2 * style.item_spacing.x
    imgui.align_text_to_frame_padding()
    text(fa.ICON_FA_GAMEPAD, theme.ACCENT)
    imgui.same_line()
    text(fitting(offer_texts(install), imgui.get_content_region_avail().x - buttons))
    tooltip([install.folder, _("Use: look up materials there for files outside a game folder, and open it")])
    imgui.same_line()
    if imgui.button(use):
        frame.later(frame.control.installs.use, install.folder)
    imgui.same_line()
    if imgui.button(decline):
        frame.later(frame.control.installs.decline)


def offer_texts(install: Install) -> tuple[str, ...]:
    """Return the offer as texts from long to short."""
    choices = (
        _("Game found on this computer ({launcher}): {folder}"),
        _("Game found on this computer ({launcher})"),
        _("Game found"),
    )
    launcher = name_of(install.launcher)
    return tuple(words.format(launcher=launcher, folder=install.folder) for words in choices)
