"""A small game, and the process of which copies are stopped at any moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mod_games import write_game
from tests.model.conftest import small_process

__all__ = ["small_process"]


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A game of its own for each test."""
    return write_game(tmp_path / "game")
