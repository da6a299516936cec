"""What every test may use."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

if "PYTEST_XDIST_WORKER" in os.environ:
    # There is a worker per core: threads of the software rasterizer would only wait for each other.
    os.environ.setdefault("LP_NUM_THREADS", "0")

# Hundreds of processes of the program start: what Python compiles is kept, whatever the environment says.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

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


@pytest.fixture(autouse=True)
def _no_installs(monkeypatch: pytest.MonkeyPatch) -> None:
    """No game on this computer changes what is printed."""
    monkeypatch.setattr("viewer.model.game.this_computer.find_installs", lambda: ())


def pytest_collection_finish() -> None:
    """Take what was imported and collected out of later searches for garbage, which some tests do often."""
    gc.collect()
    gc.freeze()
