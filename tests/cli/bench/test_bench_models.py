"""Generated models are what their plan says, and nothing in them is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from viewer.cli.bench.subjects import Plan, make_archive, make_model
from viewer.errors import Severity
from viewer.formats.archive import nres
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import Reason
from viewer.session.opened.document import Document
from viewer.session.view.view_state import ViewState

PLANS = [
    Plan(1, 1, 1),
    Plan(9, 2, 3),
    Plan(20, 1, 4, frame_count=6),
    Plan(5, 1, 1, frame_count=30, key_count=7),
]


@pytest.mark.parametrize("plan", PLANS)
def test_model_is_as_planned(plan: Plan) -> None:
    document = Document.of("", Model.read(make_model(plan)))
    assert [finding for finding in document.diagnostics if finding.severity is Severity.ERROR] == []
    assert document.model.node_count == plan.node_count
    assert len(document.model.batches) == plan.node_count
    assert document.triangle_counts[0, 0] == plan.triangle_count == document.triangle_counts.sum()
    assert document.animation.frame_count == plan.frame_count
    assert len(document.model.tri_descriptors) == plan.triangle_count


@pytest.mark.parametrize("plan", PLANS[2:])
def test_every_node_moves(plan: Plan) -> None:
    document = Document.of("", Model.read(make_model(plan)))
    assert document.animation.pose(1.25).sample.is_interpolated.all()
    assert document.choice.reason is Reason.BOX
    assert document.choice.reading.quaternion_order == "xyzw"


def test_header_holds_the_posed_box() -> None:
    document = Document.of("", Model.read(make_model(PLANS[2])))
    bounds = document.bounds(document.animation.pose(0.0), ViewState())
    assert bounds is not None
    assert document.model.header is not None
    assert np.allclose(document.model.header["hull"], bounds.corners, rtol=1e-6)


def test_descriptors_are_left_out_where_slots_cannot_number_them() -> None:
    model = Model.read(make_model(Plan(300, 11, 10)))
    assert len(model.tri_descriptors) == 0
    assert not model.slots["tri_count"].any()


def test_archive_holds_models() -> None:
    archive = nres.Archive.read(make_archive(3, PLANS[0]))
    assert [entry.name for entry in archive.entries] == [b"model_%05d.msh" % number for number in range(3)]
    assert all(Model.read(archive.payload(entry.index)).node_count == 1 for entry in archive.entries)
