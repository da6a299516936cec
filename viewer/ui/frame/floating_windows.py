"""The windows over the panels: settings, keys, pictures, saved views, repair, export, questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from viewer.translation import _
from viewer.ui.actions.actions import Action, always, calling, of_file
from viewer.ui.context import UiContext
from viewer.ui.converting.windows import ConvertWindows
from viewer.ui.edits.questions import Questions
from viewer.ui.edits.repair_window import RepairWindow
from viewer.ui.games.folders_window import FoldersWindow
from viewer.ui.games.mods_window import ModsWindow
from viewer.ui.games.new_mod_window import NewModWindow
from viewer.ui.games.survey_window import SurveyWindow
from viewer.ui.widgets.guard import Guard
from viewer.ui.windows.compare_window import CompareWindow
from viewer.ui.windows.help_windows import HelpWindows
from viewer.ui.windows.parts_window import PartsWindow
from viewer.ui.windows.picture_window import FilmWindow, PictureWindow
from viewer.ui.windows.saved_views import SavedViewsWindow
from viewer.ui.windows.settings_window import SettingsWindow


class FloatingWindows:
    """The floating windows, each at most once; owner: the shell.

    Parameters
    ----------
    guard
        Draws each by itself.

    Attributes
    ----------
    help, settings, picture, film, repair, views, survey, parts, mods
        Those that commands and actions open.
    """

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self.help, self.settings, self.repair = HelpWindows(), SettingsWindow(), RepairWindow()
        self.picture, self.film, self.views = PictureWindow(), FilmWindow(), SavedViewsWindow()
        self.survey, self.parts, self.mods = SurveyWindow(), PartsWindow(), ModsWindow()
        self._folders, self._new_mod = FoldersWindow(), NewModWindow()
        self._questions, self._converting, self._comparison = Questions(), ConvertWindows(), CompareWindow()

    def actions(self) -> Iterator[Action]:
        """Yield the actions that open the windows."""
        yield Action("view.saved_views", _("Saved views…"), self.views.toggle)
        yield of_file("edit.repair", _("Repair…"), self.repair.toggle)
        of_game = partial(always, menu="game")
        show_game = calling(lambda it: it.overviews.show_game)
        yield of_game("window.overview", _("Overview of a game…"), show_game)
        compare = calling(lambda it: it.folders.propose)
        yield of_game("file.compare_folders", _("Compare two folders…"), compare)
        yield of_game("window.mods", _("Mods…"), self.mods.show, begins_group=True)
        yield of_game("window.make_mod", _("Make a mod…"), calling(lambda it: it.new_mods.propose))
        parts = self.parts.toggle
        yield of_game("window.parts", _("Parts that fit…"), parts, obstacle=_without_unit, begins_group=True)
        yield of_game("window.survey", _("Survey of an install…"), self.survey.show)
        yield from self.help.actions()

    def draw(self, frame: UiContext, actions: Sequence[Action], size: tuple[int, int]) -> None:
        """Draw those that are open; `size` is that of the viewport, pixels."""
        draws, state = self._guard.draws, frame.state
        draws(SettingsWindow.title, partial(self.settings.draw, actions, frame))
        draws(PictureWindow.title, partial(self.picture.draw, frame, size))
        draws(FilmWindow.title, partial(self.film.draw, frame, size))
        draws(SavedViewsWindow.title, partial(self.views.draw, frame))
        draws(PartsWindow.title, partial(self.parts.draw, frame))
        draws(FoldersWindow.title, partial(self._folders.draw, frame))
        draws(SurveyWindow.title, partial(self.survey.draw, frame))
        draws(ModsWindow.title, partial(self.mods.draw, frame))
        draws(NewModWindow.title, partial(self._new_mod.draw, frame))
        draws(_("Help"), partial(self.help.draw, actions, frame))
        draws(RepairWindow.title, partial(self.repair.draw, frame))
        # What others ask for is asked in every frame, until it is answered.
        until_it_fails = self._guard.draws_until_it_fails
        until_it_fails(CompareWindow.title, partial(self._comparison.draw, frame), state.comparison.shown)
        until_it_fails(_("Conversion"), partial(self._converting.draw, frame), state.converting)
        until_it_fails(_("Question"), partial(self._questions.draw, frame), state.question)


def _without_unit(frame: UiContext) -> str:
    return "" if frame.state.unit is not None else _("no unit is open")
