"""Search panel: one search over everything open; each hit is a link to its place."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.model.query.search_query import EVERYWHERE, Query, Scope
from viewer.model.store.address import SEPARATOR
from viewer.operations.corpus.searching import FileHits, Found, Hit
from viewer.session.jobs import SEARCH_LANE, RunningJob, SearchState
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import counted
from viewer.ui.widgets.filter_field import FilterField
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.table_grid import rows_on_screen
from viewer.ui.widgets.widgets import copy_menu, empty, ghost_button, labeled, readable, text, tooltip

SCOPES: Final = {
    Scope.NAMES: (_("Names"), _("Names of files and entries; words and wildcards.")),
    Scope.TYPES: (_("Types"), _("Kinds of files and entries, such as texm or model.")),
    Scope.TEXT: (_("Text"), _("Text in files, in either case.")),
    Scope.BYTES: (_("Bytes"), _("Hexadecimal bytes, ?? for any: 4E 52 ?? 65")),
    Scope.VALUES: (_("Values"), _("Fields with a value, or a condition: index_count > 300")),
}
_TITLES: Final = {**{scope: title for scope, (title, _hint) in SCOPES.items()}, Scope.USERS: _("Users")}
_EXPLANATION: Final = _(
    "Enter searches everything open: names, types, text, bytes (4E 52 ?? 65) and fields (index_count > 300). "
    "users:NAME finds what refers to a name; name:, type:, text:, hex: and value: search in one place only."
)
MOST_NAMED: Final = 12
"""Unreadable files that a tooltip names."""
_FLAGS: Final = imgui.TableFlags_.scroll_y | imgui.TableFlags_.row_bg
_WHOLE_ROW: Final = imgui.SelectableFlags_.span_all_columns

Row = tuple[FileHits, Hit | None]
"""A hit, or the head of its file."""


class SearchPanel:
    """The field, where to search, and the hits by file."""

    id = "search"
    title = _("Search")

    def __init__(self) -> None:
        self._field = FilterField("search_field", _("Search everything open"), _EXPLANATION)
        self._scopes = EVERYWHERE
        self._folded: frozenset[str] = frozenset()
        self._rows: list[Row] = []
        self._rows_of: tuple[object, ...] = ()

    def ask(self) -> None:
        """Put the cursor into the field in the next frame."""
        self._field.ask()

    def draw(self, frame: UiContext) -> None:
        """Draw the field, the state of the search and the hits on screen."""
        self._draw_field(frame)
        self._draw_scopes(frame)
        state = frame.state.search
        self._draw_state(
            state, next((job for job in frame.state.jobs if job.lane == SEARCH_LANE), None), frame
        )
        made_of = state.found, self._folded
        if made_of != self._rows_of:
            self._rows_of, self._rows = made_of, rows_of(state.found, self._folded)
        if self._rows:
            self._draw_rows(frame)
        elif state.query is not None and not (state.is_running or state.problem):
            empty(_("Nothing was found."))
        elif state.query is None:
            empty(str(_EXPLANATION))

    def _draw_field(self, frame: UiContext) -> None:
        is_cleared = self._field.draw(room=theme.em(6)) and self._field.is_empty
        is_entered = self._field.is_entered
        imgui.same_line(0, theme.em(0.3))
        imgui.begin_disabled(self._field.is_empty)
        is_entered |= imgui.button(labeled(_("Search"), "start_search"), imgui.ImVec2(-1, 0))
        imgui.end_disabled()
        if is_cleared or (is_entered and not self._field.is_empty):
            frame.commands.search.start(Query.typed(self._field.text, self._scopes))

    def _draw_scopes(self, frame: UiContext) -> None:
        """Draw a check box for each scope; another choice searches again."""
        before = self._scopes
        for scope, (title, hint) in SCOPES.items():
            if imgui.checkbox(labeled(str(title), f"scope_{scope.value}"), scope in self._scopes)[0]:
                self._scopes ^= {scope}
            tooltip(str(hint))
            imgui.same_line()
        if self._scopes != before and frame.state.search.query is not None:
            frame.commands.search.start(Query.typed(self._field.text, self._scopes))

    def _draw_state(self, state: SearchState, job: RunningJob | None, frame: UiContext) -> None:
        if state.query is None:
            imgui.new_line()
            return
        imgui.same_line(0, theme.em(1.2))
        imgui.align_text_to_frame_padding()
        text(state_text(state, job), theme.DIM)
        if state.found.unreadable:
            imgui.same_line()
            text(fa.ICON_FA_TRIANGLE_EXCLAMATION, theme.WARNING)
            reasons = [f"{name}: {translated(why)}" for name, why in state.found.unreadable.items()]
            tooltip([_("These cannot be searched:"), *reasons[:MOST_NAMED]])
        if job is not None and not job.is_cancelled:
            imgui.same_line()
            if ghost_button(fa.ICON_FA_XMARK, "cancel_search", _("Cancel the search"), theme.DIM):
                frame.commands.window.cancel_job(SEARCH_LANE)

    def _draw_rows(self, frame: UiContext) -> None:
        if not imgui.begin_table("##hits", 2, _FLAGS, imgui.get_content_region_avail()):
            return
        imgui.table_setup_column("what", imgui.TableColumnFlags_.width_stretch, 1.0)
        imgui.table_setup_column("where", imgui.TableColumnFlags_.width_stretch, 1.0)
        for number in rows_on_screen(len(self._rows)):
            imgui.table_next_row()
            imgui.table_next_column()
            file, hit = self._rows[number]
            if hit is None:
                self._draw_file(number, file)
            else:
                _draw_hit(number, hit, frame)
        imgui.end_table()

    def _draw_file(self, number: int, file: FileHits) -> None:
        """Draw the head of a file; a click folds its hits, or unfolds them."""
        icon = fa.ICON_FA_CARET_RIGHT if file.path in self._folded else fa.ICON_FA_CARET_DOWN
        hits = counted(file.count, "{count} hit", "{count} hits")
        words = f"{icon}  {readable(PurePath(file.path).name)}  {hits}"
        if imgui.selectable(labeled(words, f"file{number}"), False, _WHOLE_ROW)[0]:
            self._folded ^= {file.path}
        tooltip(file.path)
        imgui.table_next_column()
        if file.more:
            text(_("{count} more are not listed", count=file.more), theme.DIM)


def _draw_hit(number: int, hit: Hit, frame: UiContext) -> None:
    icon = icon_of(hit.kind) if hit.kind else fa.ICON_FA_FILE
    label = labeled(f"      {icon}  {readable(hit.words)}", f"hit{number}")
    is_clicked = imgui.selectable(label, False, _WHOLE_ROW)[0]
    in_new_tab = imgui.is_item_clicked(imgui.MouseButton_.middle)
    tooltip([hit.words, str(_TITLES[hit.scope]), str(hit.place)])
    copy_menu(f"copy{number}", str(hit.place))
    if is_clicked or in_new_tab:
        frame.commands.opening.go_to(hit.place, in_new_tab=in_new_tab or imgui.get_io().key_ctrl)
    imgui.table_next_column()
    text(place_text(hit), theme.DIM)


def rows_of(found: Found, folded: frozenset[str]) -> list[Row]:
    """Return the rows to draw: the head of each file and its hits."""
    rows: list[Row] = []
    for file in found.files:
        rows.append((file, None))
        rows += ((file, hit) for hit in file.hits if file.path not in folded)
    return rows


def place_text(hit: Hit) -> str:
    """Return the place of a hit without the path of its file."""
    address = hit.place.address
    name = SEPARATOR.join(address.entries) or address.name
    return f"{name}: {hit.place.spot}" if hit.place.spot else name


def state_text(state: SearchState, job: RunningJob | None) -> str:
    """Return how many hits there are, and how far the search is."""
    files = counted(len(state.found.files), "{count} file", "{count} files")
    hits = counted(state.found.count, "{count} hit in {files}", "{count} hits in {files}", files=files)
    if state.problem:
        return f"{hits}, {translated(state.problem)}" if state.found.count else translated(state.problem)
    if not state.is_running:
        return hits
    if job is None or not job.total:
        return f"{hits}, {_('searching…')}"
    at = _("searching {done} of {total}: {name}")
    return f"{hits}, " + at.format(done=job.done + 1, total=job.total, name=job.what)
