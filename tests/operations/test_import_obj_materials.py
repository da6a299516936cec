"""Materials and pictures of OBJ files, edited: each edit changes the libraries or is named as lost."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from tests.cli.console import Capture, success
from tests.model.convert.scenes import resolver_of
from tests.operations.test_import_materials import (
    exported,
    made,
    pixels,
    tank_in,
    words,
)
from viewer.cli.main import main
from viewer.formats.texture.pixels import Image
from viewer.model.convert import exchange
from viewer.model.convert.building.wear_rows import GameLibraries
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.options import Options
from viewer.model.convert.pictures import images
from viewer.model.convert.scene_file import SceneFile
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.imports.importing import new_files
from viewer.operations.imports.plan import ImportPlan, compare
from viewer.operations.opening import Source, model_of

Files = dict[str, bytes]
Edit = Callable[[Files], None]


def files_of(tank: Address, *, has_textures: bool = True) -> Files:
    """The files of a tank, exported as OBJ."""
    scene = scene_of(model_of(FileStore(), Source(tank)), Options(has_textures=has_textures, is_y_up=False))
    return {name: bytes(data) for name, data in exchange.files_of(scene, "obj", "tank").items()}


def compared(tank: Address, files: Files) -> ImportPlan:
    """What files change in a tank."""
    file = SceneFile(Path("tank.obj"), files["tank.obj"], "obj", resolver_of(files))
    return compare(FileStore(), file, Source(tank))


def library_with(name: str, change: Callable[[str], str]) -> Edit:
    """Change what the library says of one material."""

    def edit(files: Files) -> None:
        text = files["tank.mtl"].decode()
        (block,) = re.findall(rf"newmtl {name}~m\d+\n(?:\S.*\n)*", text)
        assert change(block) != block
        files["tank.mtl"] = text.replace(block, change(block)).encode()

    return edit


def without(word: str) -> Callable[[str], str]:
    return lambda block: re.sub(rf"(?m)^{word} .*\n", "", block)


def with_values(block: str, **values: str) -> str:
    for word, value in values.items():
        block = re.sub(rf"(?m)^{word} .*$", f"{word} {value}", block)
    return block


def file_named(files: Files, end: str) -> str:
    (found,) = (name for name in files if name.endswith(end))
    return found


def painted(image: Image) -> Edit:
    """Paint over the picture of GLASS under its old name."""

    def edit(files: Files) -> None:
        files[file_named(files, "GRADED.0.png")] = images.write_png(image)

    return edit


def both(first: Edit, second: Edit) -> Edit:
    def edit(files: Files) -> None:
        first(files)
        second(files)

    return edit


def rewritten(block: str) -> str:
    """What another program makes of a material: it writes no lighting, and more statements."""
    return re.sub(r"(?m)^illum 0$", "illum 1", block) + "Ns 0.0\nNi 1.5\n"


PAINT = pixels(8, 8, seed=7, alpha=None)
EDITS = {
    "picture removed": (library_with("STEEL", without("map_Kd")), ["STEEL: set phases[0].texture to "]),
    "picture painted": (painted(PAINT), ["GRADED.0: replace the picture by one of 8 x 8 pixels"]),
    "picture of another material": (
        library_with("GLASS", lambda block: block.replace("2_GRADED.0", "0_STEEL.0")),
        ["GLASS: set phases[0].texture to STEEL.0"],
    ),
    "unlit": (
        library_with("STEEL", lambda it: without("Ke")(with_values(it, illum="0", Kd="1 0.5 0.5"))),
        ["STEEL: set phases[0].diffuse to [0, 0, 0]", "STEEL: set phases[0].ambient to [255, 128, 128]"],
    ),
    "lit": (
        library_with("LAMP", lambda it: with_values(it, illum="1", Kd="0.5 0.25 1")),
        ["LAMP: set phases[0].diffuse to [128, 64, 255]", "LAMP: set phases[0].ambient to [0, 0, 0]"],
    ),
}
LOSSES = {
    "picture removed": "material STEEL: its image is left out",
    "picture painted": "texture GRADED.0: its new image is left out",
    "picture of another material": "material GLASS: its image is left out",
    "unlit": "material STEEL: its lighting is left out",
    "lit": "material LAMP: its lighting is left out",
}


@pytest.mark.parametrize("has_sidecar", [True, False])
@pytest.mark.parametrize("name", EDITS)
def test_an_edit_changes_the_libraries_once(tmp_path: Path, name: str, *, has_sidecar: bool) -> None:
    """After it the same file changes nothing."""
    tank = tank_in(tmp_path)
    edit, expected = EDITS[name]
    files = files_of(tank)
    assert (words(compared(tank, files)), compared(tank, files).found.losses) == ([], ())
    edit(files)
    if not has_sidecar:
        del files["tank.obj.json"]
    found = compared(tank, files)
    assert (words(found), found.found.losses) == (expected, ())
    assert {it.loss for it in found.found.libraries} == {LOSSES[name]}
    _, changed = made(found)
    for file in changed:
        file.path.write_bytes(file.after)
    again = compared(tank, files)
    assert (words(again), again.found.losses, again.found.changes) == ([], (), ())


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_lost_without_textures(tmp_path: Path, capsys: Capture, name: str) -> None:
    tank, out = tank_in(tmp_path), tmp_path / "out.msh"
    files = files_of(tank)
    EDITS[name][0](files)
    for file, data in files.items():
        (tmp_path / file).write_bytes(data)
    arguments = ["import", str(tmp_path / "tank.obj"), "--template", str(tank), "-o", str(out)]
    assert main([*arguments, "--exact"]) == 1
    assert not out.exists()
    capsys.readouterr()
    assert json.loads(success(capsys, *arguments, "--json")[0])["lossy"] == [LOSSES[name]]


OTHER_MASK = "material {}: map_d is left out, as it is not the image of map_Kd"


@pytest.mark.parametrize(
    ("name", "change", "expected"),
    [
        (
            "STEEL",
            lambda block: f"{block}map_d tank_0_STEEL.0.png\n",
            ["material STEEL: its alpha mode is left out"],
        ),
        (
            "STEEL",
            lambda block: f"{block}map_d new.png\n",
            [OTHER_MASK.format("STEEL~m0"), "material STEEL: its alpha mode is left out"],
        ),
        ("HALO", without("map_d"), ["material HALO: its alpha mode is left out"]),
        ("HALO", lambda block: with_values(block, map_d="new.png"), [OTHER_MASK.format("HALO~m3")]),
        ("GLASS", without("map_d"), ["material GLASS~m2: its image keeps its alpha without map_d"]),
    ],
)
def test_a_mask_that_is_added_removed_or_changed_is_named(
    tmp_path: Path, name: str, change: Callable[[str], str], expected: list[str]
) -> None:
    tank = tank_in(tmp_path)
    for has_sidecar in (True, False):
        files = files_of(tank)
        library_with(name, change)(files)
        if not has_sidecar:
            del files["tank.obj.json"]
        found = compared(tank, files)
        assert (words(found), [*map(str, found.found.losses)]) == ([], expected), has_sidecar


def test_every_item_of_a_file_is_declined_on_its_own(tmp_path: Path, capsys: Capture) -> None:
    tank = tank_in(tmp_path)
    files = files_of(tank)
    both(EDITS["picture removed"][0], EDITS["picture painted"][0])(files)
    for file, data in files.items():
        (tmp_path / file).write_bytes(data)
    arguments = ("import", tmp_path / "tank.obj", "--into", tank, "--in-place", "--textures", "--json")
    told = json.loads(success(capsys, *arguments, "--without", "Material.lib::STEEL")[0])
    assert [(it["item"], it["is_made"]) for it in told["items"]] == [
        ("Material.lib::STEEL", False),
        ("Textures.lib::GRADED.0", True),
    ]
    assert told["lossy"] == ["material STEEL: its image is left out"]


def test_a_color_darker_than_the_light_of_the_scene_is_named(tmp_path: Path) -> None:
    """An unlit material cannot be that dark; the change that comes nearest is made once."""
    tank = tank_in(tmp_path)
    files = files_of(tank)
    library_with("LAMP", lambda it: with_values(it, Kd="1 0.1 0.5"))(files)
    expected = ["material LAMP: its color is darker than an unlit material can be"]
    found = compared(tank, files)
    assert words(found) == ["LAMP: set phases[0].ambient to [255, 26, 128]"]
    assert [*map(str, found.found.losses)] == expected
    _, changed = made(found)
    for file in changed:
        file.path.write_bytes(file.after)
    again = compared(tank, files)
    assert (words(again), [*map(str, again.found.losses)]) == ([], expected)


def test_a_black_material_stays_lit(tmp_path: Path) -> None:
    """The game takes one without diffuse for unlit: the darkest one is stored, and said, of new ones too."""
    tank = tank_in(tmp_path)
    for name, words_of_light in (("STEEL", []), ("LAMP", ["LAMP: set phases[0].ambient to [0, 0, 0]"])):
        files = files_of(tank)
        library_with(name, lambda it: with_values(it, Kd="0 0 0", illum="1"))(files)
        found = compared(tank, files)
        assert words(found) == [f"{name}: set phases[0].diffuse to [1, 1, 1]", *words_of_light]
        assert [*map(str, found.found.losses)] == [BLACK.format(name)]
        store, _ = made(found)
        assert not next(it for it in exported(tank, store).materials if it.name == name).is_unlit
    files = files_of(tank)
    copied("GOLD~m0", "Kd 0 0 0 #")(files)
    found = compared(tank, files)
    assert words(found) == ["Material.lib: add entry GOLD"]
    assert [*map(str, found.found.losses)] == [BLACK.format("GOLD")]
    assert BLACK.format("GOLD") in [*map(str, new_libraries(files).losses)]


def new_libraries(files: Files) -> GameLibraries:
    """The libraries of files without a model to compare them with."""
    file = SceneFile(Path("tank.obj"), files["tank.obj"], "obj", files.__getitem__)
    made = new_files(file, ReadingChoice.FIELD, has_libraries=True)
    assert made.libraries is not None
    return made.libraries


BLACK = "material {}: black is stored as 1, 1, 1, as the game shows black materials unlit"


def test_another_program_does_not_light_materials(tmp_path: Path) -> None:
    """Blender writes `illum 1` for those that are unlit, as it does not know them."""
    tank = tank_in(tmp_path)
    files = files_of(tank)
    library_with("LAMP", rewritten)(files)
    found = compared(tank, files)
    assert (words(found), found.found.losses) == ([], ())


def test_a_file_without_textures_says_nothing_of_them(tmp_path: Path) -> None:
    """One that a program added is an image all the same."""
    tank = tank_in(tmp_path)
    files = files_of(tank, has_textures=False)
    assert not [name for name in files if name.endswith(".png")]
    for has_sidecar in (True, False):
        if not has_sidecar:
            del files["tank.obj.json"]
        found = compared(tank, files)
        assert (words(found), found.found.losses) == ([], ()), has_sidecar
    files = files_of(tank, has_textures=False) | {"new.png": images.write_png(pixels(4, 4, seed=5))}
    library_with("LAMP", lambda block: f"{block}map_Kd new.png\n")(files)
    found = compared(tank, files)
    assert words(found) == ["Textures.lib: add entry new.0", "LAMP: set phases[0].texture to new.0"]


def test_pictures_that_are_elsewhere_are_not_compared_and_said(tmp_path: Path) -> None:
    tank = tank_in(tmp_path)
    files = {name: data for name, data in files_of(tank).items() if not name.endswith(".png")}
    found = compared(tank, files)
    assert (words(found), found.found.losses) == ([], ())
    assert "4 images are not in the folder of the file and are not compared" in [*map(str, found.found.notes)]
    files["tank_0_STEEL.0.png"] = b"no picture"
    assert "is not an image that can be read" in str(compared(tank, files).found.losses)


def copied(name: str, text: str = "") -> Edit:
    """Give the faces of GLASS to a further material of STEEL, of which the library says something else."""

    def edit(files: Files) -> None:
        (block,) = re.findall(r"newmtl STEEL~m0\n(?:\S.*\n)*", files["tank.mtl"].decode())
        more = block.replace("STEEL~m0", name).replace("Kd 0.78431374 ", text or "Kd 0.78431374 ")
        files["tank.mtl"] += more.encode()
        files["tank.obj"] = re.sub(rb"usemtl GLASS~m\d", f"usemtl {name}".encode(), files["tank.obj"])

    return edit


def test_a_copy_of_a_material_is_the_same_unless_it_looks_otherwise(tmp_path: Path) -> None:
    """The original keeps its look, whichever comes first in the file."""
    tank = tank_in(tmp_path)
    files = files_of(tank)
    copied("STEEL~m0.001")(files)
    found = compared(tank, files).found
    assert (words(compared(tank, files)), found.losses) == ([], ())
    assert [str(it.words) for it in found.changes] == ["assign material 0 to rows 2"]
    for is_first in (False, True):
        files = files_of(tank)
        copied("STEEL~m0.001", "Kd 0.1 ")(files)
        if is_first:
            before, last = files["tank.obj"].split(b"usemtl STEEL~m0.001")
            first = before.replace(b"usemtl STEEL~m0", b"usemtl STEEL~m0.001")
            files["tank.obj"] = first + b"usemtl STEEL~m0" + last
        result = compared(tank, files)
        assert words(result) == []
        assert [*map(str, result.found.losses)] == [
            "material STEEL.001 looks unlike STEEL, whose row it has; give it a name of its own"
        ], is_first


def test_a_copy_of_another_name_is_a_material_of_its_own(tmp_path: Path) -> None:
    tank = tank_in(tmp_path)
    files = files_of(tank)
    copied("GOLD~m0", "Kd 0.1 ")(files)
    found = compared(tank, files)
    assert words(found) == ["Material.lib: add entry GOLD"]
    assert "set materials[6].name to GOLD" in [str(it.words) for it in found.found.wear]
    assert found.found.losses == ()


def test_a_renamed_material_renames_its_row(tmp_path: Path) -> None:
    tank = tank_in(tmp_path)
    for has_sidecar in (True, False):
        files = {
            name: data.replace(b"STEEL~m0", b"GOLD~m0") if name.endswith((".obj", ".mtl")) else data
            for name, data in files_of(tank).items()
            if has_sidecar or name != "tank.obj.json"
        }
        found = compared(tank, files)
        assert [str(it.words) for it in found.found.wear] == ["set materials[0].name to GOLD"]
        assert words(found) == ["Material.lib: add entry GOLD"]
        store, _ = made(found)
        after = next(it for it in exported(tank, store).materials if it.name == "GOLD")
        before = next(it for it in exported(tank).materials if it.name == "STEEL")
        assert (after.color, after.emissive, after.alpha) == (before.color, before.emissive, before.alpha)
        assert exported(tank, store).images[after.image or 0].name == "STEEL.0"


def test_two_values_of_one_material_are_said(tmp_path: Path) -> None:
    tank = tank_in(tmp_path)
    files = files_of(tank)
    files["tank.mtl"] += b"newmtl STEEL~m0\nKd 1 0 0\nillum 1\n"
    found = compared(tank, files)
    assert words(found) == ["STEEL: set phases[0].diffuse to [255, 0, 0]"]
    assert [*map(str, found.found.losses)] == [
        "material STEEL~m0 has several values of Kd; the last one counts"
    ]


def test_names_find_materials_if_the_order_is_that_of_another_export(tmp_path: Path) -> None:
    """Without the JSON file an index may be that of other materials."""
    tank = tank_in(tmp_path)
    files = files_of(tank)
    del files["tank.obj.json"]
    for name in ("tank.obj", "tank.mtl"):
        text = files[name].replace(b"STEEL~m0", b"STEEL~m9x").replace(b"LAMP~m1", b"LAMP~m0")
        files[name] = text.replace(b"STEEL~m9x", b"STEEL~m1")
    found = compared(tank, files)
    assert (words(found), found.found.losses, found.found.changes) == ([], (), ())


def as_jpeg(image: Image, quality: int = 75) -> bytes:
    file = BytesIO()
    PIL.Image.fromarray(image[..., :3]).save(file, "JPEG", quality=quality)
    return file.getvalue()


@pytest.mark.parametrize("quality", [30, 75, 95])
def test_a_picture_saved_as_jpeg_is_the_same_and_a_painted_one_is_not(tmp_path: Path, quality: int) -> None:
    tank = tank_in(tmp_path)
    image = next(it for it in exported(tank).images if it.name == "STEEL.0").pixels
    painted = image.copy()
    painted[2:6, 2:6, :3] = 255
    for shown, expected in (
        (image, []),
        (painted, ["STEEL.0: replace the picture by one of 16 x 8 pixels"]),
    ):
        files = files_of(tank)
        del files["tank_0_STEEL.0.png"]
        files["tank_0_STEEL.0.jpg"] = as_jpeg(shown, quality)
        files["tank.mtl"] = files["tank.mtl"].replace(b"STEEL.0.png", b"STEEL.0.jpg")
        found = compared(tank, files)
        assert (words(found), found.found.losses) == (expected, ())


def test_a_new_model_has_the_textures_next_to_its_file(tmp_path: Path, capsys: Capture) -> None:
    """Not white ones in their place; of a picture that is missing it is said."""
    tank, folder = tank_in(tmp_path), tmp_path / "new"
    folder.mkdir()
    for name, data in files_of(tank).items():
        (folder / name).write_bytes(data)
    (folder / "tank_1_PLAIN.0.png").unlink()
    out, libraries = folder / "tank.msh", folder / "Textures.lib"
    told = json.loads(
        success(capsys, "import", folder / "tank.obj", "-o", out, "--textures", libraries, "--json")[0]
    )
    assert told["lossy"] == ["texture PLAIN.0 is white, as its image is not in the file"]
    after = {it.name: it.pixels for it in exported(Address(out)).images}
    for picture in exported(tank).images:
        if picture.name != "PLAIN.0":
            assert np.array_equal(after[picture.name], picture.pixels), picture.name
