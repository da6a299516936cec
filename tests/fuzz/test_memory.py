"""No verb needs more than eight times the size of a file and 200 MB, whatever the file holds.

Searching and listing need memory for one file, whatever is open.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from tests.fuzz import bombs, peak
from viewer.formats.archive import nres

TIMES: Final = 8
ALLOWED: Final = 200_000_000
VERBS: Final = (
    ["draws", "--lod", "0", "--group", "0"],
    ["pose", "--time", "0"],
    ["materials"],
    ["validate"],
    ["export", "--format", "json", "-o", os.devnull],
)

pytestmark = pytest.mark.skipif(not peak.IS_KNOWN, reason="the system does not tell a peak")


def _check(path: Path, *arguments: str, most: int | None = None) -> peak.Finished:
    """Run a command over a file or folder and compare its peak with a bound; it may refuse the file."""
    finished = peak.run(*arguments)
    assert finished.status in {0, 1, 2}, finished.error
    assert "Traceback" not in finished.error
    allowed = TIMES * _size(path) + ALLOWED if most is None else most
    assert finished.peak <= allowed, (arguments, finished.peak)
    return finished


@pytest.mark.parametrize("name", bombs.MODELS)
def test_models_that_repeat_their_geometry(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.msh"
    path.write_bytes(bombs.MODELS[name]())
    _check(path, "inspect", str(path), "--json")


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb[0])
def test_verbs_that_read_models(verb: list[str], tmp_path: Path) -> None:
    path = tmp_path / "bomb.msh"
    path.write_bytes(bombs.MODELS["eight_megabytes"]())
    _check(path, *verb, str(path))


@pytest.mark.parametrize("name", ["two_hundred_kilobytes", "far_vertices"])
def test_rendering(name: str, tmp_path: Path) -> None:
    """The driver of the software rasterizer takes part of the memory: as much as for a tiny model."""
    path, tiny, out = (tmp_path / file for file in ("bomb.msh", "tiny.msh", "out.png"))
    path.write_bytes(bombs.MODELS[name]())
    tiny.write_bytes(bombs.overlapping_batches(6, 1))
    usual = peak.run("render", str(tiny), "-o", str(out), "--size", "8x8").peak
    finished = peak.run("render", str(path), "-o", str(out), "--size", "8x8")
    assert finished.status == 0, finished.error
    assert finished.peak - usual <= TIMES * path.stat().st_size + ALLOWED / 2


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*")) if path.is_dir() else path.stat().st_size


def test_a_library_that_unpacks_to_a_thousand_times_its_size(tmp_path: Path) -> None:
    path, entry = tmp_path / "packed.lib", str(tmp_path / "packed.lib::#0")
    path.write_bytes(bombs.packed_library(1, 64 << 20))
    _check(path, "extract", str(path), "-o", str(tmp_path / "out"))
    _check(path, "validate", str(path))
    _check(path, "inspect", entry)
    _check(path, "diff", entry, entry)
    _check(path, "export", str(path), "-o", str(tmp_path / "packed.json"))


@pytest.mark.parametrize("pixel_format", ["8888", "565", "0"])
def test_an_image_that_is_a_thousand_times_its_file(pixel_format: str, tmp_path: Path) -> None:
    path = tmp_path / "wide.png"
    path.write_bytes(bombs.png(16384, 1024))
    _check(path, "texture", str(path), "-o", str(tmp_path / "out.texm"), "--format", pixel_format)
    assert (tmp_path / "out.texm").stat().st_size >= 16384 * 1024


def test_an_image_too_long_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "long.png"
    path.write_bytes(bombs.png(1, 16_000_000))
    _check(path, "texture", str(path), "-o", str(tmp_path / "out.texm"), "--format", "565", most=60_000_000)


def test_images_of_the_same_bytes_are_one(tmp_path: Path) -> None:
    path, library = tmp_path / "images.glb", tmp_path / "Textures.lib"
    path.write_bytes(bombs.images(256, 512, is_one_view=True))
    arguments = "import", str(path), "-o", str(tmp_path / "out.msh"), "--textures", str(library)
    assert _check(path, *arguments, most=120_000_000).status == 0
    assert library.stat().st_size < 2_000_000


def test_small_images_are_decoded_up_to_a_bound(tmp_path: Path) -> None:
    path = tmp_path / "images.glb"
    path.write_bytes(bombs.images(80, 1024, is_one_view=False))
    arguments = "import", str(path), "-o", str(tmp_path / "out.msh")
    finished = _check(path, *arguments, most=400_000_000)
    assert finished.status == 0
    assert "images[64]" not in finished.error
    assert "images[65]: 1024 x 1024 pixels; all images together have at most" in finished.error
    assert "and 14 more like it" in finished.error


def test_embedded_bytes_are_decoded_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "embedded.gltf"
    path.write_bytes(bombs.embedded(45_000_000))
    arguments = "import", str(path), "-o", str(tmp_path / "out.msh")
    assert _check(path, *arguments, most=4 * path.stat().st_size + 60_000_000).status == 0


def test_a_text_of_many_values_is_refused_before_they_are_made(tmp_path: Path) -> None:
    path = tmp_path / "lists.gltf"
    path.write_bytes(bombs.empty_lists(30_000_000))
    finished = _check(path, "import", str(path), "-o", str(tmp_path / "out.msh"), most=160_000_000)
    assert finished.status == 2
    assert re.search(r"JSON: more than \d+ values", finished.error)


@pytest.mark.parametrize("name", ["many_slots", "shifted", "few_kilobytes"])
def test_repairing_overlapping_slots(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.msh"
    path.write_bytes(bombs.MODELS[name]())
    _check(path, "repair", str(path), most=120_000_000)


def test_repairing_a_large_model_whose_batches_overlap(tmp_path: Path) -> None:
    path = tmp_path / "bomb.msh"
    path.write_bytes(bombs.MODELS["eight_megabytes"]())
    _check(path, "repair", str(path), most=320_000_000)


@pytest.mark.parametrize(
    ("data", "most"),
    [
        (lambda: bombs.obj_of_one_triangle(500_000), 163_000_000),
        (lambda: b"v 0 0 0\n" * 1_000_000 + b"f 1 2 3\n", 131_000_000),
        (lambda: bombs.obj_of_objects(300_000), 250_000_000),
        (lambda: b"\n" * 6_000_000, 100_000_000),
        (lambda: bombs.obj_of_grid(251), 135_000_000),
    ],
)
def test_texts_of_geometry_are_read_in_pieces(data: Callable[[], bytes], most: int, tmp_path: Path) -> None:
    path = tmp_path / "bomb.obj"
    path.write_bytes(data())
    _check(path, "import", str(path), "-o", str(tmp_path / "out.msh"), most=most)


def _unpacked(folder: Path, **changes: object) -> None:
    """An unpacked folder of an archive with one entry, whose index lies."""
    archive = nres.build([nres.NewEntry(0, b"payload", b"a.bin")])
    (folder.parent / "a.rlb").write_bytes(archive)
    assert peak.run("extract", str(folder.parent / "a.rlb"), "-o", str(folder)).status == 0
    index = json.loads((folder / "index.json").read_text())
    index.update({key: value for key, value in changes.items() if key in index})
    index["entries"][0].update(changes.get("entry", {}))
    (folder / "index.json").write_text(json.dumps(index))


def test_an_index_with_lying_sizes(tmp_path: Path) -> None:
    _unpacked(tmp_path / "in", size=250_000_000, entry={"size": 250_000_000})
    finished = _check(tmp_path / "in", "pack", str(tmp_path / "in"), "-o", str(tmp_path / "out.rlb"))
    assert finished.status == 2
    assert "size" in finished.error


def test_a_sparse_payload_is_refused_before_it_is_read(tmp_path: Path) -> None:
    _unpacked(tmp_path / "in")
    (payload,) = (path for path in (tmp_path / "in").iterdir() if path.suffix != ".json")
    with payload.open("wb") as file:
        file.truncate(3_000_000_000)
    finished = _check(
        tmp_path, "pack", str(tmp_path / "in"), "-o", str(tmp_path / "out.rlb"), most=60_000_000
    )
    assert finished.status == 2


FILES: Final = 10
SIZE: Final = 32 << 20
SEARCH: Final = """
from pathlib import Path
from viewer.model.query.search_query import Query
from viewer.model.store.file_store import FileStore
from viewer.operations.corpus.hits import SearchResults
from viewer.operations.corpus.searching import SearchOptions, search
from viewer.progress import Progress

found = SearchResults()
search(FileStore(), SearchOptions(Query(sys.argv[2]), (Path(sys.argv[1]),)), found, Progress())
status = found.snapshot().count
"""
FILTER: Final = """
from viewer.model.query.names import NameFilter
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.session.opened import listing
from viewer.session.opened.browser import arrange
from viewer.session.opened.browser import BrowserTree
from viewer.session.opened.entry_list import EntryOrder

store, path = FileStore(), Address.parse(sys.argv[1])
tree = BrowserTree((listing.folder_row(path.path),))
found = arrange(tree, NameFilter(sys.argv[2]), EntryOrder.NAME)
while found.unread:
    listings, _ = listing.everything_below(store, found.unread[0])
    tree = tree.with_listings(listings)
    found = arrange(tree, found.requested, found.order, found)
status = found.hits
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Archives that are together larger than what may be needed; each has one entry, ``steel``."""
    rows = nres.ENTRY.new(1)
    rows["data_offset"], rows["size"] = 16, SIZE
    rows["name"] = np.array([b"steel"], "S36").view("V36")
    header = nres.HEADER.new()
    header[0] = (nres.MAGIC, nres.VERSION, 1, 16 + SIZE + rows.nbytes)
    for number in range(FILES):
        with (tmp_path / f"{number}.lib").open("wb") as file:
            file.write(header.tobytes())
            file.seek(16 + SIZE)
            file.write(rows.tobytes())
    return tmp_path


def test_a_search_holds_one_file_at_a_time(folder: Path) -> None:
    found = peak.run_code(SEARCH, str(folder), "steel")
    assert found.status == FILES, found.error
    assert found.peak < FILES * SIZE * 2 // 3


def test_a_filter_keeps_no_archive_that_it_has_read(folder: Path) -> None:
    found = peak.run_code(FILTER, str(folder), "steel")
    assert found.status == FILES, found.error
    assert found.peak < FILES * SIZE * 2 // 3
