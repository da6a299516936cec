"""Control of the window itself: its size, its settings, its jobs, the clipboard."""

from __future__ import annotations

from pathlib import Path

from imgui_bundle import imgui
from msgspec.structs import replace

from viewer.app.images.images import Images
from viewer.app.images.thumbnails import LANE as THUMBNAILS
from viewer.app.platform import file_manager
from viewer.app.platform.gui import Gui
from viewer.app.platform.system_theme import use_theme
from viewer.control.jobs import Jobs
from viewer.control.opening.open_controller import OpenController
from viewer.control.settings.overlay import use_overlay
from viewer.control.settings.settings import Settings
from viewer.control.state import State
from viewer.resources import use_language
from viewer.session.jobs import DRAWING
from viewer.session.program import Theme
from viewer.session.view.options.background import Background
from viewer.translation import _
from viewer.ui.frame.shell import Shell
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import readable


class WindowControl:
    """The window commands of panels; owner: the application, main thread only.

    Parameters
    ----------
    gui, images
        What is drawn at the scale of the interface.
    shell
        The layout of the panels.
    """

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        opener: OpenController,
        gui: Gui,
        images: Images,
        shell: Shell,
    ) -> None:
        self._state = state
        self._jobs = jobs
        self._opener = opener
        self._gui = gui
        self._images = images
        self._shell = shell

    def copy_text(self, text: str) -> None:
        """Put text on the clipboard."""
        imgui.set_clipboard_text(readable(text))

    def open_folder(self, path: Path) -> None:
        """Show a folder in the program of the system for that."""
        title = _("Opening {name}…", name=path.name)
        self._jobs.start("file_manager", title, lambda _ignored: file_manager.show(path), lambda _done: None)

    def cancel_job(self, lane: str) -> None:
        """Cancel the running job of a lane."""
        if lane == DRAWING:
            self._images.scene.cancel()
        elif lane == THUMBNAILS:
            self._images.thumbnails.cancel()
        else:
            self._jobs.cancel(lane)

    def follow(self, before: Settings) -> None:
        """Make the window as the settings say: language, colors, font, scale, textures, reading, fields."""
        now = self._state.settings
        if now.language != before.language:
            use_language(now.language)
            self._images.scene.reload_textures()
        if now.theme is not before.theme:
            self._color(now.theme)
        if (now.font, now.font_size) != (before.font, before.font_size):
            self._use_font(before)
        if now.interface_scale != before.interface_scale:
            self.rescale()
        if now.overlay != before.overlay:
            use_overlay(self._state, before.overlay)
        if now.opening != before.opening:
            self._opener.reload_tabs(*self._state.tabs.opened)
        if now.texture_memory != before.texture_memory:
            self._images.scene.limit_textures()

    def _color(self, chosen: Theme) -> None:
        """Use the colors of a theme; the background of the viewport changes with light and dark."""
        use_theme(chosen)
        self._gui.resize(self._state.settings.interface_scale)
        use_language(self._state.settings.language)  # rows that were kept have the colors of before
        other, usual = Background.LIGHT, Background.DARK
        if theme.current() is Theme.LIGHT:
            other, usual = usual, other
        if self._state.view.background is other:
            self._state.view = replace(self._state.view, background=usual)

    def _use_font(self, before: Settings) -> None:
        """Use the chosen font; a file that is not one is refused, and that of before stays."""
        chosen = self._state.settings
        try:
            self._gui.use_font(chosen.font, chosen.font_size)
        except OSError:
            self._state.complain(_("{path} is not a font that can be used", path=readable(chosen.font)))
            self._state.set(font=before.font, font_size=before.font_size)

    def rescale(self) -> None:
        """Draw at the scale of the settings, and of the monitor that shows the window now."""
        self._gui.resize(self._state.settings.interface_scale)
        self._images.scale(theme.pixel_scale())

    def reset_settings(self) -> None:
        """Reset all settings and apply them."""
        state, before = self._state, self._state.settings
        state.settings = before.reset()
        state.view = state.settings.shown_in(state.view)
        self._shell.reset_layout()
        self.follow(before)
        self._color(state.settings.theme)  # the default background may be that of other colors
        self._opener.look_at_game()
        self._opener.reload_all()
        state.announce(_("Settings reset to defaults"))

    def toggle_full_screen(self) -> None:
        """Toggle full screen."""
        self._gui.toggle_full_screen()

    def toggle_viewport_only(self) -> None:
        """Hide everything but the viewport, or show it again."""
        if self._shell.toggle_viewport_only():
            self._state.announce(_("Shift+F11 shows the panels again"))
