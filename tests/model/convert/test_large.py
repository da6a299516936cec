"""Models at the limits of the format go through files of other programs without a change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import Key, ModelBuilder, Node, box
from viewer.errors import AddressError
from viewer.formats.msh.nodes import NONE
from viewer.model.convert import exchange
from viewer.model.convert.exchange import GLB, OBJ
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.gltf.document import BYTES_PER_VALUE, MOST_VALUES
from viewer.model.convert.importing.importer import changes_of
from viewer.model.convert.scene import Options
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source, model_of


@pytest.mark.parametrize("suffix", [GLB, OBJ])
@pytest.mark.parametrize("frame_count", [65_535, 2_000_000])
def test_a_long_animation_keeps_its_end(frame_count: int, suffix: str, tmp_path: Path) -> None:
    keys = [Key(0), Key(100, (1, 2, 3)), Key(frame_count - 1, (4, 5, 6))]
    builder = ModelBuilder([Node("door", shapes={(0, 0): [box()]}, keys=keys)])
    path = tmp_path / "long.msh"
    path.write_bytes(builder.build())
    model = model_of(FileStore(), Source(Address(path)))
    scene = scene_of(model, Options(has_textures=False))
    assert scene.frame_count == frame_count
    files = exchange.files_of(scene, suffix, "long")

    def beside(name: str) -> bytes:
        if name not in files:
            raise AddressError("is missing", source=name)
        return files[name]

    name = f"long.{suffix}"
    found = changes_of(model, exchange.read(files[name], name, suffix, beside, model))
    assert (found.changes, found.losses) == ((), ())


def test_the_values_of_the_largest_number_of_nodes_are_below_the_limit(tmp_path: Path) -> None:
    """Counted on the export of some nodes with a slot each; that of all has as many times more."""
    count = 60
    path = tmp_path / "many.msh"
    path.write_bytes(
        ModelBuilder([Node(f"part{at}", None, {(0, 0): [box()]}) for at in range(count)]).build()
    )
    scene = scene_of(model_of(FileStore(), Source(Address(path))), Options(has_textures=False))
    data = exchange.files_of(scene, GLB, "many")["many.glb"]
    text = data[20 : 20 + int.from_bytes(data[12:16], "little")]
    values = sum(map(text.count, (b",", b":", b"[", b"{"))) * NONE / count
    assert values > MOST_VALUES
    assert values < MOST_VALUES + len(text) * NONE / count / BYTES_PER_VALUE
