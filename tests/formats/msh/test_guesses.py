"""Guesses: every one is as large as the declared record, and shows its bytes as the seeds propose."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, quad
from tests.cli.console import Capture, failure, success
from tests.cli.usage.test_schemas import validator
from viewer.formats.msh.guesses import GUESSES, Guess, guess_of
from viewer.formats.msh.tables import LIGHT_PROBES, STREAM15, STREAM16, STREAM18, TABLES
from viewer.formats.record import Status
from viewer.model.mesh.model import Model
from viewer.model.store.address import Address
from viewer.model.tables.model_tables import table_of
from viewer.session.opened.document import Document

RECORDS = {table.name: table.record for table in TABLES.values() if table.record is not None}
ALL = [(table, guess) for table, guesses in GUESSES.items() for guess in guesses]
VERTICES = 4
BYTES = bytes(range(8 * VERTICES))
FLOATS = struct.pack(f"<{2 * VERTICES}f", *(it / 4 for it in range(2 * VERTICES)))
VECTORS = struct.pack("<8b", 127, -127, -128, 5, 64, 0, -64, 9) * VERTICES
COLORS = bytes((0x10, 0x20, 0x30, 0xFF)) * VERTICES
PROBES = struct.pack("<12I", *range(12))


def model() -> bytes:
    builder = ModelBuilder.of([Node("a", shapes={(0, 0): [quad()]})])
    for type_id, data in (
        (STREAM15, FLOATS),
        (STREAM16, VECTORS),
        (STREAM18, COLORS),
        (LIGHT_PROBES, PROBES),
    ):
        record = TABLES[type_id].record
        assert record is not None
        builder.tables[type_id] = data
        builder.attributes[type_id] = (len(data) // record.size, 0, record.size)
    return builder.build()


@pytest.mark.parametrize(("table", "guess"), ALL, ids=[f"{table}.{it.name}" for table, it in ALL])
def test_a_guess_fills_the_record_and_says_that_it_is_one(table: str, guess: Guess) -> None:
    assert guess.record.size == RECORDS[table].size
    expected = Status.OPEN if guess.name == "words" else Status.HYPOTHESIS
    assert {it.status for it in guess.record.fields} == {expected}
    assert guess_of(table, {table: guess.name}) is guess


def test_without_a_choice_or_with_an_unknown_one_a_table_is_as_declared() -> None:
    assert guess_of("stream15", {}) is None
    assert guess_of("stream15", {"stream15": "colour"}) is None
    assert guess_of("nodes", {"nodes": "floats"}) is None


@pytest.mark.parametrize(
    ("table", "guess", "column", "rows"),
    [
        ("stream15", "floats", "uv", [[0.0, 0.25], [0.5, 0.75]]),
        ("stream15", "shorts", "uv_b", [list(struct.unpack("<2h", FLOATS[4:8]))]),
        ("stream16", "vectors", "a_decoded", [[1.0, -1.0, -1.0]]),  # -128 is no less than -1
        ("stream16", "vectors", "b_decoded", [[64 / 127, 0.0, -64 / 127]]),
        ("stream16", "vectors", "a", [[127, -127, -128, 5]]),
        ("stream18", "color", "color", [[0x10, 0x20, 0x30, 0xFF]]),
        ("light_probes", "words", "words", [[*range(12)]]),
        ("light_probes", "rows", "rows", [[it // 2 if it % 2 == 0 else 0 for it in range(24)]]),
    ],
)
def test_rows_are_the_same_in_the_window_and_in_the_shell(
    capsys: Capture, tmp_path: Path, table: str, guess: str, column: str, rows: list[list[float]]
) -> None:
    view = table_of(Document.of(Address.parse("a.msh"), Model.read(model())).tables, table, {table: guess})
    shown = view.column(column)
    assert shown is not None
    values = shown.values
    assert isinstance(values, np.ndarray)
    assert values[: len(rows)] == pytest.approx(np.array(rows))
    path = tmp_path / "a.msh"
    path.write_bytes(model())
    printed, _ = success(capsys, "inspect", path, "--table", table, "--as", guess, "--json")
    assert validator("inspect").is_valid(json.loads(printed))
    assert [it[column] for it in json.loads(printed)["rows"]] == pytest.approx(values)


def test_the_vertices_show_the_guess_too_and_a_guess_cannot_be_set() -> None:
    document = Document.of(Address.parse("a.msh"), Model.read(model()))
    view = table_of(document.tables, "vertices", {"stream18": "color"})
    column = view.column("stream18_color")
    assert column is not None
    assert column.is_guess
    assert column.field is not None
    assert (column.field.type_name, column.texts([1])) == ("u8[4]", ["16, 32, 48, 255"])
    assert view.column("uv2") is None


def test_a_table_with_one_meaning_has_no_guess(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "a.msh"
    path.write_bytes(model())
    assert "one meaning" in failure(capsys, "inspect", path, "--table", "nodes", "--as", "floats")
    assert "floats, shorts" in failure(capsys, "inspect", path, "--table", "stream15", "--as", "color")
