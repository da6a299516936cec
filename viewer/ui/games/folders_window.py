"""The window that compares two folders: what differs, entry by entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set as AbstractSet
from functools import partial
from pathlib import Path
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.control.lookups.difference_page import INDEX
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.operations.folders.comparison import ComparedEntry, EntryState, FolderComparison
from viewer.session.field_text import counted
from viewer.session.games.compared_folders import FOLDERS_LANE, PAGE_LANE, FoldersState
from viewer.session.opened.comparison import ComparedSide
from viewer.session.tables.table_view import CopyFormat
from viewer.translation import _, count_text, translated
from viewer.ui.context import UiContext
from viewer.ui.fields.resource_links import draw_row_link
from viewer.ui.fields.result_age import draw_age
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.floating import Floating
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.input.filter_field import FilterField
from viewer.ui.widgets.job_progress import draw_progress, draw_unreadable
from viewer.ui.widgets.table_grid import rows_on_screen, table_rows
from viewer.ui.widgets.widgets import empty, ghost_button, labeled, readable, text, tooltip, wrapped

_FLAGS: Final = (
    imgui.TableFlags_.row_bg
    | imgui.TableFlags_.scroll_y
    | imgui.TableFlags_.resizable
    | imgui.TableFlags_.no_saved_settings
)
COLORS: Final = {
    EntryState.ADDED: theme.GOOD,
    EntryState.REMOVED: theme.ERROR,
    EntryState.RENAMED: theme.WARNING,
    EntryState.MOVED: theme.WARNING,
    EntryState.CHANGED: theme.ACCENT,
}
_COLUMNS: Final = {
    "state": (_("Difference"), 7.0),
    "entry": (_("Entry"), -3.0),
    "now": (_("Now"), -2.0),
    "kind": (_("Kind"), 7.0),
    "fields": (_("Fields"), 5.0),
}
_TITLES: Final = _("First folder"), _("Second folder")


class FoldersWindow(Floating):
    """Shows the comparison of two folders of the state; owner: the shell."""

    id = "folders"
    title = _("Comparison of folders")
    size = 90, 50

    def __init__(self) -> None:
        super().__init__()
        self._filter = FilterField("folders_filter", _("Filter entries"))
        self._hidden: frozenset[EntryState] = frozenset()
        self._asked: object = None
        self._rows = Cached(_rows_of)

    def draw(self, frame: UiContext) -> None:
        """Draw the window if it is open; it opens when folders are compared."""
        state = frame.state.folders
        if state.asked is not self._asked:
            self.is_open, self._asked = True, state.asked
        with self.window() as is_shown:
            if is_shown:
                self._draw_folders(frame, state)
                self._draw_state(frame, state)
                if state.found is not None:
                    self._draw_found(frame, state.found)

    def _draw_folders(self, frame: UiContext, state: FoldersState) -> None:
        """Draw both folders, each with what chooses another one."""
        for side, folder in enumerate((state.a, state.b)):
            if controls.button(f"{fa.ICON_FA_FOLDER_OPEN}  {_TITLES[side]}", f"choose_folder{side}"):
                around = next((it.parent for it in (folder, state.a, state.b) if it), None)
                frame.later(
                    frame.control.dialogs.choose_folder,
                    _("Choose a folder to compare"),
                    partial(frame.control.folders.choose, side),
                    around,
                )
            imgui.same_line()
            imgui.align_text_to_frame_padding()
            text(_("not chosen") if folder is None else readable(str(folder)), theme.DIM)
            if side == 0 and state.a is not None and state.b is not None:
                imgui.same_line()
                if ghost_button(fa.ICON_FA_RIGHT_LEFT, "exchange_folders", _("Exchange both"), theme.DIM):
                    frame.later(frame.control.folders.compare, state.b, state.a)

    def _draw_state(self, frame: UiContext, state: FoldersState) -> None:
        if state.is_running:
            draw_progress(frame, FOLDERS_LANE, _("Listing the files…"), "cancel_folders")
        elif state.problem:
            wrapped(translated(state.problem), theme.ERROR)
        elif state.found is None:
            empty(_("Choose two folders, such as an install and its backup: what differs appears here."))
        elif draw_age(frame, state.read) and state.a is not None and state.b is not None:
            frame.later(frame.control.folders.compare, state.a, state.b)

    def _draw_found(self, frame: UiContext, found: FolderComparison) -> None:
        counts = Counter(it.state for it in found.entries)
        imgui.align_text_to_frame_padding()
        text(counted(found.same, "{count} entry is the same", "{count} entries are the same"), theme.DIM)
        for it in EntryState:
            if counts[it]:
                imgui.same_line(0, theme.em(1.2))
                words = f"{count_text(counts[it])} {translated(it)}"
                if controls.checkbox(words, f"state_{it}", is_on=it not in self._hidden):
                    self._hidden ^= {it}
        if found.errors:
            imgui.same_line(0, theme.em(1.2))
            draw_unreadable(_("These cannot be read:"), {it.path: it.message for it in found.errors})
            imgui.same_line()
            count = len(found.errors)
            text(counted(count, "{count} file cannot be read", "{count} files cannot be read"), theme.WARNING)
        if not found.entries:
            text(f"{fa.ICON_FA_CIRCLE_CHECK}  {_('Nothing differs.')}", theme.GOOD)
            return
        hint = _("A mod that turns the first folder into the second one.")
        if controls.button(f"{fa.ICON_FA_CUBES}  {_('Make a mod of this…')}", "make_mod", hint):
            frame.later(frame.control.new_mods.begin, found.a, found.b)
        imgui.same_line()
        self._draw_page(frame)
        self._draw_copying(frame, found)
        self._filter.draw()
        rows = self._shown(found)
        columns = {labeled(str(title), key): width for key, (title, width) in _COLUMNS.items()}
        shown = rows_on_screen(len(rows))
        for number in table_rows("##differences", columns, shown, _FLAGS, has_headers=True):
            _draw_row(frame, found, rows[number], number)

    def _draw_page(self, frame: UiContext) -> None:
        """Draw what saves the page of the comparison, how far that is, and what opens it then."""
        state = frame.state.folders
        hint = _("A page for a browser with pictures and fields of what differs, as diff -o writes it.")
        title = f"{fa.ICON_FA_FLOPPY_DISK}  {_('Save page…')}"
        if controls.button(title, "save_page", hint, is_enabled=not state.is_writing):
            words = _("Save the page as a new folder")
            frame.later(
                frame.control.dialogs.choose_new, words, "differences", frame.control.folders.save_page
            )
        if state.is_writing:
            imgui.same_line()
            draw_progress(frame, PAGE_LANE, _("Drawing pictures…"), "cancel_page")
        elif state.page is not None:
            imgui.same_line()
            words = _("Open {name}", name=readable(state.page.name))
            if controls.button(words, "open_page", readable(str(state.page))):
                frame.later(frame.control.window.open_folder, state.page / INDEX)

    def _draw_copying(self, frame: UiContext, found: FolderComparison) -> None:
        """Draw what copies the entries that are shown."""
        for form, title in ((CopyFormat.TSV, _("Copy as TSV")), (CopyFormat.JSON, _("Copy as JSON"))):
            imgui.same_line()
            if controls.button(title, f"copy_{form}", _("The entries that are shown.")):
                frame.later(frame.control.folders.copy, self._shown(found), form)

    def _shown(self, found: FolderComparison) -> list[ComparedEntry]:
        made_of = found, self._hidden, self._filter.text
        return self._rows.of(made_of, found, self._hidden, self._filter)


def _rows_of(
    found: FolderComparison, hidden: AbstractSet[EntryState], chosen: FilterField
) -> list[ComparedEntry]:
    """The entries that are shown, those that differ in the same way together."""
    order = [*EntryState]
    names = chosen.names
    kept = [
        it for it in found.entries if it.state not in hidden and names.matches(f"{it.a or ''} {it.b or ''}")
    ]
    return sorted(kept, key=lambda it: order.index(it.state))


def _draw_row(frame: UiContext, found: FolderComparison, entry: ComparedEntry, number: int) -> None:
    text(translated(entry.state), COLORS[entry.state])
    imgui.table_next_column()
    before, after = _text(entry.a), _text(entry.b)
    label = labeled(f"{icon_of(entry.kind)}  {readable(before or after)}", f"entry{number}")
    hint = _("Shows both side by side.") if entry.state is EntryState.CHANGED else _("Opens it.")
    draw_row_link(label, before or after, [before or after, hint], partial(_follow, frame, found, entry))
    imgui.table_next_column()
    if before and after and before != after:
        text(readable(after))
        tooltip(after)
    imgui.table_next_column()
    text(entry.kind, theme.DIM)
    imgui.table_next_column()
    text("" if entry.fields is None else count_text(entry.fields))


def _text(address: Address | None) -> str:
    return "" if address is None else str(address)


def _follow(frame: UiContext, found: FolderComparison, entry: ComparedEntry, *, in_new_tab: bool) -> None:
    """Compare both sides of what changed; open anything else, always in a tab of its own."""
    del in_new_tab
    a, b = _below(found.a, entry.a), _below(found.b, entry.b)
    if entry.state is EntryState.CHANGED and a is not None and b is not None:
        frame.later(frame.control.comparing.compare, ComparedSide(a), ComparedSide(b))
    elif (address := b or a) is not None:
        frame.later(frame.control.opening.go_to, Place(address), in_new_tab=True)


def _below(folder: Path, address: Address | None) -> Address | None:
    return None if address is None else Address(folder / address.path, address.entries)
