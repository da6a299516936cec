"""Ways of nodes: where poses put them at the times of what plays, with marks at frames and keys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import Key, ModelBuilder, Node, box, turn
from tests.model.controllers import State, build, game, model
from viewer.formats.neighbors import control
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.opened.document import Document
from viewer.session.play import posing
from viewer.session.play.keys.trails import handle_of, moment_key, number_of, trails_of, travel_of
from viewer.session.play.playback import FrameRange, Root
from viewer.session.play.playing import play_clip
from viewer.session.play.timeline import at
from viewer.session.view.view_state import ViewState

BASE, ARM = range(2)


@pytest.fixture
def document(tmp_path: Path) -> Document:
    """An arm that goes up by 8 in 8 frames on a base that stands at 1, 0, 0."""
    nodes = [
        Node("base", shapes={(0, 0): [box()]}, keys=[Key(position=(1, 0, 0))]),
        Node("arm", parent=BASE, keys=[Key(), Key(4, position=(0, 0, 4)), Key(8, position=(0, 0, 8))]),
    ]
    path = tmp_path / "arm.msh"
    path.write_bytes(ModelBuilder.of(nodes).build())
    return Document.open(FileStore(), Source(Address.given(str(path))))


def travelling(view: ViewState) -> ViewState:
    return view if view.playback.root is Root.TRAVEL else ViewState(playback=view.playback.with_other_root())


def test_a_way_goes_from_the_first_frame_to_the_last(document: Document) -> None:
    view = travelling(ViewState())
    trails = trails_of(document, view, (ARM, BASE))
    way = trails.points[0]
    assert way[0].tolist() == [1, 0, 0]
    assert way[-1].tolist() == [1, 0, 8]
    assert (np.diff(way[:, 2]) > 0).all()
    assert way[trails.frames][:, 2].tolist() == list(range(9))
    assert way[trails.keys[0].numbers][:, 2].tolist() == [0, 4, 8]
    assert (trails.points[1] == [1, 0, 0]).all()
    assert number_of(trails, at(view, 4.0)) == trails.keys[0].numbers[1]


def test_a_marked_range_has_its_part_of_the_way(document: Document) -> None:
    trails = trails_of(document, ViewState(frames=FrameRange(2, 6)), (ARM,))
    assert trails.points[0][[0, -1], 2].tolist() == [2, 6]
    assert trails.points[0][trails.keys[0].numbers][:, 2].tolist() == [4]


def test_the_way_of_a_clip_is_what_it_plays(tmp_path: Path) -> None:
    controller = control.encode(build([State((2, 6), milliseconds=500)], []))
    folder = game(tmp_path / "game", {"robots.rlb": {"robot.msh": model(), "robot.ctl": controller}}, None)
    document = Document.open(FileStore(), Source(Address.given(f"{folder / 'robots.rlb'}::robot.msh")))
    view = play_clip(travelling(ViewState()), 0)
    trails = trails_of(document, view, (0,))
    for number, share in ((0, 0.0), (-1, 1.0)):
        pose = posing.pose(document, posing.at(view, 0.5 * share))
        assert trails.points[0][number] == pytest.approx(pose.world[0, :3, 3])
    assert len({tuple(point) for point in trails.points[0].tolist()}) > 2


def test_what_a_dragged_key_will_do_is_what_the_edited_model_does(tmp_path: Path) -> None:
    """The way that is shown before the edit is that of a model written with the key at its new place."""

    def opened(middle: tuple[float, float, float], name: str) -> Document:
        turns = [Key(), Key(6, quaternion=turn((0, 0, 1), 90)), Key(12)]
        nodes = [
            Node("base", shapes={(0, 0): [box()]}, keys=turns),
            Node("arm", parent=BASE, keys=[Key(position=(1, 0, 0)), Key(4, position=middle), Key(12)]),
        ]
        path = tmp_path / name
        path.write_bytes(ModelBuilder.of(nodes).build())
        return Document.open(FileStore(), Source(Address.given(str(path))))

    before, after = opened((4, 1, 0), "before.msh"), opened((3, 2, 5), "after.msh")
    trails, edited = (trails_of(it, ViewState(), (ARM,)) for it in (before, after))
    handle = handle_of(before, ViewState(), trails, ARM, 1)
    assert handle is not None
    assert handle.time == 4.0
    goal = edited.points[0][edited.keys[0].numbers[1]]
    assert handle.position(goal) == pytest.approx([3, 2, 5], abs=1e-5)
    numbers, points = handle.moved_trail(trails, goal)
    assert points == pytest.approx(edited.points[0][numbers], abs=1e-5)
    rest = np.setdiff1d(np.arange(len(trails.times)), numbers)
    assert trails.points[0][rest] == pytest.approx(edited.points[0][rest], abs=1e-5)


def test_a_root_that_stands_still_has_no_handle_and_no_travel(document: Document, tmp_path: Path) -> None:
    nodes = [Node("root", keys=[Key(), Key(8, position=(8, 0, 2))])]
    path = tmp_path / "root.msh"
    path.write_bytes(ModelBuilder.of(nodes).build())
    walking = Document.open(FileStore(), Source(Address.given(str(path))))
    still = ViewState()
    assert handle_of(walking, still, trails_of(walking, still, (0,)), 0, 1) is None
    assert travel_of(walking, still) is None
    moving = travelling(still)
    assert handle_of(walking, moving, trails_of(walking, moving, (0,)), 0, 1) is not None
    way = travel_of(walking, moving)
    assert way is not None
    assert way[[0, -1]].tolist() == [[0, 0, 0], [8, 0, 2]]
    assert travel_of(document, moving) is None, "its root stays where it is"


def test_trails_are_found_again_for_all_that_moves_the_nodes_but_the_time() -> None:
    view = ViewState()
    playback = view.playback
    later = replace(view, time=3.0, past=5.0, playback=replace(playback, seconds=2.0))
    assert moment_key(later) == moment_key(view)
    off = replace(playback, machinery=replace(playback.machinery, is_on=False))
    for other in (
        replace(view, frames=FrameRange(2, 6)),
        replace(view, playback=replace(playback, clip=0)),
        replace(view, playback=off),
    ):
        assert moment_key(other) != moment_key(view)
