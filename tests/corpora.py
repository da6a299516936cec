"""Where tests find files: the bundled game, and next to the checkout the corpora of an independent writer.

A test that holds something against the truth of the corpora takes the fixture ``samples`` and skips without
them. A test that only needs files is parametrized by `folders` and always has some.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
GAME: Final = ROOT / "assets" / "game"
SAMPLES: Final = ROOT.parent / "shared" / "samples"
ABSENT: Final = "the sample corpora are not next to the checkout"


def skip_module() -> None:
    """Skip a whole module of tests that hold something against the truth of the corpora."""
    __tracebackhide__ = True  # the report names the module, not this line, which all of them share
    if not SAMPLES.is_dir():
        pytest.skip(ABSENT, allow_module_level=True)


def folders(*corpora: str) -> pytest.MarkDecorator:
    """Parametrize a test by ``folder``: the bundled game, and those of some corpora that are there."""
    there = [name for name in corpora if (SAMPLES / name).is_dir()]
    return pytest.mark.parametrize(
        "folder",
        [
            pytest.param(GAME, id="bundled"),
            *(pytest.param(SAMPLES / name, id=name, marks=pytest.mark.corpora) for name in there),
        ],
    )
