"""Cases of ``bench`` with the window: frames while the sample plays, and its start as a process.

The window is one that nobody sees, which OpenGL draws into; each frame is waited for.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from time import sleep
from typing import Final

import numpy as np
from msgspec.structs import replace

from viewer.cli.bench.subjects import Subjects
from viewer.cli.bench.timing import OWN_SETTING, SLOW_RUNS, Work, by_name, finish, nothing, process
from viewer.control.settings.settings import Settings
from viewer.errors import MshviewError
from viewer.formats.msh.batches import BATCH
from viewer.formats.part import table
from viewer.model.references.byte_fields import FieldMap
from viewer.model.tables.column import Column
from viewer.model.tables.table import ModelTable
from viewer.session.tables.table_view import RowSelection
from viewer.translation import _
from viewer.ui.bytes.hex_grid import HexGrid, HexRows
from viewer.ui.inspector.sheet import links_of
from viewer.ui.table.grid import TableGrid, VisibleRows
from viewer.ui.timeline.dope_sheet import DopeSheetPanel
from viewer.ui.widgets.floating import over_all

RATE: Final = 60
"""Frames of a second."""
BUILT: Final = 10
"""Frames of a run with all panels."""
START_SIZE: Final = (1440, 900)
"""Size of a window that starts without settings."""
SCROLL_STEP: Final = 10_007
"""Rows from one frame to the next of a table that is scrolled."""
HEX_SIZE, HEX_STEP = 25 << 20, 1_000_003
"""Bytes of the payload that is shown as hex, and from one frame to the next."""
REST: Final = 0.002
"""Seconds that worker threads get between two frames without news."""


Step = Callable[[], None]


class SampleWindow:
    """The program on a headless window with the sample in it; owner: the case, which closes it.

    Parameters
    ----------
    size
        Width and height, pixels.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        # The names of the cases, which other verbs list, are known without the library of the window.
        try:
            from viewer.app.application import Application  # noqa: PLC0415
            from viewer.app.platform.window import open_headless  # noqa: PLC0415
        except ImportError as error:
            raise MshviewError(_("no window can be opened: {error}", error=error), source="bench") from error
        self._window = open_headless(size)
        with self._window.ctx:
            self.app = Application(self._window, Settings(has_seen_hint=True))
            self.app.opener.open_first()
        self.draw_until(lambda: self.app.state.document is not None and not self.app.state.is_arriving)

    def draw(self, count: int = 1, *, is_built: bool = False, seconds: float = 1 / RATE) -> None:
        """Draw frames of a second, each until OpenGL is done; with all panels built, or as it comes."""
        with self._window.ctx:
            for _ in range(count):
                if is_built:
                    self.app.rebuild_panels()
                self.app.draw(seconds)
                self._window.ctx.finish()

    def draw_panels(self, build: Callable[[], None]) -> None:
        """Draw a frame of the given panels alone."""
        with self._window.ctx:
            self.app.gui.draw(build, nothing, nothing, 1 / RATE)
            self._window.ctx.finish()

    def build_panels(self, build: Callable[[], None]) -> None:
        """Build a frame of the given panels, without its pixels."""
        with self._window.ctx:
            self.app.gui.build(build, 1 / RATE)

    def draw_until(self, holds: Callable[[], bool]) -> None:
        """Draw frames until something holds and the image of the model is whole."""
        # Not until there is no work: what plays is never drawn with all samples if that is slow.
        while not (holds() and self.app.images.scene.statistics.is_whole):
            # Time stands still: on a busy machine an image that changes in each frame may never be whole.
            self.draw(seconds=0.0)
            sleep(REST)

    def close(self) -> None:
        """Close the program and its window."""
        with self._window.ctx:
            self.app.close()
        self._window.destroy()

    def play(self) -> None:
        """Play once everything has been read, thumbnails too, and the panels have settled."""
        self.draw_until(lambda: not (self.app.jobs.is_busy or self.app.is_working))
        self.app.state.view = replace(self.app.state.view, is_playing=True)
        self.draw(RATE)


def window_playing(subjects: Subjects) -> Work:
    """A frame of the sample that plays: the mean of a second, in which panels are built as needed."""
    return replace(_playing(subjects, lambda window: window.draw(RATE)), parts=RATE)


def window_built(subjects: Subjects) -> Work:
    """A frame of the sample that plays, in which all panels are built: the mean of some."""
    return replace(_playing(subjects, lambda window: window.draw(BUILT, is_built=True)), parts=BUILT)


def dope_sheet_200(subjects: Subjects) -> Work:
    """A frame of the dope sheet of 200 nodes with 200 keys each, full size: as `_alone`."""

    def panel(window: SampleWindow) -> Step:
        window.app.opener.open(subjects.keyed)
        window.draw_until(lambda: window.app.state.document is not None and not window.app.state.is_arriving)
        sheet = DopeSheetPanel()

        def build() -> None:
            with over_all(sheet.id):
                sheet.draw(window.app.panel_context())

        return build

    return _alone(subjects, panel)


def hex_25mb(subjects: Subjects) -> Work:
    """A frame of 25 MB of batches as hex, full size, at another offset in each: as `_alone`."""
    count = HEX_SIZE // BATCH.size
    data = memoryview(np.random.default_rng(0).bytes(count * BATCH.size))
    fields, grid = FieldMap(table(BATCH, BATCH.view(data))), HexGrid()

    def build() -> None:
        grid.scroll_to((grid.on_screen[1] + HEX_STEP) % len(data))
        with over_all("hex"):
            grid.draw(HexRows(data, fields.shades, BATCH.size))

    return _alone(subjects, lambda _ignored: build)


def table_300k(subjects: Subjects) -> ModelTable:
    """A table of random batches."""
    rows = BATCH.new(subjects.sizes.table_rows)
    random = np.random.default_rng(1)
    rows["index_count"] = random.integers(0, 3000, len(rows))
    rows["index_start"] = random.permutation(len(rows))
    columns = (Column.of_field(field, rows) for field in BATCH.fields)
    return ModelTable(BATCH.name, len(rows), tuple(columns))


def table_scroll_300k(subjects: Subjects) -> Work:
    """A frame of a table of 300,000 rows, full size, at other rows in each: as `_alone`."""
    view = table_300k(subjects)
    order, at = np.arange(view.count), cycle(range(0, view.count, SCROLL_STEP))

    def panel(window: SampleWindow) -> Step:
        context, grid = window.app.panel_context(), TableGrid()
        assert context.document is not None  # the sample
        links = links_of(context, context.document)

        def build() -> None:
            row = next(at)
            shown = VisibleRows(view, order, RowSelection(), row, view.columns[0].name, scroll_to=row)
            with over_all("table"):
                grid.draw(shown, links, nothing)

        return build

    return _alone(subjects, panel)


def _alone(subjects: Subjects, panel: Callable[[SampleWindow], Step]) -> Work:
    """A frame of a panel alone, built: the mean of some.

    Its pixels are left out. Where no graphics card draws them they take most of the time, and say nothing
    about the panel.
    """
    window, close = opened_window(subjects)
    build = panel(window)

    def build_some() -> None:
        for _number in range(BUILT):
            window.build_panels(build)

    window.draw_panels(build)  # the letters
    return Work(build_some, parts=BUILT, end=close)


def _playing(subjects: Subjects, draw: Callable[[SampleWindow], None]) -> Work:
    window, close = opened_window(subjects)
    window.play()
    return Work(lambda: draw(window), end=close)


def opened_window(subjects: Subjects) -> tuple[SampleWindow, Step]:
    """The program in a window, and what closes it."""
    home = subjects.renderer.ctx  # that of the other cases: it is made first, and current again at the end
    window = SampleWindow(subjects.sizes.window)

    def close() -> None:
        window.close()
        home.__enter__()  # type: ignore[no-untyped-call]

    return window, close


def start_window(_: Subjects) -> Work:
    """A whole process from its start to the first whole frame of the sample in the window."""
    return Work(lambda: finish(process("-c", _START)), warm_up=1, most=SLOW_RUNS)


_START: Final = f"""
import os
os.environ["{OWN_SETTING}"] = "1"  # as the program does
from {__name__} import START_SIZE, SampleWindow
SampleWindow(START_SIZE)
os._exit(0)  # as its end is not measured
"""


CASES: Final = by_name(
    window_playing, window_built, start_window, dope_sheet_200, hex_25mb, table_scroll_300k
)
