"""Texture coordinates drawn over a texture: edges, shared places, what lies outside, texels per unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from imgui_bundle import ImVec2, ImVec4, imgui, implot
from msgspec import Struct

from viewer.geometry.transforms import Doubles
from viewer.model.material.uv_map import BANDS, UvMap
from viewer.options import option_at
from viewer.session.field_text import counted, numbers_text
from viewer.session.view.coloring import heat
from viewer.session.view.options.textures import UvMarks
from viewer.session.view.uv_subject import UvSubject
from viewer.session.view.view_state import ViewState
from viewer.translation import Text, _
from viewer.ui.context import UiContext
from viewer.ui.material.texture_viewport import TextureViewport
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import swatch, text, tooltip, wrapped

MOST_EDGES: Final = 200_000
"""Edges of a color that are drawn: twice those of 60,000 triangles."""
MARKS_ROOM, OF_ROOM = 17.0, 12.0
"""Width of the choice of marks, and least width of that of subjects, font heights."""
LINE: Final = 0.07
"""Width of an edge, font heights."""
MARGIN: Final = 0.02
"""Room around a map that reaches outside of its texture, as a share of its longer side."""
_PLAIN: Final[Color] = (0.96, 0.97, 0.99, 0.8)
_SHARED: Final[Color] = (0.95, 0.2, 0.2, 0.4)
_SHADOW: Final[Color] = (0.0, 0.0, 0.0, 0.55)
"""Below edges, so that they are seen on any texture."""
_FLAGS: Final = int(implot.Flags_.canvas_only | implot.Flags_.no_inputs | implot.Flags_.no_frame)
_AXIS: Final = int(implot.AxisFlags_.no_decorations)


Reach = tuple[tuple[float, float], tuple[float, float]]
"""Lowest and highest coordinates, in shares of a texture."""


class LineGroup(Struct, frozen=True, eq=False):
    """Lines of one color.

    Attributes
    ----------
    u, v
        Both ends of line after line, in shares of the texture, (2 n,).
    thickness
        In shares of the height of the texture; 0 for `LINE`.
    """

    color: Color
    u: Doubles
    v: Doubles
    thickness: float = 0.0

    @classmethod
    def of(cls, color: Color, ends: Doubles, thickness: float = 0.0) -> LineGroup:
        """The group of lines (n, 2, 2), of very many the first."""
        u, v = np.ascontiguousarray(ends[:MOST_EDGES].reshape(-1, 2).T)
        return cls(color, u, v, thickness)

    @property
    def width(self) -> float:
        """Width of an edge, pixels; what lies below edges is wider."""
        return theme.em(LINE) * (2.5 if self.color is _SHADOW else 1.0)


UV_MARKS: Final = option_at(ViewState, "textures.uv_marks")
_WORDS: Final[Mapping[UvMarks, str | Text]] = {it.value: it.title for it in UV_MARKS.option.choices}


class UvLayer:
    """The map of one subject, kept until the model changes; owner: a texture viewer or the Inspector."""

    def __init__(self) -> None:
        self._chosen: object = None
        self._map = Cached(UvSubject.map)
        self._groups = Cached(_groups)
        self._words, self._reach = Cached(summary), Cached(_reach)

    def choose(self, subjects: Sequence[UvSubject]) -> UvSubject:
        """Draw the list of what shows a texture if there are several; return the one that is chosen."""
        found = next((it for it in subjects if it.key == self._chosen), subjects[0])
        if len(subjects) > 1:
            titles = {number: it.title for number, it in enumerate(subjects)}
            controls.continue_line(OF_ROOM)
            number = next(number for number, it in enumerate(subjects) if it is found)
            chosen = controls.choose("###uv_of", titles, number, -1, prefix="uv_of")
            self._chosen = subjects[chosen].key
        return found

    def draw(self, subject: UvSubject, marks: UvMarks, sight: TextureViewport) -> None:
        """Draw the lines over a texture that was just drawn, within the frame that clips it."""
        groups = self._groups.of((*subject.made_of, marks), self._of(subject), marks)
        cursor = imgui.get_cursor_screen_pos()
        imgui.set_cursor_screen_pos(sight.frame_min)
        size = ImVec2(sight.frame_max.x - sight.frame_min.x, sight.frame_max.y - sight.frame_min.y)
        implot.push_style_var(implot.StyleVar_.plot_padding, ImVec2(0, 0))
        implot.push_style_var(implot.StyleVar_.plot_border_size, 0.0)
        implot.push_style_var(implot.StyleVar_.plot_min_size, ImVec2(1, 1))
        implot.push_style_color(implot.Col_.plot_bg, theme.vector((0.0, 0.0, 0.0, 0.0)))
        if implot.begin_plot("##uv", size, _FLAGS):
            _set_axes(sight)
            for number, group in enumerate(groups):
                _draw_group(f"##{number}", group, sight)
            implot.end_plot()
        implot.pop_style_color()
        implot.pop_style_var(3)
        imgui.set_cursor_screen_pos(cursor)

    def draw_words(self, subject: UvSubject, marks: UvMarks) -> None:
        """Draw the counts, and what the colors stand for."""
        found = self._of(subject)
        wrapped(self._words.of(subject.made_of, found), theme.DIM)
        _draw_legend(_bands(found) if marks is UvMarks.DENSITY else _problems(found))

    def reach(self, subject: UvSubject) -> Reach:
        """The lowest and highest coordinates of texture and map."""
        return self._reach.of(subject.made_of, self._of(subject))

    def _of(self, subject: UvSubject) -> UvMap:
        return self._map.of(subject.made_of, subject)


def choose_marks(frame: UiContext, *, has_none: bool = True) -> UvMarks:
    """Draw the choice of what is drawn, an option of the view; without `NONE` problems stand for it."""
    words = {it: str(title) for it, title in _WORDS.items() if has_none or it is not UvMarks.NONE}
    marks = frame.view.textures.uv_marks
    marks = marks if marks in words else UvMarks.PROBLEMS
    controls.label(_("UV"), 2.2)
    width = min(MARKS_ROOM, imgui.get_content_region_avail().x / theme.em(1))
    chosen = controls.choose("###uv_marks", words, marks, width, prefix="uv")
    tooltip(_("What is drawn of the texture coordinates"))
    if chosen is not marks:
        frame.change(partial(UV_MARKS.chosen, found=chosen))
    return chosen


def _set_axes(sight: TextureViewport) -> None:
    """Let the axes run from 0 to 1 over the texture, downwards in v."""
    implot.setup_axes("", "", _AXIS, _AXIS | int(implot.AxisFlags_.invert))
    left, right = (
        (x - sight.left) / (sight.zoom * sight.width) for x in (sight.frame_min.x, sight.frame_max.x)
    )
    top, bottom = (
        (y - sight.top) / (sight.zoom * sight.height) for y in (sight.frame_min.y, sight.frame_max.y)
    )
    implot.setup_axes_limits(left, right, top, bottom, implot.Cond_.always)
    implot.setup_finish()


def _draw_group(name: str, group: LineGroup, sight: TextureViewport) -> None:
    if len(group.u):
        spec = implot.Spec()
        thickness = max(group.thickness * sight.height * sight.zoom, 1.0) if group.thickness else group.width
        # As it is in any theme: the texture below has one color too.
        spec.line_color, spec.line_weight = ImVec4(*group.color), thickness
        spec.flags = int(implot.LineFlags_.segments)
        implot.plot_line(name, group.u, group.v, spec)


def _reach(found: UvMap) -> Reach:
    """The seen part of texture and map: all, and if the map reaches outside a margin around its edges."""
    points = np.concatenate((found.placed(found.corners).reshape(-1, 2), [(0.0, 0.0), (1.0, 1.0)]))
    low, high = points.min(axis=0), points.max(axis=0)
    margin = MARGIN * (high - low).max() * ((low < 0) | (high > 1)).any()
    (x0, y0), (x1, y1) = (low - margin).tolist(), (high + margin).tolist()
    return (x0, y0), (x1, y1)


def _groups(found: UvMap, marks: UvMarks) -> Sequence[LineGroup]:
    return tuple(_of_density(found) if marks is UvMarks.DENSITY else _of_problems(found))


def _of_problems(found: UvMap) -> Iterator[LineGroup]:
    """Yield shared places, plain edges, and on top the edges of triangles that reach outside."""
    runs = found.overlap.runs
    ends = np.stack((runs[:, (0, 2)], runs[:, (1, 2)]), axis=1)
    yield LineGroup.of(_SHARED, found.placed(ends), found.overlap.cell * found.size[1])
    yield LineGroup.of(_SHADOW, found.edges())
    yield LineGroup.of(_PLAIN, found.edges(~found.outside))
    yield LineGroup.of(theme.WARNING, found.edges(found.outside))


def _of_density(found: UvMap) -> Iterator[LineGroup]:
    """Yield the edges of each band of densities; first those without any."""
    yield LineGroup.of(_SHADOW, found.edges())
    for band in range(-1, len(BANDS) + 1):
        yield LineGroup.of(band_color(band), found.edges(found.bands == band))


def band_color(band: int) -> Color:
    """The color of a band of densities; -1 is that of triangles without an area."""
    return (*heat(band), 1.0) if band >= 0 else theme.FAINT


class LegendEntry(NamedTuple):
    """A color, what it stands for, and a hint about it."""

    color: Color
    words: str
    hint: str


def _problems(found: UvMap) -> Iterator[LegendEntry]:
    """Yield the colors of the problems that a map has."""
    if found.overlap.triangles.any():
        hint = _("Several triangles show this place of the texture")
        yield LegendEntry((*_SHARED[:3], 1.0), _("overlap"), hint)
    if found.outside.any():
        hint = _("The triangle reaches outside of the part of the texture that the material shows")
        yield LegendEntry(theme.WARNING, _("outside of 0..1"), hint)


def _bands(found: UvMap) -> Iterator[LegendEntry]:
    """Yield the color of each band of densities with the number that it begins with."""
    ends = (*BANDS, None) if np.isfinite(found.median) else ()
    for band, (low, high) in enumerate(zip((0.0, *BANDS), ends, strict=False)):
        words = numbers_text(low * found.median)
        hint = _("from {low} texels per unit", low=words)
        if high is not None:
            hint = _("{low} to {high} texels per unit", low=words, high=numbers_text(high * found.median))
        yield LegendEntry(band_color(band), words, hint)


def _draw_legend(entries: Iterator[LegendEntry]) -> None:
    """Draw the colors side by side, each with its words."""
    for number, entry in enumerate(entries):
        if number:
            imgui.same_line(0, theme.em(0.6))
        swatch(f"color{number}", entry.color)
        tooltip(entry.hint)
        imgui.same_line(0, theme.em(0.3))
        text(entry.words, theme.DIM)


def summary(found: UvMap) -> str:
    """The counts of a map in words."""
    parts = [counted(len(found), "{count} triangle", "{count} triangles")]
    shared, outside = int(found.overlap.triangles.sum()), int(found.outside.sum())
    parts.append(counted(shared, "{count} overlaps", "{count} overlap") if shared else _("no overlaps"))
    if outside:
        parts.append(counted(outside, "{count} outside of 0..1", "{count} outside of 0..1"))
    known = found.density[np.isfinite(found.density)]
    if len(known):
        low, middle, high = (numbers_text(it) for it in (known.min(), found.median, known.max()))
        words = _("texels per unit {low} to {high}, median {middle}")
        parts.append(words.format(low=low, middle=middle, high=high))
    return ", ".join(parts)
