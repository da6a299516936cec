"""Overviews: what the columns say of entries, and which rows are chosen in which order."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.corpora import GAME
from viewer.errors import AddressError, UsageError
from viewer.formats.archive import nres
from viewer.model.mesh import draw_builder
from viewer.model.mesh.model import Model
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.validation.batch_validation import BatchValidator, ValidationTask
from viewer.operations.overview.columns import COLUMNS
from viewer.operations.overview.overview import Overview, OverviewQuery, collect
from viewer.operations.overview.reading import OverviewOptions, OverviewReader, problem_count
from viewer.progress import Progress

ALL = tuple(COLUMNS)


def overview(path: Path, *names: str, lod: int = 0, group: int = 0) -> Overview:
    options = OverviewOptions(names or ALL, lod=lod, group=group)
    return collect(FileStore(), Address(path), options, Progress())


def value(found: Overview, name: str, column: str) -> object:
    rows = [
        row for row, address in enumerate(found.addresses) if str(address).replace(os.sep, "/").endswith(name)
    ]
    assert len(rows) == 1, rows
    return found.values(column)[rows[0]]


@pytest.fixture(scope="module")
def sample() -> Overview:
    return overview(GAME)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("models.rlb::walker.msh", {"archive": "models.rlb"}),
        (
            "models.rlb::walker.msh",
            {"kind": "msh", "nodes": 39, "clips": 7, "effects": 5, "used_by": 1},
        ),
        ("models.rlb::walker.wea", {"materials": 10, "textures": 10, "nodes": None, "clips": None}),
        ("models.rlb::walker.ctl", {"kind": "control", "clips": 7, "effects": 5, "used_by": 1}),
        ("Material.lib::GRAIN", {"materials": None, "textures": 2, "effects": 0}),
        ("Material.lib::PLAIN", {"textures": 0}),
        ("Textures.lib::ARMOUR.0", {"textures": None, "effects": None}),
        ("objects.dlb::walker", {"display_name": "Heron scout walker", "used_by": 0}),
        ("guns.rlb::e_gun_tw_01.msh", {"display_name": "Twin cannon", "used_by": 2}),
        ("models.rlb::drone.msh", {"used_by": 0, "clips": None}),
        ("walker.dat", {"archive": None, "kind": "units", "used_by": 0}),
        ("SAMPLE/Land.msh", {"kind": "msh", "materials": 8}),
    ],
)
def test_what_the_sample_was_made_of(sample: Overview, entry: str, expected: dict[str, object]) -> None:
    assert {it: value(sample, entry, it) for it in expected} == expected


def test_every_file_and_entry_is_a_row(sample: Overview) -> None:
    counts = 0
    for path in sorted(GAME.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            is_archive = data[:4] == nres.MAGIC and path.suffix != ".msh"
            counts += len(nres.Archive.read(data).rows) if is_archive else 1
    assert len(sample) == counts
    assert len(set(sample.addresses)) == counts
    store = FileStore()
    sizes = [len(store.open(it).data) for it in sample.addresses]
    assert sample.values("size") == sizes
    assert sample.totals(range(counts), [COLUMNS["size"]]) == {"size": sum(sizes)}


@pytest.mark.parametrize("cell", [(0, 0), (1, 0), (0, 2)])
def test_triangles_are_those_of_the_cell(cell: tuple[int, int]) -> None:
    lod, group = cell
    models = GAME / "models.rlb"
    found = overview(models, "triangles", lod=lod, group=group)
    archive = nres.Archive.read(models.read_bytes())
    expected = [
        int(draw_builder.build(Model.read(archive.payload(it.index))).triangle_counts()[lod, group])
        if it.text.endswith(".msh")
        else None
        for it in archive.entries
    ]
    assert found.values("triangles") == expected


@pytest.mark.parametrize("name", ["nres", "msh", "rsli", "texm", "wear"])
@pytest.mark.corpora
def test_problems_are_those_of_the_validator(samples: Path, name: str) -> None:
    folder = samples / "damaged" / name
    found = overview(folder, "problems")
    reports = {}
    for path in {it.path for it in found.addresses}:
        for report in BatchValidator().check(ValidationTask(Address(path), 1, is_named=False)):
            reports[report.source] = problem_count(report.diagnostics)
    assert reports
    for address, count in zip(found.addresses, found.values("problems"), strict=True):
        # What the directory says of an entry is counted as well, which is in the report on the archive.
        if count is not None and address in reports:
            assert isinstance(count, int)
            assert count >= reports[address], address


def test_problems_of_a_directory_are_those_of_its_entry(tmp_path: Path) -> None:
    data = bytearray((GAME / "Textures.lib").read_bytes())
    archive = nres.Archive.read(data)
    at = archive.directory_offset + 3 * nres.ENTRY.size
    data[at : at + 4] = b"MAT0"
    (tmp_path / "Textures.lib").write_bytes(data)
    found = overview(tmp_path / "Textures.lib", "problems")
    assert np.flatnonzero(np.array(found.values("problems"), float)).tolist() == [3]


def test_a_damaged_archive_is_a_row(tmp_path: Path) -> None:
    shutil.copy(GAME / "guns.rlb", tmp_path / "a.rlb")
    broken = (GAME / "guns.rlb").read_bytes()[:-1000]
    (tmp_path / "b.rlb").write_bytes(broken)
    (tmp_path / "c.rlb").write_bytes(b"nothing of the kind")
    found = overview(tmp_path)
    count = len(nres.Archive.read((GAME / "guns.rlb").read_bytes()).rows)
    assert len(found) == count + 2
    assert sorted(found.errors) == [count, count + 1]
    assert found.addresses[count:] == (Address(tmp_path / "b.rlb"), Address(tmp_path / "c.rlb"))
    assert found.values("size")[count:] == [len(broken), 19]
    assert found.values("nodes")[count:] == [None, None]


def test_nothing_that_can_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "c.rlb").write_bytes(b"nothing of the kind")
    with pytest.raises(AddressError):
        overview(tmp_path, "size")
    (tmp_path / "c.rlb").unlink()
    assert len(overview(tmp_path, "size")) == 0
    with pytest.raises(AddressError):
        overview(tmp_path / "absent", "size")


def test_an_empty_archive_has_no_rows_but_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.rlb").write_bytes(nres.build([]))
    (tmp_path / "b.rlb").write_bytes(b"nothing of the kind")
    found = overview(tmp_path, *COLUMNS)
    assert found.addresses == (Address(tmp_path / "b.rlb"),)
    assert [*found.errors] == [0]
    assert found.stored.row(0)["name"] == "b.rlb"
    assert len(overview(tmp_path / "a.rlb", *COLUMNS)) == 0


def test_an_entry_that_its_model_prevents_has_a_reason(tmp_path: Path) -> None:
    whole = ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]})]).build()
    path = tmp_path / "a.rlb"
    path.write_bytes(archive_of({"a.msh": whole, "b.msh": whole[:40], "c.msh": whole}))
    found = overview(path, "nodes", "size")
    assert found.values("nodes") == [1, None, 1]
    assert found.values("size") == [len(whole), 40, len(whole)]
    assert [*found.errors] == [1]


def test_conditions_orders_and_groups(sample: Overview) -> None:
    def names(**query: object) -> list[str]:
        return [sample.names[row] for row in sample.arranged(OverviewQuery(**query)).tolist()]  # type: ignore[arg-type]

    models = names(where="kind=msh and triangles>3000", sort="triangles", is_descending=True)
    assert models == ["walker.msh", "b_tower.msh", "drone.msh", "drone_seed.msh"]
    assert names(where="display_name=heron*") == ["walker.msh", "walker", "walker"]
    assert names(where="name=walker.* and clips != none") == ["walker.msh", "walker.ctl"]
    everything = names(sort="triangles")
    assert len(everything) == len(sample)
    assert everything[:2] == ["e_gun_tw_01.msh", "s_sign.msh"]
    rows = sample.arranged(OverviewQuery())
    groups = sample.groups(rows, "kind")
    kinds = [it.value for it in groups]
    assert kinds == sorted(kinds)  # type: ignore[type-var]
    assert sorted(row for it in groups for row in it.rows.tolist()) == rows.tolist()
    assert sample.groups(rows, "clips")[-1].value is None


@pytest.mark.parametrize(
    "query", [{"where": "triangle>3"}, {"sort": "x"}, {"group_by": "x"}, {"where": "kind"}]
)
def test_unknown_columns_are_refused_before_anything_is_read(query: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        _ = OverviewQuery(**query).needed  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        OverviewReader(OverviewOptions(("kinds",)))


def test_a_query_names_the_columns_that_it_needs() -> None:
    query = OverviewQuery("triangles>5 and name=a*", "used_by", group_by="kind")
    assert query.needed == ("used_by", "kind", "triangles")
