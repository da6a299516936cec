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
    Field("position", "<f4", "Place, in the space of its node.", shape=(3,), status=_INFERRED),
    Field("flags", "<u4", "What the place is for.", status=Status.OPEN),
    Field(
        "word",
        "<u4",
        "Node of the model that it hangs on, whose space the position is in.",
        refers_to="nodes",
        status=_INFERRED,
    ),
    doc="A place inside the building.",
)
PATH_LINK = Record(
    "path_links",
    40,
    Field("start", "<u4", "Path node where the link starts.", refers_to="path_graph", status=_INFERRED),
    Field("end", "<u4", "Path node where the link ends.", refers_to="path_graph", status=_INFERRED),
    Field("opaque", "<u4", "0xFFFFFFFF on most links.", shape=(8,), status=Status.OPEN),
    doc="A way from one place to another.",
)
LIGHT_PROBE = Record(
    "light_probes",
    48,
    Field("node", "<i4", "Node that the probe belongs to.", refers_to="nodes", status=_INFERRED),
    Field("position", "<f4", "Place.", shape=(3,), status=_INFERRED),
    Field("direction", "<f4", "Direction.", shape=(3,), status=_INFERRED),
    Field("color", "<f4", "Color.", shape=(4,), status=_INFERRED),
    Field("intensity", "<f4", "Intensity.", status=_INFERRED),
    doc="Light at a place of a building.",
)
