"""What every test may use."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("house", deadline=None)
settings.register_profile("long", deadline=None, max_examples=3000)
settings.load_profile("house")


@pytest.fixture(scope="session")
def samples() -> Path:
    """The corpora of an independent writer, beside the checkout; skips where they are absent."""
    folder = Path(__file__).parents[2] / "shared" / "samples"
    if not folder.is_dir():
        pytest.skip("the sample corpora are not beside the checkout")
    return folder
