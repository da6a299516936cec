"""Search panel: one search over what is open, the game or a folder; each hit is a link to its place."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.model.query.search_query import EVERYWHERE, Query, Scope
from viewer.model.store.address import SEPARATOR
from viewer.operations.corpus.hits import FileHits, Found, Hit
from viewer.session.field_text import counted
from viewer.session.jobs import EVERYTHING_OPEN, SEARCH_LANE, CorpusScope, RunningJob, SearchArea, SearchState
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.fields.resource_links import draw_row_link
from viewer.ui.fields.result_age import draw_age
from viewer.ui.table.statistics import SCOPE_HINTS
from viewer.ui.table.statistics import SCOPES as SCOPES_OF_CORPUS
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.input.filter_field import FilterField
from viewer.ui.widgets.job_progress import draw_cancel, draw_unreadable, job_in
from viewer.ui.widgets.table_grid import rows_on_screen, table_rows
from viewer.ui.widgets.widgets import empty, labeled, readable, text, tooltip

SCOPES: Final = {
    Scope.NAMES: (_("Names"), _("Names of files and entries; words and wildcards.")),
    Scope.TYPES: (_("Types"), _("Kinds of files and entries, such as texm or model.")),
    Scope.TEXT: (_("Text"), _("Text in files, in either case.")),
    Scope.BYTES: (_("Bytes"), _("Hexadecimal bytes, ?? for any: 4E 52 ?? 65")),
    Scope.VALUES: (_("Values"), _("Fields with a value, or a condition: index_count > 300")),
}
AREAS: Final = {**SCOPES_OF_CORPUS, CorpusScope.FOLDER: _("Folder…")}
_TITLES: Final = {**{scope: title for scope, (title, _hint) in SCOPES.items()}, Scope.USERS: _("Users")}
_EXPLANATION: Final = _(
    "Enter searches: names, types, text, bytes (4E 52 ?? 65) and fields (index_count > 300); Enter again "
    "opens the first hit. users:NAME finds what refers to a name; name:, type:, text:, hex: and value: "
    "search in one place only."
)
_FLAGS: Final = imgui.TableFlags_.scroll_y | imgui.TableFlags_.row_bg
_WHOLE_ROW: Final = imgui.SelectableFlags_.span_all_columns

Row = tuple[FileHits, Hit | None]
"""A hit, or the head of its file."""


class SearchPanel:
    """The field, where to search, and the hits by file."""

    id = "search"
    title = _("Search")

    def __init__(self) -> None:
        self._field = FilterField("search_field", _("Search"), _EXPLANATION)
        self._scopes = EVERYWHERE
        self._area = self._searched = EVERYTHING_OPEN
        self._folded: frozenset[str] = frozenset()
        self._rows = Cached(rows_of)

    def ask(self) -> None:
        """Put the cursor into the field in the next frame."""
        self._field.ask()

    def draw(self, frame: UiContext) -> None:
        """Draw the field, the state of the search and the hits on screen."""
        self._draw_field(frame)
        self._draw_scopes(frame)
        state = frame.state.search
        self._draw_state(state, frame)
        made_of = state.found, self._folded
        if rows := self._rows.of(made_of, *made_of):
            self._draw_rows(rows, frame)
        elif state.query is not None and not (state.is_running or state.problem):
            empty(" ".join(filter(None, (_("Nothing was found."), translated(state.found.unknown)))))
        elif state.query is None:
            empty(str(_EXPLANATION))

    def _draw_field(self, frame: UiContext) -> None:
        self._draw_area(frame)
        imgui.same_line(0, theme.em(0.3))
        is_cleared = self._field.draw(room=theme.em(6)) and self._field.is_empty
        is_entered = self._field.is_entered
        imgui.same_line(0, theme.em(0.3))
        is_entered |= controls.button(
            _("Search"), "start_search", is_enabled=not self._field.is_empty, width=-1
        )
        query, state = Query.typed(self._field.text, self._scopes), frame.state.search
        is_known = (state.query, state.area) == (query, self._area)
        if self._field.is_entered and is_known and state.found.files:
            hits = (hit for file in state.found.files for hit in file.hits)
            frame.later(frame.control.opening.go_to, next(hits).place)
        elif is_cleared or (is_entered and not self._field.is_empty):
            frame.later(frame.control.search.start, query, self._area)
            self._field.ask()  # for the next Enter

    def _draw_area(self, frame: UiContext) -> None:
        """Draw where to search; another choice searches again."""
        before, folder = self._area, self._area.folder
        shown = readable(folder.name or str(folder)) if folder and before.scope is CorpusScope.FOLDER else ""
        scope = controls.choose("##area", AREAS, before.scope, 9, shown=shown, hints=SCOPE_HINTS)
        if scope is CorpusScope.FOLDER and before.scope is not scope:
            frame.later(frame.control.dialogs.choose_folder, _("Choose a folder to search"), self._use_folder)
        elif scope is not before.scope:
            self._area = SearchArea(scope)
        if self._area != self._searched:
            self._searched = self._area
            if frame.state.search.query is not None:
                frame.later(frame.control.search.start, frame.state.search.query, self._area)

    def _use_folder(self, folder: Path) -> None:
        self._area = SearchArea(CorpusScope.FOLDER, folder)

    def _draw_scopes(self, frame: UiContext) -> None:
        """Draw a check box for each scope; another choice searches again."""
        before = self._scopes
        for scope, (title, hint) in SCOPES.items():
            if controls.checkbox(title, f"scope_{scope.value}", hint, is_on=scope in self._scopes):
                self._scopes ^= {scope}
            imgui.same_line()
        if self._scopes != before and frame.state.search.query is not None:
            frame.later(frame.control.search.start, Query.typed(self._field.text, self._scopes), self._area)

    def _draw_state(self, state: SearchState, frame: UiContext) -> None:
        if state.query is None:
            imgui.new_line()
            return
        imgui.same_line(0, theme.em(1.2))
        imgui.align_text_to_frame_padding()
        text(state_text(state, job_in(frame, SEARCH_LANE)), theme.DIM)
        if draw_age(frame, state.read, is_inline=True):
            frame.later(frame.control.search.start, state.query, state.area)
        if state.found.unreadable:
            imgui.same_line()
            draw_unreadable(_("These cannot be searched:"), state.found.unreadable)
        draw_cancel(frame, SEARCH_LANE, "cancel_search", _("Cancel the search"))

    def _draw_rows(self, rows: list[Row], frame: UiContext) -> None:
        for number in table_rows("##hits", {"what": -1, "where": -1}, rows_on_screen(len(rows)), _FLAGS):
            file, hit = rows[number]
            if hit is None:
                self._draw_file(number, file)
            else:
                _draw_hit(number, hit, frame)

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
    hints = hit.words, _TITLES[hit.scope], str(hit.place)
    follow = frame.later.calling(frame.control.opening.go_to, hit.place)
    draw_row_link(label, str(hit.place), hints, follow)
    imgui.table_next_column()
    text("  ".join((place_text(hit), *filter(None, hit.names))), theme.DIM)


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
    return f"{name}: {hit.place.in_file}" if hit.place.in_file else name


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
