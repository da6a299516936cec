"""Res17, the path graph of a building: points inside it, and links between them.

Source: spec/field-notes.md 2.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from viewer.errors import Diagnostic, Severity
from viewer.formats.layout.layout import Layout
from viewer.formats.layout.members import Array, RawBytes, Short
from viewer.formats.msh.extras import PATH_LINK, PATH_NODE
from viewer.formats.record import Rows
from viewer.translation import Sentence

TAIL = "path_graph_tail"


@dataclass(frozen=True, slots=True)
class PathGraph:
    """Nodes (`PATH_NODE`) and links (`PATH_LINK`) that are whole, as views of their bytes."""

    nodes: Rows
    links: Rows
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = field(default=(), compare=False)


def _findings(graph: PathGraph) -> Iterator[Diagnostic]:
    links, node_count = graph.links, len(graph.nodes)
    for name in ("start", "end"):
        for index in np.flatnonzero(links[name] >= node_count)[:1].tolist():
            message = Sentence(
                "{link} of {node_count} path nodes", link=links[name][index], node_count=node_count
            )
            yield Diagnostic("V04", Severity.WARNING, message, PATH_LINK.name, index, name)


LAYOUT = Layout(
    PathGraph,
    stated={"node_count": 0, "link_count": 0},
    check=_findings,
    nodes=Array(PATH_NODE, lambda it: it.node_count, "V04", Short.PARTIAL),
    links=Array(PATH_LINK, lambda it: it.link_count, "V04", Short.PARTIAL),
    tail=RawBytes(TAIL, "Bytes after the last link.", rule="V04", severity=Severity.INFO),
)
decode, encode, parts = LAYOUT.decode, LAYOUT.encode, LAYOUT.parts
