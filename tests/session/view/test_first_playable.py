"""What a model plays when it is opened: its walk, not all its movements."""

from __future__ import annotations

from pathlib import Path

import pytest

from viewer.model.clips.clip import Gait
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.opened.document import Document
from viewer.session.opened.source import Source
from viewer.session.view.playable import play_first
from viewer.session.view.view_state import ViewState

MODELS = Path(__file__).parents[3] / "assets" / "game" / "models.rlb"


def opened(stem: str) -> Document:
    return Document.open(FileStore(), Source(Address(MODELS, (f"{stem}.msh",))))


def test_a_machine_walks_instead_of_all_its_movements_in_one_go() -> None:
    document = opened("walker")
    view = play_first(ViewState(), document)
    clip = document.controller.clip(view.playback.clip)
    assert clip is not None
    assert clip.gait is Gait.WALK
    assert view.is_playing


@pytest.mark.parametrize(("stem", "clip"), [("s_tree_oak", 0), ("b_tower", None), ("drone", None)])
def test_without_a_walk_the_first_clip_that_moves_or_all_frames(stem: str, clip: int | None) -> None:
    """The tower has only a clip that stands still, the drone has no controller."""
    view = play_first(ViewState(), opened(stem))
    assert view.playback.clip == clip
    assert view.is_playing
