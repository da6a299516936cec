"""Questions about the optional streams of vertices and the light probes: S01, S02.

Source: spec/survey.md; spec/msh.md 9; spec/field-notes.md 2.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.formats.msh.batches import FLAG_PORTAL
from viewer.formats.msh.nodes import FLAG_INTERNAL
from viewer.formats.msh.path_graph import LIGHT_PROBE
from viewer.formats.msh.tables import LIGHT_PROBES, NODES, STREAM15
from viewer.formats.msh.vertices import NORMAL_SCALE, UV_SCALE, decode_normals
from viewer.geometry.transforms import Mask
from viewer.operations.survey.question import ZERO, Asked, SurveyQuestions
from viewer.operations.survey.subjects import ModelSubject, Numbers
from viewer.operations.survey.tally import Tally
from viewer.translation import _

VERTICES: Final = SurveyQuestions()
UNIT_OFF: Final = 0.03
"""Tolerance of the length of a unit vector of bytes: a step of 1/127 on three axes is 0.014."""
PERPENDICULAR: Final = np.sin(np.radians(5))
"""Cosine of an angle of 85 degrees and more."""
ALONG: Final = np.cos(np.radians(15))
LARGEST: Final = 64.0
"""Largest coordinate: texture coordinates start over after 64 turns, and no model is larger."""

_VECTORS, _FLOATS, _CONSTANT = "two unit vectors of bytes", "two floats", "constant"
_UVS, _WORDS = "texture coordinates again", "a unit vector of words"


@VERTICES.ask(
    "S01",
    Asked.MODEL,
    _("What are the 8 bytes of Res15 per vertex?"),
    (ZERO, _VECTORS, _FLOATS, _UVS, _WORDS, _CONSTANT),
)
def stream15(it: ModelSubject, tally: Tally) -> None:
    """Res15 of one model; rows of zeros are counted apart."""
    rows = it.model.rows(STREAM15)
    if not len(it.model.payload(STREAM15)):
        return
    count = min(len(rows), it.model.vertex_count)
    tally.rows += count
    tally.damaged += abs(len(rows) - it.model.vertex_count)
    stored = np.ascontiguousarray(rows["value"][:count])
    is_zero = ~stored.any(axis=1)
    tally.of_rows("stream15", np.arange(count))
    tally.reading(ZERO, is_zero)
    used = np.flatnonzero(~is_zero)
    if not len(used):
        return
    words = stored[used]
    tally.of_rows("stream15", used)
    if count > 1:
        tally.reading(_CONSTANT, np.full(len(used), bool((stored == stored[0]).all())))
    floats = words.view("<f4").astype(np.float64)
    with np.errstate(invalid="ignore"):
        tally.reading(_FLOATS, (np.abs(floats) <= LARGEST).all(axis=1) & (np.abs(floats) > 1e-6).any(axis=1))
    shorts = words.view("<i2").reshape(-1, 4).astype(np.float64)
    lengths = np.linalg.norm(shorts[:, :3], axis=1) / 32767
    tally.reading(_WORDS, np.abs(lengths - 1) <= UNIT_OFF, np.abs(lengths - 1))
    if it.model.uvs_raw is not None:
        uvs = it.model.uvs_raw[used].astype(np.float64)
        # 1/1024 like Res5, so that equal words are equal coordinates; one step of rounding is allowed.
        first, second = (np.abs(shorts[:, pair] - uvs).max(axis=1) for pair in (slice(0, 2), slice(2, 4)))
        off = np.minimum(first, second)
        tally.reading(_UVS, off <= 1, off / UV_SCALE)
    _unit_vectors(it, tally, words, used)


def _unit_vectors(
    it: ModelSubject, tally: Tally, words: npt.NDArray[np.uint32], used: npt.NDArray[np.intp]
) -> None:
    """Two directions of three bytes and one more each, and how they stand to the surface."""
    vectors = words.view(np.int8).reshape(-1, 2, 4)[:, :, :3].astype(np.float64) / NORMAL_SCALE
    off = np.abs(np.linalg.norm(vectors, axis=2) - 1).max(axis=1)
    is_unit = off <= UNIT_OFF
    tally.reading(_VECTORS, is_unit, off)
    # Noise is of any length: without it the cosine of a short vector is that of no angle.
    vectors = _unit(vectors)
    if it.model.normals_raw is not None:
        normals = _unit(decode_normals(it.model.normals_raw[used]).astype(np.float64))
        cosines = np.abs(np.einsum("nvi,ni->nv", vectors, normals))
        for number in range(2):
            tally.reading(f"vector {number + 1} perpendicular to Res4", cosines[:, number] <= PERPENDICULAR)
    directions = _texture_axes(it)
    if directions is not None:
        for axis, along in zip("uv", directions, strict=True):
            for number in range(2):
                cosine = np.abs(np.einsum("ni,ni->n", vectors[:, number], along[used]))
                tally.reading(f"vector {number + 1} along dP/d{axis}", cosine >= ALONG)


def _unit(vectors: Numbers) -> Numbers:
    """Vectors of length 1, in the last axis; of a vector of length 0 not a number, which fulfills nothing."""
    with np.errstate(invalid="ignore"):
        found: Numbers = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return found


def _texture_axes(it: ModelSubject) -> tuple[Numbers, Numbers] | None:
    """Unit vectors of growing u and of growing v at each vertex, summed over its faces, (n, 3) each."""
    raw, triangles = it.model.uvs_raw, it.triangles
    if raw is None or not len(triangles.corners):
        return None
    uvs = raw.astype(np.float64)[triangles.corners] / UV_SCALE
    (e1, e2), (d1, d2) = (
        (values[:, 1] - values[:, 0], values[:, 2] - values[:, 0]) for values in (triangles.points, uvs)
    )
    # P(u, v) is linear on a face: e1 = du1 dP/du + dv1 dP/dv, e2 likewise.
    area = d1[:, 0] * d2[:, 1] - d2[:, 0] * d1[:, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        along_u = np.nan_to_num((d2[:, 1:] * e1 - d1[:, 1:] * e2) / area[:, None], posinf=0, neginf=0)
        along_v = np.nan_to_num((d1[:, :1] * e2 - d2[:, :1] * e1) / area[:, None], posinf=0, neginf=0)
    return _at_vertices(it, along_u), _at_vertices(it, along_v)


def _at_vertices(it: ModelSubject, of_face: Numbers) -> Numbers:
    """The mean direction of the faces at each vertex, (n, 3)."""
    total = np.zeros((it.model.vertex_count, 3))
    for corner in range(3):
        np.add.at(total, it.triangles.corners[:, corner], of_face)
    lengths = np.linalg.norm(total, axis=1, keepdims=True)
    found: Numbers = total / np.where(lengths > 0, lengths, 1)
    return found


_PROBE, _PROBE_255 = "light probe, color 0 to 1", "light probe, color 0 to 255"


@VERTICES.ask("S02", Asked.MODEL, _("What are the 48-byte records of Res20?"), (_PROBE, _PROBE_255, ZERO))
def light_probes(it: ModelSubject, tally: Tally) -> None:
    """Res20 of one model."""
    payload, rows = it.model.payload(LIGHT_PROBES), it.model.rows(LIGHT_PROBES)
    if not len(payload):
        return
    index = it.model.archive.find_type(LIGHT_PROBES)
    entry = None if index is None else it.model.archive.entry(index)
    tally.rows += len(rows)
    tally.damaged += bool(len(payload) % LIGHT_PROBE.size)
    if entry is not None:
        states = entry.attr3 == LIGHT_PROBE.size and entry.attr1 == len(rows)
        tally.reading("attributes state record size and count", [states])
    nodes, portals = it.model.nodes, it.model.batches["flags"] & FLAG_PORTAL != 0
    rooms = nodes["flags"] & FLAG_INTERNAL != 0
    counts = {"nodes": len(nodes), "rooms": int(rooms.sum()), "portals": int(portals.sum())}
    for name, count in counts.items():
        tally.reading(f"count equals that of {name}", [count == len(rows)])
        tally.correlate(f"count against {name}: correlation, squared", len(rows), count)
    if not len(rows):
        return
    node = rows["node"].astype(np.int64)
    is_node = (node == -1) | ((node >= 0) & (node < len(nodes)))
    is_inside = _in_boxes(it, node, rows["position"].astype(np.float64))
    with np.errstate(all="ignore"):
        length = np.linalg.norm(rows["direction"].astype(np.float64), axis=1)
        color = rows["color"].astype(np.float64)
        is_unit = np.abs(length - 1) <= UNIT_OFF
        is_fraction = ((color >= 0) & (color <= 1)).all(axis=1)
        is_byte = ((color >= 0) & (color <= 255)).all(axis=1) & ~is_fraction
    tally.of_rows("light_probes", np.arange(len(rows)))
    facts = {
        "a node or none": is_node,
        "position in the node's boxes": is_inside,
        "direction of unit length": is_unit,
    }
    for name, holds in facts.items():
        tally.reading(name, holds)
    stored = np.frombuffer(rows.tobytes(), np.uint8).reshape(len(rows), -1)
    tally.reading(ZERO, ~stored.any(axis=1))
    tally.reading(_PROBE, is_node & is_unit & is_fraction)
    tally.reading(_PROBE_255, is_node & is_unit & is_byte)


def _in_boxes(it: ModelSubject, node: npt.NDArray[np.int64], position: Numbers) -> Mask:
    """Whether each point is in the box of all slots of its node, grown by a hundredth, (n,)."""
    slots, matrix = it.model.slots, it.model.rows(NODES)["slots"].reshape(-1, 15).astype(np.int64)
    low = np.full((len(matrix) + 1, 3), np.inf)
    high = -low
    rows, cells = np.nonzero(matrix < len(slots))
    chosen = slots[matrix[rows, cells]]
    np.minimum.at(low, rows, chosen["aabb_min"].astype(np.float64))
    np.maximum.at(high, rows, chosen["aabb_max"].astype(np.float64))
    at = np.where((node >= 0) & (node < len(matrix)), node, len(matrix))
    with np.errstate(all="ignore"):
        margin = np.abs(high - low) / 100
        is_inside = (position >= (low - margin)[at]) & (position <= (high + margin)[at])
    found: Mask = is_inside.all(axis=1)
    return found
