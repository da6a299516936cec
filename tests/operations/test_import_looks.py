"""Materials of files that say little: material libraries of OBJ, and glTF without custom properties."""

from __future__ import annotations

import json
import re
from io import BytesIO
from pathlib import Path

import numpy as np
import PIL.Image
import pytest
from msgspec.structs import replace

from tests.builders import ModelBuilder, Node, archive_of, box, quad
from tests.cli.console import Capture, success
from tests.game_folders import archive
from tests.operations.test_import_materials import (
    NAMES,
    exported,
    imported,
    painted,
    pixels,
    tank_in,
    texm_type,
    without_extras,
    words,
)
from viewer.cli.main import main
from viewer.formats import wear
from viewer.formats.msh.tables import STREAM18
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import Image, PixelFormat
from viewer.model.convert import exchange
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.options import Options
from viewer.model.convert.scene import Scene
from viewer.model.convert.scene_file import Folder, SceneFile
from viewer.model.mesh.reading import FIELD
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.imports.importing import new_files
from viewer.operations.imports.plan import ImportPlan, compare
from viewer.operations.opening import Source, model_of


@pytest.fixture
def lit(tmp_path: Path) -> Address:
    """A model whose second material has a lightmap."""
    tank = tank_in(tmp_path)
    light = texm.build(pixels(16, 16, seed=3), PixelFormat.RGB888)
    shapes = [box(material=0), quad(material=1, has_lightmap=True)]
    model = ModelBuilder.of([Node("room", shapes={(0, 0): shapes})], FIELD)
    model.tables[STREAM18] = np.arange(2 * len(model.positions), dtype=np.uint16).tobytes()
    files = {"tank.msh": model.build(), "tank.wea": wear.build(NAMES[:2], [b"HALL.0"])}
    tank.path.write_bytes(archive_of(files))
    tank.path.with_name("LightMap.lib").write_bytes(archive(texm_type(), {"HALL.0": light}))
    return tank


def test_a_lightmap_comes_back_without_custom_properties(lit: Address) -> None:
    """Painted over it is named as lost, another map in its place too."""
    scene = exported(lit)
    assert [it.lightmap is None for it in scene.materials] == [True, False]
    for is_foreign in (False, True):
        found = imported(lit, scene, is_foreign=is_foreign).found
        assert (found.changes, found.libraries, found.wear, found.losses) == ((), (), (), ()), is_foreign
        other = painted("HALL.0", pixels(16, 16, seed=4))(scene)
        losses = imported(lit, other, is_foreign=is_foreign).found.losses
        assert [*map(str, losses)] == ["material LAMP: its lightmap is left out"], is_foreign
    other = painted("HALL.0", pixels(16, 16, seed=4))(scene)
    renamed = tuple(replace(it, name="dust") if it.name == "HALL.0" else it for it in other.images)
    losses = imported(lit, replace(other, images=renamed), is_foreign=True).found.losses
    assert "occlusion maps are left out" in str(losses)


@pytest.mark.parametrize("is_foreign", [False, True])
def test_images_that_are_all_gone_are_removed_or_said(lit: Address, *, is_foreign: bool) -> None:
    """Without custom properties nobody knows whether the file had any; a file without textures says so."""
    compared = imported_without_images(lit, Options(), is_foreign=is_foreign)
    notes = [it for it in map(str, compared.found.notes) if "image" in it]
    if is_foreign:
        assert words(compared) == []
        assert notes == ["the file has no images; those of its materials are not compared"]
    else:
        assert words(compared) == ["STEEL: set phases[0].texture to ", "LAMP: set phases[0].texture to "]
        assert [*map(str, compared.found.losses)] == ["material LAMP: its lightmap is left out"]
        assert notes == []
        plain = imported_without_images(lit, Options(has_textures=False), is_foreign=False).found
        assert (plain.libraries, plain.losses, [it for it in plain.notes if "image" in it]) == ((), (), [])


def imported_without_images(tank: Address, options: Options, *, is_foreign: bool) -> ImportPlan:
    """What a file changes of which a program dropped every texture."""
    scene = scene_of(model_of(FileStore(), Source(tank)), options)
    name = "tank.gltf"
    root = json.loads(exchange.files_of(scene, "gltf", "tank")[name])
    for kind in ("images", "textures", "samplers"):
        root.pop(kind, None)
    for it in root["materials"]:
        it["pbrMetallicRoughness"].pop("baseColorTexture", None)
        for key in ("occlusionTexture", "emissiveTexture"):
            it.pop(key, None)
    files = exchange.files_of(scene, "gltf", "tank") | {name: json.dumps(root).encode()}
    if is_foreign:
        plain = re.sub(rb', "extras": \{"mshview": "(?:[^"\\]|\\.)*"\}', b"", files[name])
        files[name] = plain
        assert b'mshview":' not in plain
    return compare(FileStore(), SceneFile(Path(name), files[name], "gltf", files.__getitem__), Source(tank))


@pytest.mark.parametrize("uri", ["no%20such.png", "../tank.png", "data:image/png;base64,AAAA"])
def test_an_image_that_is_not_there_is_named_as_lost(tmp_path: Path, capsys: Capture, uri: str) -> None:
    """The material keeps its texture."""
    tank = tank_in(tmp_path)
    for name, data in exchange.files_of(exported(tank), "gltf", "tank").items():
        (tmp_path / name).write_bytes(data)
    path = tmp_path / "tank.gltf"
    path.write_text(path.read_text().replace("tank.steel.0.png", uri))
    arguments = ["import", str(path), "--template", str(tank), "-o", str(tmp_path / "out.msh")]
    assert main([*arguments, "--exact"]) == 1
    capsys.readouterr()
    told = json.loads(success(capsys, *arguments, "--json")[0])
    assert told["changes"] == []
    (loss,) = told["lossy"]
    assert loss.startswith("images[0]: ")
    assert uri.startswith("data") or uri.replace("%20", " ") in loss
    made = new_files(
        SceneFile(path, path.read_bytes(), "gltf", Folder(tmp_path)), ReadingChoice.FIELD, has_libraries=True
    )
    assert made.libraries is not None
    assert "texture STEEL.0 is white, as its image is not in the file" in [*map(str, made.libraries.losses)]


@pytest.mark.parametrize("quality", [30, 75, 95])
@pytest.mark.parametrize("is_foreign", [False, True])
def test_a_lightmap_saved_as_jpeg_is_the_same(lit: Address, quality: int, *, is_foreign: bool) -> None:
    """Under any name if it shows the same; a spot that was painted on it is found."""
    scene = exported(lit)
    image = next(it for it in scene.images if it.name == "HALL.0").pixels
    spot = image.copy()
    spot[4:8, 4:8, :3] = 255 - spot[4:8, 4:8, :3]
    for shown, expected in ((image, []), (spot, ["material LAMP: its lightmap is left out"])):
        data = with_jpeg(glb_of(scene, is_foreign=is_foreign), image, shown, quality)
        compared = compare(FileStore(), SceneFile(Path("tank.glb"), data, "glb"), Source(lit))
        assert (words(compared), compared.found.changes) == ([], ())
        assert [*map(str, compared.found.losses)] == expected


def glb_of(scene: Scene, *, is_foreign: bool) -> bytes:
    ((_, data),) = exchange.files_of(scene, "glb", "tank").items()
    return without_extras(bytes(data)) if is_foreign else bytes(data)


def with_jpeg(glb: bytes, image: Image, shown: Image, quality: int) -> bytes:
    """A file with an image saved as JPEG in place of one."""
    file = BytesIO()
    PIL.Image.fromarray(shown[..., :3]).save(file, "JPEG", quality=quality)
    size = int.from_bytes(glb[12:16], "little")
    root, rest = json.loads(glb[20 : 20 + size]), glb[28 + size :]
    for found in root["images"]:
        view = root["bufferViews"][found["bufferView"]]
        start = view.get("byteOffset", 0)
        stored = np.asarray(PIL.Image.open(BytesIO(rest[start : start + view["byteLength"]])).convert("RGBA"))
        if np.array_equal(stored, image):
            found["mimeType"] = "image/jpeg"
            view |= {"byteOffset": len(rest), "byteLength": file.tell()}
    rest += file.getvalue() + b"\0" * (-file.tell() % 4)
    root["buffers"][0]["byteLength"] = len(rest)
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    head = glb[:8] + (28 + len(text) + len(rest)).to_bytes(4, "little")
    head += len(text).to_bytes(4, "little") + b"JSON" + text
    return head + len(rest).to_bytes(4, "little") + b"BIN\0" + rest


def test_an_edited_material_library_of_obj_changes_the_game(tmp_path: Path) -> None:
    """Colors, light and another picture; rounded numbers and other materials change nothing."""
    tank = tank_in(tmp_path)
    files = {it: bytes(data) for it, data in exchange.files_of(exported(tank), "obj", "tank").items()}
    blocks = files["tank.mtl"].decode().split("newmtl ")

    def compared(**edits: str) -> ImportPlan:
        lines = [line for block in blocks for line in f"newmtl {block}".splitlines()][1:]
        at, made = "", []
        for line in lines:
            word, _, rest = line.partition(" ")
            at = rest if word == "newmtl" else at
            is_edited = at.startswith("STEEL~") and word in edits
            made.append(f"{word} {edits[word]}" if is_edited else line)
        beside = {**files, "tank.mtl": "\n".join(made).encode(), "new.png": files[painted_file]}
        file = SceneFile(Path("tank.obj"), files["tank.obj"], "obj", beside.__getitem__)
        return compare(FileStore(), file, Source(tank))

    painted_file = next(it for it in files if it.endswith("PLAIN.0.png"))
    assert (words(compared()), compared().found.losses) == ([], ())
    assert words(compared(Kd="0.784314 0.501961 0.129412")) == []
    assert words(compared(Kd="1 0 0")) == ["STEEL: set phases[0].diffuse to [255, 0, 0]"]
    assert words(compared(Ke="0 0 1")) == ["STEEL: set phases[0].ambient to [0, 0, 255]"]
    assert words(compared(map_Kd="new.png")) == [
        "Textures.lib: add entry new.0",
        "STEEL: set phases[0].texture to new.0",
    ]
    assert [*map(str, compared(d="0.5").found.losses)] == ["material STEEL: its alpha mode is left out"]


def test_an_edited_material_library_of_obj_is_lost_without_textures(tmp_path: Path, capsys: Capture) -> None:
    tank, out = tank_in(tmp_path), tmp_path / "out.msh"
    for name, data in exchange.files_of(exported(tank), "obj", "tank").items():
        (tmp_path / name).write_bytes(data)
    arguments = ["import", str(tmp_path / "tank.obj"), "--template", str(tank), "-o", str(out)]
    assert main([*arguments, "--exact"]) == 0
    out.unlink()
    library = tmp_path / "tank.mtl"
    library.write_text(library.read_text().replace("Kd 0.78431374", "Kd 0.25"))
    capsys.readouterr()
    assert json.loads(success(capsys, *arguments, "--json")[0])["lossy"] == [
        "material STEEL: its color is left out"
    ]
    out.unlink()
    assert main([*arguments, "--exact"]) == 1
    assert not out.exists()
