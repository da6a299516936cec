"""A dialog for opening and saving files drawn with ImGui, for systems without a native one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.errors import MshviewError
from viewer.model.kinds.registry import kind_of
from viewer.model.store.address import SEPARATOR, Address
from viewer.model.store.file_store import FileStore
from viewer.session.opened import listing
from viewer.session.opened.browser_entry import FOLDER, BrowserEntry
from viewer.translation import _
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import size_text
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.widgets import labeled, readable, text

ID: Final = "open"
_FLAGS: Final = imgui.WindowFlags_.no_saved_settings
_TABLE: Final = imgui.TableFlags_.scroll_y | imgui.TableFlags_.row_bg


class PathDialog:
    """A field for the path, and the entries of its folder or archive; owner: the file dialog.

    Parameters
    ----------
    library
        Lists folders and archives.
    """

    def __init__(self, library: FileStore) -> None:
        self._library = library
        self.is_open = False
        self._path = ""
        self._title = ""
        self._new_name = ""
        self._confirmed = ""
        self._goes_into_archives = False
        self._seen = ""
        self._listed: Address | None = None
        self._rows: tuple[BrowserEntry, ...] = ()

    def ask(self, folder: Path, *, goes_into_archives: bool = False) -> None:
        """Open at `folder`; with `goes_into_archives` an archive is browsed, else it is an answer."""
        self._open(f"{folder}/", _("Open"), goes_into_archives=goes_into_archives)

    def ask_new(self, path: Path, title: str) -> None:
        """Open for the path of a new file, at first `path`; an existing file is an answer if chosen twice."""
        self._open(str(path), title, new_name=path.name)

    def _open(self, path: str, title: str, *, new_name: str = "", goes_into_archives: bool = False) -> None:
        self.is_open, self._goes_into_archives = True, goes_into_archives
        self._title, self._new_name, self._confirmed = title, new_name, ""
        self._path, self._seen, self._listed = path, "", None

    def draw(self) -> str | None:
        """Draw the dialog; return the path in the frame in which it is chosen."""
        if not self.is_open:
            return None
        if not imgui.is_popup_open(ID):
            imgui.open_popup(ID)
        centre = imgui.get_main_viewport().get_center()
        imgui.set_next_window_pos(centre, imgui.Cond_.appearing, ImVec2(0.5, 0.5))
        imgui.set_next_window_size(ImVec2(theme.em(42), theme.em(30)), imgui.Cond_.appearing)
        if not imgui.begin_popup_modal(labeled(self._title, ID), None, _FLAGS)[0]:
            return None
        answer = self._draw_field() or self._draw_rows() or self._draw_buttons()
        if answer is not None or imgui.is_key_pressed(imgui.Key.escape):
            self.is_open = False
        if not self.is_open:
            imgui.close_current_popup()
        imgui.end_popup()
        return answer

    def _draw_field(self) -> str | None:
        """The path, focused at first; Enter browses it or opens it."""
        if imgui.is_window_appearing():
            imgui.set_keyboard_focus_here()
        imgui.set_next_item_width(-1)
        flags = imgui.InputTextFlags_.enter_returns_true
        shown = readable(self._path)
        is_entered, typed = imgui.input_text("##path", shown, flags)
        self._path = self._path if typed == shown else typed
        return self._choose(self._path.strip()) if is_entered else None

    def _choose(self, path: str) -> str | None:
        """Browse a folder that is not listed yet, or an archive; anything else is the answer."""
        if self._new_name:
            return self._choose_new(path)
        if path and Path(path).is_dir() and Address(Path(path)) != self._listed:
            self._path = f"{Path(path)}/"
            return None
        if self._goes_into_archives and _is_archive(path):
            self._path = f"{path}{SEPARATOR}"
            return None
        return path or None

    def _choose_new(self, path: str) -> str | None:
        """Browse a folder, the name kept; an existing file has to be chosen twice."""
        if not path or Path(path).is_dir():
            self._path = str(Path(path) / self._new_name)
            return None
        path = self._path = with_suffix_of(path, self._new_name)
        self._new_name = Path(path).name
        if not Path(path).exists() or path == self._confirmed:
            return path
        self._confirmed = path
        return None

    def _draw_rows(self) -> str | None:
        self._list()
        answer = None
        lines = 2 if self._asks_to_replace else 1
        size = ImVec2(0, -lines * imgui.get_frame_height_with_spacing())
        if imgui.begin_table("##files", 2, _TABLE, size):
            imgui.table_setup_column("name", imgui.TableColumnFlags_.width_stretch)
            imgui.table_setup_column("size", imgui.TableColumnFlags_.width_fixed, theme.em(5))
            for place, row in enumerate(self._rows):
                answer = self._draw_row(place, row) or answer
            imgui.end_table()
        return answer

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
        above = place.parent if place.entries else Address(place.path.parent)
        self._rows = (BrowserEntry(str(above), "..", FOLDER, can_open=True), *rows)

    def _place(self) -> Address | None:
        archive = self._path.rpartition(SEPARATOR)[0] if self._goes_into_archives else ""
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
        return self._choose(row.address) if is_clicked else None

    @property
    def _asks_to_replace(self) -> bool:
        return bool(self._confirmed) and self._path.strip() == self._confirmed

    def _draw_buttons(self) -> str | None:
        if self._asks_to_replace:
            imgui.align_text_to_frame_padding()
            text(_("{name} exists already.").format(name=Path(self._confirmed).name), theme.WARNING)
        width = ImVec2(theme.em(7), 0)
        is_opened = imgui.button(labeled(self._verb(), "confirm"), width)
        imgui.same_line()
        if imgui.button(labeled(_("Cancel"), "cancel"), width):
            self.is_open = False
        return self._choose(self._path.strip()) if is_opened else None

    def _verb(self) -> str:
        if not self._new_name:
            return _("Open")
        return _("Replace") if self._asks_to_replace else _("Save")


def with_suffix_of(path: str, name: str) -> str:
    """A path with the suffix of `name` if it has none."""
    return path if Path(path).suffix else path + Path(name).suffix


def _is_archive(text: str) -> bool:
    with suppress(MshviewError):
        return kind_of(FileStore().open(Address.parse(text))).is_archive
    return False
