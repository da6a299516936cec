"""Res17, the path graph of a building: points inside it, and links between them.

Source: spec/field-notes.md 2.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from viewer.errors import Diagnostic, Severity
from viewer.formats.msh.extras import PATH_LINK, PATH_NODE
from viewer.formats.part import Part, raw, table
from viewer.formats.record import Bytes, Record, Rows
from viewer.translation import Sentence

TAIL = "path_graph_tail"


@dataclass(frozen=True, slots=True)
class PathGraph:
    """Nodes (`PATH_NODE`) and links (`PATH_LINK`) that are whole, as views of their bytes."""

    nodes: Rows
    links: Rows
    tail: bytes
    diagnostics: tuple[Diagnostic, ...] = field(default=(), compare=False)


def decode(data: Bytes, node_count: int, link_count: int) -> PathGraph:
    """Read a graph whose counts are in attr1 and attr2 of its entry; missing records are reported."""
    data = memoryview(data).cast("B")
    findings: list[Diagnostic] = []
    nodes = _view(PATH_NODE, data, 0, node_count, findings)
    links = _view(PATH_LINK, data, nodes.nbytes, link_count, findings)
    tail = bytes(data[nodes.nbytes + links.nbytes :])
    if tail and not findings:
        message = Sentence("{size} bytes after the last link", size=len(tail))
        findings.append(Diagnostic("V04", Severity.INFO, message, TAIL))
    return PathGraph(nodes, links, tail, (*findings, *_link_findings(links, len(nodes))))


def encode(graph: PathGraph) -> bytes:
    """The table."""
    return graph.nodes.tobytes() + graph.links.tobytes() + graph.tail


def parts(graph: PathGraph, start: int = 0) -> tuple[Part, Part, Part]:
    """Return nodes, links and the bytes after them, for a table that starts at `start` of the payload."""
    nodes = table(PATH_NODE, graph.nodes, start)
    links = table(PATH_LINK, graph.links, nodes.end)
    return nodes, links, raw(TAIL, graph.tail, links.end, "Bytes after the last link.")


def _view(record: Record, data: memoryview, start: int, count: int, findings: list[Diagnostic]) -> Rows:
    rows = record.view(data, offset=start)[:count]
    if len(rows) < count:
        message = Sentence("{count} records stated, {rows} are whole", count=count, rows=len(rows))
        findings.append(Diagnostic("V04", Severity.ERROR, message, record.name, len(rows)))
    return rows


def _link_findings(links: Rows, node_count: int) -> Iterator[Diagnostic]:
    for name in ("start", "end"):
        for index in np.flatnonzero(links[name] >= node_count)[:1].tolist():
            message = Sentence(
                "{link} of {node_count} path nodes", link=links[name][index], node_count=node_count
            )
            yield Diagnostic("V04", Severity.WARNING, message, PATH_LINK.name, index, name)
