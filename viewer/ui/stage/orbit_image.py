"""An image in a tab that the mouse turns, moves and zooms, as the viewport."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.dataclass import replace
from viewer.session.view.camera import Camera
from viewer.session.view.view_state import ViewState
from viewer.ui.context import UiContext

TURN: Final = 0.01
"""Radians for each pixel that the mouse is dragged."""
ZOOM: Final = 0.9
"""Factor of the distance for each notch of the wheel."""
STILL: Final = 4.0
"""Pixels that the mouse may move in a click."""
WHITE: Final = 0xFFFFFFFF
Pixels = tuple[int, int]


def draw_orbit_image(
    frame: UiContext,
    name: str,
    size: ImVec2,
    image: Callable[[Pixels], int],
    frame_all: Callable[[], None],
    tint: int = WHITE,
) -> Pixels | None:
    """Draw an image; return the pixel that is clicked, counted from the top left.

    Parameters
    ----------
    image
        Gives the opaque ImGui id of the image with a size in pixels, lowest row first.
    frame_all
        Called after a double click.
    tint
        The image is multiplied with this packed color.
    """
    if size.x < 1 or size.y < 1:
        return None
    corner = imgui.get_cursor_screen_pos()
    imgui.invisible_button(
        name,
        size,
        imgui.ButtonFlags_.mouse_button_left
        | imgui.ButtonFlags_.mouse_button_right
        | imgui.ButtonFlags_.mouse_button_middle,
    )
    _turn(frame, size, frame_all)
    scale = imgui.get_io().display_framebuffer_scale
    pixels = max(1, int(size.x * scale.x)), max(1, int(size.y * scale.y))
    shown = imgui.ImTextureRef(image(pixels))
    end = ImVec2(corner.x + size.x, corner.y + size.y)
    imgui.get_window_draw_list().add_image(shown, corner, end, ImVec2(0, 1), ImVec2(1, 0), tint)
    left = imgui.MouseButton_.left
    is_clicked = imgui.is_item_deactivated() and imgui.is_mouse_released(left)
    dragged = imgui.get_mouse_drag_delta(left, STILL)  # 0 for less than that
    if not is_clicked or dragged.x or dragged.y:
        return None
    mouse = imgui.get_mouse_pos()
    return int((mouse.x - corner.x) * scale.x), int((mouse.y - corner.y) * scale.y)


def _turn(frame: UiContext, size: ImVec2, frame_all: Callable[[], None]) -> None:
    """Turn, move and zoom with the mouse."""
    io = imgui.get_io()
    moved = io.mouse_delta
    if imgui.is_item_active() and (moved.x or moved.y):
        if io.key_shift or not imgui.is_mouse_down(imgui.MouseButton_.left):
            _move(frame, lambda camera: camera.pan(-moved.x / size.y, moved.y / size.y))
        else:
            _move(frame, lambda camera: camera.orbit(-moved.x * TURN, moved.y * TURN))
    if imgui.is_item_hovered():
        imgui.set_item_key_owner(imgui.Key.mouse_wheel_y)
        if io.mouse_wheel:
            factor = ZOOM**io.mouse_wheel
            _move(frame, lambda camera: camera.zoom(factor))
        if imgui.is_mouse_double_clicked(imgui.MouseButton_.left):
            frame_all()


def _move(frame: UiContext, move: Callable[[Camera], Camera]) -> None:
    def moved(view: ViewState) -> ViewState:
        return replace(view, camera=move(view.camera))

    frame.change(moved)
