"""What turns by itself in the sample: the walker's dish, the crawler's fan; and its belts and wheels."""

from __future__ import annotations

from math import pi
from pathlib import Path

import pytest

from assets.sample import crawler
from viewer.formats.archive.nres import Archive
from viewer.formats.neighbors import control
from viewer.formats.neighbors.component import AT_REST, BodyMotion
from viewer.model.clips.controller import channels
from viewer.model.clips.machinery import Drive, drives_of
from viewer.model.material.phases import duration, moment_in
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.operations.reading_options import ReadingOptions
from viewer.session.opened.document import Document

LEFT_BELT, LEFT_WHEEL, RIGHT_BELT, RIGHT_WHEEL, FAN = 0, 1, 4, 5, 8


def driven(game: Path, archive: str, name: str) -> dict[int, Drive]:
    found = Archive.read((game / archive).read_bytes())
    decoded = control.decode(found.payload(found.find(name.encode()) or 0))
    return {it.channel.index: it for it in drives_of(decoded.components, channels(decoded))}


def test_the_dish_of_the_walker_turns_twice_in_four_seconds(game: Path) -> None:
    drives = driven(game, "models.rlb", "walker.ctl")
    assert {index: it.rate(AT_REST) for index, it in drives.items()} == {5: 0.5}


def test_the_crawler_moves_as_fast_as_its_belts_and_wheels(game: Path) -> None:
    drives = driven(game, "machines.rlb", "r_crawler.ctl")
    assert {index: it.rate(AT_REST) for index, it in drives.items() if it.rate(AT_REST)} == {FAN: 2.0}
    full = {index: it.rate(BodyMotion(1.0)) for index, it in drives.items()}
    for belt, wheel in ((LEFT_BELT, LEFT_WHEEL), (RIGHT_BELT, RIGHT_WHEEL)):
        assert full[belt] * crawler.link_length() == pytest.approx(4.0)  # units a second
        assert full[wheel] * 2 * pi * crawler.RADIUS == pytest.approx(4.0)
    turning = {index: it.rate(BodyMotion(0.0, 0.5)) for index, it in drives.items()}
    assert turning[LEFT_BELT] == -turning[RIGHT_BELT] < 0  # to the left: the left one runs back


def test_each_belt_has_a_material_of_its_own_with_four_images(game: Path) -> None:
    address = Address(game / "machines.rlb", ("r_crawler.msh",))
    document = Document.open(FileStore(), Source(address, ReadingOptions(game=game)))
    rows = {it.name: it for it in document.materials.rows}
    for name in ("BELT_L", "BELT_R"):
        block = rows[name].blocks[0]
        shown = [moment_in(block, share * duration(block)).key for share in (0.1, 0.3, 0.6, 0.9)]
        assert shown == [0, 1, 2, 3]
