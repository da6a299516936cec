"""Damaged textures, materials, wear tables and libraries: the model shows, and what is wrong is listed."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import painted
from tests.broken.fuzz import CHANGES, Changes, damaged
from tests.builders import ModelBuilder, Node, archive_of, quad
from tests.game_folders import SEE_THROUGH, texture
from viewer.errors import MshviewError
from viewer.formats import mat0, wear
from viewer.formats.archive import nres, rsli
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import Image, PixelFormat
from viewer.model.material.materials import FoundIn
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.render.offscreen import OffscreenRenderer
from viewer.render.textures.texture_store import TextureStore
from viewer.session.opened.document import Document
from viewer.session.view.camera import Camera
from viewer.session.view.textures import TextureSwitches
from viewer.session.view.view_state import Shading, ViewState

SIZE = (32, 32)
BACKGROUND = [51, 51, 51, 255]
ROOM, ROOM_PER_BYTE = 4 << 20, 64
"""Bytes that opening and drawing may take at once: anything, and on top of that each byte of the file."""
VIEW = ViewState(
    overlays=frozenset(),
    shading=Shading.TEXTURED,
    samples=1,
    camera=Camera(distance=4.0, yaw=pi, pitch=pi / 2, field_of_view=pi / 2, is_orthographic=True),
    textures=TextureSwitches(has_mip_maps=False, is_filtered=False),
)
"""Straight down at four units to either side: a quad of eight fills the picture."""
MODEL = ModelBuilder([Node("a", shapes={(0, 0): [quad(8)]})]).build()
TABLE = wear.build([b"A"])
TOLD_OF = {"M04", "M05", "W08"}
"""Rules of ours that are no errors, and yet a reason why a material is not drawn as its author meant it."""
SOUND = painted.libraries(
    {"DEFAULT": mat0.build([PhaseRecord()]), "A": mat0.build([PhaseRecord(b"A.0")])},
    {"A.0": texture(), "STONE.0": texture(), "MOSS.0": texture()},
    {"L.0": texture()},
) | {"objects.rlb": nres.build(())}


@pytest.fixture(scope="module")
def renderer() -> OffscreenRenderer:
    return OffscreenRenderer(Document.of("", ModelBuilder([]).model()))


def folder_with(folder: Path, files: Mapping[str, bytes | None], table: bytes = TABLE) -> Address:
    """A game folder with a model of one quad; files that are None are directories."""
    folder.mkdir(exist_ok=True)
    for name, data in files.items():
        if data is None:
            (folder / name).mkdir()
        else:
            (folder / name).write_bytes(data)
    (folder / "a.rlb").write_bytes(archive_of({"a.msh": MODEL, "a.wea": table}))
    return Address(folder / "a.rlb", ("a.msh",))


def shown(renderer: OffscreenRenderer, document: Document) -> Image:
    """The picture of a document, which has to fill it, and to leave no error behind."""
    renderer.show(document)
    picture = renderer.image(VIEW, SIZE)
    assert renderer.ctx.error == "GL_NO_ERROR"
    assert (picture != BACKGROUND).any(axis=2).all()
    return picture


def mutants(files: Path) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Damaged textures, materials and wear tables, and what the manifest says of each."""
    for mutant in json.loads((files / "damaged" / "manifest.json").read_text("utf-8"))["mutants"]:
        if mutant["kind"] in {"texm", "mat0", "wear"}:
            yield mutant, (files / "damaged" / mutant["file"]).read_bytes()


def with_mutant(folder: Path, mutant: Mapping[str, Any], data: bytes) -> Address:
    """A game folder in which the model uses some damaged bytes."""
    if mutant["kind"] == "wear":
        return folder_with(folder, SOUND, data)
    if mutant["kind"] == "texm":
        changed = painted.libraries({"A": mat0.build([PhaseRecord(b"A.0")])}, {"A.0": data})
        return folder_with(folder, SOUND | changed)
    entry = nres.NewEntry(int.from_bytes(b"MAT0", "little"), data, b"A", attr2=mutant["version"])
    return folder_with(folder, SOUND | {"Material.lib": nres.build([entry])})


def test_a_model_that_uses_something_damaged_shows(
    renderer: OffscreenRenderer, files: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for mutant, data in mutants(files):
        with subtests.test(mutant["name"]):
            check_mutant(renderer, tmp_path / mutant["name"], mutant, data)


def check_mutant(renderer: OffscreenRenderer, folder: Path, mutant: Mapping[str, Any], data: bytes) -> None:
    address = with_mutant(folder, mutant, data)
    tracemalloc.start()
    try:
        document = Document.open(FileStore(), Source(address))
        shown(renderer, document)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < ROOM + ROOM_PER_BYTE * len(data)
    listed = [str(finding) for finding in document.findings]
    if mutant["strict"] == "error":
        assert listed
    if mutant["kind"] != "wear":
        assert document.materials.rows[0].found is FoundIn.NAME
        is_told_of = mutant["name"].partition("_")[0] in TOLD_OF
        assert mutant["strict"] != "ok" or is_told_of or listed == []


def packed() -> bytes:
    """A library of the other kind of archive, empty."""
    header = rsli.HEADER.new()
    header[0] = (b"NL", 0, 1, 0, bytes(8), 0, bytes(4), 0, bytes(8))
    return header.tobytes()


@pytest.mark.parametrize("library", [*SOUND])
@pytest.mark.parametrize(
    "content", ["missing", b"", nres.build(()), packed(), b"[Textures]\r\n", b"NRes", None],
    ids=["missing", "empty file", "empty archive", "packed", "text", "cut", "directory"],
)  # fmt: skip
def test_a_game_folder_with_one_library_amiss_shows(
    renderer: OffscreenRenderer, tmp_path: Path, library: str, content: bytes | str | None
) -> None:
    files: dict[str, bytes | None] = {**SOUND}
    if isinstance(content, str):
        del files[library]
    else:
        files[library] = content
    document = Document.open(FileStore(), Source(folder_with(tmp_path, files)))
    shown(renderer, document)
    is_used = library in {"Material.lib", "Textures.lib"}
    assert bool(document.materials.problems) == is_used
    assert all(library in problem.text for problem in document.materials.problems) or content == nres.build(
        ()
    )


@pytest.mark.parametrize("content", [b"", nres.build(()), b"text"])
def test_a_game_folder_of_nothing_but_broken_libraries_shows(
    renderer: OffscreenRenderer, tmp_path: Path, content: bytes
) -> None:
    document = Document.open(FileStore(), Source(folder_with(tmp_path, dict.fromkeys(SOUND, content))))
    shown(renderer, document)
    assert document.materials.rows[0].is_missing
    assert document.findings


def test_a_texture_beyond_the_limit_of_the_card_shows_a_smaller_level(
    renderer: OffscreenRenderer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Levels of 16, 8, 4, 2 and 1: red, green, blue, yellow and white; with a limit of 4 it is blue."""
    colors = [(200, 0, 0), (0, 200, 0), (0, 0, 200), (200, 200, 0), (255, 255, 255)]
    levels = [bytes((*color[::-1], 255)) * (16 >> level) ** 2 for level, color in enumerate(colors)]
    header = texm.build(np.zeros((16, 16, 4), np.uint8), PixelFormat.ARGB8888, mip_count=5)[:32]
    phase = PhaseRecord(b"A.0", ambient=(255, 255, 255), diffuse=(0, 0, 0))
    files = painted.libraries({"A": mat0.build([phase])}, {"A.0": header + b"".join(levels)})
    document = Document.open(FileStore(), Source(folder_with(tmp_path, files)))
    monkeypatch.setattr(TextureStore, "limit", 4)
    assert shown(renderer, document)[16, 16].tolist() == [0, 0, 200, 255]


SEEDS = {
    "texm": texm.build(
        np.arange(8 * 8 * 4, dtype=np.uint8).reshape(8, 8, 4),
        PixelFormat.ARGB8888,
        mip_count=3,
        pages=[(0, 0, 4, 4)],
    ),
    "mat0": mat0.build(
        [PhaseRecord(b"A.0", page=0), PhaseRecord(b"B.0")], [mat0.block(1, 0x1F, [(0, 50), (1, 100)])]
    ),
    "wear": wear.build([b"A", b"B"], [b"L.0"]),
}


@pytest.mark.parametrize("kind", SEEDS)
def test_any_bytes_are_shown_or_refused(
    renderer: OffscreenRenderer, tmp_path_factory: pytest.TempPathFactory, kind: str
) -> None:
    @settings(
        deadline=None,
        max_examples=80,
        derandomize=True,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(CHANGES, st.floats(0, 1) | st.just(1.0))
    def check(changes: Changes, kept: float) -> None:
        pieces = SEEDS | {kind: damaged(SEEDS[kind], changes, kept)}
        files = painted.libraries(
            {"A": (SEE_THROUGH, pieces["mat0"])}, {"A.0": pieces["texm"]}, {"L.0": pieces["texm"]}
        )
        address = folder_with(tmp_path_factory.mktemp("fuzz"), files, pieces["wear"])
        try:
            document = Document.open(FileStore(), Source(address))
        except MshviewError:
            return
        renderer.show(document)
        for time in (0.0, 0.9):
            renderer.image(replace(VIEW, time=time), (8, 8))
        assert renderer.ctx.error == "GL_NO_ERROR"

    check()
