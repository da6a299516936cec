"""What `fields` returns `set` takes back, of every kind of resource, and then nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mshview
from tests import small_files
from viewer.model.kinds.registry import KINDS
from viewer.resources import bundled_path

OTHERS = (
    "DATA/MAPS/SAMPLE/Land.msh",
    "UNITS/UNITS/SAMPLE/walker.dat",
    "objects.dlb::walker",
    "models.rlb::b_tower.bas",
)


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> list[mshview.Resource]:
    """Resources of every kind, and the tables of a model."""
    folder = tmp_path_factory.mktemp("kinds")
    for name, data in small_files.files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    game, model = bundled_path("assets/game"), folder / "lit.msh"
    tables = range(len(mshview.open(model).fields()["directory"]))
    opened = [mshview.open(it) for it in sorted(folder.rglob("*")) if it.is_file()]
    opened += [mshview.open(f"{game}/{name}") for name in OTHERS]
    opened += [mshview.open(f"{model}::#{index}") for index in tables]
    return [*_with_entries(opened)]


def _with_entries(resources: list[mshview.Resource]) -> Iterator[mshview.Resource]:
    for it in resources:
        yield it
        if isinstance(it, mshview.Archive):
            yield from it


def test_there_is_a_resource_of_every_kind(resources: list[mshview.Resource]) -> None:
    assert {it.id for it in KINDS} <= {it.kind for it in resources}


def test_what_is_returned_is_taken_back_and_changes_nothing(resources: list[mshview.Resource]) -> None:
    tried = 0
    for resource in resources:
        before, fields = resource.data, resource.fields()
        for name, value in fields.items():
            places: dict[str, Any] = {name: value}
            if isinstance(value, list) and value:
                places |= {f"{name}[{row}]": value[row] for row in {0, len(value) - 1}}
                if isinstance(value[0], dict):
                    places |= {f"{name}[0].{field}": it for field, it in value[0].items()}
            for place, it in places.items():
                resource.set(place, it)
                assert resource.data == before, (resource, place)
                tried += 1
        assert resource.changes() == []
    assert tried > 1000


def _model(game: Path, name: str = "models.rlb::drone.msh") -> mshview.Model:
    (model,) = mshview.models(f"{game}/{name}")
    return model


CHANGED = {
    "keys": ("keys[1].quaternion", [0, 1, 0, 0]),
    "tri_descriptors": ("tri_descriptors[1].normal", [0, 0, 1]),
    "name_records": ("name_records[1]", "b"),
    "nodes": ("nodes[1].flags", 9),
    "strings": ("strings[1]", "b"),
    "directory": ("directory[1].attr3", 9),
}


def test_rows_of_a_model_that_were_changed_are_set_back(game: Path) -> None:
    model = _model(game)
    before = model.fields()
    for table, (place, value) in CHANGED.items():
        model.set(place, value)
        assert model.changes(), table
        model.set(f"{table}[1]", before[table][1])
        assert model.changes() == [], table
    for place, value in CHANGED.values():
        model.set(place, value)
    after = model.fields()
    assert {table for table in CHANGED if after[table][1] != before[table][1]} == CHANGED.keys()
    for table in CHANGED:
        model.set(table, before[table])
    assert model.changes() == []


def test_stored_values_have_the_names_that_take_them(game: Path) -> None:
    model = _model(game)
    rows = model.fields()
    assert rows["keys"][0].keys() == {"index", "position", "time", "quaternion_raw"}
    descriptor = rows["tri_descriptors"][0]
    assert descriptor.keys() == {"index", "flags", "links", "normal_raw", "selectors_raw"}
    model.set("keys[0].quaternion_raw", [0, 32767, 0, 0])
    assert model.fields()["keys"][0]["quaternion_raw"] == [0, 32767, 0, 0]
    assert model.pose(0).quaternion[0].tolist() == [0, 1, 0, 0]  # w, x, y, z as this file has them


def test_a_row_with_what_follows_from_it_is_set(game: Path) -> None:
    points = mshview.open(f"{game}/models.rlb::walker.cpt")
    row = points.fields()["points"][1]
    points.set("points[1]", row | {"nodes": [3, 4]})
    assert points.fields()["points"][1]["nodes"] == [3, 4]
    points.discard()
    with pytest.raises(mshview.Error, match=r"points\[1\]\.name: has no field name; it has unknown_0x00"):
        points.set("points[1]", row | {"name": "Other"})
    assert points.changes() == []


def test_a_table_with_some_rows_changed_is_set(game: Path) -> None:
    effect = mshview.open(f"{game}/effects.rlb::blast")
    rows = effect.fields()["commands"]
    assert rows[0]["range_start"] == 12.0
    rows[0]["range_start"], rows[1]["fade_end"] = 13.5, 0.25
    effect.set("commands", rows)
    assert [(it["table"], it["row"], it["field"], it["after"]) for it in effect.changes()] == [
        ("commands", 0, "range_start", 13.5),
        ("commands", 1, "fade_end", 0.25),
    ]
    with pytest.raises(mshview.Error, match=r"commands: 4 rows are needed, not \["):
        effect.set("commands", rows[:-1])


def test_what_there_is_not_is_refused_with_the_first_words(game: Path) -> None:
    model = _model(game)
    with pytest.raises(mshview.Error, match="has no field nothing; it has hull"):
        model.set("nothing", 1)
    with pytest.raises(mshview.Error, match="has no field format"):
        model.set("format", "texm")
    with pytest.raises(mshview.Error, match=r"nodes\[99\]"):
        model.set("nodes[99]", {"index": 99, "flags": 1})
