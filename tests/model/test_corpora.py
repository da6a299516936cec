"""Every model of the corpora against the truth that its independent writer left beside it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.builders import draws_in
from tests.corpora import skip_module
from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError
from viewer.formats.archive import nres
from viewer.formats.msh import slots, triangles, vertices
from viewer.model.checks import geometry
from viewer.model.checks.animation import dropped_tracks, lost_numbers
from viewer.model.checks.joined_tables import Tables
from viewer.model.checks.model_tables import LAYOUT
from viewer.model.checks.models import check_model
from viewer.model.checks.rules import findings
from viewer.model.checks.terrain import FACED
from viewer.model.mesh import draw_builder, reading
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model, Variant, encode
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.skeleton import Skeleton, sockets
from viewer.model.mesh.reading import MaterialField, ResolvedReading
from viewer.model.mesh.shown import NO_CELL, CellRule, Cutaway, PartChoice, PartChooser
from viewer.model.validation import validate

skip_module()

DRAWN = [*geometry.PARENTS.all, *geometry.CELLS.all, *geometry.DRAWS.all, *geometry.BOUNDS.all]
"""The rules of what is drawn."""
CELLS = [(lod, group) for lod in range(3) for group in range(5)]


@dataclass(frozen=True)
class CorpusModel:
    """One model, everything made of it, and its truth."""

    key: str
    truth: dict[str, Any]
    model: Model
    skeleton: Skeleton
    draws: Draws
    choice: ResolvedReading
    animation: Animation

    @classmethod
    def of(cls, key: str, truth: dict[str, Any], data: memoryview) -> CorpusModel:
        """Open a model as the program does."""
        model = Model.read(data)
        skeleton, draws = Skeleton(model), draw_builder.build(model)
        wear_rows = len(truth["materials"]) if truth.get("materials") else None
        choice = reading.choose(model, skeleton, draws, wear_rows=wear_rows)
        animation = Animation(model, skeleton, choice.reading.quaternion_order)
        return cls(key, truth, model, skeleton, draws, choice, animation)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Everything that was found on the way to the picture."""
        rules = (*LAYOUT.all, *DRAWN, dropped_tracks, lost_numbers)
        return [*self.model.archive.diagnostics, *findings(rules, Tables([self.model]))[0]]


def payload_of(folder: Path, key: str) -> memoryview:
    """The bytes of a model by its key in truth.json."""
    file, _, entry = key.partition("::")
    data = memoryview((folder / file).read_bytes())
    if not entry:
        return data
    archive = nres.Archive.read(data)
    index = archive.find(entry.encode("cp1251"))
    assert index is not None, key
    return archive.payload(index)


@pytest.fixture(scope="module", params=["seed", "field"])
def folder(request: pytest.FixtureRequest, samples: Path) -> Path:
    name: str = request.param
    return samples / name


@pytest.fixture(scope="module")
def everything(folder: Path) -> list[CorpusModel]:
    """All models, legacy ones included."""
    models = json.loads((folder / "truth.json").read_text())["models"]
    return [CorpusModel.of(key, truth, payload_of(folder, key)) for key, truth in models.items()]


@pytest.fixture(scope="module")
def cases(everything: list[CorpusModel]) -> list[CorpusModel]:
    """All models with 38-byte nodes."""
    return [case for case in everything if case.model.variant is Variant.MODEL]


def is_close(value: npt.ArrayLike, expected: npt.ArrayLike, tolerance: float = 1e-4) -> bool:
    """Within the tolerance that the corpora ask for, relative to the largest value."""
    values, right = np.asarray(value, np.float64), np.asarray(expected, np.float64)
    return bool(np.abs(values - right).max(initial=0) <= tolerance * (1 + np.abs(right).max(initial=0)))


def test_every_model_opens_without_a_finding(everything: list[CorpusModel]) -> None:
    assert len(everything) > 20
    for case in everything:
        assert case.diagnostics == [], case.key


def test_stand_alone_copies_are_the_same_bytes(folder: Path, everything: list[CorpusModel]) -> None:
    for case in everything:
        if case.truth.get("direct"):
            assert (folder / case.truth["direct"]).read_bytes() == case.model.archive.data, case.key


def test_tables_order_attributes_and_bytes(everything: list[CorpusModel]) -> None:
    for case in everything:
        entries = case.model.archive.entries
        assert [entry.type_id for entry in entries] == case.truth["order"], case.key
        for entry in entries:
            type_id = str(entry.type_id)
            stated = [entry.attr1, entry.attr2, entry.attr3, entry.size]
            assert stated == case.truth["attrs"][type_id], case.key
            assert zlib.crc32(case.model.payload(entry.type_id)) == case.truth["crc"][type_id], case.key


def test_counts(cases: list[CorpusModel]) -> None:
    for case in cases:
        model = case.model
        assert case.truth["counts"] == {
            "nodes": model.node_count,
            "slots": len(model.slots),
            "batches": len(model.batches),
            "tris": len(model.tri_descriptors),
            "vertices": model.vertex_count,
            "indices": len(model.indices),
            "keys": len(model.keys),
            "map_words": len(model.frame_map),
            "frames": model.frame_count,
        }, case.key


def test_nodes(cases: list[CorpusModel]) -> None:
    for case in cases:
        nodes = case.model.nodes
        stored = np.stack([nodes["flags"], nodes["map_start"], nodes["fallback_key"]], axis=1)
        assert stored.tolist() == case.truth["hdr"], case.key
        assert nodes["slots"].reshape(-1, 15).tolist() == case.truth["slot_matrix"], case.key
        assert case.skeleton.parents.tolist() == case.truth["parents"], case.key


def test_names(cases: list[CorpusModel]) -> None:
    for case in cases:
        names = case.model.node_names(from_records=case.choice.reading.has_name_records)
        expected = case.truth.get("names_res10", case.truth["names"])
        assert [name or None for name in names] == expected, case.key
        takes = case.model.node_socket_tags(from_records=case.choice.reading.has_name_records)
        assert [label or None for label in takes] == case.truth.get("takes", [None] * len(takes)), case.key


def test_sockets(cases: list[CorpusModel]) -> None:
    """Nodes called ``Base_*`` without geometry, as far as the truth names them."""
    known = [case for case in cases if "sockets" in case.truth]
    for case in known:
        names = case.model.node_names(from_records=case.choice.reading.has_name_records)
        assert sorted(sockets(case.model, names)) == case.truth["sockets"], case.key
    assert not known or sum(len(case.truth["sockets"]) for case in known) > 40


def test_the_header(everything: list[CorpusModel]) -> None:
    for case in everything:
        header = case.model.header
        assert header is not None
        stored = np.frombuffer(header.tobytes(), "<f4")
        assert np.array_equal(stored, np.array(case.truth["header"], np.float32)), case.key
        assert slots.HEADER.row(header)["hull"][7] == stored[21:24].tolist()


def test_slots(everything: list[CorpusModel]) -> None:
    for case in everything:
        stored = case.model.slots
        ranges = np.stack(
            [stored[f"{what}_{part}"] for what in ("tri", "batch") for part in ("start", "count")], 1
        )
        assert ranges.tolist() == case.truth["slots"], case.key
        names = ("aabb_min", "aabb_max", "sphere_center", "sphere_radius")
        bounds = np.concatenate([stored[name].reshape(len(stored), -1) for name in names], axis=1)
        assert np.array_equal(bounds, np.array(case.truth["slot_bounds"], np.float32)), case.key
        assert stored["opaque"].tolist() == case.truth["slot_tail"], case.key


def test_batches(everything: list[CorpusModel]) -> None:
    for case in everything:
        assert [list(row) for row in case.model.batches.tolist()] == case.truth["batches"], case.key


def test_vertices(everything: list[CorpusModel]) -> None:
    for case in everything:
        model = case.model
        for vertex, position, normal, uv in case.truth["vertex_probe"]:
            assert np.array_equal(model.positions[vertex], np.array(position, np.float32)), case.key
            if normal is not None and model.normals_raw is not None:
                assert is_close(vertices.decode_normals(model.normals_raw[[vertex]])[0], normal, 1e-6), (
                    case.key
                )
            if uv is not None and model.uvs_raw is not None:
                assert is_close(vertices.decode_uvs(model.uvs_raw[[vertex]])[0], uv, 1e-6), case.key
        low, high = case.truth["local_bounds"]
        assert is_close(model.positions.min(axis=0), low, 1e-6), case.key
        assert is_close(model.positions.max(axis=0), high, 1e-6), case.key


def test_triangle_descriptors(everything: list[CorpusModel]) -> None:
    for case in everything:
        for row, flags, links, normal, selectors in case.truth["tri_probe"]:
            stored = case.model.tri_descriptors[row]
            assert (stored["flags"], stored["links"].tolist()) == (flags, links), case.key
            assert is_close(triangles.decode_normal(stored["normal"]), normal, 1e-6), case.key
            decoded = triangles.decode_selectors(stored["selectors"]).tolist()
            assert [0xFFFF if each == 3 else each for each in decoded] == selectors, case.key


def test_draws_of_every_cell(cases: list[CorpusModel]) -> None:
    for case in cases:
        draws = case.draws
        counts = draws.triangle_counts()
        for lod, group in CELLS:
            expected = case.truth["draws"].get(f"{lod}/{group}", {"list": [], "tris": 0})
            rows = draws_in(case.model, draws, (lod, group))
            drawn = np.stack([draws.node[rows], draws.batch[rows]], axis=1)
            assert drawn.tolist() == expected["list"], (case.key, lod, group)
            assert counts[lod, group] == expected["tris"], (case.key, lod, group)


def test_legacy_models_draw_all_batches(everything: list[CorpusModel]) -> None:
    legacy = [case for case in everything if case.model.variant is Variant.LEGACY24]
    assert [case.truth["stride"] for case in legacy] == [24]
    assert legacy[0].draws.triangle_counts()[0, 0] == legacy[0].truth["all_batches_tris"]


def test_the_reading_that_is_chosen(folder: Path, cases: list[CorpusModel]) -> None:
    for case in cases:
        order = case.choice.reading.quaternion_order
        if folder.name == "seed":
            assert order == "xyzw", case.key
            continue
        assert order == case.truth["quaternion_order_expected"], case.key
        assert case.choice.reason == case.truth["order_decided_by"], case.key
        assert {str(name): count for name, count in case.choice.votes.items()} == case.truth["order_votes"], (
            case.key
        )


def test_how_far_the_header_box_is(folder: Path, cases: list[CorpusModel]) -> None:
    if folder.name == "seed":
        pytest.skip("the seed corpus does not state it")
    for case in cases:
        expected = case.truth["header_box_error"]
        if expected is None or None in expected.values():
            continue
        errors = case.choice.errors
        assert errors is not None, case.key
        for order, error in errors.items():
            assert error == pytest.approx(expected[order.value], rel=1e-3, abs=1e-5), case.key


def test_material_rows(folder: Path, cases: list[CorpusModel]) -> None:
    for case in cases:
        rows = reading.wear_rows_of(case.model.batches, case.choice.reading.material_field)
        written = [batch[1] for batch in case.truth["batches"]]
        assert rows.tolist() == case.truth.get("material_rows", written), case.key
        if folder.name == "seed":
            assert case.choice.reading.material_field is MaterialField.SEED, case.key


def _expected_draws(truth: dict[str, Any], stage: int, level: int) -> list[list[int]]:
    """Node and batch of every draw of the game, worked out from the truth alone."""
    found = []
    for node, words in enumerate(truth["slot_matrix"]):
        rows = [words[5 * row : 5 * row + 5] for row in range(3)]
        filled = [row[0] != 0xFFFF for row in rows]
        count = [*filled, False].index(False)
        if node in truth["hulls"] or not count:
            continue
        slot = next(slot for slot in rows[min(stage, count - 1)][level::-1] if slot != 0xFFFF)
        start, size = truth["slots"][slot][2:4]
        found += [[node, batch] for batch in range(start, start + size)]
    return found


def test_the_game_draws_a_stage_and_a_level(cases: list[CorpusModel]) -> None:
    """In files of the field reading; for nodes that begin with a gap the notes have no rule."""
    for case in cases:
        if "hulls" not in case.truth:
            continue
        chooser = PartChooser(case.model, case.draws)
        begins_with_a_gap = np.array([words[0] == 0xFFFF for words in case.truth["slot_matrix"]])
        for stage in range(3):
            for level in range(4):
                rows = chooser.shown(PartChoice(stage, level)).visible(has_portals=True)
                rows &= ~begins_with_a_gap[case.draws.node]
                drawn = np.stack([case.draws.node[rows], case.draws.batch[rows]], axis=1).tolist()
                assert drawn == _expected_draws(case.truth, stage, level), (case.key, stage, level)


def test_cockpits_inner_parts_and_portals(cases: list[CorpusModel]) -> None:
    for case in cases:
        if "hulls" not in case.truth:
            continue
        chooser = PartChooser(case.model, case.draws)
        assert sorted(chooser.cockpits) == case.truth["hulls"], case.key
        inside = chooser.shown(PartChoice(0, 0, CellRule.EXACT, cutaway=Cutaway.INSIDE))
        shown = set(np.flatnonzero(inside.cell != NO_CELL).tolist())
        filled = {node for node, words in enumerate(case.truth["slot_matrix"]) if words[0] != 0xFFFF}
        assert shown == filled & set(case.truth["interior"]), case.key
        rooms = [case.truth["portal"][batch] for batch in case.draws.batch.tolist()]
        assert chooser.is_portal.tolist() == [room is not None for room in rooms], case.key
        assert [room for room in rooms if room is not None] == chooser.room[chooser.is_portal].tolist()


def posed(case: CorpusModel) -> Iterator[tuple[int, npt.NDArray[np.float32]]]:
    for number, time in enumerate(case.truth["times"]):
        yield number, case.animation.pose(time).world


def test_poses(cases: list[CorpusModel]) -> None:
    for case in cases:
        for number, world in posed(case):
            for node, expected in case.truth["world"][number].items():
                assert is_close(world[int(node), :3].reshape(-1), expected), (case.key, number, node)


def test_world_bounds(cases: list[CorpusModel]) -> None:
    for case in cases:
        for number, world in posed(case):
            for cell, (low, high) in case.truth["world_bounds"][number].items():
                lod, group = map(int, cell.split("/"))
                bounds = case.draws.posed_bounds(
                    case.model, world, draws_in(case.model, case.draws, (lod, group))
                )
                assert bounds is not None
                assert is_close([bounds.low, bounds.high], [low, high]), (case.key, number, cell)


def test_nothing_changed_is_the_same_file(everything: list[CorpusModel]) -> None:
    for case in everything:
        assert encode(case.model) == case.model.archive.data, case.key


def test_terrain(folder: Path) -> None:
    for path, truth in json.loads((folder / "truth.json").read_text())["land"].items():
        model = Model.read((folder / path).read_bytes())
        draws = draw_builder.build(model)
        assert model.variant is Variant.TERRAIN
        rules = (*LAYOUT.all, *geometry.CELLS.all, *FACED.all, *geometry.BOUNDS.all)
        assert [*model.archive.diagnostics, *findings(rules, Tables([model]))[0]] == []
        assert (model.node_count, len(model.slots)) == (truth["tiles"], truth["slots"])
        assert (model.vertex_count, len(model.faces)) == (truth["vertices"], truth["faces"])
        counts = draws.triangle_counts()
        # The corpora keep the coarse slots in row 1, where land.md has column 1 of row 0.
        assert counts[:2, 0].tolist() == [truth["lod0_faces"], truth["lod1_faces"]]
        assert sorted(draws.triangle[draws_in(model, draws).repeat(draws.triangle_count)]) == list(
            range(truth["lod0_faces"])
        )
        assert model.faces["vertices"][: len(truth["first_faces"])].tolist() == truth["first_faces"]
        assert is_close([model.positions.min(axis=0), model.positions.max(axis=0)], truth["bounds"], 1e-6)


# Damage.


def mutants(samples: Path) -> Iterator[tuple[dict[str, Any], bytes]]:
    manifest = json.loads((samples / "damaged" / "manifest.json").read_text())
    for mutant in manifest["mutants"]:
        if mutant["kind"] == "msh":
            yield mutant, (samples / "damaged" / mutant["file"]).read_bytes()


def test_what_is_intact_of_a_damaged_model_is_drawn(samples: Path) -> None:
    seen = 0
    for mutant, data in mutants(samples):
        if mutant["tolerant"] != "shows":
            continue
        seen += 1
        model = Model.read(data)
        draws = draw_builder.build(model)
        counts = draws.triangle_counts()
        for lod, group in CELLS:
            cell = f"{lod}/{group}"
            least, most = (mutant.get(bound, {}).get(cell) for bound in ("min_tris", "max_tris"))
            assert least is None or counts[lod, group] >= least, (mutant["name"], cell)
            assert most is None or counts[lod, group] <= most, (mutant["name"], cell)
        skeleton = Skeleton(model)
        choice = reading.choose(model, skeleton, draws)
        pose = Animation(model, skeleton, choice.reading.quaternion_order).pose(3.3)
        assert np.isfinite(pose.world).all(), mutant["name"]
    assert seen > 20


def test_what_cannot_be_read_says_so(samples: Path) -> None:
    for mutant, data in mutants(samples):
        if mutant["tolerant"] == "error":
            with pytest.raises(FormatError):
                Model.read(data)


def test_damaged_models_are_rewritten_unchanged(samples: Path) -> None:
    for mutant, data in mutants(samples):
        if mutant["tolerant"] == "shows":
            assert encode(Model.read(data)) == data, mutant["name"]


def test_a_strict_reader_refuses_what_it_should(samples: Path) -> None:
    for mutant, data in mutants(samples):
        try:
            found = validate.errors(check_model(Model.read(data)))
        except FormatError as error:
            found = [Diagnostic.of(error)]
        if mutant["strict"] == "error":
            assert found, mutant["name"]
        elif mutant["strict"] == "ok":
            assert found == [], mutant["name"]


def test_a_strict_reader_takes_every_sound_model(everything: list[CorpusModel]) -> None:
    for case in everything:
        assert validate.errors(check_model(case.model)) == [], case.key
