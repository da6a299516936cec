"""Materials of files that say little: material libraries of OBJ, and glTF without custom properties."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, archive_of, box, quad
from tests.cli.console import success
from tests.game_folders import archive
from tests.operations.test_import_materials import (
    NAMES,
    exported,
    imported,
    painted,
    pixels,
    tank_in,
    texm_type,
    words,
)
from viewer.cli.main import main
from viewer.formats import wear
from viewer.formats.msh.tables import STREAM18
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.convert import exchange
from viewer.model.mesh.reading import FIELD
from viewer.model.store.file_store import FileStore
from viewer.operations.importing import ComparedModel, SceneFile, compare
from viewer.operations.opening import Source


def test_a_lightmap_comes_back_without_custom_properties(tmp_path: Path) -> None:
    """Another occlusion map in its place is named as lost."""
    tank = tank_in(tmp_path)
    light = texm.build(pixels(4, 4, seed=3), PixelFormat.RGB888)
    shapes = [box(material=0), quad(material=1, has_lightmap=True)]
    model = ModelBuilder([Node("room", shapes={(0, 0): shapes})], FIELD)
    model.tables[STREAM18] = np.arange(2 * len(model.positions), dtype=np.uint16).tobytes()
    files = {"tank.msh": model.build(), "tank.wea": wear.build(NAMES[:2], [b"HALL.0"])}
    tank.path.write_bytes(archive_of(files))
    tank.path.with_name("LightMap.lib").write_bytes(archive(texm_type(), {"HALL.0": light}))
    scene = exported(tank)
    assert [it.lightmap is None for it in scene.materials] == [True, False]
    for is_foreign in (False, True):
        found = imported(tank, scene, is_foreign=is_foreign).found
        assert (found.changes, found.libraries, found.wear, found.losses) == ((), (), (), ()), is_foreign
    other = painted("HALL.0", pixels(4, 4, seed=4))(scene)
    assert "occlusion maps are left out" in str(imported(tank, other, is_foreign=True).found.losses)


def test_an_edited_material_library_of_obj_changes_the_game(tmp_path: Path) -> None:
    """Colors, light and another picture; rounded numbers and other materials change nothing."""
    tank = tank_in(tmp_path)
    files = {it: bytes(data) for it, data in exchange.files_of(exported(tank), "obj", "tank").items()}
    blocks = files["tank.mtl"].decode().split("newmtl ")

    def compared(**edits: str) -> ComparedModel:
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


def test_an_edited_material_library_of_obj_is_lost_without_textures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
