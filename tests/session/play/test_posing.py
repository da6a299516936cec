"""The pose of a document in a view: the strip or a clip, channels, and the root."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, box
from tests.controllers import Drive, State, build, model, opened
from viewer.formats.neighbors import control
from viewer.session.opened.document import Document
from viewer.session.play import posing, timeline
from viewer.session.play.playback import Playback, Root
from viewer.session.view.camera import Camera
from viewer.session.view.kept_view import kept
from viewer.session.view.view_state import ViewState, for_document, with_look

TRAVEL = Playback(root=Root.TRAVEL)


@pytest.fixture
def document(tmp_path: Path) -> Document:
    """A model of two nodes with two clips and a channel of its turret."""
    states = State((0, 4), (8, 8), 0.5), State((6, 10), milliseconds=0)
    (tmp_path / "a.msh").write_bytes(model())
    (tmp_path / "a.ctl").write_bytes(control.encode(build(states, [Drive(1, (0, 10), 0.3)])))
    return opened(tmp_path / "a.msh")


def positions(document: Document, playback: Playback, time: float = 0.0) -> list[list[float]]:
    view = posing.at(ViewState(playback=playback), time)
    found: list[list[float]] = posing.pose(document, view).position.tolist()
    return found


def test_the_root_stays_unless_it_travels(document: Document) -> None:
    assert positions(document, Playback(), 2.0)[0] == [0, 0, 0]
    assert positions(document, TRAVEL, 2.0)[0] == [2, 5, 0]


def test_the_rotation_of_the_root_and_other_roots_stay() -> None:
    turned = Key(0, (1, 2, 3), (0.5, 0.5, 0.5, 0.5))
    scene = [Node("a", keys=[turned]), Node("b", keys=[turned])]
    found = posing.pose(Document.of("a", ModelBuilder(scene).model()), ViewState())
    assert found.position.tolist() == [[0, 0, 0], [1, 2, 3]]
    np.testing.assert_array_equal(found.local[0, :3, :3], found.local[1, :3, :3])


def test_a_first_node_with_a_parent_keeps_its_translation() -> None:
    builder = ModelBuilder([Node("a", keys=[Key(0, (1, 2, 3))]), Node("b")])
    builder.nodes["parent"][0] = 1
    found = posing.pose(Document.of("a", builder.model()), ViewState())
    assert found.position.tolist() == [[1, 2, 3], [0, 0, 0]]


def test_a_camera_frames_what_is_drawn() -> None:
    scene = [Node("a", shapes={(0, 0): [box()]}, keys=[Key(0, (100, 0, 0))])]
    document = Document.of("a", ModelBuilder(scene).model())
    targets = {
        root: document.framed(Camera(), ViewState(playback=Playback(root=root)), 1.0).target for root in Root
    }
    assert abs(targets[Root.STILL][0]) < 1
    assert abs(targets[Root.TRAVEL][0] - 100) < 1


def test_a_clip_poses_the_body_and_its_channels_the_other_nodes(document: Document) -> None:
    clip = Playback(clip=0, root=Root.TRAVEL)
    assert positions(document, clip, 0.5) == [pytest.approx([5, 5, 0]), pytest.approx([0, 0, 3])]
    found = positions(document, clip.with_channel(0, 0.75), 0.5)
    assert found == [pytest.approx([5, 5, 0]), pytest.approx([0, 0, 7.5])]


def test_a_channel_drives_its_node_at_any_time_of_the_strip(document: Document) -> None:
    playback = TRAVEL.with_channel(0, 0.5)
    assert positions(document, playback, 2.0) == [[2, 5, 0], [0, 0, 5]]
    assert positions(document, playback.with_channel(0, None), 2.0) == [[2, 5, 0], [0, 0, 2]]


def test_what_is_played_ends_with_its_clip(document: Document) -> None:
    ends = [posing.end(document, ViewState(playback=Playback(clip=clip))) for clip in (None, 0, 1)]
    assert ends == pytest.approx([10.0, 1.0, 4 / 15])


def test_materials_go_on_with_the_clock_of_the_clip() -> None:
    view = ViewState(time=3.0, playback=Playback(clip=0, seconds=0.5))
    assert timeline.material_time(view) == 500


def test_another_document_starts_with_its_strip_and_keeps_the_root() -> None:
    view = ViewState(playback=replace(TRAVEL, clip=1, seconds=2.0).with_channel(0, 0.5))
    assert for_document(view).playback == TRAVEL
    assert with_look(ViewState(playback=Playback(clip=1)), view).playback == replace(TRAVEL, clip=1)


def test_clips_and_channels_that_are_gone_are_let_go(document: Document) -> None:
    playback = replace(TRAVEL, clip=1).with_channel(0, 0.5)
    assert kept(ViewState(playback=playback), document, document).playback == playback
    more = replace(playback, clip=2).with_channel(1, 0.5)
    assert kept(ViewState(playback=more), document, document).playback == TRAVEL.with_channel(0, 0.5)
