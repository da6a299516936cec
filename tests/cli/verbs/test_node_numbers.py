"""Nodes that are inserted or removed: what numbers them next to the model is renumbered, not changed."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cli.console import Capture, success
from tests.model.edit.neighbors.steps import MODELS
from tests.operations.test_importing import WALKER, walker_without
from viewer.cli.main import main
from viewer.formats.archive.nres import Archive
from viewer.formats.neighbors import control
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

ENGINE = 3
"""A part at which nothing ends and to which nothing refers: 35 nodes follow it."""


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return Path(shutil.copy(MODELS, tmp_path))


def edited(capsys: Capture, models: Path, *options: str) -> dict[str, Any]:
    arguments = ("edit", f"{models}::walker.msh", *options, "--in-place", "--json")
    found: dict[str, Any] = json.loads(success(capsys, *arguments)[0])
    return found


def changes(found: dict[str, Any], entry: str) -> list[str]:
    """The changed fields of an entry, and whole rows."""
    own = (it for it in found["changes"] if it["address"].endswith(f"::{entry}"))
    return [f"{it['table']}[{it['row']}].{it['field'] or it['what']}" for it in own]


def test_what_numbers_the_nodes_of_a_model_is_one_sentence_each(models: Path, capsys: Capture) -> None:
    found = edited(capsys, models, "--remove", "engine")
    assert found["summary"][1:4] == [
        "walker.cpt: 5 references renumbered",
        "walker.ndp: node engine removed",
        "walker.ctl: 6 references renumbered",
    ]
    assert changes(found, "walker.cpt") == changes(found, "walker.ctl") == []
    assert changes(found, "walker.ndp") == ["header[0].count", f"nodes[{ENGINE}].removed"]
    renumbered = {(Path(it["address"]).name, it["field"]): it["count"] for it in found["renumbered"]}
    assert renumbered["models.rlb::walker.ctl", "node"] == 6


def test_a_row_for_a_new_node_has_its_name(models: Path, capsys: Capture) -> None:
    found = edited(capsys, models, "--add-node", "beacon", "root")
    assert "walker.ndp: node beacon added" in found["summary"]


def test_a_reference_that_is_cleared_is_a_change(models: Path, capsys: Capture) -> None:
    """Though none is stored as -1, which is no node either."""
    found = edited(capsys, models, "--remove", "dish", "--clear-references")
    assert changes(found, "walker.ctl") == ["channels[5].node"]
    assert "walker.ctl: 4 references renumbered" in found["summary"]


def test_two_archives_differ_in_the_same_words(models: Path, tmp_path: Path, capsys: Capture) -> None:
    edited(capsys, models, "--remove", "engine")
    assert main(["diff", str(MODELS), str(models), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["changes"]
    own = [it for it in found if it["path"][:1] in (["walker.cpt"], ["walker.ctl"])]
    assert {it["what"] for it in own} == {"renumbered"}


def test_without_a_model_next_to_it_numbers_are_values(models: Path, tmp_path: Path, capsys: Capture) -> None:
    edited(capsys, models, "--remove", "engine")
    for name, archive in (("a.ctl", MODELS), ("b.ctl", models)):
        payload = FileStore().open(Address(archive, ("walker.ctl",))).data
        (tmp_path / name).write_bytes(payload)
    assert main(["diff", str(tmp_path / "a.ctl"), str(tmp_path / "b.ctl"), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["changes"]
    assert {it["what"] for it in found} == {"changed"}


def test_a_template_in_an_archive_names_all_that_would_change_and_into_writes_it(
    models: Path, tmp_path: Path, capsys: Capture
) -> None:
    path = walker_without("engine", tmp_path / "w.glb")
    template = replace(WALKER, path=models)
    arguments = ("import", path, "--template", template, "-o", tmp_path / "out.msh", "--json")
    told = json.loads(success(capsys, *arguments)[0])
    assert any("walker.ctl is not changed; it needs" in it for it in told["notes"])
    needed = f"walker.cpt, walker.ndp, walker.ctl would have to change too; --into {template} writes them all"
    assert needed in told["notes"]
    assert models.read_bytes() == MODELS.read_bytes()
    success(capsys, "import", path, "--into", template, "--in-place")
    old, new = (control.decode(Archive.read(it.read_bytes()).payload(4)) for it in (MODELS, models))
    assert (new.channels["node"] == old.channels["node"] - 1).all()
