"""Dialogs for files and folders, those of the system if it has them: what they ask for, and what follows."""

from __future__ import annotations

import locale
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Final

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import portable_file_dialogs as native
from msgspec.structs import replace

from viewer.app.dialogs.path_dialog import FileRequest, PathDialog, Shortcut, with_suffix_of
from viewer.control.later import Later
from viewer.control.opening import loading
from viewer.control.opening.open_controller import OpenController
from viewer.control.settings.user_files import default_folder
from viewer.control.state import State
from viewer.model.kinds.registry import KINDS
from viewer.model.store.address import Address
from viewer.translation import Text, _
from viewer.ui.widgets import key_focus, theme
from viewer.ui.widgets.floating import LARGEST_SHARE, place_in_middle
from viewer.ui.widgets.widgets import labeled, readable, text, wrapped

LINUX_HELPERS: Final = ("zenity", "kdialog", "matedialog", "qarma")
LEAST_SECONDS: Final = 0.3
"""Nobody cancels a dialog sooner: its program could not show it."""
SUFFIXES: Final = tuple(suffix.decode() for kind in KINDS for suffix in kind.suffixes)


def filters(suffixes: Sequence[str] = ()) -> list[str]:
    """The file filters of a native dialog: names and patterns in turns, the requested ones first."""
    others = " ".join(_patterns(suffixes))
    own = _("Game files"), " ".join(_patterns(SUFFIXES))
    asked = (_("Files of other programs"), others) if others else own
    return [*asked, _("All files"), "*"]


def _patterns(suffixes: Sequence[str]) -> list[str]:
    return [f"*.{case(suffix)}" for suffix in suffixes for case in (str, str.upper, str.title)]


def has_native_dialog() -> bool:
    """Whether there is a native dialog; on Linux it needs a helper program.

    The helpers end at once if a text is not of the locale, as "Открыть" is not of C, which looks like a
    cancelled dialog.
    """
    if sys.platform != "linux":
        return True
    is_unicode = locale.nl_langinfo(locale.CODESET) == "UTF-8"
    return is_unicode and any(shutil.which(helper) for helper in LINUX_HELPERS)


MOST_RECENT: Final = 5
"""Recent folders among the shortcuts."""
ID: Final = "message"
WIDTH: Final = 34.0
"""Width of a message in font heights, if there is room."""
_NOTICE: Final = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_docking
    | imgui.WindowFlags_.no_inputs
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_focus_on_appearing
    | imgui.WindowFlags_.no_nav
    | imgui.WindowFlags_.always_auto_resize
)


class Dialogs:
    """The open dialog, of the system or our own, at most one; owner: the application.

    Parameters
    ----------
    opener
        Opens answers; its library lists folders and archives if there is no native dialog.
    later
        Keeps what follows an answer until the panels have drawn.
    """

    def __init__(self, state: State, opener: OpenController, later: Later) -> None:
        self._state = state
        self._native: native.open_file | native.select_folder | native.save_file | None = None
        self._own = PathDialog(opener.library)
        self._opener = opener
        self._later = later
        self._asked = FileRequest("", Path())
        self._begun = 0.0
        self._then: Callable[[str], None] = self._open

    @property
    def is_open(self) -> bool:
        """Whether a dialog is open."""
        return self._native is not None or self._own.is_open

    @property
    def is_waiting(self) -> bool:
        """Whether an answer may arrive without an event of the window."""
        return self._native is not None

    def open_file(self) -> None:
        """Ask for a model or an archive, and open it."""
        self._ask(_("Open a model or an archive"), self._open)

    def open_folder(self) -> None:
        """Ask for a game folder, and open it."""
        self._ask(_("Open a game folder"), self._open, for_folder=True)

    def _open(self, text: str) -> None:
        self._opener.open(Address.given(text))

    def choose_wear(self) -> None:
        """Ask for a wear table, which may be an entry of an archive, and use it for the document."""
        self._ask(
            _("Choose a wear table"), lambda text: self._opener.use_wear(Address.parse(text)), for_entry=True
        )

    def choose_game(self) -> None:
        """Ask for the game folder, and use it."""
        self._ask(_("Choose the game folder"), self._opener.use_game, for_folder=True)

    def choose_folder(self, title: Text, then: Callable[[Path], None], folder: Path | None = None) -> None:
        """Ask for a folder, and call `then` with it; begin in `folder`, else where one was opened last."""
        self._ask(title, lambda path: then(Path(path)), for_folder=True, folder=folder)

    def choose_entry(self, title: Text, then: Callable[[Address], None]) -> None:
        """Ask for a file or an entry of an archive, and call `then` with its address."""
        self._ask(title, lambda text: then(Address.parse(text)), for_entry=True)

    def choose_file(self, title: Text, then: Callable[[Path], None], suffixes: Sequence[str] = ()) -> None:
        """Ask for a file, and call `then` with it; begin where the last one was, else around what is open."""

        def chosen(path: str) -> None:
            self._state.set(import_folder=str(Path(path).parent))
            then(Path(path))

        kept, active = self._state.settings.import_folder, self._state.tabs.active.address
        around = [Path(kept)] if kept else []
        around += [active.path.parent] if active else []
        folder = next((it for it in around if it.is_dir()), None)
        self._ask(title, chosen, suffixes=suffixes, folder=folder)

    def _ask(
        self,
        title: Text,
        then: Callable[[str], None],
        *,
        for_folder: bool = False,
        for_entry: bool = False,
        suffixes: Sequence[str] = (),
        folder: Path | None = None,
    ) -> None:
        folder = folder or next(self._recent_folders(), Path.home())
        shortcuts = tuple(self._shortcuts())
        asked = FileRequest(str(title), folder, shortcuts, "", for_folder, for_entry, suffixes)
        self._begin(asked, then)

    def choose_new(
        self,
        title: Text,
        name: str,
        then: Callable[[Path], None],
        folder: Path | None = None,
        suffixes: Sequence[str] = (),
    ) -> None:
        """Ask for the path of a new file, and call `then` with it.

        Without a folder to begin in it is that of the last file. A path ends in one of the suffixes, if there
        are any, else that of the proposed name is added.
        """

        def chosen(path: str) -> None:
            if folder is None:
                self._state.set(save_folder=str(Path(path).parent))
            then(Path(path))

        kept = folder or Path(self._state.settings.save_folder or default_folder())
        # A model that was made of a scene has the path of that in place of a folder.
        first = next((it for it in (kept, *kept.parents) if it.is_dir()), Path.home())
        asked = FileRequest(str(title), first, tuple(self._shortcuts()), name, suffixes=suffixes)
        self._begin(asked, chosen)

    def _begin(self, asked: FileRequest, then: Callable[[str], None]) -> None:
        """Open a dialog unless one is open; only our own dialog can browse archives, and has shortcuts."""
        if self.is_open:
            return
        self._asked, self._then, self._begun = asked, then, perf_counter()
        if asked.for_entry or not has_native_dialog():
            self._own.ask(asked)
        elif asked.new_name:
            path = str(asked.folder / asked.new_name)
            patterns = [f"*{it}" for it in dict.fromkeys((Path(path).suffix, *asked.suffixes))]
            listed = [words for pattern in patterns for words in (pattern, pattern)]
            self._native = native.save_file(asked.title, path, [*listed, _("All files"), "*"])
        elif asked.for_folder:
            self._native = native.select_folder(asked.title, str(asked.folder))
        else:
            self._native = native.open_file(asked.title, f"{asked.folder}/", filters(asked.suffixes))

    def draw(self) -> None:
        """Draw our own dialog if it is open; what follows a choice waits until the panels have drawn."""
        answer = self._answer()
        if answer is not None:
            self._later(self._then, answer)

    def _answer(self) -> str | None:
        """The answer in the frame that has it."""
        # ready(0) asks without waiting: the native dialog runs by itself.
        if self._native is None or not self._native.ready(0):
            return self._own.draw()
        answer = self._native.result()
        self._native = None
        # An empty list or text: cancelled.
        path = answer[0] if isinstance(answer, list) and answer else answer
        if not path:
            if perf_counter() - self._begun < LEAST_SECONDS:
                self._own.ask(self._asked)
            return None
        named = with_suffix_of(str(path), self._asked.new_name, self._asked.suffixes)
        if named == path or not Path(named).exists():
            return named
        # Adding the suffix made it an existing file, about which our own dialog asks.
        self._own.ask(replace(self._asked, folder=Path(named).parent, new_name=Path(named).name))
        return None

    def _recent_folders(self) -> Iterator[Path]:
        """The existing folders of the recent files, newest first."""
        files = (address.path for address in self._state.settings.recent)
        folders = dict.fromkeys(path if path.is_dir() else path.parent for path in files)
        return (folder for folder in folders if folder.is_dir())

    def _shortcuts(self) -> Iterator[Shortcut]:
        """Home, the game folder, the sample and recent folders."""
        yield Shortcut("home", fa.ICON_FA_HOUSE, _("Home"), Path.home())
        if self._state.settings.game:
            yield Shortcut("game", fa.ICON_FA_GAMEPAD, _("Game folder"), Path(self._state.settings.game))
        with suppress(FileNotFoundError):
            sample = loading.sample_address().path.parent
            yield Shortcut("sample", fa.ICON_FA_CUBE, _("Sample"), sample)
        for number, folder in enumerate(self._recent_folders()):
            if number < MOST_RECENT:
                yield Shortcut(f"recent{number}", fa.ICON_FA_CLOCK_ROTATE_LEFT, folder.name or "/", folder)


def draw_message(message: str) -> bool:
    """Draw the message if there is one; tell whether it was closed."""
    if not message:
        return False
    if not imgui.is_popup_open(ID):
        imgui.open_popup(ID)
    place_in_middle(WIDTH, 0, imgui.Cond_.always)
    if not imgui.begin_popup_modal(labeled(_("Error"), ID), None, imgui.WindowFlags_.no_saved_settings)[0]:
        return False
    text(fa.ICON_FA_TRIANGLE_EXCLAMATION, theme.WARNING)
    imgui.same_line()
    wrapped(message)
    imgui.spacing()
    is_read = _draw_buttons(message)
    if is_read:
        imgui.close_current_popup()
    imgui.end_popup()
    return is_read


def draw_notice(notice: str, *, is_warning: bool) -> None:
    """Draw a text at the lower edge of the window; it gets no input."""
    viewport = imgui.get_main_viewport()
    place = ImVec2(viewport.get_center().x, viewport.work_pos.y + viewport.work_size.y - theme.em(1))
    imgui.set_next_window_pos(place, imgui.Cond_.always, ImVec2(0.5, 1.0))
    imgui.begin("##notice", None, _NOTICE)
    icon = fa.ICON_FA_TRIANGLE_EXCLAMATION if is_warning else fa.ICON_FA_CIRCLE_CHECK
    imgui.push_text_wrap_pos(viewport.work_size.x * LARGEST_SHARE)
    text(f"{icon}  {notice}", theme.WARNING if is_warning else theme.GOOD)
    imgui.pop_text_wrap_pos()
    imgui.end()


def _draw_buttons(message: str) -> bool:
    is_read = imgui.button(labeled(_("OK"), "ok"), ImVec2(theme.em(6), 0))
    imgui.set_item_default_focus()
    imgui.same_line()
    if imgui.button(labeled(_("Copy"), "copy"), ImVec2(theme.em(6), 0)):
        imgui.set_clipboard_text(readable(message))
    return is_read or key_focus.is_entered() or key_focus.takes_escape()
