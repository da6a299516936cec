"""New models in archives: with their materials in the libraries of the game folder, all of it or nothing."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.builders import archive_of
from tests.cli.console import Capture, failure, json_of, success
from tests.corpora import GAME
from tests.operations.test_import_materials import exported, pixels, tank_in, without_extras
from tests.operations.test_importing import models_in
from viewer.cli.main import main
from viewer.formats import wear
from viewer.formats.archive import nres
from viewer.formats.archive.nres import NAME_SIZE
from viewer.model.convert import exchange
from viewer.model.convert.scene import Mesh, Node, Primitive, Scene, SceneMaterial
from viewer.model.convert.scene_file import SceneFile, nothing
from viewer.model.convert.scene_images import SceneImage
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.imports.new_model import plan_new_entry
from viewer.operations.imports.output import written_import
from viewer.operations.opening import Source
from viewer.operations.reading_options import ReadingOptions

PLANKS = SceneImage("planks", pixels(8, 8, seed=21))
WOOD = SceneMaterial("Wood", image=0, is_two_sided=True)
RED = SceneMaterial("Material.001", color=(0.8, 0.2, 0.1, 1.0), is_two_sided=True)
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 1]], np.float32)


def crate(*materials: SceneMaterial, image: SceneImage = PLANKS) -> Scene:
    """A node with a triangle of each material."""
    shapes = [
        Primitive(CORNERS + row, np.array([[0, 1, 2]]), uvs=CORNERS[:, [0, 2]].copy(), material=row)
        for row in range(len(materials))
    ]
    node = Node("Cube", cells={(0, 0): 0})
    return Scene("crate", (node,), (Mesh("Cube", tuple(shapes)),), materials=materials, images=(image,))


def write_as(folder: Path, scene: Scene, name: str = "crate.glb") -> Path:
    """A file of a scene as Blender writes it: without custom properties."""
    (folder / "files").mkdir(exist_ok=True)
    for made, data in exchange.files_of(scene, name.rpartition(".")[2], "crate").items():
        text = without_extras(bytes(data)) if made.endswith(".glb") else bytes(data)
        path = folder / "files" / (name if made == f"crate.{name.rpartition('.')[2]}" else made)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text)
    return folder / "files" / name


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A game folder with a tank."""
    folder = tmp_path / "game"
    folder.mkdir()
    tank_in(folder)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {it.name: it.read_bytes() for it in folder.iterdir() if it.suffix != ".bak"}


def names_in(path: Path) -> list[str]:
    return [it.text for it in nres.Archive.read(path.read_bytes()).entries]


def wear_names(path: Path, entry: str) -> list[bytes]:
    table = wear.decode(FileStore().open(Address(path, (entry,))).data)
    return [it.name for it in table.materials]


def test_model_wear_materials_and_textures_enter_in_one_step(game: Path, capsys: Capture) -> None:
    file, archive = write_as(game.parent, crate(WOOD, RED)), game / "models.rlb"
    before = {name: nres.Archive.read(data) for name, data in contents(game).items()}
    told = json_of(capsys, "import", file, "--into", f"{archive}::crate.msh", "--in-place", "--textures")
    assert [(it["item"], it["is_made"]) for it in told["items"]] == [
        ("Textures.lib::planks.0", True),
        ("Material.lib::Wood", True),
        ("Material.lib::Material.001", True),
    ]
    assert told["lossy"] == []
    added = {"models.rlb": ["crate.msh", "crate.wea"], "Textures.lib": ["planks.0"]}
    added["Material.lib"] = ["Wood", "Material.001"]
    for name, old in before.items():
        new = nres.Archive.read((game / name).read_bytes())
        assert [it.text for it in new.entries] == [*(it.text for it in old.entries), *added.get(name, [])]
        for entry in old.entries:
            assert new.payload(entry.index) == old.payload(entry.index)
    scene = exported(Address(archive, ("crate.msh",)))
    wood, red = scene.materials
    assert (wood.name, red.name, red.image) == ("Wood", "Material.001", None)
    assert np.allclose(red.color, RED.color, atol=0.5 / 255 + 1e-6)
    assert wood.image is not None
    assert np.array_equal(scene.images[wood.image].pixels, PLANKS.pixels)
    success(capsys, "validate", "--strict", game)


def test_added_rows_are_those_of_their_archives(game: Path) -> None:
    store, file = FileStore(), write_as(game, crate(WOOD))
    address = Address(game / "models.rlb", ("crate.msh",))
    plan = plan_new_entry(
        store, SceneFile.open(store, file), Source(address, ReadingOptions(game=game)), makes_libraries=True
    )
    assert [*map(str, plan.worked_out(store).summary)] == [
        "models.rlb: 2 rows of entries added",
        "Textures.lib: one row of entries added",
        "Material.lib: one row of entries added",
    ]


def test_a_second_import_changes_nothing(game: Path, capsys: Capture) -> None:
    file = write_as(game.parent, crate(WOOD, RED))
    arguments = ("import", file, "--into", f"{game / 'models.rlb'}::crate.msh", "--in-place")
    success(capsys, *arguments, "--textures")
    after = contents(game)
    for textures in (["--textures"], ["--textures", game / "Textures.lib"], []):
        assert json_of(capsys, *arguments, *textures)["identical"] is True
        assert contents(game) == after


@pytest.mark.parametrize("name", ["Wood~2", "Wood.001"])
def test_a_name_with_a_number_is_the_material_that_the_library_has(
    game: Path, capsys: Capture, name: str
) -> None:
    """A file has each name once: export writes GRASS~2 for a second row GRASS, Blender GRASS.001."""
    into = ("--in-place", "--textures")
    first = write_as(game.parent, crate(WOOD))
    success(capsys, "import", first, "--into", f"{game / 'models.rlb'}::crate.msh", *into)
    file = write_as(game.parent, crate(WOOD, replace(WOOD, name=name), RED), "two.glb")
    told = json_of(capsys, "import", file, "--into", f"{game / 'models.rlb'}::two.msh", *into)
    assert [it["item"] for it in told["items"]] == ["Material.lib::Material.001"]
    assert told["lossy"] == []
    assert f"material {name} is Wood of the library" in told["notes"]
    assert wear_names(game / "models.rlb", "two.wea") == [b"Wood", b"Material.001"]
    assert [
        it["material"] for it in json_of(capsys, "materials", f"{game / 'models.rlb'}::two.msh")["batches"]
    ] == [
        "Wood",
        "Wood",
        "Material.001",
    ]


def test_materials_of_one_name_and_another_look_get_a_name_of_their_own(game: Path, capsys: Capture) -> None:
    """What the library has stays as it is, and a later import of the file knows the new names."""
    image = SceneImage("steel", pixels(8, 8, seed=5))
    steel, plain = SceneMaterial("STEEL", image=0), SceneMaterial("LAMP", color=(0.1, 0.2, 0.9, 1.0))
    file = write_as(game.parent, crate(steel, plain, image=image))
    old = {it: nres.Archive.read((game / it).read_bytes()) for it in ("Material.lib", "Textures.lib")}
    arguments = ("import", file, "--into", f"{game / 'models.rlb'}::crate.msh", "--in-place", "--textures")
    told = json_of(capsys, *arguments)
    assert [it["item"] for it in told["items"]] == [
        "Textures.lib::steel_2.0",
        "Material.lib::STEEL_2",
        "Material.lib::LAMP_2",
    ]
    assert told["lossy"] == [
        f"material {name} is called {name}_2: Material.lib has one of its name that looks unlike it"
        for name in ("STEEL", "LAMP")
    ]
    assert wear_names(game / "models.rlb", "crate.wea") == [b"STEEL_2", b"LAMP_2"]
    for name, archive in old.items():
        new = nres.Archive.read((game / name).read_bytes())
        assert all(new.payload(it.index) == archive.payload(it.index) for it in archive.entries)
    after = contents(game)
    assert json_of(capsys, *arguments)["identical"] is True
    assert contents(game) == after
    other = ("import", file, "--into", f"{game / 'models.rlb'}::other.msh", "--in-place", "--textures")
    assert json_of(capsys, *other)["items"] == [], "what was added for the first is used by the second"
    assert wear_names(game / "models.rlb", "other.wea") == [b"STEEL_2", b"LAMP_2"]


def test_names_that_no_field_holds_are_cut_and_said(game: Path, capsys: Capture) -> None:
    long, cyrillic = "A material with a name that no entry of a library holds", "Дерево крашеное"
    scene = crate(
        replace(WOOD, name=f"{long} 1"),
        replace(RED, name=f"{long} 2"),
        replace(RED, name=cyrillic, color=(0.2, 0.5, 0.5, 1.0)),
        image=replace(PLANKS, name="очень длинное имя картинки"),
    )
    file = write_as(game.parent, scene)
    arguments = ("import", file, "--into", f"{game / 'models.rlb'}::crate.msh", "--in-place", "--textures")
    told = json_of(capsys, *arguments)
    first, second = long.replace(" ", "_")[: NAME_SIZE - 1], long.replace(" ", "_")[: NAME_SIZE - 3] + "_2"
    words = [it.decode("cp1251") for it in wear_names(game / "models.rlb", "crate.wea")]
    assert words == [first, second, "Дерево_крашеное"]
    assert [it for it in told["lossy"] if "material" in it] == [
        f"material {name} is called {word} in the wear table"
        for name, word in zip((f"{long} 1", f"{long} 2", cyrillic), words, strict=True)
    ]
    assert names_in(game / "Material.lib")[-3:] == words
    assert names_in(game / "Textures.lib")[-1] == "очень_длинное.0"
    after = contents(game)
    assert json_of(capsys, *arguments)["identical"] is True
    assert contents(game) == after


def test_an_obj_file_with_its_library_enters_too(game: Path, capsys: Capture) -> None:
    file = write_as(game.parent, crate(WOOD, RED), "crate.obj")
    text = "\n".join(it for it in file.read_text().splitlines() if not it.startswith("#"))
    file.write_text(text)
    arguments = ("import", file, "--into", f"{game / 'models.rlb'}::crate.msh", "--in-place", "--textures")
    items = [it["item"] for it in json_of(capsys, *arguments)["items"]]
    assert [it.partition("::")[0] for it in items] == ["Textures.lib", "Material.lib", "Material.lib"]
    scene = exported(Address(game / "models.rlb", ("crate.msh",)))
    wood, red = scene.materials
    assert wood.image is not None
    assert np.array_equal(scene.images[wood.image].pixels, PLANKS.pixels)
    assert np.allclose(red.color, RED.color, atol=1 / 255)
    after = contents(game)
    assert json_of(capsys, *arguments)["identical"] is True
    assert contents(game) == after


def test_materials_of_an_obj_file_of_another_program_keep_their_new_names(
    game: Path, capsys: Capture
) -> None:
    file = write_as(game.parent, crate(replace(WOOD, name="STEEL"), replace(RED, name="Доска")), "crate.obj")
    library = file.with_name("crate.mtl")
    for path in (file, library):  # without what this program writes about parts and materials
        text = re.sub(r"~m\d+|~n\d+\.s\d+\.b\d+", "", path.read_text("utf-8"))
        path.write_text("\n".join(it for it in text.splitlines() if not it.startswith("#")), "utf-8")
    file.with_name("crate.obj.json").unlink()
    arguments = ("import", file, "--into", f"{game / 'models.rlb'}::crate.msh", "--in-place", "--textures")
    json_of(capsys, *arguments)
    words = [it.decode("cp1251") for it in wear_names(game / "models.rlb", "crate.wea")]
    assert words == ["STEEL_2", "Доска"]
    after = contents(game)
    told = json_of(capsys, *arguments)
    assert (told["identical"], told["lossy"]) == (True, [])
    assert contents(game) == after


def test_without_textures_what_is_lost_is_named(game: Path, capsys: Capture) -> None:
    file = write_as(game.parent, crate(WOOD, RED))
    arguments = ("import", file, "--into", f"{game / 'models.rlb'}::crate.msh", "--in-place")
    told = json_of(capsys, *arguments, "--dry-run")
    assert told["lossy"] == [
        "texture planks.0 is left out",
        "material Wood is left out: Material.lib does not have it",
        "material Material.001 is left out: Material.lib does not have it",
    ]
    assert [it["is_made"] for it in told["items"]] == [False, False, False]
    before = contents(game)
    assert main([*map(str, arguments), "--exact"]) == 1
    assert contents(game) == before


def test_items_are_declined(game: Path, capsys: Capture) -> None:
    file = write_as(game.parent, crate(WOOD, RED))
    into = f"{game / 'models.rlb'}::crate.msh"
    arguments = ("import", file, "--into", into, "--in-place", "--textures", "--without")
    assert "Material.lib::Wood, Material.lib::Material.001" in failure(capsys, *arguments, "WOOD")
    told = json_of(capsys, *arguments, "Material.lib::Material.001")
    assert told["lossy"] == ["material Material.001 is left out: Material.lib does not have it"]
    assert names_in(game / "Material.lib")[-1] == "Wood"


def test_named_libraries_say_which_game_folder(game: Path, tmp_path: Path, capsys: Capture) -> None:
    """Of an archive somewhere else, and of one whose model exists; those that are missing are made."""
    elsewhere = tmp_path / "mod"
    elsewhere.mkdir()
    archive = elsewhere / "models.rlb"
    archive.write_bytes(archive_of({}))
    file, into = write_as(tmp_path, crate(WOOD, RED)), f"{archive}::crate.msh"
    error = failure(capsys, "import", file, "--into", into, "--in-place", "--textures")
    assert error.endswith("no game folder is known; --textures FOLDER/Textures.lib names it")
    success(capsys, "import", file, "--into", into, "--in-place", "--textures", game / "textures.LIB")
    assert names_in(game / "Material.lib")[-2:] == ["Wood", "Material.001"]
    into = f"{archive}::other.msh"
    success(capsys, "import", file, "--into", into, "--in-place", "--textures", elsewhere / "Textures.lib")
    assert names_in(elsewhere / "Material.lib") == ["Wood", "Material.001"]
    assert names_in(elsewhere / "Textures.lib") == ["planks.0"]
    assert not (elsewhere / "LightMap.lib").exists()
    told = json_of(
        capsys, "import", file, "--into", into, "--dry-run", "--textures", elsewhere / "Textures.lib"
    )
    assert (told["identical"], told["lossy"]) == (True, [])
    error = failure(
        capsys,
        "import",
        file,
        "--into",
        into,
        "--in-place",
        "--textures",
        game / "Textures.lib",
        "--game",
        ".",
    )
    assert "which --game names" in error


def test_nothing_is_half_written(game: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    file, before = write_as(game.parent, crate(WOOD, RED)), contents(game)
    real = Path.replace

    def replaced(self: Path, target: Path) -> Path:
        if Path(target).suffix == ".rlb":
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replaced)
    into = f"{game / 'models.rlb'}::crate.msh"
    failure(capsys, "import", file, "--into", into, "--in-place", "--textures")
    assert contents(game) == before


def _entered(folder: Path, scene: Scene, name: str) -> tuple[list[str], Scene]:
    """What a model that was exported adds to the libraries of a folder, and how it is exported again."""
    ((_, data),) = exchange.files_of(scene, "glb", "model").items()
    file, address = SceneFile(Path("model.glb"), data, "glb", nothing), Address(folder / "new.rlb", (name,))
    store = FileStore()
    plan = plan_new_entry(
        store, file, Source(address, ReadingOptions(game=folder)), makes_libraries=True
    ).worked_out(store)
    assert plan.losses == ()
    written = written_import(store, plan, None, is_alone=False, has_wear=True)
    for it in written:
        it.path.write_bytes(it.after)
    return [it.item for it in plan.changes], exported(address)


def test_models_of_the_game_use_what_it_has_and_bring_it_along(tmp_path: Path) -> None:
    """Pages, lightmaps, portals and animated materials among them."""
    other = tmp_path / "other"
    for folder in (tmp_path, other):
        folder.mkdir(exist_ok=True)
        (folder / "new.rlb").write_bytes(archive_of({}))
    for library in GAME.glob("*.lib"):
        (tmp_path / library.name).write_bytes(library.read_bytes())
    terrain = Address(GAME / "DATA" / "MAPS" / "SAMPLE" / "Land.msh")
    models = [it for it in models_in(GAME) if it != terrain]
    for number, address in enumerate(models):
        before = exported(address)
        items, _ = _entered(tmp_path, before, f"{number}.msh")
        assert items == [], address
        _, after = _entered(other, before, f"{number}.msh")
        rows = {it.row: it for it in after.materials}
        for it in before.materials:
            found = rows[it.row]
            assert (found.name, found.alpha, found.is_unlit) == (it.name, it.alpha, it.is_unlit), address
            assert np.allclose(found.color, it.color, atol=0.6 / 255), (address, it.name)
            assert np.allclose(found.emissive, it.emissive, atol=0.6 / 255), (address, it.name)
            assert np.allclose(found.sub_image, it.sub_image), (address, it.name)
            assert (found.lightmap is None, found.image is None) == (it.lightmap is None, it.image is None)
