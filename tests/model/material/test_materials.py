"""What batches are drawn with, in small game folders and with damaged files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import game_folders
from tests.builders import ModelBuilder, Node, archive_of, box, legacy24, quad
from tests.game_folders import MAT0, TEXM, drawn_with, materials_of, wear_of
from tests.messages import states
from viewer.errors import FormatError
from viewer.formats import mat0, wear
from viewer.formats.archive import nres
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.msh.tables import STREAM18
from viewer.model.material import entry
from viewer.model.material.lookup import MaterialLookup
from viewer.model.material.materials import (
    PLAIN_PHASE,
    AlphaKind,
    Blend,
    FoundIn,
    Rectangle,
    TextureRef,
    TraceStep,
    blend_of,
)
from viewer.model.material.selectors import WearTable
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import FIELD
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.operations.reading_options import ReadingOptions
from viewer.session.opened.document import Document


def test_every_step_of_the_way_is_told(tmp_path: Path) -> None:
    material = drawn_with(b"skin", tmp_path)
    assert material.trace == (
        "the word at +0x02 of the batch (seed reading) selects row 0",
        "a.wea: row 0 names 'skin'",
        f"names are looked up in {tmp_path}",
        "Material.lib: entry 2, 'SKIN'",
        "attr1 is 0x2, blend index 0: opaque, ordinary skin",
        "phase 0 names the texture 'GRADED.0'",
        "Textures.lib: entry 1, 'GRADED.0', 8 x 8, format 8888, 1 level",
    )
    assert material.problems == ()


@pytest.mark.parametrize(
    ("name", "blend", "alpha"),
    [
        (b"FIRST", Blend.OPAQUE, AlphaKind.NONE),
        (b"SKIN", Blend.OPAQUE, AlphaKind.GLOSS),
        (b"LEAVES", Blend.ALPHA, AlphaKind.CUTOUT),
        (b"GLASS", Blend.ALPHA, AlphaKind.TRANSLUCENT),
        (b"GLOW", Blend.ADD, AlphaKind.NONE),
    ],
)
def test_alpha_means_what_the_material_says(
    tmp_path: Path, name: bytes, blend: Blend, alpha: AlphaKind
) -> None:
    material = drawn_with(name, tmp_path)
    assert (material.blend, material.alphas) == (blend, (alpha,))


@pytest.mark.parametrize(
    ("attr1", "mode"), [(0, 0), (2, 0), (4, 4), (5, 4), (8, 2), (12, 3), (16, 5), (20, 0), (0x40, 0)]
)
def test_four_bits_choose_the_blend_mode(attr1: int, mode: int) -> None:
    assert blend_of(attr1) == mode


def test_an_unknown_blend_mode_is_opaque_and_told(tmp_path: Path) -> None:
    material = drawn_with(b"ODD", tmp_path)
    assert material.blend is Blend.OPAQUE
    assert any(states(problem, "blend 15") for problem in material.problems)


def test_black_diffuse_and_white_ambient_are_unlit(tmp_path: Path) -> None:
    assert not drawn_with(b"GLOW", tmp_path).phases[0].is_lit
    assert drawn_with(b"SKIN", tmp_path).phases[0].is_lit


def test_sub_images_are_cut_to_the_texture(tmp_path: Path) -> None:
    material = drawn_with(b"ATLAS", tmp_path)
    assert [picture and picture.page for picture in material.textures] == [None, (4, 4, 4, 2), None, None]
    assert [phase.page for phase in material.phases] == [None, 1, 2, 3]
    for phase, problem in zip((2, 3), material.problems, strict=True):
        assert states(problem, f"phase {phase} rectangle {phase} ATLAS.0")


def test_equal_phases_share_their_texture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 60,000 phases each would be cut, and its step made, though no trace lists it."""
    cut: list[int] = []
    real = entry._page

    def page(texture: TextureRef, row: int, phase: int) -> tuple[Rectangle | None, TraceStep]:
        cut.append(phase)
        return real(texture, row, phase)

    monkeypatch.setattr(entry, "_page", page)
    many = mat0.build([PhaseRecord(b"atlas.0", page=number % 3) for number in range(200)])
    material = drawn_with(b"MANY", tmp_path, Material=game_folders.archive(MAT0, {"MANY": many}))
    assert cut == [*range(entry.TRACED_PHASES)]
    assert [id(texture) for texture in material.textures[-3:]] == [
        id(material.textures[number]) for number in (62, 63, 61)
    ]  # 197, 198, 199 are 2, 0, 1 of 3
    assert [texture and texture.page for texture in material.textures[:3]] == [
        (0, 0, 4, 4),
        (4, 4, 4, 2),
        None,
    ]


def test_a_missing_texture_is_a_problem_of_a_material_that_is_found(tmp_path: Path) -> None:
    material = drawn_with(b"LOST", tmp_path)
    assert material.found is FoundIn.NAME
    assert material.textures == (None, None)
    assert list(map(str, material.missing)) == ["no texture NOWHERE.0", "no texture NODOT"]
    for name, problem in zip(("NOWHERE.0", "NODOT"), material.problems, strict=True):
        assert states(problem, f"Textures.lib {name}")
    assert drawn_with(b"GLOW", tmp_path).missing_of(0) is None


def test_a_row_that_does_not_exist_is_missing(tmp_path: Path) -> None:
    model = ModelBuilder.of([Node("a", shapes={(0, 0): [box(material=3)]})]).model()
    folder = game_folders.write(tmp_path)
    (material,) = materials_of(model, wear_of([b"SKIN"]), folder, ReadingChoice.SEED).rows
    assert (material.row, material.name, material.is_missing) == (3, None, True)
    assert material.phases == (PLAIN_PHASE,)
    (problem,) = material.problems
    assert states(problem, "a.wea 3 1")
    assert states(str(material.missing_of(0)), "wear row 3")


def test_without_a_wear_table_or_a_game_folder_nothing_is_found(tmp_path: Path) -> None:
    model = ModelBuilder.of([Node("a", shapes={(0, 0): [box(material=1)]})]).model()
    nothing = materials_of(model, WearTable(CURRENT, problem="there is no wear table"), tmp_path)
    assert (nothing.wear_source, nothing.wear_names) == (None, ())
    assert nothing.rows[0].problems == ("there is no wear table",)
    assert states(str(nothing.rows[0].missing_of(0)), "wear table")
    named = materials_of(model, wear_of([b"A", b"SKIN"])).rows[0]
    assert (named.name, named.is_missing) == ("SKIN", True)
    (problem,) = named.problems
    assert states(problem, "game folder")
    assert states(str(named.missing_of(0)), "material SKIN")


@pytest.mark.parametrize("library", ["Material", "Textures", "LightMap"])
def test_a_folder_without_one_library_shows_what_the_others_have(tmp_path: Path, library: str) -> None:
    folder = game_folders.write(tmp_path, **{library: None})
    model = lightmapped().model()
    (material,) = materials_of(model, wear_of([b"SKIN"], [b"HALL.0"]), folder).rows
    assert material.is_missing == (library == "Material")
    assert (material.textures[0] is None) == (library != "LightMap")
    assert (material.lightmap is None) == (library == "LightMap")
    missing = {"Material": "material SKIN", "Textures": "texture GRADED.0", "LightMap": "None"}
    assert states(str(material.missing_of(0)), missing[library])
    assert states(str(material.missing_lightmap), "HALL.0" if library == "LightMap" else "None")
    (problem,) = material.problems
    assert states(problem, f"{library}.lib {folder}")


def lightmapped() -> ModelBuilder:
    builder = ModelBuilder.of([Node("a", shapes={(0, 0): [quad(has_lightmap=True)]})], FIELD)
    builder.tables[STREAM18] = bytes(4 * len(builder.positions))
    return builder


def test_the_ambient_alpha_is_per_cent_and_the_others_are_255ths(tmp_path: Path) -> None:
    library = game_folders.archive(
        MAT0,
        {
            "FAINT": mat0.build([PhaseRecord(ambient_alpha=60, diffuse_alpha=51, specular_alpha=0)]),
            "FULL": mat0.build([PhaseRecord(emissive_alpha=102)]),
        },
    )
    known = MaterialLookup(game_folders.write(tmp_path, Material=library), FileStore())
    model = ModelBuilder.of([Node("a", shapes={(0, 0): [box(), box(material=1)]})]).model()
    rows = Document.of(CURRENT, model, wears=[wear_of([b"FAINT", b"FULL"])], libraries=known).materials.rows
    phases = [phase for material in rows for phase in material.phases]
    alphas = [[color[3] for color in (p.ambient, p.diffuse, p.specular, p.emissive)] for p in phases]
    assert alphas == [[0.6, 0.2, 0.0, 1.0], [1.0, 1.0, 1.0, 0.4]]


def test_a_material_of_countless_phases_has_a_short_trace(tmp_path: Path) -> None:
    phases = [PhaseRecord(b"T%d.0" % number) for number in range(1000)]
    library = game_folders.archive(MAT0, {"A": mat0.build(phases)})
    model = ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})]).model()
    (material,) = materials_of(model, wear_of([b"A"]), game_folders.write(tmp_path, Material=library)).rows
    assert len(material.phases) == len(material.textures) == len(material.alphas) == 1000
    assert len(material.trace) < 200
    assert states(material.trace[-1], "936 phases 936 missing")


def test_the_phases_that_a_trace_counts_are_missing_by_their_textures(tmp_path: Path) -> None:
    """Of the phases behind the 64 listed ones one has no texture, and one texture does not exist."""
    names = [b"PLAIN.0"] * 62 + [b"", b"PLAIN.0", b"", b"GONE.0", b"PLAIN.0"]
    library = game_folders.archive(MAT0, {"A": mat0.build([PhaseRecord(name) for name in names])})
    model = ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})]).model()
    (material,) = materials_of(model, wear_of([b"A"]), game_folders.write(tmp_path, Material=library)).rows
    assert any(states(step, "phase 62 no texture") for step in material.trace)
    assert any(states(step, "3 more phases 1 missing") for step in material.trace)


def test_a_legacy_model_has_materials(tmp_path: Path) -> None:
    model = Model.read(legacy24([quad(), quad(material=1)]))
    found = materials_of(model, wear_of([b"SKIN", b"GLASS"]), game_folders.write(tmp_path))
    assert [found.rows[row].name for row in found.of_batch] == ["SKIN", "GLASS"]


def test_a_wear_table_and_a_game_folder_can_be_given_by_hand(tmp_path: Path) -> None:
    folder = game_folders.write(tmp_path / "game")
    path = tmp_path / "a.msh"
    path.write_bytes(ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})]).build())
    alone = Document.open(FileStore(), Source(Address(path))).materials
    assert [states(problem, f"a.wea {tmp_path}") for problem in alone.rows[0].problems] == [True]
    (tmp_path / "other.wea").write_bytes(wear.build([b"GLASS"]))
    lost = Document.open(
        FileStore(), Source(Address(path), ReadingOptions(wear=Address(tmp_path / "other.wea")))
    ).materials
    assert [states(problem, f"game {tmp_path} material") for problem in lost.rows[0].problems] == [True]
    given = Document.open(
        FileStore(), Source(Address(path), ReadingOptions(wear=Address(tmp_path / "other.wea"), game=folder))
    )
    assert given.materials.rows[0].name == "GLASS"
    assert given.materials.rows[0].textures[0] is not None


def test_a_second_model_reuses_what_is_loaded(tmp_path: Path) -> None:
    game_folders.write(tmp_path)
    model = ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})]).build()
    table = wear.build([b"SKIN"])
    (tmp_path / "a.rlb").write_bytes(
        archive_of({"a.msh": model, "a.wea": table, "b.msh": model, "b.wea": table})
    )
    library = FileStore()
    first, second = (
        Document.open(library, Source(Address(tmp_path / "a.rlb", (name,)))).materials.rows[0].textures[0]
        for name in ("a.msh", "b.msh")
    )
    assert first is second is not None


def damaged(files: Path, kind: str) -> dict[str, bytes]:
    """Damaged files of one kind, by name."""
    folder = files / "damaged"
    mutants = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["mutants"]
    found = {item["name"]: (folder / item["file"]).read_bytes() for item in mutants if item["kind"] == kind}
    assert found
    return found


def test_a_model_with_a_damaged_material_is_resolved(
    files: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for name, data in damaged(files, "mat0").items():
        with subtests.test(name):
            check_damaged_material(tmp_path / name, data)


def check_damaged_material(folder: Path, data: bytes) -> None:
    library = game_folders.archive(MAT0, {"A": data})
    model = ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})]).model()
    (material,) = materials_of(model, wear_of([b"A"]), game_folders.write(folder, Material=library)).rows
    assert material.found is FoundIn.NAME
    assert len(material.phases) == len(material.textures) >= 1
    assert material.problems


def test_a_model_with_a_damaged_texture_is_resolved(
    files: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for name, data in damaged(files, "texm").items():
        with subtests.test(name):
            check_damaged_texture(tmp_path / name, data)


def check_damaged_texture(folder: Path, data: bytes) -> None:
    game_folders.write(
        folder,
        Material=game_folders.archive(MAT0, {"A": mat0.build([PhaseRecord(b"A.0")])}),
        Textures=game_folders.archive(TEXM, {"A.0": data}),
    )
    model = ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})]).model()
    (material,) = materials_of(model, wear_of([b"A"]), folder).rows
    picture = material.textures[0]
    assert material.found is FoundIn.NAME
    assert material.problems if picture is None else picture.texture.levels


def test_a_model_with_a_damaged_wear_table_is_resolved(
    files: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for name, data in damaged(files, "wear").items():
        with subtests.test(name):
            check_damaged_wear_table(tmp_path / name, data)


def check_damaged_wear_table(folder: Path, data: bytes) -> None:
    game_folders.write(folder)
    model = ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})]).build()
    (folder / "a.rlb").write_bytes(archive_of({"a.msh": model, "a.wea": data}))
    found = Document.open(FileStore(), Source(Address(folder / "a.rlb", ("a.msh",)))).materials
    try:
        is_sound = not any(item.severity == "error" for item in wear.decode(data).diagnostics)
    except FormatError:
        is_sound = False
    assert len(found.rows) == 1
    assert is_sound or found.problems


@pytest.mark.parametrize("name", [b"CUT", b"EMPTY"])
def test_a_material_without_phases_is_plain(tmp_path: Path, name: bytes) -> None:
    material = drawn_with(name, tmp_path)
    assert material.phases == (PLAIN_PHASE,)
    assert len(material.problems) == 1
    assert states(str(material.missing_of(0)), {b"CUT": "material CUT", b"EMPTY": "None"}[name])


def test_the_sample_resolves_completely() -> None:
    path = Path(__file__).parents[3] / "assets" / "game" / "models.rlb"
    archive = nres.Archive.read(path.read_bytes())
    library = FileStore()
    names = [entry.text for entry in archive.entries if entry.text.endswith(".msh")]
    assert len(names) >= 4
    for name in names:
        found = Document.open(library, Source(Address(path, (name,)))).materials
        assert found.problems == ()
        assert all(material.found is FoundIn.NAME for material in found.rows)


@pytest.mark.parametrize(
    ("stored", "opacity"),
    [(1.0, 1.0), (0.25, 0.25), (0.0, 0.0), (1.9, 1.0), (-3.0, 0.0), (float("nan"), 1.0)],
)
def test_the_factor_of_all_alphas_in_the_plain_look_is_between_nothing_and_one(
    tmp_path: Path, stored: float, opacity: float
) -> None:
    entry = (game_folders.SEE_THROUGH, mat0.build([PhaseRecord(b"GRADED.0")], ground=(255, 255, stored, 0)))
    folder = game_folders.write(tmp_path, Material=game_folders.archive(MAT0, {"A": entry}))
    model = ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})]).model()
    (material,) = materials_of(model, wear_of([b"A"]), folder).rows
    assert material.opacity == opacity
    assert "alpha times" not in "".join(material.trace), "the game draws nothing of it"
