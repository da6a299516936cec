"""An image in space of its own, which the mouse turns, moves and zooms as in the viewport."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.session.view.camera import Size
from viewer.ui.context import UiContext
from viewer.ui.viewport.mouse import ANY_BUTTON, PixelArea, move_camera

WHITE: Final = 0xFFFFFFFF


def draw_orbit_image(
    frame: UiContext,
    name: str,
    size: ImVec2,
    image: Callable[[Size], int],
    frame_all: Callable[[], None],
    tint: int = WHITE,
) -> None:
    """Draw an image that is orbited with the mouse.

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
        return
    corner, scale = imgui.get_cursor_screen_pos(), imgui.get_io().display_framebuffer_scale.x or 1.0
    area = PixelArea(corner.x, corner.y, size.x, size.y, scale)
    imgui.invisible_button(name, size, ANY_BUTTON)
    move_camera(frame, area)
    if imgui.is_item_hovered() and imgui.is_mouse_double_clicked(imgui.MouseButton_.left):
        frame_all()
    shown = imgui.ImTextureRef(image(area.size))
    end = ImVec2(corner.x + size.x, corner.y + size.y)
    imgui.get_window_draw_list().add_image(shown, corner, end, ImVec2(0, 1), ImVec2(1, 0), tint)
