"""The day of a sky: its colors, lights and bodies over the hours, and its keyframes with their colors."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from imgui_bundle import ImVec2, imgui, implot
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec.structs import replace

from viewer.formats.part import find
from viewer.formats.sky import KEYFRAMES, SECTIONS, Sky
from viewer.model.sky.clock import LAST_HOUR, clock
from viewer.model.sky.curves import DayCurves, brightness
from viewer.model.sky.day import Day, SkyMoment, day_of, first_hour
from viewer.model.sky.light import SUN, Color
from viewer.model.sky.rows import KeyframeRow, keyframe_rows
from viewer.model.store.place import Place
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.view.options.lighting import ChosenSky, LightKind
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.fields.resource_links import ResourceLinks
from viewer.ui.fields.row_table import RowColumn, RowList
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.widgets import swatch, text, tooltip

HEIGHT: Final = 12.0
"""Height of the plot, font heights."""
MARKS: Final = tuple(range(0, LAST_HOUR + 1, 3))
"""Hours with a mark."""
SKY_ALPHA: Final = 0.6
"""Opacity of the sky's colors behind the curves."""
_ROW: Final = re.compile(rf"{SECTIONS}\[(\d+)\]\.{KEYFRAMES}")
_FLAGS: Final = (
    implot.Flags_.no_title
    | implot.Flags_.no_menus
    | implot.Flags_.no_box_select
    | implot.Flags_.no_mouse_text
)
_LINES: Final = (
    ("main", _("main light"), theme.SELECTION),
    ("counter", _("counter light"), theme.ACCENT),
    ("scene", _("scene"), theme.TEXT),
)
"""The curves: attribute, name, color."""


class SkyView:
    """A sky; the chosen section and hour stay while the sky is shown."""

    id = "day"
    title = _("Day")

    def __init__(self) -> None:
        self._sky: Sky | None = None
        self._section = 0
        self._hour = 0.0
        self._day: Day | None = None
        self._rows: tuple[KeyframeRow, ...] = ()
        self._list = RowList("##keyframes")
        self._curves: Cached[DayCurves] = Cached(DayCurves.of)

    def reveal(self, opened: OpenedResource, place: Place) -> bool:
        """Show the keyframe of a place; tell whether it is one."""
        found = _ROW.fullmatch(place.table)
        part = find(opened.parts, place.table) if opened.parts and found else None
        if found is None or part is None or place.row is None:
            return False
        self._show(opened.value)
        self._choose(int(found[1]))
        self._list.reveal(part, place.row)
        return True

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the hour, the curves, and the keyframes below."""
        sky: Sky = opened.value
        self._show(sky)
        if not sky.sections:
            return
        if len(sky.sections) > 1:
            names = {it: _("section {index}", index=it) for it in range(len(sky.sections))}
            self._choose(controls.choose("##section", names, self._section, 9))
            imgui.same_line()
        used = self._used(frame, opened)
        if used is not None:  # its hour is that of the light, which the Display panel changes too
            self._hour = used.hour
        seconds = sky.sections[self._section].day_seconds
        text(_("a day of {minutes:g} minutes", minutes=seconds / 60), theme.DIM)
        if self._day is not None:
            moment = self._day.at(self._hour)
            self._draw_hour()
            self._draw_use(frame, opened, used)
            _draw_moment(moment, self._day.strength(self._hour))
            self._draw_plot(self._day)
        self._draw_keyframes(frame, opened)
        if used is not None and (used.hour != self._hour or used.day is not self._day):
            self._light(frame, self._chosen(opened))

    def _show(self, sky: Sky) -> None:
        """Take over another sky, or the same one after an edit."""
        if sky is self._sky:
            return
        if self._sky is None:
            self._hour = first_hour(sky)
            self._section = 0 if sky.start is None else int(sky.start["section"])
        self._sky = sky
        self._choose(self._section)

    def _choose(self, section: int) -> None:
        sections = self._sky.sections if self._sky else ()
        self._section = min(section, max(len(sections) - 1, 0))
        self._day = day_of(sections[self._section]) if sections else None
        rows = keyframe_rows(self._sky) if self._sky else ()
        self._rows = tuple(it for it in rows if it.section == self._section)

    def _draw_hour(self) -> None:
        imgui.set_next_item_width(theme.em(22))
        # "%" begins a format of its own for ImGui.
        changed, hour = imgui.slider_float("###hour", self._hour, 0.0, LAST_HOUR, clock(self._hour))
        tooltip(_("The hour that the lights are shown for"))
        if changed:
            self._hour = hour

    def _draw_use(self, frame: UiContext, opened: OpenedResource, used: ChosenSky | None) -> None:
        """Draw the switch that lights models with the sky."""
        imgui.same_line(0, theme.em(1.0))
        hint = _("Light of the Display panel: the sun or the moon and a counter light at this hour")
        words = _("Light models with it")
        if controls.checkbox(words, "light_models", hint, is_on=used is not None):
            self._light(frame, self._chosen(opened) if used is None else None)

    def _used(self, frame: UiContext, opened: OpenedResource) -> ChosenSky | None:
        """The sky if it lights models."""
        lighting = frame.view.lighting
        sky = lighting.sky if lighting.kind is LightKind.SKY else None
        return sky if sky is not None and sky.name == str(opened.address) else None

    def _chosen(self, opened: OpenedResource) -> ChosenSky | None:
        return None if self._day is None else ChosenSky(str(opened.address), self._day, self._hour)

    @staticmethod
    def _light(frame: UiContext, sky: ChosenSky | None) -> None:
        kind = LightKind.GAME if sky is None else LightKind.SKY
        frame.change(lambda view: replace(view, lighting=replace(view.lighting, kind=kind, sky=sky)))

    def _draw_plot(self, day: Day) -> None:
        curves = self._curves.of((id(self._sky), self._section), day)
        lights = [(name, brightness(getattr(curves, field)), color) for field, name, color in _LINES]
        most = max(1.0, *(float(values.max()) for _name, values, _color in lights))
        if not implot.begin_plot("##day", ImVec2(-1, theme.em(HEIGHT)), int(_FLAGS)):
            return
        implot.setup_axes("", "", int(implot.AxisFlags_.no_grid_lines), int(implot.AxisFlags_.lock))
        implot.setup_axes_limits(0, LAST_HOUR, 0, most * 1.1, implot.Cond_.always)
        implot.setup_axis_ticks(
            implot.ImAxis_.x1, [*map(float, MARKS)], labels=[clock(it) for it in MARKS], keep_default=False
        )
        implot.setup_finish()
        _draw_sky(curves, most * 1.1)
        _draw_passages(day, most)
        for name, values, color in lights:
            spec = implot.Spec()
            spec.line_color, spec.line_weight = theme.vector(color), theme.em(0.14)
            implot.plot_line(str(name), curves.hours, values, spec)
        moved, hour, *_ignored = implot.drag_line_x(
            0, self._hour, theme.vector(theme.SELECTION), theme.em(0.1), int(implot.DragToolFlags_.no_fit)
        )
        if moved:
            self._hour = min(max(hour, 0.0), float(LAST_HOUR))
        implot.end_plot()

    def _draw_keyframes(self, frame: UiContext, opened: OpenedResource) -> None:
        part = find(opened.parts, f"{SECTIONS}[{self._section}].{KEYFRAMES}") if opened.parts else None
        if part is None:
            return
        links = ResourceLinks(frame, opened.links, self._list.editor, kind=opened.kind)
        now = max((it.keyframe for it in self._rows if _hours(it) <= self._hour + 1e-6), default=None)
        clicked = self._list.draw(part, _columns(self._rows), links, selected=now)
        if clicked is not None and clicked < len(self._rows):
            self._hour = min(_hours(self._rows[clicked]), float(LAST_HOUR))


def _hours(row: KeyframeRow) -> float:
    hours, _colon, minutes = row.time.partition(":")
    return int(hours) + int(minutes) / 60


def _draw_moment(moment: SkyMoment, strength: float) -> None:
    """Draw the lights at an hour: their colors, and where the body is."""
    main, counter = moment.light.lights
    for name, words, color in (
        ("scene", _("scene"), moment.light.scene),
        ("main", _("main light x {strength:.2g}", strength=strength), main.color),
        ("counter", _("counter light"), counter.color),
    ):
        imgui.same_line(0, theme.em(1.0))
        swatch(name, _shown(color))
        tooltip(" ".join(f"{it:.3f}" for it in color))
        imgui.same_line(0, theme.em(0.3))
        text(str(words), theme.DIM)
    imgui.same_line(0, theme.em(1.0))
    if moment.body is None:
        text(_("no body in the sky"), theme.FAINT)
        tooltip(_("The main light then comes as at the sun's noon: our choice"))
    else:
        icon, name = (fa.ICON_FA_SUN, _("sun")) if moment.body is SUN else (fa.ICON_FA_MOON, _("moon"))
        text(f"{icon}  {name}, {moment.fraction:.0%}", theme.DIM)
        tooltip(
            _("The part of its time that has passed; its light travels along {way}", way=_way(main.direction))
        )
    imgui.same_line(0, theme.em(1.0))
    text(_("fog from {start:.0f} to {end:.0f}", start=moment.fog[0], end=moment.fog[1]), theme.DIM)


def _way(direction: Sequence[float]) -> str:
    return ", ".join(f"{it:.3f}" for it in direction)


def _shown(color: Color) -> theme.Color:
    """A color as it can be shown: what is brighter than full keeps its hue."""
    most = max(1.0, *color)
    red, green, blue = (it / most for it in color)
    return red, green, blue, 1.0


def _draw_sky(curves: DayCurves, top: float) -> None:
    """Draw the colors of the sky behind the curves: the horizon at the bottom, the apex at the top."""
    painter = implot.get_plot_draw_list()
    implot.push_plot_clip_rect()
    places = [implot.plot_to_pixels(float(hour), top) for hour in curves.hours]
    bottom = implot.plot_to_pixels(0.0, 0.0).y
    low = [theme.exact((*color, SKY_ALPHA)) for color in np.clip(curves.horizon, 0, 1).tolist()]
    high = [theme.exact((*color, SKY_ALPHA)) for color in np.clip(curves.apex, 0, 1).tolist()]
    for left in range(len(places) - 1):
        right = left + 1
        painter.add_rect_filled_multi_color(
            places[left],
            ImVec2(places[right].x, bottom),
            high[left],
            high[right],
            low[right],
            low[left],
        )
    implot.pop_plot_clip_rect()


def _draw_passages(day: Day, most: float) -> None:
    """Draw where the sun and the moon are: as high as the share of the zenith that they reach."""
    painter = implot.get_plot_draw_list()
    implot.push_plot_clip_rect()
    for body, start, stop in day.passages:
        icon, color = (fa.ICON_FA_SUN, theme.UNSAVED) if body is SUN else (fa.ICON_FA_MOON, theme.TEXT)
        size = imgui.calc_text_size(icon)
        for fraction in np.linspace(0.125, 0.875, 7).tolist():
            height = -body.direction(fraction)[2]
            if height > 0:
                at = implot.plot_to_pixels(start + fraction * (stop - start), height * most)
                painter.add_text(ImVec2(at.x - size.x / 2, at.y - size.y / 2), theme.packed(color, 0.8), icon)
    implot.pop_plot_clip_rect()


def _columns(rows: Sequence[KeyframeRow]) -> tuple[RowColumn, ...]:
    def column(
        title: str, width: float, draw: Callable[[KeyframeRow], None], *, is_stretched: bool = False
    ) -> RowColumn:
        def draw_cell(row: int) -> None:
            if row < len(rows):
                draw(rows[row])

        return RowColumn(title, width, draw_cell, is_stretched)

    return (
        column(_("Time"), 4, lambda it: text(it.time)),
        column(_("Event"), 2, lambda it: text(it.event), is_stretched=True),
        column(_("Body"), 4, lambda it: text(it.name)),
        column(_("Scene"), 4, lambda it: _draw_colors("scene", it.scene)),
        column(_("Main light"), 6, _draw_main),
        column(_("Counter light"), 6, lambda it: _draw_colors("counter", it.counter_light)),
        column(_("Horizon"), 7, lambda it: _draw_colors("horizon", *it.horizon)),
        column(_("Apex, clouds"), 6, lambda it: _draw_colors("apex", it.apex, it.clouds)),
        column(_("Fog"), 6, lambda it: text(f"{it.fog[0]:.0f} - {it.fog[1]:.0f}")),
        column(_("Weather"), 4, lambda it: text(f"{it.weather:.3g}")),
        column(_("Effects"), 1.6, lambda it: text(", ".join(it.effects)), is_stretched=True),
    )


def _draw_main(row: KeyframeRow) -> None:
    _draw_colors("main", row.main_light)
    imgui.same_line(0, theme.em(0.3))
    text(f"x {row.strength:.3g}")


def _draw_colors(name: str, *colors: str) -> None:
    for number, color in enumerate(colors):
        if number:
            imgui.same_line(0, theme.em(0.1))
        swatch(f"{name}{number}", _of_hex(color))
        tooltip(color)


def _of_hex(color: str) -> theme.Color:
    red, green, blue = (int(color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return red, green, blue, 1.0
