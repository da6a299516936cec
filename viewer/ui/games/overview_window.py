"""The window with all that an archive, a folder or a game holds."""

from __future__ import annotations

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.games.overview_table import OverviewTable
from viewer.ui.widgets import controls
from viewer.ui.widgets.floating import Floating
from viewer.ui.widgets.widgets import cut, empty, readable, tooltip


class OverviewWindow(Floating):
    """The overview of the folder that was chosen last; owner: the shell."""

    id = "overview"
    title = _("Overview")
    size = 90, 50

    def __init__(self) -> None:
        super().__init__()
        self._table = OverviewTable()
        self._shown: object = None

    def show(self, frame: UiContext) -> None:
        """Open the window; the game folder that is known is shown."""
        self.is_open = True
        if frame.state.overview is None:
            frame.later(frame.control.overviews.show_game)

    def draw(self, frame: UiContext) -> None:
        """Draw the window if it is open; it opens for what was just chosen elsewhere."""
        address = frame.state.overview
        if address != self._shown:
            self.is_open, self._shown = self.is_open or address is not None, address
        with self.window() as is_shown:
            if not is_shown:
                return
            if controls.button(f"{fa.ICON_FA_FOLDER_OPEN}  {_('Choose a folder…')}", "choose_folder"):
                title = _("Choose the folder to list")
                frame.later(frame.control.dialogs.choose_folder, title, frame.control.overviews.show_folder)
            imgui.same_line()
            if address is None:
                empty(_("Everything in a folder or a game appears here: choose one."))
                return
            imgui.align_text_to_frame_padding()
            cut(readable(str(address)))
            tooltip(readable(str(address)))
            self._table.draw(frame, address)
