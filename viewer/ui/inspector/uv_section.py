"""Section of the Inspector: the texture coordinates of a batch or of its material over their texture."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui

from viewer.model.store.place import Place
from viewer.session.view.options.textures import Channels, TextureView, UvMarks
from viewer.session.view.uv_subject import UvSubject, subjects_of_batch
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.inspector.sheet import Sheet
from viewer.ui.material.texture_viewport import TextureViewport
from viewer.ui.material.uv_layer import UV_MARKS, UvLayer, choose_marks
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.widgets import wrapped

HIGHEST: Final = 24.0
"""Most height of the texture, font heights."""
ITEM: Final = "uv_image"


def draw_uv(sheet: Sheet, batch: int) -> None:
    """Draw the map of a batch or of its material."""
    subjects = subjects_of_batch(sheet.document, sheet.frame.view, batch)
    if not subjects:
        wrapped(_("This batch has no texture."), theme.DIM)
        return
    layer = sheet.tools.uv
    marks = choose_marks(sheet.frame, has_none=False)
    subject = layer.choose(subjects)
    layer.draw_words(subject, marks)
    _draw_image(sheet.frame, subject, layer, marks)
    if controls.small_button(_("Show in the texture's tab"), "open_uv"):
        show_uv(sheet.frame, subject)


def show_uv(frame: UiContext, subject: UvSubject) -> None:
    """Open the texture of a subject in its tab with the texture coordinates over it."""
    marks = frame.view.textures.uv_marks
    if marks is UvMarks.NONE:
        frame.change(partial(UV_MARKS.chosen, found=UvMarks.PROBLEMS))
    frame.later(frame.control.opening.go_to, Place(subject.texture.address))


def _draw_image(frame: UiContext, subject: UvSubject, layer: UvLayer, marks: UvMarks) -> None:
    """Draw the whole texture, and as much around it as the coordinates reach."""
    low, high = map(np.array, layer.reach(subject))
    level = subject.texture.texture.levels[0]
    sides = (high - low) * (level.width, level.height)
    zoom = min(imgui.get_content_region_avail().x / sides[0], theme.em(HIGHEST) / sides[1])
    corner = imgui.get_cursor_screen_pos()
    end = ImVec2(corner.x + float(sides[0] * zoom), corner.y + float(sides[1] * zoom))
    left, top = np.array([corner.x, corner.y]) - low * (level.width, level.height) * zoom
    sight = TextureViewport(float(left), float(top), float(zoom), level.width, level.height, corner, end)
    paper = imgui.get_window_draw_list()
    paper.add_rect_filled(corner, end, theme.exact(GROUND))
    texture = frame.lookups.texture(
        TextureView.seen(subject.texture, frame.view.textures, channels=Channels.RGB)
    )
    if texture is not None:
        ends = sight.place(0, 0), sight.place(sight.width, sight.height)
        paper.add_image(imgui.ImTextureRef(texture), *ends)
    layer.draw(subject, marks, sight)
    imgui.set_cursor_screen_pos(corner)
    imgui.dummy(ImVec2(end.x - corner.x, end.y - corner.y))


GROUND: Final = (0.09, 0.1, 0.11, 1.0)
"""Around the texture."""
