"""The plan of textures that come back from a folder: what is left out, what cannot be a texture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.formats.archive.test_rsli import library as packed_library
from tests.game_folders import TEXM
from viewer.errors import AddressError, OutputError, UsageError
from viewer.formats.archive import nres
from viewer.formats.archive.nres import NewEntry
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.textures.texture_folders import ReturnPlan, plan_return, write_pictures
from viewer.progress import Cancelled, Progress

RANDOM = np.random.default_rng(3)
NAMES = "ONE", "TWO", "THREE"


def payload() -> bytes:
    """A texture of noise, of a format that holds every pixel."""
    return texm.build(RANDOM.integers(0, 256, (8, 8, 4), np.uint8), PixelFormat.ARGB8888, mip_count=2)


def library(path: Path, *, is_packed: bool) -> Path:
    """A library of three textures."""
    data = {name.encode(): payload() for name in NAMES}
    if is_packed:
        path.write_bytes(packed_library(*((name, 0, len(it), it) for name, it in data.items())))
    else:
        path.write_bytes(nres.build(NewEntry(TEXM, it, name) for name, it in data.items()))
    return path


def pictures(path: Path) -> Path:
    """The pictures of a library, the first two changed, the second one larger."""
    folder = path.with_name("pictures")
    store = FileStore()
    assert write_pictures(store.open(Address(path)), folder).count == len(NAMES)
    for name, side in (("ONE", 8), ("TWO", 16)):
        Image.fromarray(RANDOM.integers(0, 256, (side, side, 4), np.uint8)).save(folder / f"{name}.png")
    return folder


def planned(path: Path, folder: Path) -> ReturnPlan:
    store = FileStore()
    return plan_return(store, store.open(Address(path)), folder)


@pytest.mark.parametrize("is_packed", [False, True])
def test_what_is_left_out_keeps_its_bytes(tmp_path: Path, is_packed: bool) -> None:
    path = library(tmp_path / "t.lib", is_packed=is_packed)
    folder = pictures(path)
    plan, store = planned(path, folder), FileStore()
    assert [it.name for it in plan.changed] == ["ONE", "TWO"]
    (folder / "TWO.png").write_bytes((folder / "THREE.png").read_bytes())
    alone = plan.without(store, frozenset({1}))
    assert [it.name for it in alone.chosen] == ["ONE"]
    assert alone.summary[0] == "1 of 3 textures changed"
    other = tmp_path / "other.lib"
    other.write_bytes(alone.file.after)
    opened = FileStore()
    stored = {it: bytes(opened.open(Address(other, (it,))).data) for it in NAMES}
    before = {it: bytes(store.open(Address(path, (it,))).data) for it in NAMES}
    assert [it for it in NAMES if stored[it] != before[it]] == ["ONE"]
    assert alone.without(store, frozenset()).file.after == plan.file.after
    assert not plan.without(store, frozenset({0, 1})).file.is_changed


def test_nothing_is_left_out_of_a_plan_for_other_bytes(tmp_path: Path) -> None:
    """The splices were made for the textures that were read, of which these pixels are none."""
    path = library(tmp_path / "t.lib", is_packed=False)
    folder = pictures(path)
    plan = planned(path, folder)
    data = bytearray(path.read_bytes())
    data[data.index(b"Texm", 16) + 100] ^= 1
    path.write_bytes(data)
    with pytest.raises(UsageError, match="changed meanwhile"):
        plan.without(FileStore(), frozenset({0}))


def test_textures_and_sizes_before_and_after_are_those_of_the_files(tmp_path: Path) -> None:
    path = library(tmp_path / "t.lib", is_packed=False)
    one, two = planned(path, pictures(path)).changed
    assert (len(two.before.levels), two.before.levels[0].width) == (2, 8)
    assert (len(two.after.levels), two.after.levels[0].width) == (2, 16)
    assert two.size_after - two.size_before == (16 * 16 + 8 * 8 - 8 * 8 - 4 * 4) * 4
    assert one.size_after == one.size_before == len(FileStore().open(one.address).data)


def test_pictures_that_cannot_be_textures_are_listed_and_the_others_are_planned(tmp_path: Path) -> None:
    path = library(tmp_path / "t.lib", is_packed=False)
    folder = pictures(path)
    (folder / "ONE.png").write_bytes(b"no picture")
    plan = planned(path, folder)
    assert [it.name for it in plan.changed] == ["TWO"]
    (refused,) = plan.refused
    assert (refused.name, refused.path) == ("ONE", folder / "ONE.png")
    assert str(refused.error).startswith(f"{folder / 'ONE.png'}: texture 'ONE': ")


def test_both_directions_count_and_can_be_cancelled(tmp_path: Path) -> None:
    path = library(tmp_path / "t.lib", is_packed=False)
    folder, progress = pictures(path), Progress()
    store = FileStore()
    plan_return(store, store.open(Address(path)), folder, progress)
    assert progress.done == progress.total == len(NAMES)
    progress.cancel()
    with pytest.raises(Cancelled):
        plan_return(store, store.open(Address(path)), folder, progress)
    with pytest.raises(Cancelled):
        write_pictures(store.open(Address(path)), tmp_path / "none", progress)
    assert sorted(it.name for it in tmp_path.iterdir()) == ["pictures", "t.lib"]


def test_what_is_no_library_and_what_is_there_already_is_refused(tmp_path: Path) -> None:
    path = library(tmp_path / "t.lib", is_packed=False)
    folder, store = pictures(path), FileStore()
    with pytest.raises(AddressError):
        write_pictures(store.open(Address(path, ("ONE",))), tmp_path / "none")
    with pytest.raises(OutputError):
        write_pictures(store.open(Address(path)), folder)
