"""Choosing a file or folder: with the native dialog if there is one, else with our own."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from imgui_bundle import portable_file_dialogs as native

from viewer.app.dialogs.path_dialog import PathDialog, Shortcut, with_suffix_of
from viewer.model.kinds.registry import KINDS
from viewer.model.store.file_store import FileStore
from viewer.translation import _

LINUX_HELPERS: Final = ("zenity", "kdialog", "matedialog", "qarma")
SUFFIXES: Final = tuple(suffix.decode() for kind in KINDS for suffix in kind.suffixes)


def filters(suffixes: Sequence[str] = ()) -> list[str]:
    """The file filters of a native dialog: names and patterns in turns, the requested ones first."""
    others = " ".join(_patterns(suffixes))
    asked = (
        [_("Files of other programs"), others] if others else [_("Game files"), " ".join(_patterns(SUFFIXES))]
    )
    return [*asked, _("All files"), "*"]


def _patterns(suffixes: Sequence[str]) -> list[str]:
    return [f"*.{case(suffix)}" for suffix in suffixes for case in (str, str.upper, str.title)]


def has_native_dialog() -> bool:
    """Whether there is a native dialog; on Linux it needs a helper program."""
    return sys.platform != "linux" or any(shutil.which(helper) for helper in LINUX_HELPERS)


class FileDialog:
    """At most one open dialog; owner: the application.

    Parameters
    ----------
    library
        Lists folders and archives if there is no native dialog.
    """

    def __init__(self, library: FileStore) -> None:
        self._native: native.open_file | native.select_folder | native.save_file | None = None
        self._new_title, self._new_name = "", ""
        self._own = PathDialog(library)

    @property
    def is_open(self) -> bool:
        """Whether a dialog is open."""
        return self._native is not None or self._own.is_open

    @property
    def is_waiting(self) -> bool:
        """Whether an answer may arrive without an event of the window."""
        return self._native is not None

    def ask(
        self,
        folder: Path,
        title: str,
        shortcuts: Sequence[Shortcut] = (),
        *,
        for_folder: bool = False,
        for_entry: bool = False,
        suffixes: Sequence[str] = (),
    ) -> None:
        """Open a dialog at `folder`; only our own dialog can browse archives, and has shortcuts.

        Parameters
        ----------
        suffixes
            Of the files that the native dialog lists first; by default those of the game.
        """
        if self.is_open:
            return
        self._new_name = ""
        if for_entry or not has_native_dialog():
            self._own.ask(folder, title, shortcuts, for_folder=for_folder, goes_into_archives=for_entry)
        elif for_folder:
            self._native = native.select_folder(title, str(folder))
        else:
            self._native = native.open_file(title, f"{folder}/", filters(suffixes))

    def ask_new(self, folder: Path, title: str, name: str, shortcuts: Sequence[Shortcut] = ()) -> None:
        """Open a dialog for the path of a new file, in `folder` and called `name` if the user agrees."""
        if self.is_open:
            return
        self._new_title, self._new_name = title, name
        if has_native_dialog():
            pattern = f"*{Path(name).suffix}"
            self._native = native.save_file(
                title, str(folder / name), [pattern, pattern, _("All files"), "*"]
            )
        else:
            self._own.ask_new(folder / name, title, shortcuts)

    def draw(self) -> str | None:
        """Draw our own dialog if it is open; return the answer in the frame that has it."""
        # ready(0) asks without waiting: the native dialog runs by itself.
        if self._native is None or not self._native.ready(0):
            return self._own.draw()
        answer = self._native.result()
        self._native = None
        path = (
            answer[0] if isinstance(answer, list) and answer else answer
        )  # an empty list or text: cancelled
        return self._checked(str(path)) if path else None

    def _checked(self, path: str) -> str | None:
        """The answer of a native dialog; our own asks if adding the suffix makes it an existing file."""
        named = with_suffix_of(path, self._new_name)
        if named == path or not Path(named).exists():
            return named
        self._own.ask_new(Path(named), self._new_title)
        return None
