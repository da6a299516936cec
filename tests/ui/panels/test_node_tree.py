"""The hierarchy as the outline shows it."""

from __future__ import annotations

from tests.builders import ModelBuilder
from tests.ui.scenes import BODY, GUN, SHELL, SOCKET, TURRET, tank, tank_document
from viewer.formats.msh.nodes import FLAG_INTERNAL
from viewer.model.mesh.reading import FIELD
from viewer.model.query.names import NameFilter
from viewer.model.store.address import Address
from viewer.session.opened.document import Document
from viewer.ui.panels.node_tree import NodeKind, NodeTree


def tree_of(document: Document) -> NodeTree:
    return NodeTree(document.model, document.skeleton, document.names, document.socket_tags)


def test_rows_follow_the_hierarchy() -> None:
    rows = tree_of(tank_document()).rows(NameFilter(), frozenset())
    assert [(row.key, row.depth) for row in rows] == [
        (BODY, 0),
        (TURRET, 1),
        (GUN, 2),
        (SOCKET, 2),
        (SHELL, 1),
    ]


def test_closed_node_hides_what_is_below() -> None:
    rows = tree_of(tank_document()).rows(NameFilter(), frozenset({TURRET}))
    assert [row.key for row in rows] == [BODY, TURRET, SHELL]


def test_filter_keeps_matches_and_what_leads_to_them_even_if_closed() -> None:
    rows = tree_of(tank_document()).rows(NameFilter("GUN"), frozenset({BODY}))
    assert [row.key for row in rows] == [BODY, TURRET, GUN, SOCKET]


def test_kinds_tell_sockets_and_cockpits() -> None:
    builder = tank()
    builder.nodes["flags"][GUN] = FLAG_INTERNAL
    tree = tree_of(Document.of(Address.parse("tank.msh"), builder.model()))
    assert tree.kinds == (
        NodeKind.PART,
        NodeKind.PART,
        NodeKind.INTERNAL,
        NodeKind.SOCKET,
        NodeKind.COCKPIT,
    )
    assert [tree.is_drawn(node) for node in range(5)] == [True, True, True, False, False]


def test_a_node_without_geometry_is_a_socket_only_if_its_name_says_so() -> None:
    builder = tank()
    builder.names[SOCKET] = b"joint"
    assert tree_of(Document.of(Address.parse("tank.msh"), builder.model())).kinds[SOCKET] is NodeKind.EMPTY


def test_filter_finds_sockets_by_what_they_take() -> None:
    builder = ModelBuilder.of(tank().scene, FIELD)
    builder.names = [b""] * SOCKET + [b"e_gun_ll", b""]
    tree = tree_of(Document.of(Address.parse("tank.msh"), builder.model()))
    assert [row.key for row in tree.rows(NameFilter("gun_ll"), frozenset())] == [BODY, TURRET, SOCKET]
    assert tree.socket_tags[SOCKET] == "e_gun_ll"


def test_below_and_above_are_the_branches() -> None:
    tree = tree_of(tank_document())
    assert tree.below(TURRET) == {TURRET, GUN, SOCKET}
    assert tree.above(GUN) == {TURRET, BODY}


def test_unnamed_node_shows_its_number() -> None:
    builder = tank()
    builder.names[GUN] = b""
    tree = tree_of(Document.of(Address.parse("tank.msh"), builder.model()))
    assert tree.label(GUN) == f"node {GUN}"
    assert tree.label(TURRET) == "turret"
