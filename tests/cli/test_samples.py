"""Every model of the corpora through the command line, against the truth beside them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.cli.console import Capture
from tests.corpora import SAMPLES, skip_module
from tests.systems import below
from viewer.cli.main import main

skip_module()

Run = Callable[..., Any]

LOCATION = SAMPLES
NONE = 0xFFFF
COUNTS = {"tris": "tri_descriptors"}
ROWS = {"indices": "indices", "frame_map": "map_words", "keys": "keys", "strings": "nodes", "slots": "slots"}
"""Tables, and what the truth calls the number of their rows."""


@cache
def truth(corpus: str) -> Mapping[str, Any]:
    text = (LOCATION / corpus / "truth.json").read_text(encoding="utf-8")
    loaded: Mapping[str, Any] = json.loads(text)
    return loaded


def each_form(corpus: str) -> dict[str, Any]:
    """The first model of each form: its tables, how it turns, and what the truth states of it.

    `tests/model/test_corpora.py` reads all of them; models of one form are printed by the same code.
    """
    found: dict[object, tuple[str, Any]] = {}
    for key, model in truth(corpus)["models"].items():
        order = model.get("quaternion_order_expected")
        form = model["stride"], order, frozenset(model["attrs"]), frozenset(model) - {"direct"}
        found.setdefault(form, (key, model))
    return dict(found.values())


@pytest.fixture
def run(samples: Path, capsys: Capture) -> Run:
    """Run a verb on a model of a corpus and return its JSON."""

    def run_verb(verb: str, corpus: str, key: str, *arguments: str) -> Any:
        assert main([verb, str(samples / corpus / key), *arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run_verb


def single(values: npt.ArrayLike) -> npt.NDArray[np.float32]:
    return np.asarray(values, np.float32)


def sentinel(value: int) -> int | None:
    return None if value == NONE else value


each_corpus = pytest.mark.parametrize("corpus", ["seed", "field"])


def test_materials_of_the_field_corpus(run: Run, subtests: pytest.Subtests) -> None:
    """How each batch blends and what its first phase is, as `materials` prints it."""
    known = {name.upper(): value for name, value in truth("field")["materials"].items()}
    for key, model in truth("field")["models"].items():
        with subtests.test(key):
            for batch, row in enumerate(run("materials", "field", key)["batches"]):
                check_material(model, batch, row, known)


def check_material(
    model: Mapping[str, Any], batch: int, row: Mapping[str, Any], known: Mapping[str, Any]
) -> None:
    if row["material"] is None:
        return
    expected = known.get(row["material"].upper(), known["DEFAULT"])
    assert (row["blend_mode"], row["lit_skin"]) == (expected["blend_mode"], expected["lit_skin"])
    phase, stored = row["phase"], expected["phases"][0]
    alphas = [phase[name][3] for name in ("ambient", "diffuse", "specular", "emissive")]
    assert alphas == pytest.approx(stored["alphas"])
    assert (phase["power"], phase["lit"]) == (stored["power"], not stored["unlit"])
    assert (-1 if phase["page"] is None else phase["page"]) == stored["sub_image"]
    is_flagged = model["batches"][batch][0] & (0x8 | 0x100) != 0
    is_faint = stored["alphas"][0] < 1
    assert row["see_through"] == (not model["lightmapped"][batch] and (is_flagged or is_faint))


BATCH_FIELDS = (
    "flags", "material", "opaque4", "opaque6", "index_count", "index_start", "opaque14", "base_vertex",
)  # fmt: skip
"""What is stored of a batch, in the order of the truth; `inspect` shows what follows from it too."""


@each_corpus
def test_inspect(run: Run, subtests: pytest.Subtests, corpus: str) -> None:
    for key, expected in truth(corpus)["models"].items():
        with subtests.test(key):
            shown = run("inspect", corpus, key)
            check_model(shown, expected)
            check_reading(shown["reading"], corpus, expected)


def check_model(shown: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    assert shown["format"] == "msh"
    assert shown["variant"] == ("legacy24" if expected["stride"] == 24 else "model")
    assert {name: shown["counts"][COUNTS.get(name, name)] for name in expected["counts"]} == expected[
        "counts"
    ]
    assert [resource["type"] for resource in shown["resources"]] == expected["order"]
    attributes = {
        str(row["type"]): [row["attr1"], row["attr2"], row["attr3"], row["size"]]
        for row in shown["resources"]
    }
    assert attributes == expected["attrs"]
    check_slots(shown["slots"], expected)
    assert [[batch[name] for name in BATCH_FIELDS] for batch in shown["batches"]] == expected["batches"]
    check_header(shown["header"], expected["header"])
    if expected["stride"] == 38:
        check_nodes(shown["nodes"], expected)


def check_slots(slots: list[dict[str, Any]], expected: Mapping[str, Any]) -> None:
    ranges = [[row["tri_start"], row["tri_count"], row["batch_start"], row["batch_count"]] for row in slots]
    assert ranges == expected["slots"]
    bounds = [
        [*row["aabb_min"], *row["aabb_max"], *row["sphere_center"], row["sphere_radius"]] for row in slots
    ]
    assert np.array_equal(single(bounds), single(expected["slot_bounds"]))
    assert [row["opaque"] for row in slots] == expected["slot_tail"]


def check_header(header: Mapping[str, Any], expected: list[float]) -> None:
    sphere, capsule = header["sphere"], header["capsule"]
    shown = [*chain(*header["hull"]), *sphere["center"], sphere["radius"]]
    shown += [*capsule["a"], *capsule["b"], capsule["radius"]]
    assert np.array_equal(single(shown), single(expected))


def check_nodes(nodes: list[dict[str, Any]], expected: Mapping[str, Any]) -> None:
    assert [node["index"] for node in nodes] == list(range(len(nodes)))
    assert [node["name"] for node in nodes] == expected.get("names_res10", expected["names"])
    assert [node["takes"] for node in nodes] == expected.get("takes", [None] * len(nodes))
    assert [node["parent"] for node in nodes] == [
        parent if parent >= 0 else None for parent in expected["parents"]
    ]
    headers = [[node["flags"], node["map_start"], node["fallback_key"]] for node in nodes]
    assert headers == [[flags, sentinel(start), key] for flags, start, key in expected["hdr"]]
    slots = [[*chain(*node["slots"])] for node in nodes]
    assert slots == [[*map(sentinel, words)] for words in expected["slot_matrix"]]


def check_reading(reading: Mapping[str, Any], corpus: str, expected: Mapping[str, Any]) -> None:
    assert reading["chosen"] == "auto"
    if corpus == "seed":
        assert (reading["quaternion_order"], reading["material_field"]) == ("xyzw", "seed")
    elif "quaternion_order_expected" in expected:
        assert reading["quaternion_order"] == expected["quaternion_order_expected"]
        assert reading["decided_by"] == expected["order_decided_by"]
        assert reading["names_from"] == ("strings" if "names_res10" in expected else "name_records")


def check_tables(run: Run, corpus: str, key: str, expected: Mapping[str, Any]) -> None:
    vertices = run("inspect", corpus, key, "--table", "vertices")["rows"]
    assert len(vertices) == expected["counts"]["vertices"]
    for vertex, position, normal, uv in expected["vertex_probe"]:
        row = vertices[vertex]
        assert np.array_equal(single(row["position"]), single(position))
        assert row["normal"] == pytest.approx(normal, abs=1e-6)
        assert np.array_equal(single(row["uv"]), single(uv))
    descriptors = run("inspect", corpus, key, "--table", "tri_descriptors")["rows"]
    assert len(descriptors) == expected["counts"]["tris"]
    for descriptor, flags, links, normal, selectors in expected["tri_probe"]:
        row = descriptors[descriptor]
        assert (row["flags"], row["links"]) == (flags, [*map(sentinel, links)])
        assert row["normal"] == pytest.approx(normal, abs=1e-6)
        assert row["selectors"] == [*map(sentinel, selectors)]


@each_corpus
def test_table_has_every_row(run: Run, corpus: str) -> None:
    key = "game/robots.rlb::r_chain_38.msh"
    for table, count in ROWS.items():
        shown = run("inspect", corpus, key, "--table", table)
        assert shown["table"] == table
        assert len(shown["rows"]) == truth(corpus)["models"][key]["counts"][count], table


def check_draws(run: Run, corpus: str, key: str, expected: Mapping[str, Any]) -> None:
    for lod, group in np.ndindex(3, 5):
        cell = expected["draws"].get(f"{lod}/{group}", {"list": [], "tris": 0})
        if expected["stride"] == 24:
            is_shown = (lod, group) == (0, 0)
            tris, pairs = (
                (expected["all_batches_tris"], range(len(expected["batches"]))) if is_shown else (0, ())
            )
            cell = {"list": [[0, batch] for batch in pairs], "tris": tris}
        shown = run("draws", corpus, key, "--lod", str(lod), "--group", str(group))
        assert (shown["lod"], shown["group"]) == (lod, group)
        assert [[draw["node"], draw["batch"]] for draw in shown["draws"]] == cell["list"]
        assert sum(draw["triangles"] for draw in shown["draws"]) == cell["tris"]
        rows = expected.get("material_rows") or [batch[1] for batch in expected["batches"]]
        assert [draw["material"] for draw in shown["draws"]] == [rows[batch] for _, batch in cell["list"]]


def check_pose(run: Run, corpus: str, key: str, expected: Mapping[str, Any]) -> None:
    for time, world in zip(expected.get("times", ()), expected.get("world", ()), strict=True):
        shown = run("pose", corpus, key, "--time", repr(time))
        for node, matrix in world.items():
            stored = np.array(shown["nodes"][int(node)]["world"])
            assert np.abs(stored[:12] - matrix).max() <= 1e-4 * (1 + np.abs(matrix).max())
            assert stored[12:].tolist() == [0, 0, 0, 1]


@each_corpus
@pytest.mark.usefixtures("_opened_once")
def test_a_model_of_each_form(run: Run, subtests: pytest.Subtests, corpus: str) -> None:
    for key, expected in each_form(corpus).items():
        for check in (check_tables, check_draws, check_pose):
            with subtests.test(f"{check.__name__} {key}"):
                check(run, corpus, key, expected)


def test_names_that_are_not_printable_make_the_strings_names_unless_another_reading_is_asked_for(
    run: Run,
) -> None:
    key = "odd/names_noise9.msh"
    expected = truth("field")["models"][key]["names_res10"]
    for requested in ("auto", "seed"):
        nodes = run("inspect", "field", key, "--reading", requested)["nodes"]
        assert [node["name"] for node in nodes] == expected
        assert [node["takes"] for node in nodes] == [None] * len(nodes)
    nodes = run("inspect", "field", key, "--reading", "field")["nodes"]
    assert [node["takes"] for node in nodes] == expected


def test_materials_have_alphas_as_the_field_notes_scale_them(run: Run) -> None:
    known, seen = truth("field")["materials"], 0
    key = "game/robots.rlb::r_chain_38.msh"
    for batch in run("materials", "field", key)["batches"]:
        phase = known[batch["material"]]["phases"][0]
        colors = [batch["phase"][name] for name in ("ambient", "diffuse", "specular", "emissive")]
        assert [color[3] for color in colors] == pytest.approx(phase["alphas"])
        seen += 1
    for material in run("inspect", "field", key)["materials"]:
        for shown, phase in zip(material["phases"], known[material["name"]]["phases"], strict=True):
            assert shown["diffuse"][3] == pytest.approx(phase["alphas"][1])
    assert seen


@each_corpus
def test_ls(run: Run, corpus: str) -> None:
    for path, expected in truth(corpus)["archives"].items():
        if expected["entries"] is None:
            continue
        listed = run("ls", corpus, path)
        assert listed["size"] == expected["size"]
        names = ("name", "type", "attr1", "attr2", "attr3", "size")
        assert [[entry[name] for name in names] for entry in listed["entries"]] == [
            entry[:6] for entry in expected["entries"]
        ]


@each_corpus
def test_ls_packed(run: Run, corpus: str) -> None:
    for path, expected in truth(corpus)["rsli"].items():
        listed = run("ls", corpus, path)
        assert listed["kind"] == "rsli"
        sizes = {entry["name"]: entry["size"] for entry in listed["entries"]}
        assert sizes == {name: entry["size"] for name, entry in expected.items()}


@each_corpus
@pytest.mark.usefixtures("_opened_once")
def test_terrain(run: Run, corpus: str) -> None:
    for path, expected in truth(corpus)["land"].items():
        shown = run("inspect", corpus, path)
        assert shown["variant"] == "terrain"
        counts = shown["counts"]
        assert (counts["nodes"], counts["slots"]) == (expected["tiles"], expected["slots"])
        assert (counts["vertices"], counts["faces"]) == (expected["vertices"], expected["faces"])
        for lod in range(2):
            drawn = run("draws", corpus, path, "--lod", str(lod))["draws"]
            assert sum(draw["triangles"] for draw in drawn) == expected[f"lod{lod}_faces"]
            assert all(draw["batch"] is None for draw in drawn)
        faces = run("inspect", corpus, path, "--table", "faces")["rows"]
        first = [face["vertices"] for face in faces[: len(expected["first_faces"])]]
        assert first == expected["first_faces"]
        posed = run("pose", corpus, path, "--time", "0")["nodes"]
        assert all(node["world"] == np.eye(4).reshape(-1).tolist() for node in posed)


def test_clips(run: Run, samples: Path) -> None:
    """The controller of each model, its clips and its channels."""
    root = (samples / "field").resolve()
    for key, expected in truth("field")["models"].items():
        shown = run("clips", "field", key)
        control = shown["control"] and below(root, Path(shown["control"]).resolve())
        assert control == expected.get("control"), key
        stated = truth("field")["controls"][control] if control else {"clips": [], "channels": []}
        assert shown["frames"] == max(1, expected["attrs"]["19"][1]), key
        for name in ("clips", "channels"):
            for row, (clip, said) in enumerate(zip(shown[name], stated[name], strict=True)):
                assert clip["index"] == said.get("index", row)
                wrong = [
                    field for field in clip if field in said and not same_numbers(clip[field], said[field])
                ]
                assert wrong == [], (key, name, row)


def same_numbers(shown: Any, stated: Any) -> bool:
    if stated is None or shown is None:
        return shown is stated
    return np.array_equal(single(shown), single(stated))


def test_controllers(run: Run) -> None:
    for key, expected in truth("field")["controls"].items():
        shown = run("inspect", "field", key)
        assert (shown["format"], shown["counts"], shown["rest_size"]) == (
            "control",
            expected["counts"],
            expected["rest_size"],
        )
        for name in ("states", "channels"):
            for row, said in zip(shown[name], expected[name], strict=True):
                assert [field for field in said if not same_numbers(row[field], said[field])] == [], (
                    key,
                    row,
                )
        assert same_numbers(shown["costs"], expected["costs"])
        parameters = expected["parameters"]
        assert [it for it in parameters if not same_numbers(shown["parameters"][it], parameters[it])] == []


@pytest.mark.usefixtures("_opened_once")
def test_a_pose_in_a_clip_blends_two_times(run: Run) -> None:
    """Nodes that no channel drives, against the blend of the frames that the truth says."""
    key = "game/robots.rlb::w_ch_01.msh"
    control = truth("field")["controls"][truth("field")["models"][key]["control"]]
    driven = {channel["node"] for channel in control["channels"]}
    for clip in control["clips"]:
        if clip["seconds"] is None:
            continue
        for share in (0.0, 0.3, 0.9):
            pairs = [pair for pair in (clip["frames_a"], clip["frames_b"]) if pair and pair[0] >= 0]
            first, *second = (repr(start + share * (end - start)) for start, end in pairs)
            blend = ("--time-b", second[0], "--blend", repr(clip["weight_b"])) if second else ()
            options = "--clip", str(clip["index"]), "--time", repr(share * clip["seconds"])
            shown, expected = (
                run("pose", "field", key, *options),
                run("pose", "field", key, "--time", first, *blend),
            )
            for node, other in zip(shown["nodes"], expected["nodes"], strict=True):
                if node["index"] not in driven:
                    np.testing.assert_allclose(node["local"], other["local"], atol=1e-4)
