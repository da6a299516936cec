"""Questions about triangle descriptors: S08, S09.

Source: spec/survey.md; spec/msh.md 6; spec/field-notes.md 2.
"""

from __future__ import annotations

from itertools import permutations
from typing import Final

import numpy as np

from viewer.formats.msh.batches import FLAG_SEE_THROUGH
from viewer.formats.msh.triangles import NO_SELECTOR, decode_normal
from viewer.geometry.transforms import Mask
from viewer.model.mesh.model import Variant
from viewer.model.mesh.triangle_query import NO_LINK, TriangleLinks, position_numbers
from viewer.operations.survey.question import Asked, SurveyQuestions
from viewer.operations.survey.subjects import ModelSubject
from viewer.operations.survey.tally import Tally
from viewer.translation import _

FACES: Final = SurveyQuestions()
_EDGES: Final = ("01", "12", "20")
"""The edges of a triangle by the numbers of their corners."""
NUMBERINGS: Final = {
    "edges " + " ".join(_EDGES[it] for it in order): order for order in permutations(range(3))
}
_UPPER: Final = ("upper bits zero", "upper bits equal in pairs")
_LEVEL: Final = np.cos(np.radians(80))
"""Least z of the normals of faces that retail models mark as walkable (spec/field-notes.md 2)."""


@FACES.ask(
    "S08",
    Asked.MODEL,
    _("Which edge of a neighbor does a selector of Res7 name, and what is above bit 5?"),
    tuple(NUMBERINGS),
    _UPPER,
)
def selectors(it: ModelSubject, tally: Tally) -> None:
    """The selectors of one model: rows are links between descriptors that triangles use."""
    model = it.model
    if model.variant is not Variant.MODEL or not len(model.tri_descriptors):
        return
    links = TriangleLinks.of(model, it.opened.draws)
    is_used = links.corners[:, 0] >= 0
    row, edge = np.nonzero((links.target != NO_LINK) & is_used[:, None])
    target = links.target[row, edge]
    is_known = is_used[target] & (links.selector[row, edge] != NO_SELECTOR)
    row, edge, target = row[is_known], edge[is_known], target[is_known]
    tally.rows += len(row)
    tally.damaged += int(links.is_outside.sum())
    tally.of_rows("tri_descriptors", row)
    if len(row):
        numbers = np.full(links.corners.shape, -1, np.int64)
        numbers[is_used] = position_numbers(model.positions, links.corners[is_used])
        ends = np.sort(np.stack([numbers, np.roll(numbers, -1, axis=1)], axis=2), axis=2)
        chosen = links.selector[row, edge].astype(np.int64)
        for name, order in NUMBERINGS.items():
            places = np.array(order)
            same = (ends[row, places[edge]] == ends[target, places[chosen]]).all(axis=1)
            tally.reading(name, same)
    upper = model.tri_descriptors["selectors"].astype(np.int64) >> 6
    tally.of_rows("tri_descriptors", np.arange(len(upper)))
    tally.reading(_UPPER[0], upper == 0)
    noisy = upper[row] != 0
    if noisy.any():
        tally.of_rows("tri_descriptors", row[noisy])
        tally.reading(_UPPER[1], upper[row][noisy] == upper[target][noisy])
    tally.of_rows("tri_descriptors", np.flatnonzero(upper))
    tally.count("upper bits", upper[upper != 0])


_FLAGS: Final = {0x02: "0x02 ", 0x04: "0x04 ", 0x10: "0x10 "}
_KNOWN: Final = ("level normal", "LOD 0", "group 0", "see-through batch", "blend", "area above the median")


@FACES.ask(
    "S09",
    Asked.MODEL,
    _("What are the flags of Res7?"),
    *(
        tuple(f"{prefix}{has} {what}" for has in ("has", "has no") for what in _KNOWN)
        for prefix in _FLAGS.values()
    ),
)
def descriptor_flags(it: ModelSubject, tally: Tally) -> None:
    """The flags of the descriptors of one model, against what is known of their triangles."""
    triangles, model, materials = it.triangles, it.model, it.opened.materials
    used = np.flatnonzero((triangles.descriptor >= 0) & (triangles.batch >= 0))
    if model.variant is not Variant.MODEL or not len(used):
        return
    rows = model.tri_descriptors[triangles.descriptor[used]]
    tally.rows += len(used)
    tally.of_rows("tri_descriptors", triangles.descriptor[used])
    tally.count("flags", rows["flags"])
    normal = decode_normal(rows["normal"])
    batch, slot, areas = triangles.batch[used], triangles.slot[used], triangles.areas[used]
    cells = model.nodes["slots"]
    has_blend = np.array([bool(material.blend) for material in materials.rows], np.bool_)
    known: dict[str, Mask] = {
        "level normal": normal[:, 2] >= _LEVEL,
        "LOD 0": np.isin(slot, cells[:, 0]),
        "group 0": np.isin(slot, cells[:, :, 0]),
        "see-through batch": model.batches["flags"][batch] & FLAG_SEE_THROUGH != 0,
        "area above the median": areas > np.median(areas),
    }
    if len(materials.of_batch) == len(model.batches):
        known["blend"] = has_blend[materials.of_batch[batch]]
    for bit, prefix in _FLAGS.items():
        tally.predict_by(prefix, rows["flags"] & bit != 0, known)
