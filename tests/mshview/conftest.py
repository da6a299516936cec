"""The sample game, for the library."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from viewer.resources import bundled_path


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A copy of the sample game."""
    return Path(shutil.copytree(bundled_path("assets/game"), tmp_path / "game"))
