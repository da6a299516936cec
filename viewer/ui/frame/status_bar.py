"""The line at the bottom: file, counts, cell shown, what the frame drew and cost, reading in effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from imgui_bundle import ImVec2, imgui

from viewer.errors import Severity
from viewer.session.document import Document
from viewer.ui.context import UiContext
from viewer.ui.panels.problems import ICONS, ProblemsPanel
from viewer.ui.panels.readings import ReadingsPanel, evidence_lines, summary
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import count_text, counted, size_text
from viewer.ui.widgets.widgets import fitting, text, tooltip

Show = Callable[[str], None]

_GAP: Final = 1.4


def draw_status_bar(frame: UiContext, show: Show) -> None:
    """Draw the line; its window is already begun. `show` brings a panel to the front by its title."""
    document = frame.document
    if document is None:
        text(frame.busy or "No model is open. Drop one on the window, or press Ctrl+O.", theme.DIM)
        return
    _draw_file(document)
    _draw_counts(document)
    _draw_cell(frame, document)
    _draw_problems(document, show)
    _draw_right(frame, document, show)


def _draw_file(document: Document) -> None:
    name = document.address.replace("\\", "/").rsplit("/", 1)[-1]
    text(name)
    tooltip([document.address, size_text(document.size)])


def _draw_counts(document: Document) -> None:
    model = document.model
    imgui.same_line(0, theme.em(_GAP))
    text(
        f"{counted(model.node_count, 'node')}  {counted(len(model.slots), 'slot')}  "
        f"{counted(len(model.batches), 'batch')}  {counted(model.vertex_count, 'vertex')}",
        theme.DIM,
    )


def _draw_cell(frame: UiContext, document: Document) -> None:
    view = frame.view
    count = int(document.triangle_counts[view.lod, view.group])
    own = f", {counted(len(view.overrides), 'node')} apart" if view.overrides else ""
    imgui.same_line(0, theme.em(_GAP))
    text(f"LOD {view.lod}, group {view.group}{own}", theme.DIM if count else theme.WARNING)
    tooltip(f"{counted(count, 'triangle')} in this cell")


def _draw_problems(document: Document, show: Show) -> None:
    counts = Counter(item.severity for item in document.findings)
    for severity in (Severity.ERROR, Severity.WARNING):
        if counts[severity]:
            imgui.same_line(0, theme.em(_GAP))
            with_icon = f"{ICONS[severity]} {counts[severity]}"
            if _flat_button(with_icon, f"{severity}s", theme.SEVERITIES[severity]):
                show(ProblemsPanel.title)
            tooltip(f"{counts[severity]} of severity {severity}; a click lists them")


def _draw_right(frame: UiContext, document: Document, show: Show) -> None:
    """Draw what changes from frame to frame, from the right end so that nothing else moves."""
    reading = summary(document.choice)
    gap = theme.em(_GAP)
    imgui.same_line(0, gap)
    room = imgui.get_content_region_avail().x - gap - imgui.calc_text_size(reading).x
    cost = fitting(costs(frame), room)
    spare = room - imgui.calc_text_size(cost).x
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(0.0, spare))
    text(cost, theme.DIM)
    imgui.same_line(0, gap)
    if _flat_button(reading, "reading", theme.ACCENT):
        show(ReadingsPanel.title)
    tooltip([*evidence_lines(document.choice), "A click shows the choices."])


def costs(frame: UiContext) -> Iterator[str]:
    """Yield what the frame drew and cost, shorter and shorter."""
    drawn, timing = frame.statistics, frame.timing
    triangles = counted(drawn.triangles, "triangle")
    draws = f"{counted(drawn.draws, 'draw')}  {count_text(drawn.culled)} culled"
    yield f"{draws}  {triangles}    frame {timing.frame:.1f} ms  pose {timing.pose:.2f} ms"
    yield f"{draws}  {triangles}  {timing.frame:.1f} ms"
    yield f"{triangles}  {timing.frame:.1f} ms"
    yield f"{timing.frame:.1f} ms"


def _flat_button(words: str, name: str, color: theme.Color) -> bool:
    """Draw text that can be pressed, no higher than the line."""
    imgui.push_style_var(imgui.StyleVar_.frame_padding, ImVec2(0, 0))
    imgui.push_style_color(imgui.Col_.button, (0.0, 0.0, 0.0, 0.0))
    imgui.push_style_color(imgui.Col_.text, color)
    pressed = imgui.button(f"{words}###{name}")
    imgui.pop_style_color(2)
    imgui.pop_style_var()
    return pressed
