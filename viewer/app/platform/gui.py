"""Dear ImGui on a window: context, fonts, scale, platform and renderer backends, one frame.

moderngl-window's own ImGui glue does not work with imgui-bundle 1.92 and later, so the backends
that come with imgui-bundle are used: the GLFW one for input where there is a window to see, none
where there is not, and OpenGL 3 for drawing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from importlib.resources import as_file, files
from typing import Any, Final

from imgui_bundle import imgui, implot  # before glfw: it says which GLFW library both are to use

import glfw  # isort: skip
from moderngl_window.context.base import BaseWindow

from viewer.ui.widgets import theme

FONT_SIZE: Final = 15.0
ICON_SIZE: Final = 13.0
LAYOUT_REST: Final = 0.5
"""Seconds after which a change of the layout is taken note of."""
MODIFIERS: Final = range(glfw.KEY_LEFT_SHIFT, glfw.KEY_RIGHT_SUPER + 1)
IDLE_KEY: Final = imgui.Key.f24
"""A key that nothing listens to."""
SHORTEST_STEP: Final = 1e-4
"""Least duration of a frame that ImGui accepts, seconds."""
_set_drop_callback: Final[Callable[[Any, Any], object]] = glfw.set_drop_callback
"""Annotated in glfw as the C function, but called with a window and a list of paths."""


class Gui:
    """The ImGui context of one window; owner: the application, lifetime: its window.

    Parameters
    ----------
    window
        A GLFW window, or a headless one, which takes input from ImGui's IO only.
    layout
        The placement of windows as `layout` gave it earlier, or empty.
    """

    def __init__(self, window: BaseWindow, layout: str = "") -> None:
        self._window = window
        self._handle: Any = getattr(window, "_window", None)
        imgui.create_context()
        implot.create_context()
        io = imgui.get_io()
        io.config_flags |= imgui.ConfigFlags_.docking_enable
        io.config_windows_move_from_title_bar_only = True
        io.set_ini_filename("")
        imgui.get_current_context().config_nav_windowing_key_next = 0
        imgui.get_current_context().config_nav_windowing_key_prev = 0
        io.ini_saving_rate = LAYOUT_REST
        _load_fonts(io)
        theme.apply(self._content_scale())
        if layout:
            imgui.load_ini_settings_from_memory(layout)
        if self._is_native:
            window.key_event_func = divide_frames
            imgui.backends.glfw_init_for_opengl(_address(self._handle), True)
        imgui.backends.opengl3_init("#version 330")

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
        return scale * width / pixels if pixels else 1.0

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
    def has_input(self) -> bool:
        """Whether input is queued for the next frame: ImGui takes one event of a kind per frame."""
        return bool(imgui.get_current_context().input_events_queue.size())

    def draw(self, build: Callable[[], None], before_drawing: Callable[[], None], seconds: float) -> None:
        """Make one frame: `build` places the panels, `before_drawing` fills the textures they show."""
        imgui.backends.opengl3_new_frame()
        if self._is_native:
            imgui.backends.glfw_new_frame()
        else:
            io = imgui.get_io()
            io.display_size = imgui.ImVec2(*self._window.size)
            io.delta_time = max(seconds, SHORTEST_STEP)
        imgui.new_frame()
        build()
        imgui.end_frame()
        before_drawing()
        imgui.render()
        self._window.use()
        self._window.ctx.clear()
        imgui.backends.opengl3_render_draw_data(imgui.get_draw_data())

    def show(self) -> None:
        """Bring the frame on screen; events are left to the loop."""
        if self._is_native:
            glfw.swap_buffers(self._handle)

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


def divide_frames(key: int, action: int, _modifiers: object = None) -> None:
    """Force ImGui to process a modifier release in the next frame, so that a quick Ctrl+P is not lost.

    Else a quick Ctrl+P is lost: ImGui takes P going down and Ctrl going up in one frame, and sees P alone.
    What it defers to the next frame, with all that follows, is a key that goes both down and up.
    """
    if action == glfw.RELEASE and key in MODIFIERS:
        for is_down in (True, False):
            imgui.get_io().add_key_event(IDLE_KEY, is_down)


def _address(handle: Any) -> int:
    """A ctypes pointer as the number that the backend takes."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0


def _load_fonts(io: imgui.IO) -> None:
    """Roboto, which has Cyrillic, with the icons of Font Awesome merged in."""
    fonts = files("imgui_bundle") / "assets" / "fonts"
    with as_file(fonts / "Roboto" / "Roboto-Regular.ttf") as text:
        io.fonts.add_font_from_file_ttf(str(text), FONT_SIZE)
    icons = imgui.ImFontConfig()
    icons.merge_mode = True
    icons.glyph_min_advance_x = FONT_SIZE
    with as_file(fonts / "Font_Awesome_6_Free-Solid-900.otf") as path:
        io.fonts.add_font_from_file_ttf(str(path), ICON_SIZE, icons)
