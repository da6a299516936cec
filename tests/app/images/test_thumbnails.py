"""Which pictures are read, when, and how often."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import moderngl
import numpy as np
import pytest

from tests import game_folders
from tests.builders import ModelBuilder, Node, archive_of, box
from tests.control.waiting import Done, Failed, Waiting
from viewer.app.images import thumbnails
from viewer.app.images.thumbnails import MOST_AT_ONCE, SIZES, Thumbnails, size_of
from viewer.control.jobs import SHOWN_AFTER
from viewer.control.opening.loading import NO_OPEN_OPTIONS, OpenOptions
from viewer.formats import wear
from viewer.formats.archive import nres
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import Image, PixelFormat
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.reading_options import ReadingOptions
from viewer.progress import Progress
from viewer.session.jobs import Thumbnail
from viewer.session.opened import listing
from viewer.session.opened.browser import BrowserTree
from viewer.session.opened.entry_list import BrowserEntry
from viewer.session.view.options.lighting import Look

TEXM = int.from_bytes(b"Texm", "little")
SIDE = 100
"""At which pictures are shown; they are made in the next size, and in those below."""
TEXTURE_BYTES = 4 * (128**2 + 64**2)
"""What the sizes of one square texture take that is shown at this side."""


class Lanes(Waiting):
    """Jobs that tell what they are about."""

    def __init__(self) -> None:
        super().__init__()
        self.ever: list[str] = []

    def start(
        self, lane: str, title: str, work: Callable[[Progress], Any], done: Done, failed: Failed
    ) -> None:
        """Remember the work; it has no title, so that nobody waits for it."""
        assert title == ""
        super().start(lane, title, work, done, failed)
        self.ever.append(lane.rpartition("::")[2])

    @property
    def names(self) -> list[str]:
        """The last words of what has begun, in order."""
        return [lane.rpartition("::")[2] for lane, *_ in self.begun]


@dataclass
class ThumbnailWorkspace:
    """Thumbnails and what they lean on."""

    ctx: moderngl.Context
    jobs: Lanes
    lookup: OpenOptions = NO_OPEN_OPTIONS
    look: Look = Look.GAME

    def __post_init__(self) -> None:
        self.trees = BrowserTree()
        self.library = FileStore()
        self.shown = Thumbnails(
            self.ctx,
            self.jobs,  # type: ignore[arg-type]
            self.library,
            lambda _: (self.lookup, self.look),
        )

    def frame(
        self, *entries: BrowserEntry, may_read: bool = True, may_draw: bool = True, side: float = SIDE
    ) -> list[Thumbnail | None]:
        """Draw a frame in which some entries are on screen."""
        self.shown.update((self.trees, self.look), may_read=may_read, may_draw=may_draw)
        return [self.shown.find(entry, side) for entry in entries]

    def settle(self, *entries: BrowserEntry, side: float = SIDE) -> list[Thumbnail]:
        """Draw frames until everything is there."""
        for _ in range(4 * len(entries) + 4):
            self.frame(*entries, side=side)
            self.jobs.finish()
            self.shown._rests_until = 0.0
        self.frame(*entries, side=side)
        found = [item for item in self.frame(*entries, side=side) if item is not None]
        assert len(found) == len(entries)
        assert not self.shown.has_work
        return found

    def pixels(self, texture: int) -> Image:
        """What a picture shows, (h, w, 4)."""
        found = next(item for item in self.shown._shelf._textures.values() if item.glo == texture)
        return np.frombuffer(found.read(), np.uint8).reshape(found.height, found.width, 4)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time in its only item, seconds."""
    now = [100.0]
    monkeypatch.setattr(thumbnails, "perf_counter", lambda: now[0])
    return now


@pytest.fixture
def desk(ctx: moderngl.Context) -> ThumbnailWorkspace:
    return ThumbnailWorkspace(ctx, Lanes())


def texture(color: tuple[int, int, int]) -> bytes:
    return texm.build(np.full((8, 8, 4), (*color, 255), np.uint8), PixelFormat.RGB888)


def library_of(path: Path, payloads: Mapping[str, bytes]) -> list[BrowserEntry]:
    """Write an archive of textures and return its rows."""
    path.write_bytes(nres.build(nres.NewEntry(TEXM, data, name.encode()) for name, data in payloads.items()))
    return list(listing.entries_below(FileStore(), Address(path)))


def colors(path: Path, count: int) -> list[BrowserEntry]:
    """Rows of textures that are all different, called 0, 1 ..."""
    return library_of(path, {str(number): texture((number, 0, 0)) for number in range(count)})


def model_entry(path: Path, size: float = 1, wear_rows: Sequence[bytes] = ()) -> BrowserEntry:
    """Write an archive with one box in it and return its row."""
    files = {"box.msh": ModelBuilder.of([Node("box", shapes={(0, 0): [box((size, 1, 1))]})]).build()}
    if wear_rows:
        files["box.wea"] = wear.build(wear_rows)
    path.write_bytes(archive_of(files))
    return next(iter(listing.entries_below(FileStore(), Address(path))))


def test_a_texture_is_made_in_the_size_that_is_shown(desk: ThumbnailWorkspace, tmp_path: Path) -> None:
    (entry,) = library_of(tmp_path / "a.lib", {"x": texture((10, 200, 30))})
    assert desk.frame(entry) == [None]
    (found,) = desk.settle(entry)
    assert found.image is not None
    assert (found.image.width, found.image.height) == (128, 128)
    assert found.facts == ("8 x 8", "format 888")
    assert (desk.pixels(found.image.texture) == (10, 200, 30, 255)).all()


@pytest.mark.parametrize(("side", "size"), [(44, 64), (64, 64), (64.5, 128), (256, 256), (9000, SIZES[-1])])
def test_sizes_are_steps_that_double(side: float, size: int) -> None:
    assert size_of(side) == size


def test_smaller_sizes_are_halves_and_a_larger_one_is_read(desk: ThumbnailWorkspace, tmp_path: Path) -> None:
    (entry,) = library_of(tmp_path / "a.lib", {"x": texture((10, 200, 30))})
    widths = []
    for side in (65, 44, 60, 128, 256, 200, 100, 50):
        (found,) = desk.settle(entry, side=side)
        assert found.image is not None
        widths.append(found.image.width)
    assert widths == [128, 64, 64, 128, 256, 256, 128, 64]
    assert desk.jobs.ever == ["x", "x"], "once for 128 pixels, once for 256"


def test_until_the_size_is_made_the_nearest_is_shown(desk: ThumbnailWorkspace, tmp_path: Path) -> None:
    (entry,) = library_of(tmp_path / "a.lib", {"x": texture((10, 200, 30))})
    desk.settle(entry, side=64)
    (found,) = desk.frame(entry, side=256)
    assert found is not None
    assert found.image is not None
    assert found.image.width == 64


def test_what_is_not_on_screen_yet_is_read_behind_what_is(desk: ThumbnailWorkspace, tmp_path: Path) -> None:
    rows = colors(tmp_path / "a.lib", 6)
    for _ in range(2):
        desk.frame(*rows[:2])
        desk.shown.read_ahead(rows[2:4], SIDE)
    desk.frame(*rows[:2])
    assert desk.jobs.names == ["0", "1", "2", "3"]
    desk.jobs.finish()
    desk.frame(*rows[:2])
    desk.shown.read_ahead(rows[:4], SIDE)
    assert not desk.shown.has_work, "they are there now"
    assert desk.jobs.ever == ["0", "1", "2", "3"]


def test_what_is_on_screen_is_read_first_also_if_it_is_ahead_in_another_size(
    desk: ThumbnailWorkspace, tmp_path: Path
) -> None:
    rows = colors(tmp_path / "a.lib", 3)
    desk.frame(rows[1], may_read=False)
    desk.shown.read_ahead([rows[0], rows[1], rows[2]], 4 * SIDE)
    desk.frame()
    assert desk.jobs.names == ["1", "0", "2"]


def test_a_few_are_read_at_once_and_what_came_last_goes_first(
    desk: ThumbnailWorkspace, tmp_path: Path
) -> None:
    rows = colors(tmp_path / "a.lib", 9)
    desk.frame(*rows[:6], may_read=False)
    assert desk.jobs.begun == []
    desk.frame(*rows[2:9], may_read=False)
    desk.frame(*rows[2:9])
    assert desk.jobs.names == ["6", "7", "8", "2"]
    assert len(desk.jobs.names) == MOST_AT_ONCE


def test_what_was_scrolled_away_is_not_read(desk: ThumbnailWorkspace, tmp_path: Path) -> None:
    rows = colors(tmp_path / "a.lib", 500)
    for top in range(0, 490, 7):
        desk.frame(*rows[top : top + 10], may_read=False)
    desk.frame(*rows[490:], may_read=False)
    desk.settle(*rows[490:])
    assert {int(str(address).rpartition("::")[2]) for address in desk.shown._known} == set(range(490, 500))


def test_nothing_is_read_while_something_more_urgent_is(desk: ThumbnailWorkspace, tmp_path: Path) -> None:
    rows = colors(tmp_path / "a.lib", 2)
    desk.frame(*rows, may_read=False)
    desk.frame(*rows, may_read=False)
    assert desk.jobs.begun == []
    assert not desk.shown.has_work


def test_what_has_not_begun_gives_way_to_what_is_more_urgent(
    desk: ThumbnailWorkspace, tmp_path: Path
) -> None:
    (entry,) = colors(tmp_path / "a.lib", 1)
    desk.frame(entry)
    desk.frame(entry)
    desk.frame(entry, may_read=False)
    assert desk.jobs.finish() == [None]
    assert desk.settle(entry)[0].image is not None


def test_what_is_known_or_damaged_is_never_read_again(desk: ThumbnailWorkspace, tmp_path: Path) -> None:
    rows = library_of(tmp_path / "a.lib", {"x": texture((1, 2, 3)), "cut": b"Texm" + bytes(8)})
    _, damaged = desk.settle(*rows)
    assert damaged.image is None
    assert "12 bytes" in damaged.problem
    for _ in range(3):
        desk.frame(*rows)
        desk.frame()
    assert desk.jobs.ever == ["x", "cut"]


def test_equal_textures_are_decoded_once(desk: ThumbnailWorkspace, tmp_path: Path) -> None:
    (first,) = library_of(tmp_path / "a.lib", {"x": texture((9, 9, 9))})
    (second,) = library_of(tmp_path / "b.lib", {"y": texture((9, 9, 9))})
    desk.settle(first)
    desk.frame(second)
    desk.frame(second)
    (content,) = desk.jobs.finish()
    assert content.image is None
    one, other = desk.settle(first, second)
    assert one.image == other.image


def test_what_had_to_go_for_room_is_read_again(
    desk: ThumbnailWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thumbnails, "CAPACITY", 3 * TEXTURE_BYTES)
    desk = ThumbnailWorkspace(desk.ctx, Lanes())
    rows = colors(tmp_path / "a.lib", 8)
    for row in rows:
        desk.settle(row)
    assert desk.shown._shelf.size <= 4 * TEXTURE_BYTES
    assert desk.settle(rows[0])[0].image is not None


def test_a_file_that_has_changed_shows_what_is_in_it_now(desk: ThumbnailWorkspace, tmp_path: Path) -> None:
    (entry,) = library_of(tmp_path / "a.lib", {"x": texture((255, 0, 0))})
    desk.settle(entry)
    library_of(tmp_path / "a.lib", {"x": texture((0, 0, 255)), "more": texture((0, 0, 0))})
    desk.trees = BrowserTree()
    (found,) = desk.settle(entry)
    assert found.image is not None
    assert desk.pixels(found.image.texture)[0, 0].tolist() == [0, 0, 255, 255]


def test_other_trees_over_the_same_files_have_nothing_read_again(
    desk: ThumbnailWorkspace, tmp_path: Path
) -> None:
    (entry,) = colors(tmp_path / "a.lib", 1)
    desk.settle(entry)
    desk.trees = BrowserTree()
    desk.frame(entry)
    assert desk.jobs.names == ["thumbnail_files"]
    desk.jobs.finish()
    desk.frame(entry)
    desk.frame(entry)
    assert desk.jobs.begun == []


def test_a_model_is_drawn_when_there_is_time_for_it(desk: ThumbnailWorkspace, tmp_path: Path) -> None:
    entry = model_entry(tmp_path / "a.rlb", 3)
    desk.frame(entry)
    desk.frame(entry)
    desk.jobs.finish()
    assert desk.frame(entry, may_draw=False) == [None]
    assert not desk.shown.has_work
    desk.frame(entry)
    (found,) = desk.frame(entry)
    assert found is not None
    assert found.image is not None
    assert found.facts == ("12 triangles", "1 node")
    assert found.image.width > found.image.height
    drawn = desk.pixels(found.image.texture)
    for border in (drawn[0], drawn[-1], drawn[:, 0], drawn[:, -1]):
        assert border[..., 3].any(), "margins are cut off"


def test_one_model_is_drawn_per_frame_and_then_there_is_a_rest(
    desk: ThumbnailWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thumbnails, "REST", 1e6)
    rows = [model_entry(tmp_path / f"{size}.rlb", size) for size in (1, 2, 3)]
    desk.frame(*rows)
    desk.frame(*rows)
    desk.jobs.finish()
    for drawn in (1, 2, 3):
        desk.frame(*rows)
        desk.frame(*rows)
        assert sum(item is not None for item in desk.frame(*rows)) == drawn
        desk.shown._rests_until = 0.0


def test_a_picture_without_anything_in_it_is_none(
    desk: ThumbnailWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        desk.shown._models, "draw", lambda _preview, side: np.zeros((side, side, 4), np.uint8)
    )
    (found,) = desk.settle(model_entry(tmp_path / "a.rlb"))
    assert found.image is None
    assert found.facts == ("12 triangles", "1 node")


def test_a_model_that_was_scrolled_away_is_not_drawn(desk: ThumbnailWorkspace, tmp_path: Path) -> None:
    entry = model_entry(tmp_path / "a.rlb")
    desk.frame(entry)
    desk.frame(entry)
    desk.frame()
    desk.jobs.finish()
    desk.frame()
    assert desk.frame(entry) == [None]
    assert desk.frame(entry) == [None]
    assert desk.jobs.names == ["box.msh"], "it is read anew"


def test_what_the_user_chose_otherwise_is_looked_at_again(desk: ThumbnailWorkspace, tmp_path: Path) -> None:
    rows = [model_entry(tmp_path / "a.rlb")]
    before = desk.settle(*rows)
    desk.lookup = OpenOptions(ReadingOptions(set_game=tmp_path))
    desk.trees = BrowserTree()
    assert desk.frame(*rows) == before
    desk.frame(*rows)
    assert sorted(desk.jobs.names) == ["box.msh", "thumbnail_files"]
    assert desk.settle(*rows) == before


def test_models_are_drawn_again_in_another_look(desk: ThumbnailWorkspace, tmp_path: Path) -> None:
    folder = game_folders.write(tmp_path)
    entry = model_entry(folder / "a.rlb", wear_rows=[b"SKIN"])
    (first,) = desk.settle(entry)
    desk.look = Look.PLAIN
    (second,) = desk.settle(entry)
    assert first.image is not None
    assert second.image is not None
    assert (desk.pixels(first.image.texture) != desk.pixels(second.image.texture)).any()


def test_what_is_chosen_otherwise_while_it_is_read_is_read_again(
    desk: ThumbnailWorkspace, tmp_path: Path
) -> None:
    (entry,) = colors(tmp_path / "a.lib", 1)
    desk.frame(entry)
    desk.frame(entry)
    desk.lookup = OpenOptions(ReadingOptions(set_game=tmp_path))
    desk.trees = BrowserTree()
    desk.settle(entry)
    assert desk.jobs.ever == ["0", "0"]


def test_an_error_of_our_own_is_no_picture(desk: ThumbnailWorkspace, tmp_path: Path) -> None:
    (entry,) = colors(tmp_path / "a.lib", 1)
    desk.frame(entry)
    desk.frame(entry)
    desk.jobs.fail(ValueError("oops"))
    (found,) = desk.settle(entry)
    assert found.image is None
    assert found.problem == "internal error"


def test_visible_entries_are_one_job_with_progress(
    desk: ThumbnailWorkspace, tmp_path: Path, clock: list[float]
) -> None:
    entries = colors(tmp_path / "a.lib", 2 * MOST_AT_ONCE)
    desk.frame(*entries)
    desk.frame(*entries)
    assert not desk.shown.running, "it has only just begun"
    clock[0] += SHOWN_AFTER
    assert [(job.done, job.total) for job in desk.shown.running] == [(0, len(entries))]
    desk.jobs.finish()
    desk.frame(*entries)
    assert [(job.done, job.total) for job in desk.shown.running] == [(MOST_AT_ONCE, len(entries))]
    desk.settle(*entries)
    assert not desk.shown.running


def test_cancelled_entries_are_not_read_until_the_browser_changes(
    desk: ThumbnailWorkspace, tmp_path: Path
) -> None:
    entries = colors(tmp_path / "a.lib", 2 * MOST_AT_ONCE)
    desk.frame(*entries)
    desk.frame(*entries)
    desk.shown.cancel()
    assert desk.jobs.begun == []
    for _ in range(3):
        desk.frame(*entries)
    assert desk.jobs.begun == []
    assert not desk.shown.has_work
    desk.trees = BrowserTree()
    desk.settle(*entries)


def test_a_model_that_waits_to_be_drawn_is_cancelled_too(desk: ThumbnailWorkspace, tmp_path: Path) -> None:
    entry = model_entry(tmp_path / "a.rlb")
    for _ in range(2):
        desk.frame(entry, may_draw=False)
    desk.jobs.finish()
    desk.shown.cancel()
    assert desk.frame(entry) == [None]
    desk.trees = BrowserTree()
    desk.settle(entry)
