"""The windows over the panels: settings, keys, pictures, saved views, repair, export, questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from viewer.translation import _
from viewer.ui.actions.actions import Action, of_tab
from viewer.ui.context import UiContext
from viewer.ui.converting.windows import ConvertWindows
from viewer.ui.edits.questions import Questions
from viewer.ui.edits.repair_window import RepairWindow
from viewer.ui.windows.compare_window import CompareWindow
from viewer.ui.windows.help_windows import HelpWindows
from viewer.ui.windows.picture_window import FilmWindow, PictureWindow
from viewer.ui.windows.saved_views import SavedViewsWindow
from viewer.ui.windows.settings_window import SettingsWindow


class FloatingWindows:
    """Each window once; owner: the shell.

    Attributes
    ----------
    help, settings, picture, film, repair, views
        Those that commands and actions open.
    """

    def __init__(self) -> None:
        self.help, self.settings, self.repair = HelpWindows(), SettingsWindow(), RepairWindow()
        self.picture, self.film, self.views = PictureWindow(), FilmWindow(), SavedViewsWindow()
        self._questions, self._converting, self._comparison = Questions(), ConvertWindows(), CompareWindow()

    def actions(self) -> Iterator[Action]:
        """Yield the actions that open them."""
        yield Action("view.saved_views", _("Saved views…"), self.views.toggle)
        yield of_tab("edit.repair", _("Repair…"), self.repair.toggle)
        yield from self.help.actions()

    def draw(self, frame: UiContext, actions: Sequence[Action], size: tuple[int, int]) -> None:
        """Draw those that are open; `size` is that of the viewport, pixels."""
        self.settings.draw(actions, frame)
        self.picture.draw(frame, size)
        self.film.draw(frame, size)
        self.views.draw(frame)
        self.help.draw(actions, frame)
        self.repair.draw(frame)
        self._comparison.draw(frame)
        self._converting.draw(frame)
        self._questions.draw(frame)
