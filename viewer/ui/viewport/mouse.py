"""The mouse over an image in space: turning, moving and zooming the camera, everywhere the same."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Final

from imgui_bundle import ImVec2, imgui
from msgspec.structs import replace

from viewer.session.view.camera import Camera, Size
from viewer.session.view.view_state import ViewState
from viewer.ui.context import UiContext
from viewer.ui.widgets.floating import Area

CLICK_LIMIT: Final = 4.0
"""A press that moves less is a click, ImGui units."""
TURN: Final = pi
"""Angle of an orbit across the height of the image, radians."""
WHEEL_SHARE: Final = 0.05
"""Ratio of a step of the wheel sideways to a drag over the height of the image."""
ZOOM_STEP: Final = 0.85
"""Change of the distance per notch of the wheel."""
_ORBIT_BUTTONS: Final = (imgui.MouseButton_.left, imgui.MouseButton_.middle)
ANY_BUTTON: Final = (
    imgui.ButtonFlags_.mouse_button_left
    | imgui.ButtonFlags_.mouse_button_middle
    | imgui.ButtonFlags_.mouse_button_right
)


class PixelArea(Area, frozen=True):
    """The area of an image on screen, and the pixels per ImGui unit."""

    pixels: float

    @classmethod
    def of_room(cls) -> PixelArea:
        """Return the remaining area of the current window."""
        corner, room = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail()
        scale = imgui.get_io().display_framebuffer_scale.x or 1.0
        return cls(corner.x, corner.y, max(room.x, 1.0), max(room.y, 1.0), scale)

    @property
    def size(self) -> Size:
        """Size in pixels, at least 1 by 1."""
        return max(1, round(self.width * self.pixels)), max(1, round(self.height * self.pixels))

    @property
    def aspect(self) -> float:
        """Width over height."""
        return self.size[0] / self.size[1]

    def pixel(self, point: ImVec2) -> tuple[int, int]:
        """The pixel at a point on screen, counted from the top left."""
        return int((point.x - self.left) * self.pixels), int((point.y - self.top) * self.pixels)

    def device(self, point: ImVec2) -> tuple[float, float]:
        """A point on screen as -1 (left, bottom) to 1 (right, top)."""
        x = (point.x - self.left) / max(self.width, 1)
        y = (point.y - self.top) / max(self.height, 1)
        return 2 * x - 1, 1 - 2 * y


def move_camera(frame: UiContext, area: PixelArea) -> None:
    """Turn the mouse over the last item, which is the image, into changes of the camera."""
    io = imgui.get_io()
    if imgui.is_item_active():
        _drag(frame, area, io)
    if not imgui.is_item_hovered():
        return
    imgui.set_item_key_owner(imgui.Key.mouse_wheel_y)  # a window around it does not scroll
    if io.mouse_wheel:
        x, y = area.device(io.mouse_pos)
        factor, aspect = ZOOM_STEP**io.mouse_wheel, area.aspect
        _move(frame, lambda camera: camera.zoom(factor, x, y, aspect))
    if io.mouse_wheel_h:  # two fingers sideways on a touchpad; Shift and the wheel
        step = WHEEL_SHARE * io.mouse_wheel_h
        if io.key_shift:
            _move(frame, lambda camera: camera.pan(-step, 0))
        else:
            _move(frame, lambda camera: camera.orbit(step * TURN, 0))


def _drag(frame: UiContext, area: PixelArea, io: imgui.IO) -> None:
    is_pan = imgui.is_mouse_dragging(imgui.MouseButton_.right, CLICK_LIMIT)
    is_orbit = any(imgui.is_mouse_dragging(button, CLICK_LIMIT) for button in _ORBIT_BUTTONS)
    x, y = (delta / max(area.height, 1) for delta in (io.mouse_delta.x, io.mouse_delta.y))
    if is_pan or (is_orbit and io.key_shift):
        # What is shown follows the pointer, so the camera moves against it; y of the screen points down.
        _move(frame, lambda camera: camera.pan(-x, y))
    elif is_orbit:
        _move(frame, lambda camera: camera.orbit(x * TURN, y * TURN))


def _move(frame: UiContext, move: Callable[[Camera], Camera]) -> None:
    def moved(view: ViewState) -> ViewState:
        return replace(view, camera=move(view.camera))

    frame.change(moved)


def is_click(button: imgui.MouseButton_) -> bool:
    """Whether a button was released without a drag."""
    # ImGui keeps the square of the distance.
    moved: float = imgui.get_io().mouse_drag_max_distance_sqr[button]
    return imgui.is_mouse_released(button) and moved < CLICK_LIMIT**2
