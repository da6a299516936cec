"""Ghosts: at which times they are, in what order and color, and that known ones are not posed again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.opened.document import Document
from viewer.session.play.ghosts import GhostPoses
from viewer.session.play.playback import FrameRange, Ghosts
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.view_state import Loop, ViewState

BEFORE, AFTER = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
GHOSTS = Ghosts(2, 3, 3, BEFORE, AFTER)
ARM = 1


@pytest.fixture
def document(tmp_path: Path) -> Document:
    """An arm that is as high as the number of its frame, 0 to 12."""
    nodes = [
        Node("base", shapes={(0, 0): [box()]}),
        Node("arm", parent=0, keys=[Key(), Key(12, position=(0, 0, 12))]),
    ]
    path = tmp_path / "arm.msh"
    path.write_bytes(ModelBuilder.of(nodes).build())
    return Document.open(FileStore(), Source(Address.given(str(path))))


def view(**fields: Any) -> ViewState:
    return replace(ViewState(overlays=frozenset({Overlay.GHOSTS}), ghosts=GHOSTS, loop=Loop.ONCE), **fields)


def heights(document: Document, view: ViewState) -> list[tuple[float, bool]]:
    """How high the arm is in each ghost, and whether the ghost is after the current time."""
    return [
        (round(float(ghost.pose.world[ARM, 2, 3]), 4), ghost.color == AFTER)
        for ghost in GhostPoses().of(document, view)
    ]


def test_the_nearest_times_come_first_and_none_is_outside(document: Document) -> None:
    shown = view(time=4.0)
    assert heights(document, shown) == [(1, False), (7, True), (10, True)]
    strengths = [ghost.strength for ghost in GhostPoses().of(document, shown)]
    assert strengths == pytest.approx([1, 1, 2 / 3])


def test_a_loop_starts_over_and_shows_no_moment_twice(document: Document) -> None:
    shown = view(time=4.0, loop=Loop.LOOP)
    assert heights(document, shown) == [(1, False), (7, True), (10, False)]


def test_a_marked_range_bounds_them(document: Document) -> None:
    assert heights(document, view(time=6.0, frames=FrameRange(3, 9))) == [(3, False), (9, True)]


def test_without_the_overlay_there_are_none_and_nothing_is_posed_twice(document: Document) -> None:
    assert heights(document, view(overlays=frozenset())) == []
    poses = GhostPoses()
    first, again = poses.of(document, view(time=6.0)), poses.of(document, view(time=6.0))
    assert [ghost.pose for ghost in first] == [ghost.pose for ghost in again]
    assert all(one.pose is other.pose for one, other in zip(first, again, strict=True))
    later = poses.of(document, view(time=9.0))
    assert {id(ghost.pose) for ghost in later} & {id(ghost.pose) for ghost in first}
