"""A dialog for opening and saving files drawn with ImGui, for systems without a native one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from imgui_bundle import ImVec2, imgui
from msgspec import Struct

from viewer.errors import MshviewError
from viewer.model.kinds.registry import kind_of
from viewer.model.query.names import NameFilter
from viewer.model.store.address import CURRENT, SEPARATOR, Address
from viewer.model.store.file_store import FileStore
from viewer.session.field_text import size_text
from viewer.session.opened import listing
from viewer.session.opened.entry_list import FOLDER, BrowserEntry
from viewer.translation import _
from viewer.ui.widgets import key_focus, theme
from viewer.ui.widgets.floating import place_in_middle
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.widgets import labeled, readable, text, tooltip

ID: Final = "open"
SIZE: Final = 50.0, 30.0
"""Width and height when it opens, if there is room,"""
SHORTCUTS: Final = 10.0
"""and width of the shortcuts, in font heights."""
_FLAGS: Final = imgui.WindowFlags_.no_saved_settings
_TABLE: Final = imgui.TableFlags_.scroll_y | imgui.TableFlags_.row_bg


class Shortcut(Struct, frozen=True):
    """A folder that is one click away: its id, icon and name."""

    id: str
    icon: str
    name: str
    folder: Path


class FileRequest(Struct, frozen=True):
    """The request of a file dialog.

    Attributes
    ----------
    folder
        Where it opens.
    new_name
        The name of a new file if the user agrees; empty to ask for what exists.
    for_folder
        Only folders are listed.
    for_entry
        An archive is browsed, else it is an answer.
    suffixes
        Of the files that are listed first; by default those of the game in a native dialog, all in our own.
        Of a new file, the endings that name its format.
    """

    title: str
    folder: Path
    shortcuts: Sequence[Shortcut] = ()
    new_name: str = ""
    for_folder: bool = False
    for_entry: bool = False
    suffixes: Sequence[str] = ()


class PathDialog:
    """A field for the path, and the entries of its folder or archive; owner: the file dialog.

    What is typed after the folder filters the entries.

    Parameters
    ----------
    library
        Lists folders and archives.
    """

    def __init__(self, library: FileStore) -> None:
        self._library = library
        self.is_open = False
        self._asked = FileRequest("", Path())
        self._path = ""
        self._new_name = ""
        self._confirmed = ""
        self._wants_cursor = self._is_selected = False
        self._lists_all = False
        self._seen = ""
        self._listed: Address | None = None
        self._above = BrowserEntry(CURRENT, "..", FOLDER, can_open=True)
        self._rows: tuple[BrowserEntry, ...] = ()

    def ask(self, asked: FileRequest) -> None:
        """Open; what needs an answer (an existing file, a folder to make) is one if it is chosen twice."""
        self._asked, self.is_open, self._wants_cursor = asked, True, True
        self._new_name, self._confirmed, self._lists_all = asked.new_name, "", False
        self._path = str(asked.folder / asked.new_name) if asked.new_name else _with_end(asked.folder)
        self._seen, self._listed = "", None

    def draw(self) -> str | None:
        """Draw the dialog; return the path in the frame in which it is chosen."""
        if not self.is_open:
            return None
        if not imgui.is_popup_open(ID):
            imgui.open_popup(ID)
        place_in_middle(*SIZE)
        if not imgui.begin_popup_modal(labeled(self._asked.title, ID), None, _FLAGS)[0]:
            return None
        answer = self._draw_field() or self._draw_rows() or self._draw_buttons()
        if answer is not None or key_focus.takes_escape():
            self.is_open = False
        if not self.is_open:
            imgui.close_current_popup()
        imgui.end_popup()
        return answer

    def _draw_field(self) -> str | None:
        """The path, focused at first and after a click; Enter browses it, opens it or its only match."""
        if self._wants_cursor:
            imgui.set_keyboard_focus_here()
            self._wants_cursor, self._is_selected = False, True
        imgui.set_next_item_width(-1)
        # The callback is the only way to move the cursor of a field that ImGui has focused.
        flags = imgui.InputTextFlags_.enter_returns_true | imgui.InputTextFlags_.callback_always
        shown = readable(self._path)
        is_entered, typed = imgui.input_text("##path", shown, flags, self._place_cursor)
        # `readable` changes names that are not UTF-8: only what was typed becomes the path.
        self._path = self._path if typed == shown else _without_folder(typed)
        if not is_entered:
            return None
        self._wants_cursor = True
        self._list()
        return self._choose(self._only_match() or self._path.strip())

    def _place_cursor(self, data: imgui.InputTextCallbackData) -> int:
        """Put the cursor at the end, where a name is typed; ImGui selects all of a focused field.

        Of a new file the proposed name is selected, so that what is typed takes its place.
        """
        if self._is_selected:
            self._is_selected = False
            data.cursor_pos = data.selection_start = data.selection_end = data.buf_text_len
            if self._path.endswith(f"/{self._asked.new_name}"):
                data.selection_start -= len(readable(self._asked.new_name).encode())
        return 0

    def _only_match(self) -> str:
        """The address of the only entry that what was typed leaves, unless it is a path by itself."""
        matches = self._matches()
        is_path = not self._typed() or Path(self._path.strip()).exists()
        return _text_of(matches[0]) if len(matches) == 1 and not is_path else ""

    def _typed(self) -> str:
        """The text typed after the listed folder or archive; empty for a new file."""
        if self._new_name:
            return ""
        is_inside = self._asked.for_entry and SEPARATOR in self._path
        return self._path.rpartition(SEPARATOR if is_inside else "/")[2].strip()

    def _matches(self) -> list[BrowserEntry]:
        """The listed entries that pass what was typed."""
        names = NameFilter(self._typed())
        return [it for it in self._rows if self._is_listed(it) and names.matches(it.name)]

    def _is_listed(self, row: BrowserEntry) -> bool:
        """Whether a row is a folder, a file that is asked for, or one that is typed to its end."""
        if row.kind == FOLDER:
            return True
        has_suffix = Path(row.name).suffix.lower().removeprefix(".") in self._suffixes
        is_wanted = has_suffix or not self._suffixes or self._lists_all or row.name == self._typed()
        return is_wanted and not self._asked.for_folder

    @property
    def _suffixes(self) -> frozenset[str]:
        return frozenset(it.removeprefix(".") for it in self._asked.suffixes)

    def _choose(self, path: str) -> str | None:
        """Browse a folder that is not listed yet, or an archive; anything else is the answer."""
        if self._new_name:
            return self._choose_new(path)
        if path and Path(path).is_dir() and Address(Path(path)) != self._listed:
            self._path = f"{Path(path)}/"
            return None
        if self._asked.for_entry and _is_archive(path):
            self._path = f"{path}{SEPARATOR}"
            return None
        return path or None

    def _choose_new(self, path: str) -> str | None:
        """Browse a folder, the name kept; an existing file and a missing folder have to be chosen twice."""
        if not path or Path(path).is_dir():
            self._path = str(Path(path) / self._new_name)
            return None
        path = self._path = with_suffix_of(path, self._new_name, self._asked.suffixes)
        self._new_name = Path(path).name
        is_plain = not Path(path).exists() and Path(path).parent.is_dir()
        if is_plain or path == self._confirmed:
            return path
        self._confirmed = path
        return None

    def _draw_rows(self) -> str | None:
        self._list()
        answer = None
        lines = 2 if self._asks_again else 1
        size = ImVec2(0, -lines * imgui.get_frame_height_with_spacing())
        if self._asked.shortcuts:
            self._draw_shortcuts(size)
            imgui.same_line()
        if imgui.begin_table("##files", 2, _TABLE, size):
            imgui.table_setup_column("name", imgui.TableColumnFlags_.width_stretch)
            imgui.table_setup_column("size", imgui.TableColumnFlags_.width_fixed, theme.em(5))
            matches = self._matches()
            for place, row in enumerate((self._above, *matches)):
                answer = self._draw_row(place, row) or answer
            if self._typed() and not matches:
                imgui.table_next_row()
                imgui.table_next_column()
                text(_("Nothing here has such a name."), theme.DIM)
            imgui.end_table()
        return answer

    def _draw_shortcuts(self, size: ImVec2) -> None:
        """Draw the folders that are one click away in a column on the left."""
        folder = self._listed.path if self._listed and not self._listed.entries else None
        if imgui.begin_child("##shortcuts", ImVec2(theme.em(SHORTCUTS), size.y)):
            for shortcut in self._asked.shortcuts:
                label = labeled(f"{shortcut.icon}  {readable(shortcut.name)}", shortcut.id)
                if imgui.selectable(label, shortcut.folder == folder)[0]:
                    self._path = f"{_with_end(shortcut.folder)}{self._new_name}"
                    self._wants_cursor = True
                tooltip(readable(str(shortcut.folder)))
        imgui.end_child()

    def _list(self) -> None:
        """List the folder or archive of the path if it is not listed already."""
        if self._path == self._seen:
            return
        self._seen = self._path
        place = self._place()
        if place is None or place == self._listed:
            return
        self._listed = place
        rows: Sequence[BrowserEntry] = ()
        with suppress(MshviewError):
            rows = listing.entries_below(self._library, place)
        self._above = BrowserEntry(place.container, "..", FOLDER, can_open=True)
        self._rows = tuple(rows)

    def _place(self) -> Address | None:
        archive = self._path.rpartition(SEPARATOR)[0] if self._asked.for_entry else ""
        if archive:
            return Address.parse(archive) if _is_archive(archive) else None
        path = Path(self._path)
        folder = path if path.is_dir() else path.parent
        return Address(folder) if folder.is_dir() else None

    def _draw_row(self, place: int, row: BrowserEntry) -> str | None:
        imgui.table_next_row()
        imgui.table_next_column()
        flags = imgui.SelectableFlags_.span_all_columns
        label = labeled(f"{icon_of(row.kind)}  {readable(row.name)}", f"row{place}")
        is_clicked = imgui.selectable(label, False, flags)[0]
        imgui.table_next_column()
        text("" if row.kind == FOLDER else size_text(row.size), theme.DIM)
        self._wants_cursor = self._wants_cursor or is_clicked
        return self._choose(_text_of(row)) if is_clicked else None

    @property
    def _asks_again(self) -> bool:
        return bool(self._confirmed) and self._path.strip() == self._confirmed

    def _draw_buttons(self) -> str | None:
        if self._asks_again:
            imgui.align_text_to_frame_padding()
            asked = Path(self._confirmed)
            words = _("{name} exists already.", name=readable(asked.name))
            if not asked.exists():
                words = _(
                    "There is no folder {folder} yet; it would be made.", folder=readable(str(asked.parent))
                )
            text(words, theme.WARNING)
        width = ImVec2(theme.em(7), 0)
        is_opened = imgui.button(labeled(self._verb(), "confirm"), width)
        imgui.same_line()
        if imgui.button(labeled(_("Cancel"), "cancel"), width):
            self.is_open = False
        if self._suffixes:
            imgui.same_line()
            self._lists_all = imgui.checkbox(labeled(_("All files"), "all_files"), self._lists_all)[1]
            tooltip(_("Else only: {suffixes}", suffixes=", ".join(f".{it}" for it in sorted(self._suffixes))))
        return self._choose(self._path.strip()) if is_opened else None

    def _verb(self) -> str:
        if self._asked.for_folder:
            return _("Choose")
        if not self._new_name:
            return _("Open")
        return _("Replace") if self._asks_again and Path(self._confirmed).exists() else _("Save")


def _with_end(folder: Path) -> str:
    """A folder with a separator at its end, so that what is typed next is a name in it."""
    return f"{folder}/" if folder.name else str(folder)


def _without_folder(typed: str) -> str:
    """The typed text from the last whole path on: a pasted one comes after the folder."""
    start = typed.rfind("//")
    return typed[start + 1 :] if start > 0 else typed


def with_suffix_of(path: str, name: str, known: Sequence[str] = ()) -> str:
    """A path with the suffix of `name` if it has none, or none of the `known` ones if there are any."""
    suffix = Path(path).suffix
    has_one = suffix.lower() in known if known else bool(suffix)
    return path if has_one else path + Path(name).suffix


def _text_of(row: BrowserEntry) -> str:
    """The text typed for a row: the path of a file as it is."""
    return str(row.address if row.address.entries else row.address.path)


def _is_archive(text: str) -> bool:
    with suppress(MshviewError):
        return kind_of(FileStore().open(Address.parse(text))).is_archive
    return False
