"""The keys of some nodes over the frames: a row of marks for each, and the frames and clips above them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import inf

import numpy as np
import numpy.typing as npt
from imgui_bundle import ImVec2, imgui
from msgspec import Struct

from viewer.model.clips import playing
from viewer.session.opened.document import Document
from viewer.session.play.keys.key_sheet import KeySheet, Mark
from viewer.ui.context import UiContext
from viewer.ui.timeline.axis_parts import bands, fade_frame, paint_cursor
from viewer.ui.timeline.play_list import clip_name, pairs
from viewer.ui.widgets import theme
from viewer.ui.widgets.ruler import Ruler
from viewer.ui.widgets.shapes import Pixels, add_diamonds, add_rects
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import fitting

RADIUS = 0.3
"""Radius of the mark of a key, font heights."""
FAULT = 0.5
"""Radius of the diamond behind the mark of a key that is wrong, font heights."""
STRIP = 0.22
"""Height of the strip of words of the frame map, at the bottom of a row."""
NUMBER, MOST_NUMBERS = 0.72, 300
"""Size of the numbers of keys in it, and how many there are in a row."""
_WORDS = ((theme.ACCENT, 0.75), (theme.ACCENT, 0.35), (theme.FAINT, 0.7))
"""Colors of keys with even and with odd numbers, and of the fallback."""
NUMBERS = 1.3
"""Height of the numbers of frames, in font heights; the clips are below."""


class FrameWindow(Struct, frozen=True):
    """The frames in sight, spread over some pixels.

    Attributes
    ----------
    left, width
        Pixels of the screen.
    first, last
        The times at both ends, in frames.
    """

    left: float
    width: float
    first: float
    last: float

    @property
    def right(self) -> float:
        """The right end, pixels."""
        return self.left + self.width

    def x_of(self, times: npt.ArrayLike) -> Pixels:
        """The horizontal positions of times, in pixels; outside of the window too."""
        found: Pixels = self.left + (np.asarray(times, np.float64) - self.first) * (
            self.width / max(self.last - self.first, 1e-9)
        )
        return found

    def clipped(self, times: npt.ArrayLike) -> Pixels:
        """The horizontal positions of times, in pixels, at most a font height outside of the window."""
        # A damaged key may be farther away than a pixel in single precision can be.
        found: Pixels = np.clip(self.x_of(times), self.left - theme.em(), self.right + theme.em())
        return found

    def time_of(self, x: float) -> float:
        """The time at a position in pixels, within the window."""
        share = min(max((x - self.left) / self.width, 0.0), 1.0)
        return self.first + share * (self.last - self.first)


class SheetFrame(Struct, frozen=True, eq=False):
    """The input of a dope sheet in one frame: a document and its keys."""

    frame: UiContext
    document: Document
    keys: KeySheet


def cursors(frame: UiContext, document: Document) -> list[tuple[float, Color]]:
    """The times that are shown, in frames, with their colors: one, or those of both pairs of a clip."""
    clip = document.controller.clip(frame.view.playback.clip)
    if clip is None:
        blend = frame.view.playback.blend
        return [(frame.view.time, theme.ACCENT), *([(blend[0], theme.PAIRS[1])] if blend else [])]
    part, share = playing.position(document.controller, clip, frame.view.playback.seconds)
    found = [
        (pair[0] + share * (pair[1] - pair[0]), color)
        for pair, color in zip(pairs(part), theme.PAIRS, strict=True)
        if pair is not None
    ]
    faded = fade_frame(frame, document)
    return [*(found or [(0.0, theme.ACCENT)]), *([] if faded is None else [(faded, theme.FADE)])]


def paint_header(frame: UiContext, document: Document, shown: FrameWindow, top: float, bottom: float) -> None:
    """Paint the numbers of frames, below them the clips, those of the one that plays in its colors."""
    painter = imgui.get_window_draw_list()
    start, end = ImVec2(shown.left - theme.em(0.6), top), ImVec2(shown.right + theme.em(0.6), bottom)
    painter.push_clip_rect(start, end, True)
    painter.add_rect_filled(start, end, theme.packed(theme.BACKDROP, 0.6))
    step = Ruler(shown.left, shown.width, shown.last - shown.first).step(theme.em(3))
    for mark in range(int(shown.first // step) * step, int(shown.last) + 1, step):
        words, x = str(mark), float(shown.x_of(mark))
        width = imgui.calc_text_size(words).x
        place = ImVec2(min(x - width / 2, end.x - width - theme.em(0.1)), top + theme.em(0.1))
        painter.add_text(place, theme.packed(theme.DIM), words)
    _paint_clips(painter, document, shown, top + theme.em(NUMBERS), bottom)
    controller = document.controller
    playing_clip = controller.clip(frame.view.playback.clip)
    if playing_clip is not None:
        for color, pieces in zip(theme.PAIRS, bands(controller, playing_clip), strict=True):
            for pair in pieces:
                _paint_band(painter, shown, pair, bottom - theme.em(0.35), bottom, theme.packed(color, 0.8))
    for time, color in cursors(frame, document):
        paint_cursor(painter, float(shown.x_of(time)), top, bottom, color)
    painter.pop_clip_rect()


def _paint_clips(
    painter: imgui.ImDrawList, document: Document, shown: FrameWindow, top: float, bottom: float
) -> None:
    """Paint the frames of all clips, with the names of those that have them where there is room."""
    names: dict[tuple[float, ...], list[str]] = {}
    for clip in document.controller.clips:
        pair = pairs(clip)[0]
        if pair is not None:
            names.setdefault(tuple(sorted(pair)), []).append(clip_name(clip))
    for ends in names:
        _paint_band(painter, shown, ends, top, bottom, theme.packed(theme.FAINT, 0.35))
    for left, words in readable(names, shown):
        painter.add_text(ImVec2(left, top - theme.em(0.1)), theme.packed(theme.DIM), words)


def readable(names: Mapping[tuple[float, ...], list[str]], shown: FrameWindow) -> Iterator[tuple[float, str]]:
    """Yield where to write the names of clips, pixels, by their ends; those that would cover another not."""
    free = -inf
    for ends, clips in sorted(names.items()):
        left, right = map(float, shown.x_of(ends))
        words = fitting((", ".join(clips), clips[0]), right - left - theme.em(0.4))
        left += theme.em(0.2)
        if words and left >= free:
            yield left, words
            free = left + imgui.calc_text_size(words).x + theme.em(0.4)


def _paint_band(
    painter: imgui.ImDrawList,
    shown: FrameWindow,
    pair: Sequence[float],
    top: float,
    bottom: float,
    color: int,
) -> None:
    left, right = sorted(map(float, shown.x_of(pair)))
    least = theme.em(0.1)
    painter.add_rect_filled(ImVec2(left - least, top), ImVec2(right + least, bottom), color, theme.em(0.15))


class KeyRows:
    """The rows of keys in sight.

    Parameters
    ----------
    nodes
        The node of each row.
    top
        Where the first one begins, pixels.

    Attributes
    ----------
    height
        Of each row, pixels.
    """

    def __init__(
        self, sheet: SheetFrame, shown: FrameWindow, nodes: Sequence[int], top: float, height: float
    ) -> None:
        self._sheet, self._shown = sheet, shown
        self._nodes, self._top, self.height = nodes, top, height
        self._painter = imgui.get_window_draw_list()

    def paint(self, marks: frozenset[Mark]) -> None:
        """Paint frames with the fallback key, spans that hold, the segments of now, the keys, the time."""
        painter, frame = self._painter, self._sheet.frame
        bottom = self._top + len(self._nodes) * self.height
        start = ImVec2(self._shown.left - theme.em(0.6), self._top)
        end = ImVec2(self._shown.right + theme.em(0.6), bottom)
        painter.push_clip_rect(start, end, True)
        rows = np.arange(len(self._nodes), dtype=np.float64)
        left, right = np.full(len(rows), start.x), np.full(len(rows), end.x)
        striped = rows % 2 == 1
        tops = self._top + rows * self.height
        stripe = imgui.get_color_u32(imgui.Col_.table_row_bg_alt)
        add_rects(painter, left[striped], tops[striped], right[striped], tops[striped] + self.height, stripe)
        self._paint_beyond(start, end)
        self._paint_fallbacks()
        self._paint_faults()
        for row, node in enumerate(self._nodes):
            if node in frame.view.selection.nodes:
                self._paint_words(node, row)
        self._paint_keys(marks)
        for time, color in cursors(frame, self._sheet.document):
            x = float(self._shown.x_of(time))
            painter.add_line(ImVec2(x, self._top), ImVec2(x, bottom), theme.packed(color), theme.em(0.1))
        painter.pop_clip_rect()

    def paint_planned(self, chosen: Collection[tuple[int, float]]) -> None:
        """Paint where keys will be, by node and time."""
        rows = {node: row for row, node in enumerate(self._nodes)}
        found = [(rows[node], time) for node, time in chosen if node in rows]
        if found:
            row, times = np.array(found, np.float64).T
            y, color = self._top + (row + 0.5) * self.height, theme.packed(theme.SELECTION, 0.6)
            add_diamonds(self._painter, self._shown.clipped(times), y, theme.em(RADIUS), color)

    def _paint_beyond(self, start: ImVec2, end: ImVec2) -> None:
        """Shade the time after the last frame, if there are keys in it, which the engine never reaches."""
        last = self._sheet.document.last_frame
        if self._sheet.keys.last_time > last:
            corner = ImVec2(max(float(self._shown.x_of(last + 0.5)), start.x), self._top)
            self._painter.add_rect_filled(corner, end, theme.packed(theme.ERROR, 0.1))

    def _paint_fallbacks(self) -> None:
        """Grey where the frame map says the fallback key."""
        found = [(row, self._sheet.keys.fallback_spans(node)) for row, node in enumerate(self._nodes)]
        if not found:
            return
        spans = np.concatenate([span for _row, span in found])
        row = np.repeat([row for row, _span in found], [len(span) for _row, span in found])
        top: Pixels = self._top + row * self.height
        # A frame reaches from half a frame before its time to half a frame after it.
        self._fill(spans[:, 0] - 0.5, spans[:, 1] + 0.5, top, 0.0, theme.packed(theme.FAINT, 0.18))

    def _paint_words(self, node: int, row: int) -> None:
        """Paint the frame map of a row: a strip for each run of words, with the number of its key."""
        shown, painter, runs = self._shown, self._painter, self._sheet.keys.word_runs(node)
        seen = [run for run in runs if run.last >= shown.first and run.first <= shown.last]
        if not seen:
            return
        firsts, lasts = (np.array([run[side] for run in seen], np.float64) for side in (0, 1))
        left, right = shown.clipped(firsts - 0.5), shown.clipped(lasts + 0.5)
        top, bottom = (np.full(len(seen), self._top + it * self.height) for it in (row, row + 1))
        shades = np.array([2 if run.is_fallback else run.key % 2 for run in seen])
        for shade, color in enumerate(_WORDS):
            of, ink = shades == shade, theme.packed(*color)
            add_rects(painter, left[of], bottom[of] - theme.em(STRIP), right[of], bottom[of], ink)
        size = theme.em(NUMBER)
        # Between the marks of this key and the next one.
        starts, ends = (np.clip(shown.x_of(it), shown.left, shown.right) for it in (firsts, lasts + 1))
        for number, run in enumerate(seen[:MOST_NUMBERS]):
            words, start, end = str(run.key), float(starts[number]), float(ends[number])
            width = imgui.calc_text_size(words).x * NUMBER
            if end - start > width + theme.em(2.6 * RADIUS):
                y = float(top[number]) + (self.height - size - theme.em(STRIP)) / 2
                place = ImVec2((start + end - width) / 2, y)
                painter.add_text(imgui.get_font(), size, place, theme.packed(theme.DIM), words)

    def _paint_faults(self) -> None:
        """Surround wrong keys, and mark wrong words in the frames that they are of."""
        faults = self._sheet.keys.faults
        found = [(row, it) for row, node in enumerate(self._nodes) for it in faults.get(node, ())]
        for severity, color in reversed(theme.SEVERITIES.items()):  # the worst is on top
            of_severity = [(row, it) for row, it in found if it.problem.severity is severity]
            for is_key in (False, True):
                kind = [(row, it.time) for row, it in of_severity if it.is_key is is_key]
                if not kind:
                    continue
                rows, times = np.array(kind, np.float64).T
                top: Pixels = self._top + rows * self.height
                if is_key:
                    x, y = self._shown.clipped(times), top + self.height / 2
                    add_diamonds(self._painter, x, y, theme.em(FAULT), theme.packed(color))
                else:
                    self._fill(times - 0.5, times + 0.5, top, 0.1, theme.packed(color, 0.35))

    def _fill(self, first: Pixels, last: Pixels, top: Pixels, inset: float, color: int) -> None:
        """Fill the parts of rows between two times, `inset` font heights away from the sides of the rows."""
        is_seen = (last >= self._shown.first) & (first <= self._shown.last)
        left, right = self._shown.clipped(first[is_seen]), self._shown.clipped(last[is_seen])
        seen, edge = top[is_seen], theme.em(inset)
        add_rects(self._painter, left, seen + edge, right, seen + self.height - edge, color)

    def _paint_keys(self, marks: frozenset[Mark]) -> None:
        shown, keys = self._shown, self._sheet.keys
        spans = [keys.of(node) for node in self._nodes]
        counts = [span.stop - span.start for span in spans]
        if not sum(counts):
            return
        places = np.concatenate([np.arange(span.start, span.stop) for span in spans])
        row = np.repeat(np.arange(len(spans)), counts)
        top: Pixels = (self._top + row * self.height).astype(np.float64)
        times = keys.times[places]
        following = keys.times[np.minimum(places + 1, len(keys.times) - 1)]
        held, now = keys.is_held[places], np.isin(keys.rows[places], self._current())
        self._fill(times[held], following[held], top[held], 0.55, theme.packed(theme.DIM, 0.35))
        self._fill(times[now], following[now], top[now], 0.7, theme.packed(theme.ACCENT, 0.5))
        x, y = shown.x_of(times), top + self.height / 2
        is_seen = (x >= shown.left - theme.em()) & (x <= shown.right + theme.em())
        chosen = np.isin(places, keys.numbers(marks))
        for wanted, color in ((is_seen & ~chosen, theme.TEXT), (is_seen & chosen, theme.SELECTION)):
            across, down = np.round(x[wanted]), y[wanted]
            # Keys on one pixel of a row are one mark; in a row they are in the order of their times.
            is_other = np.ones(len(across), np.bool_)
            is_other[1:] = (np.diff(across) != 0) | (np.diff(down) != 0)
            marked = across[is_other], down[is_other]
            add_diamonds(self._painter, *marked, theme.em(RADIUS), theme.packed(color))

    def _current(self) -> npt.NDArray[np.int64]:
        """The keys, as rows of their table, between which and the next one a node is now."""
        pose = self._sheet.frame.state.pose
        if pose is None:
            return np.zeros(0, np.int64)
        nodes = np.array([node for node in self._nodes if node < len(pose.sample.key)], np.int64)
        moving = nodes[pose.sample.is_interpolated[nodes]]
        return pose.sample.key[moving]
