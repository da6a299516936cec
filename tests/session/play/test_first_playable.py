"""What a model plays when it is opened: its walk, not all its movements."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.controllers import NONE, State, build, game, model
from viewer.formats.neighbors import control
from viewer.model.clips.clip import Gait
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.opened.document import Document
from viewer.session.play.playable import play_first
from viewer.session.view.view_state import ViewState

GAME = Path(__file__).parents[3] / "assets" / "game"


def opened(stem: str, archive: str = "models.rlb") -> Document:
    return Document.open(FileStore(), Source(Address(GAME / archive, (f"{stem}.msh",))))


def test_a_machine_walks_instead_of_all_its_movements_in_one_go() -> None:
    document = opened("walker")
    view = play_first(ViewState(), document)
    clip = document.controller.clip(view.playback.clip)
    assert clip is not None
    assert clip.gait is Gait.WALK
    assert view.is_playing


@pytest.mark.parametrize(("stem", "clip"), [("s_tree_oak", 0), ("b_tower", 0), ("drone", None)])
def test_all_frames_are_played_only_without_a_controller(stem: str, clip: int | None) -> None:
    """The tree has a clip that moves, the tower only one that stands still, the drone no controller."""
    view = play_first(ViewState(), opened(stem))
    assert view.playback.clip == clip
    assert view.is_playing


def test_a_gun_that_stands_stays_in_the_image() -> None:
    """Its frames are those of its channels: played one after another, the barrels leave the image."""
    gun = opened("e_gun_tw_01", "guns.rlb")
    assert play_first(ViewState(), gun).playback.clip == 0


def test_a_clip_that_moves_only_by_its_second_pair_is_preferred(tmp_path: Path) -> None:
    states = [State((3, 3)), State(NONE, (0, 5))]
    folder = game(tmp_path, {"a.rlb": {"a.msh": model(), "a.ctl": control.encode(build(states))}}, None)
    document = Document.open(FileStore(), Source(Address(folder / "a.rlb", ("a.msh",))))
    assert play_first(ViewState(), document).playback.clip == 1
