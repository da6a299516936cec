"""Where tests find files: the bundled game, and the corpora of an independent writer.

They lie next to the checkout, or where ``MSHVIEW_SAMPLES`` says.

A test that holds something against the truth of the corpora takes the fixture ``samples`` and skips without
them. A test that only needs files is parametrized by `folders` and always has some.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[1]
GAME: Final = ROOT / "assets" / "game"
SAMPLES: Final = Path(os.environ.get("MSHVIEW_SAMPLES", ROOT.parent / "shared" / "samples"))
ABSENT: Final = "the sample corpora are neither next to the checkout nor where MSHVIEW_SAMPLES says"


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


OUR_PATHS = {
    "Res1": {"nodes"},
    "Res2": {"slots", "header"},
    "Res2.slot": {"slots"},
    "Res2.header": {"header"},
    "Res3": {"positions"},
    "Res4": {"normals"},
    "Res5": {"uvs"},
    "Res6": {"indices"},
    "Res7": {"tri_descriptors"},
    "Res8": {"keys"},
    "Res10": {"strings", "strings_tail"},
    "Res13": {"batches"},
    "Res15": {"stream15"},
    "Res18": {"stream18"},
    "Res19": {"frame_map"},
    "NRes.header": {"container"},
    "NRes.directory": {"directory"},
    "RsLi.entry": {"directory"},
    "MAT0.header": {"header"},
    "MAT0.phase": {"phases"},
    "MAT0.anim": {"blocks"},
    "MAT0.block": {"blocks"},
    "MAT0.tail": {"tail"},
    "Texm.header": {"header"},
    "Texm.mip": {"levels"},
    "Texm.Page": {"page_header", "pages", "tail"},
    "Texm.tail": {"tail"},
    "FXID.header": {"header"},
    "FXID.command": {"commands"},
    "FXID.tail": {"tail"},
    "WEAR": {"material_count", "materials"},
    "WEAR.LIGHTMAPS": {"heading", "lightmap_count", "lightmaps"},
}


def our_paths(names: list[str]) -> set[str]:
    """The paths that any of the manifest's names stands for; those that are not listed are the same."""
    return set[str]().union(*(OUR_PATHS.get(name, {name}) for name in names))
