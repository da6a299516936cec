"""Control points (``.cpt``): named points with a direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assets.sample.spec import ModelSpec
from viewer.formats.neighbors import control_points
from viewer.formats.text import padded

Vector = tuple[float, float, float]
FORWARD: Vector = (0.0, 1.0, 0.0)


@dataclass(frozen=True)
class ControlPoint:
    """A point in the space of a node that carries it; the length of the direction is a magnitude."""

    name: str
    node: str
    position: Vector = (0.0, 0.0, 0.0)
    direction: Vector = FORWARD


def control_point_bytes(points: Sequence[ControlPoint], spec: ModelSpec) -> bytes:
    """The file of the points on `spec`."""
    header = control_points.HEADER.new()
    header["count"] = len(points)
    rows = control_points.POINT.new(len(points))
    names = control_points.NAME.new(len(points))
    for row, name, point in zip(rows, names, points, strict=True):
        row["nodes"] = spec.number(point.node)
        row["position"], row["direction"] = point.position, point.direction
        name["name"] = padded(point.name.encode("ascii"), control_points.NAME_SIZE)
    return control_points.encode(control_points.ControlPoints(header[0], rows, names, b""))
