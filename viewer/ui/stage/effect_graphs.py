"""The curves of a block of an effect, and its window as a bar, each with a mark at the present moment."""

from __future__ import annotations

from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui

from viewer.formats.fxid import OPCODES
from viewer.model.effects.blocks import EffectBlocks
from viewer.model.effects.moment import EffectMoment
from viewer.session.play.effect_play import POINTS, EffectCurve, age_of, curves
from viewer.translation import Text, _
from viewer.ui.widgets import theme
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import text, tooltip

HEIGHT: Final = 2.6
"""Height of a graph in font heights."""
AXES: Final[tuple[Color, ...]] = (
    (0.86, 0.28, 0.30, 1.0),
    (0.48, 0.74, 0.25, 1.0),
    (0.27, 0.54, 0.94, 1.0),
    theme.TEXT,
)
"""Colors of the components x, y, z, or red, green, blue, and of a fourth."""


def draw_window(blocks: EffectBlocks, block: int, moment: EffectMoment) -> None:
    """Draw the window of a block as a bar on the time from 0 to 1, with the present time."""
    start, end = float(blocks.start[block]), float(blocks.end[block])
    corner, width = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
    height = imgui.get_text_line_height()
    imgui.dummy(ImVec2(width, height))
    if not np.isfinite(start + end):
        return
    tooltip(
        _("active from {start:g} to {end:g}, p is {p:.3f}", start=start, end=end, p=moment.progress[block])
    )
    painter = imgui.get_window_draw_list()
    middle, half = corner.y + height / 2, height * 0.22
    left, right = (corner.x + min(max(it, 0.0), 1.0) * width for it in (start, end))
    painter.add_rect_filled(
        ImVec2(corner.x, middle - 1), ImVec2(corner.x + width, middle + 1), theme.packed(theme.FAINT, 0.5)
    )
    color = theme.packed(theme.ACCENT if moment.active[block] else theme.FAINT, 0.8)
    painter.add_rect_filled(ImVec2(left, middle - half), ImVec2(max(right, left + 2), middle + half), color)
    now = corner.x + moment.time * width
    painter.add_line(
        ImVec2(now, corner.y), ImVec2(now, corner.y + height), theme.packed(theme.SELECTION), 1.5
    )


def draw_graphs(blocks: EffectBlocks, block: int, moment: EffectMoment) -> None:
    """Draw the curves of a block side by side, over p or the age of its particles, with a mark at now."""
    if not 0 <= block < len(blocks.opcodes):
        return
    shown = curves(blocks, block)
    if not shown:
        kind = OPCODES[int(blocks.opcodes[block])]
        text(_("block {block}, {kind}, has no curves", block=block, kind=Text.of(kind)), theme.DIM)
        return
    gap = theme.em(0.6)
    width = (imgui.get_content_region_avail().x - gap * (len(shown) - 1)) / len(shown)
    progress = float(moment.progress[block])
    age = age_of(blocks, block, progress)
    for number, curve in enumerate(shown):
        if number:
            imgui.same_line(0, gap)
        imgui.begin_group()
        _draw_graph(curve, age if curve.is_over_age else progress, width)
        imgui.end_group()


def _draw_graph(curve: EffectCurve, now: float | None, width: float) -> None:
    values = curve.values.reshape(POINTS, -1)
    low, high = float(values.min()), float(values.max())
    axis = _("age") if curve.is_over_age else "p"
    words = _("{name} over {axis}: {low:.4g} to {high:.4g}", name=curve.name, axis=axis, low=low, high=high)
    corner, size = imgui.get_cursor_screen_pos(), ImVec2(width, theme.em(HEIGHT))
    painter = imgui.get_window_draw_list()
    painter.push_clip_rect(corner, ImVec2(corner.x + width, corner.y + imgui.get_text_line_height()), True)
    text(words, theme.DIM)
    painter.pop_clip_rect()
    corner = imgui.get_cursor_screen_pos()
    imgui.dummy(size)
    tooltip(words)
    painter.add_rect_filled(
        corner, ImVec2(corner.x + size.x, corner.y + size.y), theme.packed(theme.FAINT, 0.15)
    )
    span = max(high - low, 1e-9)
    xs = corner.x + np.linspace(0, 1, POINTS) * size.x
    margin = size.y * 0.08
    for component, color in zip(values.T, AXES if values.shape[1] > 1 else (theme.ACCENT,), strict=False):
        share = (component - low) / span if high > low else np.full(POINTS, 0.5)
        ys = corner.y + size.y - margin - share * (size.y - 2 * margin)
        for x, y in zip(xs.tolist(), ys.tolist(), strict=True):
            painter.path_line_to(ImVec2(x, y))
        painter.path_stroke(theme.packed(color), thickness=1.5)
    if now is not None and 0 <= now <= 1:
        x = corner.x + now * size.x
        painter.add_line(
            ImVec2(x, corner.y), ImVec2(x, corner.y + size.y), theme.packed(theme.SELECTION), 1.5
        )
