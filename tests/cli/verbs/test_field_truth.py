"""What `inspect` prints of the field corpus agrees with the truth beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import Capture, success
from tests.corpora import skip_module

skip_module()

BATCH = (
    *("flags", "material", "opaque4", "opaque6"),
    *("index_count", "index_start", "opaque14", "base_vertex"),
)
GROUND = {"a": "ground_surface", "b": "unknown_0x05", "c": "speed_factor", "d": "damage_per_second"}


@pytest.fixture(scope="module")
def truth(samples: Path) -> Any:
    return json.loads((samples / "field" / "truth.json").read_text())


def inspected(capsys: Capture, address: Path | str) -> Any:
    return json.loads(success(capsys, "inspect", address, "--json", "-q")[0])


def test_models(samples: Path, truth: Any, capsys: Capture) -> None:
    seen = 0
    for key, model in truth["models"].items():
        found = inspected(capsys, f"{samples / 'field'}/{key}")
        if found["variant"] != "model" or "takes" not in model:
            continue
        seen += 1
        nodes = found["nodes"]
        assert [node["name"] for node in nodes] == model["names"], key
        assert [node["takes"] for node in nodes] == model["takes"], key
        assert [-1 if node["parent"] is None else node["parent"] for node in nodes] == model["parents"], key
        assert [[batch[name] for name in BATCH] for batch in found["batches"]] == model["batches"], key
        assert found["reading"]["quaternion_order"] == model["quaternion_order_expected"], key
        capsule = found["header"]["capsule"]
        cylinder = [*capsule["a"], *capsule["b"], capsule["radius"]]
        assert cylinder == pytest.approx(model["header"][-7:], rel=1e-6), key
    assert seen > 30


def test_materials(samples: Path, truth: Any, capsys: Capture) -> None:
    for name, material in truth["materials"].items():
        found = inspected(capsys, f"{samples / 'field/game/Material.lib'}::{name}")
        assert {letter: found[field] for letter, field in GROUND.items()} == material["meta"], name
        assert (found["blend_mode"], found["is_lit_skin"]) == (material["blend_mode"], material["lit_skin"])
        phases = [(phase["power"], phase["page"]) for phase in found["phases"]]
        assert phases == [(phase["power"], phase["sub_image"]) for phase in material["phases"]], name
