"""The fields of a payload by offset."""

from __future__ import annotations

import numpy as np

from tests.builders import ModelBuilder, Node, box
from viewer.formats.part import leaves
from viewer.model.kinds.registry import MODEL
from viewer.model.mesh.model import Model
from viewer.model.references.byte_fields import HUES, NO_FIELD, FieldMap


def _model() -> tuple[Model, FieldMap]:
    model = Model.read(ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})]).build())
    return model, FieldMap(MODEL.parts(model))


def test_a_byte_leads_to_its_field_and_back() -> None:
    model, fields = _model()
    for offset in range(0, len(model.archive.data), 7):
        at = fields.at(offset)
        assert at is not None
        start, length = at.span
        assert start <= offset < start + length
        if at.field is not None:
            assert fields.span(at.path, at.row, at.field.name) == (start, length)


def test_an_element_of_a_field_has_its_own_bytes() -> None:
    _, fields = _model()
    whole, last = fields.span("positions", 2, "position"), fields.span("positions", 2, "position[2]")
    assert whole is not None
    assert whole[1] == 12
    assert last == (whole[0] + 8, 4)
    assert fields.span("positions", 1_000_000, "position") is None


def test_shades_change_where_fields_do() -> None:
    model, fields = _model()
    root, size = MODEL.parts(model), len(model.archive.data)
    shades = fields.shades(0, size)
    assert len(shades) == size
    for part in leaves(root):
        if part.record is None:
            assert (shades[part.start : part.end] == NO_FIELD).all()
            continue
        for number, field in enumerate(part.record.fields):
            for row in range(part.count):
                start = part.start + row * part.record.size + field.offset
                hues = (shades[start : start + field.size].astype(int) - 1) % HUES
                assert (hues == number % HUES).all()
    middle = size // 3
    assert np.array_equal(fields.shades(middle, middle + 100), shades[middle : middle + 100])


def test_the_legend_names_what_is_in_sight() -> None:
    _, fields = _model()
    start, size = fields.span("batches", 0) or (0, 0)
    names = {(line.table, line.field) for line in fields.legend(start, start + size)}
    assert ("batches", "index_start") in names
    assert {table for table, _field in names} == {"batches"}
    first, length = fields.span("batches", 0, "index_start") or (0, 0)
    assert [line.field for line in fields.legend(first, first + length)] == ["index_start"]


def test_nothing_is_said_of_an_unknown_payload() -> None:
    fields = FieldMap(None)
    assert fields.at(3) is None
    assert not fields.shades(0, 8).any()
    assert fields.span("nodes", 0) is None
