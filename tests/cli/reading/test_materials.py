"""The verb `materials`, and what `inspect` says about materials.

Damaged textures, materials, wear tables and libraries: the model shows, and what is wrong is listed.
"""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator, Mapping
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests import game_folders
from tests.broken import libraries
from tests.broken.fuzz import CHANGES, Changes, damaged
from tests.builders import ModelBuilder, Node, archive_of, box, quad
from tests.cli.console import Capture, failure, json_of, success
from tests.game_folders import SEE_THROUGH, texture
from tests.messages import states
from tests.render import painted
from tests.share import examples
from tests.terrains import terrain
from viewer.errors import MshviewError
from viewer.formats import mat0, wear
from viewer.formats.archive import nres, rsli
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import Image, PixelFormat
from viewer.model.game import installs
from viewer.model.game.installs import Install, Launcher
from viewer.model.material.materials import FoundIn
from viewer.model.mesh.reading import FIELD
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.render.offscreen import OffscreenRenderer
from viewer.render.textures.texture_store import TextureStore
from viewer.session.opened.document import Document
from viewer.session.view.camera import Camera
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.textures import TextureSwitches
from viewer.session.view.view_state import ViewState


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A game folder with a model of three batches, the second with the lightmap."""
    folder = game_folders.write(tmp_path / "game")
    shapes = [box(material=1), quad(material=2, has_lightmap=True), quad(material=3)]
    model = ModelBuilder.of([Node("a", shapes={(0, 0): shapes})], FIELD).build()
    table = wear.build([b"FIRST", b"glass", b"STONE", b"LOST"], [b"HALL.0"])
    (folder / "a.rlb").write_bytes(archive_of({"a.msh": model, "a.wea": table}))
    (tmp_path / "a.msh").write_bytes(model)
    return folder


def test_what_is_not_a_model_says_what_it_is(game: Path, capsys: Capture) -> None:
    said = failure(capsys, "materials", f"{game / 'a.rlb'}::a.wea")
    assert said.endswith("::a.wea: not a model: wear table")
    (game / "bad.msh").write_bytes(b"10")
    assert "not a model" not in failure(capsys, "materials", game / "bad.msh")


def test_every_batch_is_told(game: Path, capsys: Capture) -> None:
    address = f"{game / 'a.rlb'}::a.msh"
    document = json_of(capsys, "materials", address)
    assert document["source"] == address
    assert document["wear"] == f"{game / 'a.rlb'}::a.wea"
    assert document["reading"]["material_field"] == "field"
    assert "+0x02" in document["reading"]["why"]
    fields = ("batch", "row", "material", "found", "texture_found", "lightmap", "blend")
    assert [tuple(row[field] for field in fields) for row in document["batches"]] == [
        (0, 1, "glass", "name", True, None, "alpha"),
        (1, 2, "STONE", "default", True, "HALL.0", "opaque"),
        (2, 3, "LOST", "name", False, None, "opaque"),
    ]
    assert document["batches"][0]["phase"] == {
        "ambient": [1, 1, 1, 1],
        "diffuse": [1, 1, 1, 1],
        "specular": [0, 0, 0, 1],
        "emissive": [0, 0, 0, 1],
        "power": 0,
        "texture": "GRADED.0",
        "page": None,
        "lit": True,
    }
    assert any(states(step, "Material.lib STONE") for step in document["batches"][1]["trace"])


def test_people_get_a_table_and_the_traces(game: Path, capsys: Capture) -> None:
    text = success(capsys, "materials", f"{game / 'a.rlb'}::a.msh")[0]
    assert "row  material  found    blend   phases  texture    lightmap  batches" in text
    assert "row 3, LOST" in text
    assert any(states(line, "Textures.lib NOWHERE.0") for line in text.splitlines())


def test_a_game_folder_and_a_wear_table_are_taken(game: Path, capsys: Capture) -> None:
    alone = game.parent / "a.msh"
    assert {row["found"] for row in json_of(capsys, "materials", alone)["batches"]} == {"missing"}
    assert json_of(capsys, "materials", alone)["wear"] is None
    given = json_of(capsys, "materials", alone, "--game", game, "--wear", f"{game / 'a.rlb'}::a.wea")
    assert [row["found"] for row in given["batches"]] == ["name", "default", "name"]


def test_what_is_given_has_to_be_there(game: Path, capsys: Capture) -> None:
    model = game.parent / "a.msh"
    assert "no.wea" in failure(capsys, "materials", model, "--wear", game / "no.wea")
    assert str(game / "none") in failure(capsys, "materials", model, "--game", game / "none")
    assert "Material.lib" in failure(capsys, "materials", game / "Material.lib")


def test_a_terrain_has_a_row_for_each_material(game: Path, capsys: Capture) -> None:
    (game / "Land.msh").write_bytes(terrain())
    (game / "Land1.wea").write_bytes(wear.build([b"FIRST", b"SKIN", b"GLASS"]))
    batches = json_of(capsys, "materials", game / "Land.msh")["batches"]
    assert [(row["batch"], row["row"], row["found"], row["second_material"]) for row in batches] == [
        (None, 0, "name", None),
        (None, 1, "name", None),
    ]


def test_inspect_lists_materials_with_their_phases(game: Path, capsys: Capture) -> None:
    address = f"{game / 'a.rlb'}::a.msh"
    materials = json_of(capsys, "inspect", address)["materials"]
    assert [(row["row"], row["name"], row["batches"]) for row in materials] == [
        (1, "glass", [0]),
        (2, "STONE", [1]),
        (3, "LOST", [2]),
    ]
    assert materials[0]["entry"] == f"{game / 'Material.lib'}::GLASS"
    assert [phase["texture"] for phase in materials[2]["phases"]] == ["NOWHERE.0", "NODOT"]
    assert materials[0]["phases"][0]["alpha"] == "graded"
    assert any(states(line, "a.wea 1 glass") for line in success(capsys, "inspect", address)[0].splitlines())


def test_the_field_corpus_is_told_as_its_truth_says(samples: Path, capsys: Capture) -> None:
    truth = json.loads((samples / "field" / "truth.json").read_text(encoding="utf-8"))
    for key in ("game/bases.rlb::b_rare_01.msh", "game/static.rlb::tiny_01.msh"):
        model = truth["models"][key]
        batches = json_of(capsys, "materials", samples / "field" / key)["batches"]
        assert [row["row"] for row in batches] == model["material_rows"]
        assert [row["lightmap"] is not None for row in batches] == model["lightmapped"]
        assert [row["material"] for row in batches] == [model["materials"][row["row"]] for row in batches]


def test_a_wear_table_that_is_none_is_told_of(game: Path, capsys: Capture) -> None:
    model = game / "a.rlb"
    _, err = success(capsys, "materials", f"{model}::a.msh", "--wear", f"{model}::a.msh")
    assert err.startswith(f"mshview: warning: {model}::a.msh: ")
    assert err.count("\n") == 1
    _, err = success(capsys, "materials", f"{model}::a.msh", "--wear", f"{model}::a.wea")
    assert err == ""
    failure(capsys, "materials", f"{model}::a.msh", "--wear", f"{model}::lost.wea")


def test_an_empty_name_is_no_game_folder(game: Path, capsys: Capture) -> None:
    assert states(failure(capsys, "materials", f"{game / 'a.rlb'}::a.msh", "--game", ""), "folder")


@pytest.mark.parametrize("verb", ["materials", "inspect"])
def test_packed_libraries_are_reported_in_one_sentence(game: Path, capsys: Capture, verb: str) -> None:
    game_folders.write(game, Material=bytes(libraries.library()), LightMap=bytes(libraries.library()))
    printed, errors = success(capsys, verb, f"{game / 'a.rlb'}::a.msh")
    (line,) = [line for line in (printed + errors).splitlines() if "RsLi" in line]
    assert states(line, "warning Material.lib LightMap.lib packed")
    assert "Material.lib" not in printed


def test_a_game_found_on_this_computer_is_named_but_not_used(
    game: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    install = Install("/games/parkan", Launcher.STEAM)
    monkeypatch.setattr(installs, "find_installs", lambda: (install,))
    (tmp_path / "a.wea").write_bytes(wear.build([b"FIRST", b"GLASS"]))
    printed, errors = success(capsys, "materials", tmp_path / "a.msh", "--json")
    assert '--game "/games/parkan"  (Steam)' in errors
    assert {batch["found"] for batch in json.loads(printed)["batches"]} == {"missing"}
    assert "/games/parkan" not in success(capsys, "materials", f"{game / 'a.rlb'}::a.msh")[1]
    assert '--game "/games/parkan"  (Steam)' in success(capsys, "help")[0]


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
MODEL = ModelBuilder.of([Node("a", shapes={(0, 0): [quad(8)]})]).build()
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
    return OffscreenRenderer(Document.of(CURRENT, ModelBuilder.of([]).model()))


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
    first, data = next(iter(mutants(files)))
    address = with_mutant(tmp_path / "first", first, data)
    # Modules, texts and tables that are loaded once are not memory of a damaged file.
    shown(renderer, Document.open(FileStore(), Source(address)))
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
        max_examples=examples(80),
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
