"""Curves panel: how the selected nodes move over the frames, with their keys, which can be dragged."""

from __future__ import annotations

from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui, implot
from msgspec.structs import replace

from viewer.model.edit.change import Change
from viewer.model.edit.nodes.set_key import MoveKeys, SetKey
from viewer.session.edits.row_commands import node_choice
from viewer.session.opened.document import Document
from viewer.session.play import playing
from viewer.session.play.keys.curves import AXES, CurveKind, Curves, NodeMotion, most_moving, moving_kind
from viewer.translation import _
from viewer.ui.context import PerTab, UiContext
from viewer.ui.editing.in_place import InPlaceEdit
from viewer.ui.timeline.axis_parts import snapped
from viewer.ui.timeline.key_rows import cursors
from viewer.ui.timeline.sheet_hints import why_nothing_moves
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import colored, cut, empty, labeled, text, tooltip

MOST_NODES: Final = 6
"""Selected nodes whose curves are drawn, the last ones."""
MOST_POINTS: Final = 100
"""Keys in sight that can be dragged; more are drawn as marks."""
LEAST_LINES: Final = 3
"""Least height of the plot."""
WHEEL_SHARE: Final = 0.1
"""Share of what is in sight that a step of the wheel pans."""
_KINDS: Final = {
    CurveKind.POSITION: _("Position"),
    CurveKind.QUATERNION: _("Quaternion"),
    CurveKind.DEGREES: _("Angles, degrees"),
    CurveKind.SPEED: _("Speed, length a frame"),
    CurveKind.TURNING: _("Turning, degrees a frame"),
    CurveKind.ERROR: _("Engine against double precision"),
}
_COLORS: Final = {"x": theme.AXES[0], "y": theme.AXES[1], "z": theme.AXES[2], "w": theme.TEXT}
_FLAGS: Final = (
    implot.Flags_.no_title
    | implot.Flags_.no_menus
    | implot.Flags_.no_box_select
    | implot.Flags_.no_legend
    | implot.Flags_.no_mouse_text
)
_CURSOR: Final = 1_000_000
"""Id of the line at the current time; the keys have smaller ones."""


class CurvesPanel:
    """A plot of the selected nodes; owner: the shell."""

    id = "curves"
    title = _("Curves")

    def __init__(self) -> None:
        self._plots = PerTab(_Plot)

    def draw(self, frame: UiContext) -> None:
        """Draw the kinds to choose from and the curves."""
        document = frame.document
        if document is None:
            empty(_("The curves of the open model appear here."))
        elif not document.animation.is_animated:
            empty(why_nothing_moves(document))
        else:
            self._plots.of(frame.state.tabs).draw(frame, document)


class _Plot:
    """The curves of one document, and the key that is dragged."""

    def __init__(self) -> None:
        self._kind = CurveKind.POSITION
        self._is_chosen = False
        self._of: tuple[object, ...] = ()
        self._known: dict[int, NodeMotion] = {}
        self._document: Document | None = None
        self._fits = True
        self._hidden: set[str] = set()
        self._shown: tuple[object, ...] = ()
        self._held: tuple[int, int, int, float, float] | None = None
        self._limits: implot.Rect | None = None
        self._edits, self._moving = InPlaceEdit(), Cached(most_moving)

    def draw(self, frame: UiContext, document: Document) -> None:
        """Draw the kinds, and the curves of the nodes that were selected last."""
        if document is not self._document:
            self._document, self._held = document, None
            self._known.clear()
        nodes = [it for it in frame.view.selection.nodes if it < document.model.node_count][-MOST_NODES:]
        is_selected = bool(nodes)
        nodes = nodes or self._moving.of((document.identity, document.revision, document.choice), document)
        self._follow(document, nodes)
        kind = controls.choose("##kind", _KINDS, self._kind, 16)
        self._is_chosen, self._kind = self._is_chosen or kind is not self._kind, kind
        imgui.same_line()
        wheel = _("Wheel: closer, also over an axis; drag, Ctrl or Shift + wheel: pan")
        if controls.button(_("Fit"), "fit", [_("All of the curves; key: Home"), wheel]):
            self._fits = True
        self._draw_axes()
        imgui.same_line()
        imgui.align_text_to_frame_padding()
        more = len(frame.view.selection.nodes) - len(nodes) if is_selected else 0
        names = ", ".join(map(document.label, nodes)) + (_(" and {count} more", count=more) if more else "")
        cut(names if is_selected else _("{node} moves; select others", node=names), theme.DIM)
        if imgui.shortcut(int(imgui.Key.home), int(imgui.InputFlags_.route_focused)):
            self._fits = True
        self._draw_plot(frame, document, nodes)
        self._edits.draw()

    def _follow(self, document: Document, nodes: list[int]) -> None:
        """Show what moves of another node, until the user has chosen a kind."""
        of = document.identity, nodes[-1]
        if of != self._of and not self._is_chosen:
            self._kind = moving_kind(document, nodes[-1])
        self._of = of

    def _draw_axes(self) -> None:
        """Draw the names of the curves in their colors, which show and hide them."""
        for name in filter(None, AXES[self._kind]):
            imgui.same_line(0, theme.em(0.2))
            is_shown = name not in self._hidden
            with colored(_COLORS[name] if is_shown else theme.FAINT):
                is_clicked = imgui.button(labeled(name, f"axis_{name}"), ImVec2(imgui.get_frame_height(), 0))
            tooltip(_("Hide this curve") if is_shown else _("Show this curve"))
            if is_clicked:
                self._hidden ^= {name}

    def _draw_plot(self, frame: UiContext, document: Document, nodes: list[int]) -> None:
        # With less room the numbers of the frames would cover the buttons.
        if imgui.get_content_region_avail().y < LEAST_LINES * imgui.get_text_line_height_with_spacing():
            return
        shown = (document.identity, tuple(nodes), self._kind)
        if self._fits or shown != self._shown:
            implot.set_next_axes_to_fit()
        self._shown, self._fits = shown, False
        implot.push_style_var(implot.StyleVar_.fit_padding, ImVec2(0.02, 0.12))
        implot.push_style_var(implot.StyleVar_.plot_min_size, ImVec2(1, 1))
        implot.push_style_var(implot.StyleVar_.plot_padding, ImVec2(theme.em(0.4), theme.em(0.2)))
        # As in Blender; the left button does too, where it is on no key.
        is_middle = imgui.is_mouse_down(imgui.MouseButton_.middle)
        implot.get_input_map().pan = imgui.MouseButton_.middle if is_middle else imgui.MouseButton_.left
        self._pan_with_wheel()
        if implot.begin_plot("##curves", ImVec2(-1, -1), int(_FLAGS)):
            implot.setup_finish()
            self._limits = implot.get_plot_limits() if implot.is_plot_hovered() else None
            for place, node in enumerate(nodes):
                self._draw_node(document, node, is_first=place == len(nodes) - 1)
            self._draw_cursors(frame, document)
            self._release(frame, document)
            implot.end_plot()
        implot.pop_style_var(3)

    def _pan_with_wheel(self) -> None:
        """Pan in time with Ctrl and the wheel, in value with Shift, as in Blender."""
        io, limits = imgui.get_io(), self._limits
        if limits is None or not io.mouse_wheel or io.key_ctrl is io.key_shift:
            return
        axis, shown = (implot.ImAxis_.x1, limits.x) if io.key_ctrl else (implot.ImAxis_.y1, limits.y)
        step = WHEEL_SHARE * (shown.max - shown.min) * io.mouse_wheel
        implot.set_next_axis_limits(axis, shown.min + step, shown.max + step, implot.Cond_.always)
        io.mouse_wheel = 0.0  # the plot would zoom too

    def _curves(self, document: Document, node: int) -> Curves:
        if node not in self._known:
            self._known[node] = NodeMotion(document, node)
        return self._known[node].curves(self._kind)

    def _draw_node(self, document: Document, node: int, *, is_first: bool) -> None:
        """Draw the curves of a node, with its keys; only those of the active node can be dragged."""
        curves = self._curves(document, node)
        for axis, name in enumerate(AXES[self._kind]):
            if name in self._hidden:
                continue
            color = _COLORS.get(name, theme.ACCENT if is_first else theme.DIM)
            color = color if is_first else (*color[:3], color[3] * 0.45)
            label = f"{document.label(node)} {name}".strip()
            spec = implot.Spec()
            spec.line_color, spec.line_weight = theme.vector(color), theme.em(0.1)
            implot.plot_line(f"{label}###{node} {axis}", curves.times, curves.values[axis], spec)
            if is_first and len(curves.key_times):
                self._draw_keys(node, curves, axis, color)

    def _draw_keys(self, node: int, curves: Curves, axis: int, color: Color) -> None:
        """Draw the keys in sight on one curve, which can be dragged in time and in value."""
        limits = implot.get_plot_limits().x
        keys = np.flatnonzero((curves.key_times >= limits.min) & (curves.key_times <= limits.max))
        if len(keys) > MOST_POINTS:
            spec = implot.Spec()
            spec.marker, spec.marker_size = 2, theme.em(0.22)
            spec.line_color = spec.marker_fill_color = theme.vector(color)
            implot.plot_scatter(
                f"##keys{node} {axis}", curves.key_times[keys], curves.key_values[axis][keys], spec
            )
            return
        for key in keys.tolist():
            time, value = float(curves.key_times[key]), float(curves.key_values[axis][key])
            if self._held is not None and self._held[:3] == (node, key, axis):
                time, value = self._held[3:]
            number = key * len(AXES[self._kind]) + axis
            ink, size = theme.vector(color), theme.em(0.25)
            moved, now, to, *_ignored = implot.drag_point(number, time, value, ink, size)
            if moved:
                if self._kind is CurveKind.QUATERNION:
                    to = min(max(to, -1.0), 1.0)
                # The first key stays at 0, and all are at whole frames.
                self._held = node, key, axis, float(max(1, round(now))) if key else 0.0, to
        if self._held is not None and self._held[:3:2] == (node, axis):
            _draw_held(curves, *self._held[1:], name=AXES[self._kind][axis])
            if self._kind is CurveKind.POSITION:
                _plot_held(curves, *self._held[1:])

    def _release(self, frame: UiContext, document: Document) -> None:
        """Make the change of the key that was dragged once the button is up."""
        if self._held is None or imgui.is_mouse_down(imgui.MouseButton_.left):
            return
        (node, key, axis, time, value), self._held = self._held, None
        curves, choice = self._curves(document, node), node_choice(document.names, node)
        changes: list[Change] = []
        if value != curves.key_values[axis, key]:
            moved = self._known[node].with_value(self._kind, key, axis, value)
            changes.append(SetKey(choice, key, *moved))
        if key and time != curves.key_times[key]:
            changes.append(MoveKeys(choice, (key,), (time,)))
        if changes:
            self._edits.make(frame, document, tuple(changes), node)

    def _draw_cursors(self, frame: UiContext, document: Document) -> None:
        """Draw the current times; the first one can be dragged."""
        for number, (time, color) in enumerate(cursors(frame, document)):
            flags = int(implot.DragToolFlags_.no_inputs if number else implot.DragToolFlags_.no_fit)
            moved, now, *_ignored = implot.drag_line_x(
                _CURSOR + number, time, theme.vector(color), theme.em(0.1), flags
            )
            if moved:
                at = snapped(frame, now)
                frame.change(
                    lambda view, at=at: replace(playing.at_frame(view, document, at), is_playing=False)  # type: ignore[misc]
                )


def _draw_held(curves: Curves, key: int, axis: int, time: float, value: float, *, name: str) -> None:
    """Draw what the key that is dragged will say next to the pointer."""
    way, change = time - curves.key_times[key], value - curves.key_values[axis][key]
    imgui.begin_tooltip()
    text(_("Key {key}, one step", key=key), theme.SELECTION)
    text(_("frame {frame:g}  {way:+g}", frame=time, way=way), theme.DIM)
    text(f"{name} {value:.4g}  {change:+.4g}", theme.DIM)
    imgui.end_tooltip()


def _plot_held(curves: Curves, key: int, axis: int, time: float, value: float) -> None:
    """Plot the way between the keys next to the one that is dragged, on which positions are straight."""
    others = np.delete(np.arange(len(curves.key_times)), key)
    times, values = curves.key_times[others], curves.key_values[axis][others]
    place = int(np.searchsorted(times, time))
    near = slice(max(place - 1, 0), place + 1)
    spec = implot.Spec()
    spec.line_color, spec.line_weight = theme.vector(theme.SELECTION), theme.em(0.1)
    split = place - near.start
    implot.plot_line(
        "##held", np.insert(times[near], split, time), np.insert(values[near], split, value), spec
    )
