"""Res2, the model's bounds and its slots: one geometry variant each.

Source: spec/msh.md 3; field-notes.md 2.
Status: proven (ranges, bounds), inferred (area, volume), open (the last three words).
"""

from __future__ import annotations

from viewer.formats.record import Bits, Field, Record, Status

# 35 floats: 24 of the corners, 4 of the sphere, 7 of the cylinder.
HEADER = Record(
    "header",
    0x8C,
    Field(
        "hull",
        "<f4",
        "Corners of the bounding box: bottom then top, each (min,min) (max,min) (max,max) (min,max).",
        shape=(8, 3),
    ),
    Field("sphere_center", "<f4", "Center of the bounding sphere.", shape=(3,)),
    Field("sphere_radius", "<f4", "Radius of the bounding sphere."),
    Field(
        "capsule_a",
        "<f4",
        "Bottom of the axis of the upright cylinder.",
        shape=(3,),
    ),
    Field("capsule_b", "<f4", "Top of the axis of the cylinder.", shape=(3,)),
    Field("capsule_radius", "<f4", "Radius of the cylinder: half the diagonal of the XY box."),
    doc="The bounds of the whole model, posed.",
)

SLOT = Record(
    "slots",
    68,
    Field("tri_start", "<u2", "First triangle descriptor.", refers_to="tri_descriptors"),
    Field("tri_count", "<u2", "Number of triangle descriptors."),
    Field("batch_start", "<u2", "First batch.", refers_to="batches"),
    Field("batch_count", "<u2", "Number of batches."),
    Field("aabb_min", "<f4", "Lower corner of the box.", shape=(3,), unit="node space"),
    Field("aabb_max", "<f4", "Upper corner of the box.", shape=(3,), unit="node space"),
    Field("sphere_center", "<f4", "Center of the bounding sphere.", shape=(3,), unit="node space"),
    Field(
        "sphere_radius", "<f4", "Radius; the engine scales it by the largest axis scale.", unit="node space"
    ),
    Field(
        "opaque",
        "<u4",
        "Surface area and volume of the box, then three unknown words.",
        shape=(5,),
        bits=(
            Bits(
                "area",
                0,
                32,
                "Surface area of the geometry, from which the game derives armor.",
                is_float=True,
                unit="square units",
                status=Status.INFERRED,
            ),
            Bits(
                "volume",
                0,
                32,
                "Volume of the box; times the density of the node it is the mass.",
                element=1,
                is_float=True,
                unit="cubic units",
                status=Status.INFERRED,
            ),
        ),
        status=Status.OPEN,
    ),
    doc="One variant of the geometry of a node, with its bounds.",
)
