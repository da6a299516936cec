"""The query of triangles against a scalar reading of the seeds (003 1.10, 1.16; 002 8), on all models."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tests.builders import ModelBuilder, Node, box
from tests.cli.console import Capture, failure, success
from tests.corpora import folders
from tests.share import some
from tests.terrains import terrain
from viewer.formats.archive import nres
from viewer.formats.msh.tables import FACES, TRIANGLES
from viewer.model.mesh import draw_builder
from viewer.model.mesh.model import Model, Variant, variant_of
from viewer.model.mesh.shown import CellRule, PartChoice, PartChooser
from viewer.model.mesh.triangle_query import NO_FLAGS, Masks, TriangleLinks, query

NONE = 0xFFFF
MASKS = ((0, 0), (2, 0), (0, 2), (0x10, 0x4), (0x22, 0), (0, 0xFFFF))
CELLS = ((0, 0), (1, 0), (0, 2))
Row = tuple[int, int, int, int, int]


def models(folder: Path) -> Iterator[tuple[str, Model]]:
    """The nested models of all archives of a folder."""
    for path in sorted(folder.rglob("*.rlb")):
        data = path.read_bytes()
        if data[:4] != nres.MAGIC:
            continue
        archive = nres.Archive.read(data)
        for entry in archive.entries:
            if entry.text.lower().endswith(".msh"):
                found = nres.Archive.read(archive.payload(entry.index))
                if variant_of(found) is Variant.MODEL:
                    yield f"{path.name}::{entry.text}", Model.of(found)


class Scalars:
    """The tables of a model as plain numbers, which are read one after the other."""

    def __init__(self, model: Model) -> None:
        self.cells = model.nodes["slots"].tolist()
        self.slots, self.batches = model.slots.tolist(), model.batches.tolist()
        self.starts = model.batches["index_start"].tolist()
        self.bases = model.batches["base_vertex"].tolist()
        self.indices, self.positions = model.indices.tolist(), model.positions.tolist()
        self.flags = model.tri_descriptors["flags"].tolist()

    def called_back(self, lod: int, group: int, required: int, forbidden: int) -> Iterator[Row]:
        """Every callback of the engine: node, batch, triangle of the batch, descriptor, flags."""
        for node, cells in enumerate(self.cells):
            slot = cells[lod][group]
            if slot == NONE:
                continue
            descriptor, count, first, batch_count = self.slots[slot][:4]
            for batch in range(first, first + batch_count):
                indices = self.batches[batch][4]
                for triangle in range((indices + 2) // 3):
                    is_whole = 3 * triangle + 3 <= indices
                    word = self.flags[descriptor]
                    if is_whole and word & required == required and not word & forbidden:
                        yield node, batch, triangle, descriptor, word
                    descriptor += 1
            assert descriptor == self.slots[slot][0] + count

    def edges(self, batch: int, number: int) -> list[frozenset[tuple[float, ...]]]:
        """The edges of a triangle as pairs of positions."""
        first = self.starts[batch] + 3 * number
        corners = [self.bases[batch] + index for index in self.indices[first : first + 3]]
        points = [tuple(self.positions[corner]) for corner in corners]
        return [frozenset((points[edge], points[(edge + 1) % 3])) for edge in range(3)]


@folders("seed", "field")
def test_the_callbacks_are_those_of_a_scalar_reading(folder: Path) -> None:
    compared, passed = 0, Counter[tuple[int, int]]()
    for name, model in models(folder):
        draws, scalars = draw_builder.build(model), Scalars(model)
        chooser = PartChooser(model, draws)
        for lod, group in CELLS:
            shown = chooser.shown(PartChoice(lod, group, CellRule.EXACT)).visible(has_portals=True)
            for masks in MASKS:
                found = query(model, draws, shown, Masks(*masks))
                batch = draws.batch[found.draw]
                start = model.batches["index_start"].astype(np.int64)[batch]
                rows = zip(
                    draws.node[found.draw].tolist(),
                    batch.tolist(),
                    (draws.triangle[found.row] - start // 3).tolist(),
                    found.record.tolist(),
                    found.flags.tolist(),
                    strict=True,
                )
                assert [*rows] == [*scalars.called_back(lod, group, *masks)], (name, lod, group, masks)
                passed[masks] += len(found.row)
        compared += 1
    assert compared >= 5
    assert all(passed[masks] for masks in ((0, 0), (0, 2)))


@folders("seed", "field")
def test_links_are_those_of_a_scalar_reading(folder: Path) -> None:
    """Open, crowded and one-way edges, and what a walk reaches, one triangle after the other."""
    for name, model in some(models(folder), folder):
        links = TriangleLinks.of(model, draw_builder.build(model))
        scalars = Scalars(model)
        stored = model.tri_descriptors["links"].tolist()
        used = {
            descriptor: (scalars.cells[node][lod][group], batch, triangle)
            for lod in range(3)
            for group in range(5)
            for node, batch, triangle, descriptor, _ in scalars.called_back(lod, group, 0, 0)
        }
        edges = {row: scalars.edges(batch, number) for row, (_, batch, number) in used.items()}
        times = Counter((used[row][0], edge) for row, found in edges.items() for edge in found)
        expected: list[list[tuple[bool, ...]]] = []
        for row, link in enumerate(stored):
            expected.append([])
            for edge, target in enumerate(link):
                is_used, has_link = row in used, target != NONE
                is_apart = has_link and is_used and target in used and edges[row][edge] not in edges[target]
                expected[-1].append(
                    (
                        is_used and not has_link,
                        has_link and row not in stored[target],
                        is_used and times[used[row][0], edges[row][edge]] > 2,
                        is_apart,
                    )
                )
        found = np.stack([links.is_open, links.is_one_way, links.is_crowded, links.is_apart], axis=-1)
        differing = np.argwhere(found != np.reshape(expected, found.shape))
        assert not len(differing), (name, differing[0])
        reached = links.walk(0, np.ones(len(stored), np.bool_)) if stored else []
        assert {row for row, _steps in reached} == island(stored) if stored else True, name


def test_a_triangle_without_flags_passes_where_none_are_required() -> None:
    flags = np.array([NO_FLAGS, 0, 1, 3])
    assert Masks().passes(flags).tolist() == [True] * 4
    assert Masks(forbidden=2).passes(flags).tolist() == [True, True, True, False]
    assert Masks(required=1).passes(flags).tolist() == [False, False, True, True]


def test_only_the_link_that_does_not_lead_back_is_one_way() -> None:
    """A box whose first triangle names its neighbors, which name nobody but one of them."""
    builder = ModelBuilder.of([Node("box", shapes={(0, 0): [box()]})])
    model = builder.model()
    rows = model.tri_descriptors.copy()
    rows["links"] = NONE
    rows["links"][0] = 1, 2, NONE
    rows["links"][1, 0] = 0
    builder.tables[TRIANGLES] = rows.tobytes()
    model = builder.model()
    links = TriangleLinks.of(model, draw_builder.build(model))
    assert np.argwhere(links.is_one_way).tolist() == [[0, 1]]


def island(stored: list[list[int]]) -> set[int]:
    found, waiting = {0}, [0]
    while waiting:
        for target in stored[waiting.pop()]:
            if target != NONE and target not in found:
                found.add(target)
                waiting.append(target)
    return found


def write_box(path: Path) -> Path:
    path.write_bytes(ModelBuilder.of([Node("box", shapes={(0, 0): [box()]})]).build())
    return path


def test_the_verb_walks_from_neighbor_to_neighbor(capsys: Capture, tmp_path: Path) -> None:
    """A box of twelve triangles is one surface: links made anew reach all of it, masks stop the walk."""
    path, linked = write_box(tmp_path / "box.msh"), tmp_path / "linked.msh"
    success(capsys, "edit", path, "--recompute", "links", "-o", linked)
    success(capsys, "edit", linked, "--set", "tri_descriptors[2:12].flags=4", "--in-place")

    def rows(*options: str) -> list[dict[str, int]]:
        out, _ = success(capsys, "triangles", linked, *options, "--json")
        found: list[dict[str, int]] = json.loads(out)["triangles"]
        assert [it["order"] for it in found] == [*range(len(found))]
        return found

    assert len(rows()) == 12
    assert [it["descriptor"] for it in rows("--forbid", "4")] == [0, 1]
    assert [it["descriptor"] for it in rows("--require", "0x4")] == [*range(2, 12)]
    walked = rows("--from", "5", "--walk")
    assert sorted(it["descriptor"] for it in walked) == [*range(12)]
    assert [it["steps"] for it in walked] == sorted(it["steps"] for it in walked)
    near = rows("--from", "5")
    assert {it["descriptor"] for it in near} == {5, *near[0]["links"]}  # type: ignore[misc]
    assert {it["descriptor"] for it in rows("--from", "0", "--walk", "--forbid", "4")} <= {0, 1}


def test_wrong_requests_are_refused(capsys: Capture, tmp_path: Path) -> None:
    path = write_box(tmp_path / "box.msh")
    assert "--from" in failure(capsys, "triangles", path, "--walk")
    assert "12 rows" in failure(capsys, "triangles", path, "--from", "12")
    for mask in ("-1", "x", "0x100000000"):
        failure(capsys, "triangles", path, f"--require={mask}")


def test_in_a_terrain_the_faces_are_asked() -> None:
    flat = Model.read(terrain(2, 1))
    faces = flat.faces.copy()
    faces["flags"][[1, 3]] |= 2
    model = Model.read(flat.encode({FACES: faces.tobytes()}))
    draws = draw_builder.build(model)
    shown = PartChooser(model, draws).shown(PartChoice()).draws
    before, after = (query(it, draws, shown, Masks(required=2)) for it in (flat, model))
    assert sorted({*after.record.tolist()} - {*before.record.tolist()}) == [1, 3]
    assert (after.flags == model.faces["flags"][after.record]).all()
