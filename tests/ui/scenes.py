"""A small vehicle that has one of everything the panels show."""

from __future__ import annotations

from tests.builders import Key, ModelBuilder, Node, box, quad, turn
from viewer.formats.msh.nodes import FLAG_COCKPIT
from viewer.model.store.address import Address
from viewer.session.opened.document import Document

BODY, TURRET, GUN, SOCKET, SHELL = range(5)


def tank() -> ModelBuilder:
    """A body with two LODs, an animated turret with a gun, a socket, a cockpit."""
    return ModelBuilder.of(
        [
            Node("body", shapes={(0, 0): [box(), box((2, 2, 1))], (1, 0): [quad()]}),
            Node(
                "turret",
                parent=BODY,
                shapes={(0, 0): [box()]},
                keys=[Key(0), Key(4, quaternion=turn((0, 0, 1), 40)), Key(10)],
            ),
            Node("gun", parent=TURRET, shapes={(0, 0): [box((3, 0.2, 0.2))]}),
            Node("Base_gun", parent=TURRET),
            Node("CP_body", parent=BODY, flags=FLAG_COCKPIT, shapes={(0, 4): [box((3, 3, 3))]}),
        ]
    )


def tank_document() -> Document:
    """The vehicle as it opens."""
    return Document.of(Address.parse("tank.msh"), tank().model())
