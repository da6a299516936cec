"""The rows of the browser, made when they are drawn: an icon and a name, or a thumbnail and two lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec import Struct

from viewer.geometry.transforms import Indices
from viewer.model.kinds.registry import MODEL
from viewer.model.store.address import Address
from viewer.session.field_text import counted, size_text
from viewer.session.jobs import KINDS, Thumbnail, ThumbnailImage
from viewer.session.opened.browser import ROOTS, BrowserArrangement, BrowserTree, Contents
from viewer.session.opened.entry_list import (
    CONTAINERS,
    FOLDER,
    BrowserEntry,
    EntryList,
)
from viewer.session.opened.listing import MAP, UNITS
from viewer.translation import translated
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.table_grid import indent, level_mark
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import fitting, labeled, readable, tooltip

TALL: Final = 2.4
"""Height of a row with a thumbnail, without padding, in font heights."""
MOST_COUNTS: Final = 4
"""Kinds that a row names; the tooltip has all."""
LARGE: Final = 10.5
"""Longest side of the thumbnail in a tooltip, in font heights."""


def row_height(*, is_tall: bool) -> float:
    """Return the height of a table row, padding included."""
    gaps = 2 * imgui.get_style().cell_padding.y
    return (theme.em(TALL) if is_tall else imgui.get_text_line_height()) + gaps


def lower_line(height: float) -> float:
    """Return the offset of the second line from the top of a row; of the only line if there is one."""
    line = imgui.get_text_line_height()
    return height / 2 if height >= 2 * line else (height - line) / 2


def draw_two_lines(
    corner: ImVec2, icon: str, name: str, facts: str, thumbnail: Thumbnail | None, color: Color
) -> None:
    """Draw a thumbnail, or an icon if there is none yet, and next to it a name above facts."""
    side, line = theme.em(TALL), imgui.get_text_line_height()
    paper = imgui.get_window_draw_list()
    picture = thumbnail.image if thumbnail else None
    if picture is None:
        size = imgui.calc_text_size(icon)
        place = ImVec2(corner.x + (side - size.x) / 2, corner.y + (side - size.y) / 2)
        paper.add_text(place, theme.packed(theme.FAINT), icon)
    else:
        paper.add_image(imgui.ImTextureRef(picture.texture), *fitted(picture, corner, side))
    if thumbnail is not None and thumbnail.problem:
        mark = fa.ICON_FA_TRIANGLE_EXCLAMATION
        size = imgui.calc_text_size(mark)
        place = ImVec2(corner.x + side - size.x, corner.y + side - size.y)
        paper.add_text(place, theme.packed(theme.WARNING), mark)
    left, middle = corner.x + side + theme.em(0.4), corner.y + lower_line(side)
    paper.add_text(ImVec2(left, middle), theme.packed(theme.DIM), facts)
    paper.add_text(ImVec2(left, middle - line), theme.packed(color), name)


def draw_unsaved(corner: ImVec2, label: str, height: float) -> None:
    """Draw the dot of unsaved changes after a label, or at the corner of a thumbnail if there is none."""
    radius = theme.em(0.2)
    place = ImVec2(corner.x + imgui.calc_text_size(label).x + theme.em(0.7), corner.y + height / 2)
    if not label:
        place = ImVec2(corner.x + theme.em(TALL) - radius, corner.y + radius)
    imgui.get_window_draw_list().add_circle_filled(place, radius, theme.packed(theme.UNSAVED))


def fitted(picture: ThumbnailImage, corner: ImVec2, side: float) -> tuple[ImVec2, ImVec2]:
    """Return the corners of an image scaled into a square."""
    scale = side / max(picture.width, picture.height)
    width, height = picture.width * scale, picture.height * scale
    start = ImVec2(corner.x + (side - width) / 2, corner.y + (side - height) / 2)
    return start, ImVec2(start.x + width, start.y + height)


_COUNTED: Final[Mapping[str, Callable[[int], str]]] = {
    "msh": lambda count: counted(count, "{count} model", "{count} models"),
    UNITS: lambda count: counted(count, "{count} unit", "{count} units"),
    MAP: lambda count: counted(count, "{count} map", "{count} maps"),
    "texm": lambda count: counted(count, "{count} texture", "{count} textures"),
    "mat0": lambda count: counted(count, "{count} material", "{count} materials"),
    "fxid": lambda count: counted(count, "{count} effect", "{count} effects"),
    "objects": lambda count: counted(count, "{count} object", "{count} objects"),
    "nres": lambda count: counted(count, "{count} archive", "{count} archives"),
    "rsli": lambda count: counted(count, "{count} packed library", "{count} packed libraries"),
    "control": lambda count: counted(count, "{count} controller", "{count} controllers"),
    "wear": lambda count: counted(count, "{count} wear table", "{count} wear tables"),
    "font": lambda count: counted(count, "{count} font", "{count} fonts"),
    "palette": lambda count: counted(count, "{count} palette", "{count} palettes"),
}
"""Texts of the kinds that are counted on their own, the most interesting first."""


def contents_texts(contents: Contents) -> list[str]:
    """Return what a folder or an archive contains, a text for each kind: ``68 models``, ``25 others``."""
    if not contents:
        return []
    known = [text(contents[kind]) for kind, text in _COUNTED.items() if contents.get(kind)]
    others = sum(count for kind, count in contents.items() if kind not in _COUNTED)
    return [*known, counted(others, "{count} other", "{count} others")] if others else known


def draw_contents(texts: Sequence[str], corner: ImVec2, right: float) -> None:
    """Draw the texts of contents that fit between a name and `right`, which may be beyond its column."""
    choices = (", ".join(texts[:count]) for count in range(min(len(texts), MOST_COUNTS), 0, -1))
    painter, shown = imgui.get_window_draw_list(), imgui.internal.get_current_window().inner_rect
    painter.push_clip_rect(ImVec2(corner.x, shown.min.y), ImVec2(right, shown.max.y))
    painter.add_text(corner, theme.packed(theme.FAINT), fitting(choices, right - corner.x))
    painter.pop_clip_rect()


def explain(
    frame: UiContext, entry: BrowserEntry, lines: Callable[[], list[str]], thumbnail: Thumbnail | None
) -> None:
    """Draw the tooltip of the last item with a large thumbnail."""
    if thumbnail is None:
        tooltip(lines, is_clear=True)
        return

    def all_lines() -> list[str]:
        facts = ", ".join(map(translated, thumbnail.facts))
        known = [text for text in (facts, translated(thumbnail.problem)) if text]
        name, *others = lines()
        return [name, *known, *others]

    def draw_large() -> None:
        large = frame.lookups.thumbnail(entry, theme.em(LARGE))
        if large is not None and large.image is not None:
            picture = large.image
            scale = theme.em(LARGE) / max(picture.width, picture.height)
            size = ImVec2(picture.width * scale, picture.height * scale)
            imgui.image(imgui.ImTextureRef(picture.texture), size)

    tooltip(all_lines, draw_large, is_clear=True)


class EntryRow(Struct, frozen=True):
    """A row of the list of entries, as it is drawn.

    Attributes
    ----------
    entry
        What it shows.
    depth
        How deep it lies, 0 for a root.
    container_kind
        The kind of what the entry is in, None for a root.
    """

    entry: BrowserEntry
    depth: int
    container_kind: str | None = None


class _List(NamedTuple):
    """The list below an address, how deep it lies, and the kind of its container."""

    address: Address
    depth: int
    container_kind: str | None


class _RowRun(Struct, frozen=True, eq=False):
    """Rows of one list that follow each other."""

    at: _List
    entries: EntryList
    indices: Indices


class EntryRows:
    """The rows of a tree of which some containers are open.

    Parameters
    ----------
    tree
        The lists.
    arrangement
        Which entries are shown, and in which order.
    opened
        The open containers; while a filter is set, all are open in which it has hits.
    closed
        Those that the user has closed nevertheless.
    """

    def __init__(
        self,
        tree: BrowserTree,
        arrangement: BrowserArrangement,
        opened: AbstractSet[Address],
        closed: AbstractSet[Address] = frozenset(),
    ) -> None:
        self._tree, self._arrangement = tree, arrangement
        everything = opened if arrangement.requested.is_empty else {*tree.children}
        self.opened = {address for address in everything if address in tree.children} - closed
        self._below: dict[Address, list[Address]] = {}
        roots = {root.address for root in tree.roots}
        for address in self.opened:
            self._below.setdefault(ROOTS if address in roots else address.container, []).append(address)
        self._runs = [*self._all_runs()]
        lengths = [len(run.indices) for run in self._runs]
        # The row after each run: a row is looked up in these by bisection.
        self._ends = np.cumsum(lengths, dtype=np.int64).tolist() if lengths else []

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[EntryRow]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, row: int) -> EntryRow:
        if not 0 <= row < len(self):
            raise IndexError(row)
        # The first run that ends after the row; one without rows ends where the one before does.
        number = bisect_right(self._ends, row)
        run = self._runs[number]
        index = run.indices[row - (self._ends[number] - len(run.indices))]
        return EntryRow(run.entries.entry(int(index)), run.at.depth, run.at.container_kind)

    def _all_runs(self) -> Iterator[_RowRun]:
        """Yield the rows of every list, those of an open container after its own row; works at any depth."""
        waiting: list[_RowRun | _List] = [_List(ROOTS, 0, None)]
        while waiting:
            piece = waiting.pop()
            if isinstance(piece, _RowRun):
                yield piece
            else:
                # A stack instead of recursion: the first piece has to be on top.
                waiting += reversed([*self._pieces(piece)])

    def _pieces(self, at: _List) -> Iterator[_RowRun | _List]:
        """Yield the rows of one list, and the lists of its open containers where they belong."""
        rows = self._tree.roots if at.address == ROOTS else self._tree.children[at.address]
        entries, indices = self._arrangement.shown(at.address, rows)
        start = 0
        for place, below in self._open_places(at.address, entries, indices):
            yield _RowRun(at, entries, indices[start : place + 1])
            yield _List(below, at.depth + 1, entries.kinds[int(indices[place])])
            start = place + 1
        yield _RowRun(at, entries, indices[start:])

    def _open_places(
        self, address: Address, entries: EntryList, indices: Indices
    ) -> list[tuple[int, Address]]:
        """The open containers of a list: their places among the indices, ascending, and their addresses."""
        below = self._below.get(address)
        if not below:
            return []
        # Inverts `indices`: the place of each entry, -1 for one that the filter hides.
        place_of = np.full(len(entries), -1)
        place_of[indices] = np.arange(len(indices))
        found = ((entries.find(address), address) for address in below)
        places = [(int(place_of[index]), address) for index, address in found if index is not None]
        return sorted((place for place in places if place[0] >= 0), key=lambda it: it[0])

    def kinds(self, kinds: frozenset[str]) -> npt.NDArray[np.bool_]:
        """Tell for each row whether it is of one of some kinds, (n,)."""
        found = [run.entries.kinds.are(kinds)[run.indices] for run in self._runs]
        return np.concatenate(found) if found else np.zeros(0, bool)

    def find(self, address: Address | None) -> int | None:
        """The row of an entry, or None."""
        if not address:
            return None
        start, above = 0, {ROOTS, address.container}
        for run in self._runs:
            index = run.entries.find(address) if run.at.address in above else None
            places = run.indices == index
            if index is not None and places.any():
                return start + int(places.argmax())
            start += len(run.indices)
        return None


def is_container(entry: BrowserEntry) -> bool:
    """Tell whether entries can be listed below it: archives, folders, and models for their tables."""
    return entry.can_open or entry.kind in CONTAINERS or entry.kind == MODEL.id


AROUND: Final = 2.5
"""Width of the fold and of the padding next to a name, font heights."""


class EntryLine(Struct, frozen=True):
    """The text and marks of a row, made once for the rows of one tree.

    Attributes
    ----------
    height
        Of its content, pixels.
    label
        The icon and the name; empty if there is a thumbnail next to the name.
    width
        Of the label with what is around it, pixels.
    inside
        What it contains, a text for each kind.
    item, folded, unfolded
        Labels of the row and of the button that opens a container.
    menu
        An id.
    """

    row: EntryRow
    is_tall: bool
    is_current: bool
    height: float
    indent: float
    color: Color
    name: str
    label: str
    width: float
    size: str
    inside: Sequence[str]
    item: str
    folded: str
    unfolded: str
    menu: str


def thumbnail_of(line: EntryLine, frame: UiContext) -> tuple[Thumbnail | None, str, float]:
    """The thumbnail of a tall row, the line below its name, and its width, pixels."""
    entry = line.row.entry
    thumbnail = frame.lookups.thumbnail(entry, theme.em(TALL))
    fact = translated(thumbnail.facts[0]) if thumbnail and thumbnail.facts else entry.kind
    facts = readable(entry.called or fact)
    width = imgui.calc_text_size(f"{line.name}\n{facts}").x + theme.em(TALL + AROUND)
    return thumbnail, facts, width


def line_of(place: int, row: EntryRow, frame: UiContext) -> EntryLine:
    """The line of a row."""
    entry = row.entry
    # It has, or may have, a thumbnail.
    is_tall = frame.state.settings.has_thumbnails and entry.kind in KINDS
    name = readable(level_mark(row.depth) + label_of(entry, row.container_kind))
    called = f"   {readable(entry.called)}" if entry.called else ""
    label = "" if is_tall else f"{icon_of(entry.kind)}  {name}{called}"
    return EntryLine(
        row=row,
        is_tall=is_tall,
        is_current=entry.address == frame.state.browser.current,
        height=row_height(is_tall=is_tall) - 2 * imgui.get_style().cell_padding.y,
        indent=indent(row.depth),
        color=theme.TEXT if entry.kind == MODEL.id or entry.can_open or is_tall else theme.DIM,
        name=name,
        label=label,
        width=imgui.calc_text_size(label).x + theme.em(AROUND),
        size="" if entry.kind == FOLDER else size_text(entry.size),
        inside=contents_texts(frame.state.browser.contents.get(entry.address, {})),
        item=labeled(label, f"entry{place}"),
        folded=labeled(fa.ICON_FA_CARET_RIGHT, f"fold{place}"),
        unfolded=labeled(fa.ICON_FA_CARET_DOWN, f"fold{place}"),
        menu=f"menu{place}",
    )


def label_of(entry: BrowserEntry, parent_kind: str | None) -> str:
    """Return the text of a row: its name; its kind for a table, and in front of a mere number."""
    if parent_kind == MODEL.id:
        return entry.kind
    return f"{entry.kind}  {entry.name}" if entry.name.startswith("#") else entry.name
