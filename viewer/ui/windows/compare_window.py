"""The window of a comparison: both models under one camera, and what differs as a tree."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from enum import StrEnum
from functools import partial
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec.structs import replace

from viewer.model.compare.differences import ChangeKind
from viewer.operations.comparing import ComparedTable
from viewer.session.field_text import counted
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.session.opened.comparison import ComparedSide, OpenedComparison, titles
from viewer.session.play.playback import UnitPlay
from viewer.session.play.unit_posing import UnitLook, framed, placed
from viewer.session.view.camera import Camera
from viewer.session.view.options.background import Background
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import ViewState, for_document
from viewer.translation import _, translated
from viewer.ui.context import UiContext, ViewChange
from viewer.ui.edits.value_list import change_text, draw_change, draw_summary, narrowed, place_of
from viewer.ui.stage.orbit_image import draw_orbit_image
from viewer.ui.viewport.hint_cards import headline, summary_of
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.floating import Floating
from viewer.ui.widgets.table_grid import TreeRow, flatten, indent, rows_on_screen, table_rows
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import (
    copy_menu,
    empty,
    ghost_button,
    icon_button,
    identified,
    labeled,
    readable,
    text,
    tooltip,
    wrapped,
)

COLORS: Final[tuple[Color, Color]] = ((1.0, 0.55, 0.2, 1.0), (0.3, 0.65, 1.0, 1.0))
"""Colors of the first and of the second model."""
IMAGE_SHARE: Final = 0.6
"""Share of the height that the images take."""
_FLAGS: Final = (
    imgui.TableFlags_.row_bg
    | imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.resizable
    | imgui.TableFlags_.no_saved_settings
)
Row = tuple[int, int]
"""A table, and a value in it; -1 for the table itself."""


class ComparisonLayout(StrEnum):
    """Layout of two models."""

    BESIDE = "beside"
    OVER = "over"


class CompareWindow(Floating):
    """Shows the comparison of the state while there is one; owner: the shell."""

    id = "compare"
    title = _("Comparison")
    size = 76, 52

    def __init__(self) -> None:
        super().__init__()
        self._view = ViewState()
        self._shown: OpenedComparison | None = None
        self._layout, self._share = ComparisonLayout.BESIDE, 0.5
        self._closed: set[int] = set()
        self._rows = Cached(_rows_of)

    def draw(self, frame: UiContext) -> None:
        """Draw the window if something is compared."""
        state = frame.state.comparison
        was_open, self.is_open = self.is_open, state.sides is not None
        with self.window() as is_shown:
            if is_shown and state.sides is not None:
                self._draw_names(frame, state.sides)
                if state.shown is None:
                    empty(_("Comparing…"))
                else:
                    self._draw_found(frame, state.shown)
        if was_open and state.sides is not None and not self.is_open:
            frame.later(frame.control.comparing.close)

    def _draw_names(self, frame: UiContext, sides: tuple[ComparedSide, ComparedSide]) -> None:
        for at, (side, title) in enumerate(zip(sides, titles(sides), strict=True)):
            if at:
                imgui.same_line(0, theme.em(1))
                hint = _("Exchange both")
                if ghost_button(fa.ICON_FA_RIGHT_LEFT, "exchange", hint, theme.DIM):
                    frame.later(frame.control.comparing.compare, sides[1], sides[0])
                imgui.same_line(0, theme.em(1))
            text(f"{fa.ICON_FA_SQUARE}  {readable(title)}", COLORS[at])
            tooltip(readable(str(side.address)))
            copy_menu(f"side{at}", str(side.address))

    def _draw_found(self, frame: UiContext, shown: OpenedComparison) -> None:
        units = _units(shown)
        if self._shown is None or shown.sides != self._shown.sides:
            self._view, self._closed = ViewState(unit=UnitPlay()), set()
            self._frame(units)
        # The same pair read again keeps its camera and its folds.
        self._shown = shown
        if units:
            for side, unit in zip(titles(shown.sides), shown.units, strict=True):
                _draw_missing(side, unit)
            self._draw_controls(units)
            self._draw_images(frame, shown)
        if shown.problem:
            wrapped(translated(shown.problem), theme.ERROR)
        if shown.found is None:
            return
        if not shown.found.changes:
            text(f"{fa.ICON_FA_CIRCLE_CHECK}  {_('Every byte is the same.')}", theme.GOOD)
            return
        draw_summary(tuple(map(str, shown.found.summary)))
        self._draw_tree(frame, shown, shown.found.tables)

    def _frame(self, units: Sequence[AssembledUnit]) -> None:
        parts = tuple(part for unit in units for part in placed(unit, self._view))
        self._view = replace(self._view, camera=framed(parts, Camera(), 1.0))

    def _change(self, change: ViewChange) -> None:
        self._view = change(self._view)

    def _draw_controls(self, units: Sequence[AssembledUnit]) -> None:
        """Draw how both are shown, and at which time."""
        gap = theme.em(0.3)
        for layout, icon, hint in (
            (ComparisonLayout.BESIDE, fa.ICON_FA_TABLE_COLUMNS, _("Side by side, under one camera")),
            (ComparisonLayout.OVER, fa.ICON_FA_LAYER_GROUP, _("One over the other, in two colors")),
        ):
            is_possible = layout is ComparisonLayout.BESIDE or len(units) == 2
            is_on = self._layout is layout
            if icon_button(icon, layout.value, hint, is_on=is_on, is_enabled=is_possible):
                self._layout = layout
            imgui.same_line(0, gap)
        if icon_button(fa.ICON_FA_EXPAND, "frame", _("Show all of it")):
            self._frame(units)
        last = max((it.last_frame for unit in units if (it := unit.chassis) is not None), default=0.0)
        width = (imgui.get_content_region_avail().x - theme.em(14)) / 2
        if last > 0:
            imgui.same_line(0, gap)
            imgui.set_next_item_width(width)
            format_ = _("frame {number}", number="%.1f")
            changed, time = imgui.slider_float("###time", self._view.time, 0.0, last, format_)
            if changed:
                self._view = replace(self._view, time=time)
        if self._layout is ComparisonLayout.OVER and len(units) == 2:
            imgui.same_line(0, gap)
            imgui.set_next_item_width(width)
            self._share = imgui.slider_float("###share", self._share, 0.0, 1.0, "")[1]
            tooltip(_("Left: the first model alone, right: the second one"))

    def _draw_images(self, frame: UiContext, shown: OpenedComparison) -> None:
        room = imgui.get_content_region_avail()
        height = max(room.y * IMAGE_SHARE, theme.em(6))
        own = replace(frame, view=self._view, change=self._change)
        if self._layout is ComparisonLayout.OVER and len(_units(shown)) == 2:
            self._draw_over(own, shown, ImVec2(room.x, height))
            return
        gap = imgui.get_style().item_spacing.x
        for at, unit in enumerate(shown.units):
            if at:
                imgui.same_line()
            size = ImVec2((room.x - gap) / 2, height)
            if unit is None or not unit.documents:
                imgui.dummy(size)
                continue
            with identified(at):
                image = partial(_image, frame, unit, self._look(frame), at + 1)
                draw_orbit_image(own, "side", size, image, partial(self._frame, _units(shown)))

    def _look(self, frame: UiContext) -> ViewState:
        """The view of both: the look of the program, and the camera and the time of this window."""
        view = self._view
        return replace(for_document(frame.view), camera=view.camera, time=view.time, is_playing=False)

    def _draw_over(self, own: UiContext, shown: OpenedComparison, size: ImVec2) -> None:
        """Draw the second image over the first one, each in its color."""
        first, second = _units(shown)
        plain = replace(
            self._look(own),
            shading=Shading.LIT,
            overlays=frozenset(),
            background=Background.TRANSPARENT,
            samples=own.view.samples,
        )
        corner = imgui.get_cursor_screen_pos()
        end = ImVec2(corner.x + size.x, corner.y + size.y)
        painter = imgui.get_window_draw_list()
        painter.add_rect_filled(corner, end, theme.packed((0.2, 0.2, 0.2, 1.0)))
        images: list[tuple[int, int]] = []

        def image(pixels: tuple[int, int]) -> int:
            looks = [UnitLook(unit, plain, pixels, is_clear=True) for unit in (first, second)]
            images.extend((own.lookups.unit_image(it, at + 1), at) for at, it in enumerate(looks))
            return images[0][0]

        shares = min(1.0, 2 - 2 * self._share), self._share
        tints = [theme.packed(color, share) for color, share in zip(COLORS, shares, strict=True)]
        frame_all = partial(self._frame, (first, second))
        draw_orbit_image(own, "over_image", size, image, frame_all, tint=tints[0])
        if images:
            texture = imgui.ImTextureRef(images[1][0])
            painter.add_image(texture, corner, end, ImVec2(0, 1), ImVec2(1, 0), tints[1])

    def _draw_tree(self, frame: UiContext, shown: OpenedComparison, tables: Sequence[ComparedTable]) -> None:
        rows = self._rows.of((shown, frozenset(self._closed)), tables, self._closed)
        has_several = tables[0].address != tables[-1].address
        columns = {"where": -1.0, "what": -1.6}
        for number in table_rows("##differences", columns, rows_on_screen(len(rows)), _FLAGS):
            table, value = rows[number].key
            with identified(number):
                if value < 0:
                    self._draw_table(rows[number], tables[table], is_named=has_several)
                else:
                    _draw_value(frame, shown, tables[table], value)

    def _draw_table(self, row: TreeRow[Row], table: ComparedTable, *, is_named: bool) -> None:
        hint = _("Expand or collapse")
        if controls.fold_button("fold", hint, is_open=row.is_open, has_children=row.has_children):
            self._closed ^= {row.key[0]}
        imgui.same_line(0, theme.em(0.3))
        text(table.table or _("file"))
        if is_named:
            imgui.same_line()
            text(readable(table.address.name), theme.FAINT)
        imgui.table_next_column()
        counts = ((count, _WORDS[what]) for what, count in table.counts.items() if count)
        text(", ".join(counted(count, *map(str, words)) for count, words in counts), theme.DIM)


def _rows_of(tables: Sequence[ComparedTable], closed: AbstractSet[int]) -> list[TreeRow[Row]]:
    return flatten(
        [(at, -1) for at in range(len(tables))],
        lambda row: [] if row[1] >= 0 else [(row[0], it) for it in range(len(tables[row[0]].values))],
        lambda row: row[0] not in closed,
    )


_WORDS: Final = {
    ChangeKind.CHANGED: (_("{count} changed"), _("{count} changed")),
    ChangeKind.REMOVED: (_("{count} removed"), _("{count} removed")),
    ChangeKind.ADDED: (_("{count} added"), _("{count} added")),
    ChangeKind.RENUMBERED: (_("{count} renumbered"), _("{count} renumbered")),
}


def _draw_value(frame: UiContext, shown: OpenedComparison, table: ComparedTable, number: int) -> None:
    """Draw where a value is, as a link to it, and what it was and is."""
    value = narrowed(table.values[number])
    is_gone = value.what is ChangeKind.REMOVED
    side = shown.sides[0 if is_gone else 1]
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + indent(1))
    words = place_of(value) + (f"  {value.name}" if value.name else "")
    if side.is_saved or side.is_backup:  # not what is open
        text(words, theme.DIM)
    elif imgui.text_link(labeled(words, "value")):
        inside = value.address.entries[len(shown.sides[1].address.entries) :]
        place = replace(value.place, address=side.address.child(*inside))
        frame.later(frame.control.opening.go_to, place, in_new_tab=True)
    copy_menu("value_menu", f"{value.address} {place_of(value)}: {change_text(value)}")
    imgui.table_next_column()
    draw_change(value)


def _draw_missing(side: str, unit: AssembledUnit | None) -> None:
    """Say whether a side is drawn without some of its materials, which is no difference of the models."""
    if unit is None:
        return
    for document in unit.documents.values():
        found = summary_of(document)
        if found.incomplete:
            words = headline(found.incomplete, len(document.materials.rows))
            wrapped(f"{fa.ICON_FA_TRIANGLE_EXCLAMATION}  {readable(side)}: {words}", theme.WARNING)
            tooltip(found.reasons)
            return


def _units(shown: OpenedComparison) -> list[AssembledUnit]:
    return [it for it in shown.units if it is not None and it.documents]


def _image(frame: UiContext, unit: AssembledUnit, view: ViewState, slot: int, pixels: tuple[int, int]) -> int:
    return frame.lookups.unit_image(UnitLook(unit, view, pixels), slot)
