"""Res17 and Res20, the tables of buildings: points inside with links between them, and light probes.

Source: spec/field-notes.md 2, spec/msh.md 9.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats.findings import Rule
from viewer.formats.layout.layout import Layout
from viewer.formats.layout.members import Array, RawBytes, Short
from viewer.formats.record import Field, Record, Rows, Status

_INFERRED = Status.INFERRED

PATH_NODE = Record(
    "path_graph",
    20,
    Field("position", "<f4", "Position in the space of its node.", shape=(3,)),
    Field("flags", "<u4", "What the point is: flags of a place.", status=Status.OPEN),
    Field(
        "node",
        "<u4",
        "Node of the model, in whose space the position is.",
        refers_to="nodes",
        none=0xFFFFFFFF,
    ),
    doc="A point inside the building.",
    status=Status.INFERRED,
)
PATH_LINK = Record(
    "path_links",
    40,
    Field("start", "<u4", "Path node at the start of the link.", refers_to="path_graph"),
    Field("end", "<u4", "Path node at the end of the link.", refers_to="path_graph"),
    Field("opaque", "<u4", "Unknown, 0xFFFFFFFF on most links.", shape=(8,), status=Status.OPEN),
    doc="A link from one point to another.",
    status=Status.INFERRED,
)
LIGHT_PROBE = Record(
    "light_probes",
    48,
    Field("node", "<i4", "Node that the probe belongs to.", refers_to="nodes", none=-1),
    Field(
        "position",
        "<f4",
        "Place. No source says whose space it is; the node of the probe is taken.",
        shape=(3,),
    ),
    Field("direction", "<f4", "Direction.", shape=(3,)),
    Field("color", "<f4", "Color.", shape=(4,)),
    Field("intensity", "<f4", "Intensity."),
    doc="Light at a point of a building.",
    status=Status.INFERRED,
)


TAIL = "path_graph_tail"


class PathGraph(Struct, frozen=True, eq=False):
    """Nodes (`PATH_NODE`) and links (`PATH_LINK`) that are whole, as views of their bytes."""

    nodes: Rows
    links: Rows
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = ()


def _findings(graph: PathGraph) -> Iterator[Diagnostic]:
    node_count = len(graph.nodes)
    for name in ("start", "end"):
        links, rule = graph.links[name], Rule("V04", PATH_LINK.name, name, Severity.WARNING)
        for index in np.flatnonzero(links >= node_count)[:1].tolist():
            words = "{link} of {node_count} path nodes"
            yield rule.finding(words, index, link=links[index], node_count=node_count)


LAYOUT = Layout(
    PathGraph,
    # attr1 and attr2 of the entry (field-notes.md 2).
    stated={"node_count": 0, "link_count": 0},
    check=_findings,
    nodes=Array(PATH_NODE, lambda it: it.node_count, "V04", Short.PARTIAL),
    links=Array(PATH_LINK, lambda it: it.link_count, "V04", Short.PARTIAL),
    tail=RawBytes(TAIL, "Bytes after the last link.", rule="V04", severity=Severity.INFO),
)
decode, encode, parts = LAYOUT.decode, LAYOUT.encode, LAYOUT.parts
