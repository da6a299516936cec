"""What the panels do with the window itself: its size, its settings, its jobs, the clipboard."""

from __future__ import annotations

from imgui_bundle import imgui

from viewer.app.images.images import Images
from viewer.app.images.thumbnails import LANE as THUMBNAILS
from viewer.app.platform.gui import Gui
from viewer.app.platform.system_theme import use_theme
from viewer.control.jobs import Jobs
from viewer.control.opening.open_controller import OpenController
from viewer.control.state import State
from viewer.dataclass import replace
from viewer.resources import use_language
from viewer.session.jobs import DRAWING
from viewer.session.program import Theme
from viewer.session.view.view_state import Background
from viewer.translation import _
from viewer.ui.frame.shell import Shell
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import readable


class WindowControl:
    """Does what panels ask of the window; owner: the application, main thread only.

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

    def cancel_job(self, lane: str) -> None:
        """Cancel the running job of a lane."""
        if lane == DRAWING:
            self._images.scene.cancel()
        elif lane == THUMBNAILS:
            self._images.thumbnails.cancel()
        else:
            self._jobs.cancel(lane)

    def limit_textures(self, megabytes: int) -> None:
        """Set the GPU memory for textures, MB."""
        self._state.set(texture_memory=megabytes)
        self._images.scene.limit_textures()

    def speak(self, language: str) -> None:
        """Show texts in the language of a code; empty for that of the system."""
        self._state.set(language=language)
        use_language(language)
        self._images.scene.reload_textures()

    def color(self, chosen: Theme) -> None:
        """Use the colors of a theme; the background of the viewport changes with light and dark."""
        self._state.set(theme=chosen)
        use_theme(chosen)
        self._gui.resize(self._state.settings.interface_scale)
        use_language(self._state.settings.language)  # rows that were kept have the colors of before
        other, usual = Background.LIGHT, Background.DARK
        if theme.current() is Theme.LIGHT:
            other, usual = usual, other
        if self._state.view.background is other:
            self._state.view = replace(self._state.view, background=usual)

    def use_font(self, path: str, size: float) -> None:
        """Use the letters of a font file, empty for those of the program, at a size in pixels."""
        try:
            self._gui.use_font(path, size)
        except OSError:
            self._state.complain(_("{path} is not a font that can be used", path=readable(path)))
        else:
            self._state.set(font=path, font_size=size)

    def scale(self, scale: float) -> None:
        """Make texts and controls `scale` times as large as usual."""
        self._state.set(interface_scale=scale)
        self._gui.resize(scale)
        self._images.scale(theme.pixel_scale())

    def reset_settings(self) -> None:
        """Reset all settings and apply them."""
        state = self._state
        state.settings = state.settings.reset()
        state.view = state.settings.shown_in(state.view)
        self._shell.reset_layout()
        use_language(state.settings.language)
        self.color(state.settings.theme)
        self.use_font(state.settings.font, state.settings.font_size)
        self.scale(state.settings.interface_scale)
        self._images.scene.limit_textures()
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
