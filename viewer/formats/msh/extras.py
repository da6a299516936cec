"""Res17 and Res20: path graph and light probes of buildings.

Source: field-notes.md 2, spec/msh.md 9.
Status: inferred.
"""

from __future__ import annotations

from viewer.formats.record import Field, Record, Status

_INFERRED = Status.INFERRED

PATH_NODE = Record(
    "path_graph",
    20,
    Field("position", "<f4", "Position in the space of its node.", shape=(3,), status=_INFERRED),
    Field("flags", "<u4", "What the point is: flags of a place.", status=Status.OPEN),
    Field(
        "node",
        "<u4",
        "Node of the model, in whose space the position is.",
        refers_to="nodes",
        none=0xFFFFFFFF,
        status=_INFERRED,
    ),
    doc="A point inside the building.",
)
PATH_LINK = Record(
    "path_links",
    40,
    Field("start", "<u4", "Path node at the start of the link.", refers_to="path_graph", status=_INFERRED),
    Field("end", "<u4", "Path node at the end of the link.", refers_to="path_graph", status=_INFERRED),
    Field("opaque", "<u4", "Unknown, 0xFFFFFFFF on most links.", shape=(8,), status=Status.OPEN),
    doc="A link from one point to another.",
)
LIGHT_PROBE = Record(
    "light_probes",
    48,
    Field("node", "<i4", "Node that the probe belongs to.", refers_to="nodes", none=-1, status=_INFERRED),
    Field("position", "<f4", "Place.", shape=(3,), status=_INFERRED),
    Field("direction", "<f4", "Direction.", shape=(3,), status=_INFERRED),
    Field("color", "<f4", "Color.", shape=(4,), status=_INFERRED),
    Field("intensity", "<f4", "Intensity.", status=_INFERRED),
    doc="Light at a point of a building.",
)
