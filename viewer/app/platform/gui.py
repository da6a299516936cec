"""Dear ImGui on a window: context, fonts, scale, platform and renderer backends, one frame.

moderngl-window's own ImGui glue does not work with imgui-bundle 1.92 and later, so the backends
that come with imgui-bundle are used: the GLFW one for input where there is a window to see, none
where there is not, and OpenGL 3 for drawing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib.resources import as_file, files
from typing import Any, Final

from imgui_bundle import imgui, implot  # before glfw: it says which GLFW library both are to use

import glfw  # isort: skip
from moderngl_window.context.base import BaseWindow
from PIL import ImageFont

from viewer.app.panel_builds import Build
from viewer.app.platform.keyboard import IDLE_KEY, Keyboard
from viewer.control.settings.settings import Settings
from viewer.model.store.address import Address
from viewer.session.program import FONT_SIZE
from viewer.ui.widgets import key_focus, theme
from viewer.ui.widgets.widgets import STAGE, readable

MONO_ADVANCE: Final = 7.0
"""Width of all letters of Inconsolata at that size."""
ICON_SIZE: Final = 13.0
ICON_ALIASES: Final = {0xF001: 0x1F3B5, 0xF002: 0x1F50D}
"""The notes and the magnifying glass under a second number: DejaVu has other signs under the first."""
LAYOUT_REST: Final = 0.5
"""Seconds after which a change of the layout is taken note of."""
MOST_STEPS: Final = 8
"""Steps of input per frame while something is typed."""
SHORTEST_STEP: Final = 1e-4
"""Least duration of a frame that ImGui accepts, seconds."""
_set_drop_callback: Final[Callable[[Any, Any], object]] = glfw.set_drop_callback
"""Annotated in glfw as the C function, but called with a window and a list of paths."""
_FORWARDED: Final[tuple[tuple[Callable[[Any, Any], object], Callable[..., None]], ...]] = (
    (glfw.set_window_focus_callback, imgui.backends.glfw_window_focus_callback),
    (glfw.set_cursor_enter_callback, imgui.backends.glfw_cursor_enter_callback),
    (glfw.set_cursor_pos_callback, imgui.backends.glfw_cursor_pos_callback),
    (glfw.set_scroll_callback, imgui.backends.glfw_scroll_callback),
    (glfw.set_char_callback, imgui.backends.glfw_char_callback),
)
"""Events that ImGui gets as they are."""
_KEYS: Final = tuple(
    key for key in map(imgui.Key, range(imgui.Key.named_key_begin, imgui.Key.mouse_left)) if key != IDLE_KEY
)
FRAMES_TO_APPEAR: Final = 3
"""Frames until a new window is shown: ImGui hides it while it measures what is in it."""
_KEY: Final = int(imgui.internal.InputEventType.key)
_POINTING: Final = {
    int(imgui.internal.InputEventType.mouse_pos),
    int(imgui.internal.InputEventType.mouse_wheel),
}
"""Input that only the window under the pointer takes."""
PROGRAM: Final = "mshview"
UNSAVED_MARK: Final = "* "
"""Mark before the title of a window whose file differs from the disk."""


class Gui:
    """The ImGui context of one window; owner: the application, lifetime: its window.

    Parameters
    ----------
    window
        A GLFW window, or a headless one, which takes input from ImGui's IO only.
    remembered
        Its layout, the scale of the interface and the font.
    """

    def __init__(self, window: BaseWindow, remembered: Settings) -> None:
        self._window = window
        self._handle: Any = getattr(window, "_window", None)
        self._drawn_size: tuple[object, ...] = ()
        self._windows = 0
        self._unsettled = 0
        self._may_hold_key = False
        self._keyboard = Keyboard(lambda *_ignored: None)
        self._fonts_to_load: Callable[[], None] | None = None
        imgui.create_context()
        implot.create_context()
        io = imgui.get_io()
        io.config_flags |= imgui.ConfigFlags_.docking_enable
        io.config_windows_move_from_title_bar_only = True
        io.set_ini_filename("")  # the layout is kept in the settings
        # Ctrl+Tab steps through the tabs of the program, not through the windows of ImGui.
        imgui.get_current_context().config_nav_windowing_key_next = 0
        imgui.get_current_context().config_nav_windowing_key_prev = 0
        io.ini_saving_rate = LAYOUT_REST
        self.use_font("", remembered.font_size)
        with suppress(OSError):  # the program's own stays
            self.use_font(remembered.font, remembered.font_size)
        self.resize(remembered.interface_scale)
        if remembered.layout:
            imgui.load_ini_settings_from_memory(remembered.layout)
        if self._is_native:
            imgui.backends.glfw_init_for_opengl(_address(self._handle), False)  # no callbacks: see `_listen`
            self._listen(_address(self._handle))
        imgui.backends.opengl3_init("#version 330")

    def _listen(self, address: int) -> None:
        """Pass the events of the window on to ImGui.

        ImGui could install its own callbacks, but would then call those of moderngl-window, which the glfw
        package frees as soon as the callback for keys is replaced.
        """
        self._keyboard = Keyboard(partial(imgui.backends.glfw_key_callback, address))
        glfw.set_key_callback(self._handle, self._keyboard.receive)
        glfw.set_mouse_button_callback(self._handle, partial(self._click, address))
        for listen, forward in _FORWARDED:
            # forward=forward binds the value of this turn of the loop, not of the last one.
            listen(self._handle, lambda _, *values, forward=forward: forward(address, *values))

    def _click(self, address: int, _window: Any, button: int, action: int, mods: int) -> None:
        self._keyboard.note_action()
        imgui.backends.glfw_mouse_button_callback(address, button, action, mods)

    @property
    def _is_native(self) -> bool:
        """Whether there is a GLFW window."""
        return self._handle is not None

    def _content_scale(self) -> float:
        """Pixels per unit of ImGui; text scales with it if the window system counts in pixels."""
        if not self._is_native:
            return 1.0
        scale: float = glfw.get_window_content_scale(self._handle)[0]
        width, pixels = glfw.get_window_size(self._handle)[0], glfw.get_framebuffer_size(self._handle)[0]
        return scale * width / pixels if pixels and width and scale else 1.0

    def resize(self, scale: float) -> None:
        """Apply a scale of the interface; between two frames."""
        theme.apply(self._content_scale(), scale)

    def use_font(self, path: str, size: float) -> None:
        """Use the letters of a font file, empty for those of the program, from the next frame on.

        Raises `OSError` for a file that is not a font; what was used before stays.
        """
        if path:
            ImageFont.truetype(path)  # what ImGui would end the program for
        self._fonts_to_load = partial(_load_fonts, path, size)

    @property
    def layout(self) -> str:
        """The placement of windows, for the next context."""
        imgui.get_io().want_save_ini_settings = False
        return imgui.save_ini_settings_to_memory()

    @property
    def has_new_layout(self) -> bool:
        """Whether windows were moved since `layout` was read, and are not being moved now."""
        return bool(imgui.get_io().want_save_ini_settings)

    @property
    def window_size(self) -> tuple[int, int]:
        """Width and height to request for a new window, unscaled."""
        width, height = glfw.get_window_size(self._handle) if self._is_native else self._window.size
        scale = self._content_scale()
        return round(width / scale), round(height / scale)

    @property
    def is_full_screen(self) -> bool:
        """Whether the window fills the display."""
        return bool(self._window.fullscreen)

    def toggle_full_screen(self) -> None:
        """Fill the display, or not any more."""
        self._window.fullscreen = not self._window.fullscreen

    @property
    def has_input(self) -> bool:
        """Whether input is queued for the next frame: ImGui takes one event of a kind per frame."""
        return bool(imgui.get_current_context().input_events_queue.size())

    @property
    def needed_build(self) -> Build:
        """The panels to build for reasons of ImGui: input, a size, a window."""
        kinds = {event.type for event in imgui.get_current_context().input_events_queue}
        self._may_hold_key |= _KEY in kinds
        is_pointing = kinds <= _POINTING
        if self._unsettled > 0 or not is_pointing or self._drawn_size != self._sizes:
            return Build.ALL
        return Build.LIVE if self.has_input else Build.NONE

    @property
    def _sizes(self) -> tuple[object, ...]:
        """The sizes of the window, in the units of the window system and in pixels."""
        if not self._is_native:
            return self._window.size
        return (*glfw.get_window_size(self._handle), *glfw.get_framebuffer_size(self._handle))

    def draw(
        self,
        build: Callable[[], None],
        answer: Callable[[], None],
        before_drawing: Callable[[], None],
        seconds: float,
    ) -> None:
        """Build and draw one frame.

        What is left of the input while something is typed, or a field for it opens, gets more steps, so that
        it does not wait for the drawing.

        Parameters
        ----------
        build
            Places the panels.
        answer
            Does what the panels requested.
        before_drawing
            Fills the textures that the panels show.
        """
        # ImGui takes one event of a kind per frame: frames that are not drawn take the rest of the input.
        for step in range(MOST_STEPS):
            is_typing = imgui.get_io().want_text_input or self._keyboard.is_ahead
            if step and not (self.has_input and is_typing):
                break
            self._step(build, 0.0 if step else seconds)
            answer()
        self._note_built()
        before_drawing()
        imgui.render()
        self._show_panels()

    def build(self, build: Callable[[], None], seconds: float) -> None:
        """Make a frame of panels that nobody sees: what a processor does for it, but no pixels."""
        self._step(build, seconds)
        imgui.render()

    def draw_again(self) -> None:
        """Make a frame of the panels as they are, with what their textures hold now."""
        self._show_panels()

    def _note_built(self) -> None:
        """Note whether the panels have come to rest: nothing is held or fades, no window is new."""
        context = imgui.get_current_context()
        windows = sum(window.active for window in context.windows)
        # A modal window dims the others step by step, and keys and buttons that are held repeat.
        is_fading = 0 < context.dim_bg_ratio < 1
        is_dragging = imgui.is_any_mouse_down() and not _is_on_stage(context.active_id_window)
        # Asking for every key takes longer than most panels.
        self._may_hold_key = self._may_hold_key and any(map(imgui.is_key_down, _KEYS))
        if is_fading or is_dragging or self._may_hold_key or windows != self._windows:
            self._unsettled = FRAMES_TO_APPEAR
        self._unsettled -= self._unsettled > 0
        self._windows, self._drawn_size = windows, self._sizes

    def _show_panels(self) -> None:
        self._window.use()
        # Docked windows have no background of their own: filling it takes software OpenGL half of the time.
        self._window.ctx.clear(*imgui.get_style().color_(imgui.Col_.window_bg))
        imgui.backends.opengl3_render_draw_data(imgui.get_draw_data())

    def _step(self, build: Callable[[], None], seconds: float) -> None:
        """Let ImGui take input and place the panels."""
        if self._fonts_to_load is not None:  # the frame before was drawn with the others
            self._fonts_to_load()
            self._fonts_to_load = None
        imgui.backends.opengl3_new_frame()
        if self._is_native:
            imgui.backends.glfw_new_frame()
        else:
            io = imgui.get_io()
            io.display_size = imgui.ImVec2(*self._window.size)
            io.delta_time = max(seconds, SHORTEST_STEP)
        imgui.new_frame()
        key_focus.close_top()
        build()
        imgui.end_frame()

    def show(self) -> None:
        """Bring the frame on screen; events are left to the loop."""
        if self._is_native:
            glfw.swap_buffers(self._handle)

    def on_rescale(self, answer: Callable[[], None]) -> None:
        """Call `answer` when the window is on a display of another scale."""
        if self._is_native:
            glfw.set_window_content_scale_callback(self._handle, lambda *_ignored: answer())

    def on_drop(self, receive: Callable[[list[str]], None]) -> None:
        """Give the paths of files dropped on the window to `receive`; moderngl-window does not listen."""
        if self._is_native:
            _set_drop_callback(self._handle, lambda _, paths: receive(list(paths)))

    def close(self) -> None:
        """Release everything; the window is still open."""
        imgui.backends.opengl3_shutdown()
        if self._is_native:
            _set_drop_callback(self._handle, None)
            imgui.backends.glfw_shutdown()
        implot.destroy_context()
        imgui.destroy_context()


def _is_on_stage(window: imgui.internal.Window | None) -> bool:
    """Whether a window, in which the mouse is held, is the one in the middle: no other follows it."""
    return window is not None and str(window.root_window.name).endswith(f"###{STAGE}")


def _address(handle: Any) -> int:
    """A ctypes pointer as the number that the backend takes."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


def _load_fonts(chosen: str, size: float) -> None:
    """Load the chosen font and Roboto, which has Cyrillic, with the icons of Font Awesome merged in.

    The second is Inconsolata, whose letters have one width, with the Cyrillic of Roboto at the same width.
    """
    style, atlas, own = imgui.get_style(), imgui.get_io().fonts, files("imgui_bundle") / "assets" / "fonts"
    # The size by itself is that of the last `push_font`.
    style.font_size_base = style._next_frame_font_size_base = size  # noqa: SLF001
    atlas.clear_fonts()
    icons, letters, mono = imgui.ImFontConfig(), imgui.ImFontConfig(), imgui.ImFontConfig()
    icons.merge_mode = letters.merge_mode = mono.merge_mode = True
    icons.glyph_min_advance_x = FONT_SIZE
    mono.glyph_min_advance_x = mono.glyph_max_advance_x = MONO_ADVANCE
    with (
        as_file(own / "Roboto" / "Roboto-Regular.ttf") as roboto,
        as_file(own / "Font_Awesome_6_Free-Solid-900.otf") as awesome,
        as_file(own / "Inconsolata-Medium.ttf") as inconsolata,
    ):
        font = atlas.add_font_from_file_ttf(chosen or str(roboto), FONT_SIZE)
        if chosen:
            # Before the icons, which have blank letters.
            atlas.add_font_from_file_ttf(str(roboto), FONT_SIZE, letters)
            for icon, same in ICON_ALIASES.items():
                font.add_remap_codepoint(icon, same)
        atlas.add_font_from_file_ttf(str(awesome), ICON_SIZE, icons)
        atlas.add_font_from_file_ttf(str(inconsolata), FONT_SIZE)
        atlas.add_font_from_file_ttf(str(roboto), FONT_SIZE, mono)


class WindowTitle:
    """Keeps the title of a window; owner: the application.

    Parameters
    ----------
    is_unsaved
        Tells whether the file at an address differs from the disk.
    """

    def __init__(self, window: BaseWindow, is_unsaved: Callable[[Address], bool]) -> None:
        self._window = window
        self._is_unsaved = is_unsaved
        self._shown = ""

    def show(self, address: Address | None, called: str = "") -> None:
        """Name what is at an address, and what the game calls it; the program alone without one."""
        title = PROGRAM
        if address is not None:
            mark = UNSAVED_MARK if self._is_unsaved(Address(address.path)) else ""
            title = readable(" - ".join(filter(None, (f"{mark}{address.name}", called, PROGRAM))))
        if title != self._shown:
            self._window.title = self._shown = title
