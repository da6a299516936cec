"""Control points, path graph, light probes, ground plan and damage, against what the corpora say of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.corpora import GAME
from viewer.formats.neighbors import control_points
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.tables.model_tables import table_of
from viewer.model.tables.neighbors import CONTROL_POINTS, DAMAGE, GROUND_POINTS
from viewer.operations.opening import Source
from viewer.session.opened.document import Document
from viewer.session.opened.surroundings import Marks, marks_of
from viewer.session.places import exists, places_of, selection_at
from viewer.session.selection import Selection

TOLERANCE = 1e-4


def opened(address: Address) -> Document:
    return Document.open(FileStore(), Source(address), has_effects=True)


def close(found: object, expected: object) -> bool:
    """Whether positions agree as the corpora ask for: 1e-4 * (1 + largest absolute value)."""
    written = np.asarray(expected)
    return bool(np.abs(np.asarray(found) - written).max() <= TOLERANCE * (1 + np.abs(written).max()))


def models_with(samples: Path, suffix: str, truth: dict[str, Any]) -> Iterator[tuple[Document, Any, Any]]:
    """The models that have a neighbor, with the truth of both."""
    for key, neighbor in truth[suffix.removeprefix(".")].items():
        model = truth["models"][key.removesuffix(suffix) + ".msh"]
        archive = samples / "field" / model["archive"]
        yield opened(Address(archive, (model["entry"],))), neighbor, model


@pytest.fixture
def truth(samples: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((samples / "field" / "truth.json").read_text("utf-8"))
    return found


def test_control_points_are_where_their_node_puts_them(samples: Path, truth: dict[str, Any]) -> None:
    count = 0
    for document, points, model in models_with(samples, ".cpt", truth):
        marks = marks_of(document.model, document.neighbors)[CONTROL_POINTS]
        assert [*marks.labels] == points["names"]
        world = {int(node): np.reshape(it, (3, 4)) for node, it in model["world"][0].items()}
        found, directions = marks.in_world(document.animation.pose(model["times"][0]).world)
        for row, point in enumerate(points["points"]):
            if point["nodes"][0] in world:  # of large models the truth lists fewer nodes
                matrix = world[point["nodes"][0]]
                assert close(found[row], matrix @ (*point["position"], 1))
                turned = matrix[:, :3] @ point["direction"]
                assert close(directions[row] * np.linalg.norm(point["direction"]), turned)
                count += 1
    assert count > 50


def test_path_graphs_and_light_probes(samples: Path, truth: dict[str, Any]) -> None:
    seen = set()
    for model in truth["models"].values():
        graph, probes = model.get("path_graph"), model.get("light_probes")
        if not (graph or probes):
            continue
        document = opened(Address(samples / "field" / model["archive"], (model["entry"],)))
        marks = marks_of(document.model, document.neighbors)
        if graph:
            seen.add("graph")
            assert close(marks["path_graph"].points, [it[:3] for it in graph["nodes"]])
            assert marks["path_graph"].nodes.tolist() == [it[4] for it in graph["nodes"]]
            assert marks["path_graph"].lines.tolist() == graph["links"]
        if probes:
            seen.add("probes")
            assert marks["light_probes"].nodes.tolist() == [it["node"] for it in probes]
            assert close(marks["light_probes"].colors, [it["colour"][:3] for it in probes])
    assert seen == {"graph", "probes"}


def test_ground_plans_are_closed_rings_and_damage_has_masses(samples: Path, truth: dict[str, Any]) -> None:
    for document, plan, _model in models_with(samples, ".bas", truth):
        marks = marks_of(document.model, document.neighbors)[GROUND_POINTS]
        assert close(marks.points, [point for ring in plan["rings"] for point in ring["points"]])
        lengths = [len(ring["points"]) for ring in plan["rings"]]
        starts = np.cumsum([0, *lengths])[:-1]
        expected = [
            [at + it, at + it + 1] for at, n in zip(starts, lengths, strict=True) for it in range(n - 1)
        ]
        assert marks.lines.tolist() == expected
        place = document.neighbors.tables[GROUND_POINTS].place(int(starts[1]))
        assert place.in_file == "outer[0].points[0]"
    for document, damage, model in models_with(samples, ".ndp", truth):
        table = table_of(document.tables, DAMAGE)
        column = table.column("mass")
        assert column is not None
        for row, record in enumerate(damage["records"]):
            slot = model["slot_matrix"][row][0]
            if slot != 0xFFFF:
                mass = np.float32(record["density"]) * np.float32(model["slot_volume"][slot])
                assert float(column.values[row]) == pytest.approx(float(mass), rel=1e-5)


def test_a_row_is_selected_with_the_node_that_places_it() -> None:
    document = opened(Address(GAME / "models.rlb", ("b_tower.msh",)))
    marks = marks_of(document.model, document.neighbors)
    for table, name in ((CONTROL_POINTS, "control_point"), ("path_graph", "path_node")):
        for row, node in enumerate(marks[table].nodes.tolist()):
            place = next(it for it in places_of(document, Selection((), **{name: row})) if it.table == table)
            assert exists(document, place)
            chosen = selection_at(document, place, Selection())
            assert getattr(chosen, name) == row
            assert chosen.nodes == (() if node < 0 else (node,))
    link = selection_at(document, next(places_of(document, Selection(path_link=0))), Selection())
    start = int(document.model.tables["path_links"].rows["start"][0])  # type: ignore[call-overload]
    assert link == Selection((int(marks["path_graph"].nodes[start]),), path_link=0)


def test_points_of_nodes_that_do_not_exist_have_no_place() -> None:
    document = opened(Address(GAME / "models.rlb", ("b_tower.msh",)))
    rows = control_points.POINT.new(3)
    rows["nodes"][:, 0] = (0, -1, 9999)
    rows["direction"] = ((0, 0, 5), (np.nan, 0, 0), (np.inf, 0, 0))
    marks = Marks.of(document.model, "", rows["nodes"][:, 0], rows["position"], directions=rows["direction"])
    points, directions = marks.in_world(document.animation.pose(0.0).world)
    assert np.isfinite(points).all(axis=1).tolist() == [True, True, False]
    assert np.linalg.norm(marks.directions, axis=1).tolist() == [1, 0, 0]
    assert len(directions) == 3
