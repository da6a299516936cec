"""Sockets: nodes without geometry called ``Base_*``."""

from __future__ import annotations

from tests.builders import ModelBuilder, Node, box
from viewer.model.mesh.sockets import sockets


def test_a_socket_is_named_base_and_has_no_geometry_in_any_cell() -> None:
    builder = ModelBuilder(
        [
            Node("body", shapes={(0, 0): [box()]}),
            Node("Base_TM", parent=0),
            Node("BASE_g1", parent=0),
            Node("Base_plate", parent=0, shapes={(2, 4): [box()]}),
            Node("joint", parent=0),
            Node("Database_1", parent=0),
        ]
    )
    assert sockets(builder.model(), [node.name for node in builder.scene]) == {1, 2}
