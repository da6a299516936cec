"""Rules V16 to V18, V22 and V27: neighbors, batch sizes, parent order, unreferenced rows.

V11 to V15 and V19 are reported when ranges are clipped, V22 (bad parents) when the hierarchy is built.

Source: spec/msh.md 11.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from viewer.errors import Diagnostic, Severity
from viewer.formats.findings import findings
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.nodes import NONE as NO_NODE
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.triangles import NONE as NO_LINK
from viewer.formats.msh.triangles import TRIANGLE
from viewer.model.mesh.draws import NO_SLOT, Draws
from viewer.model.mesh.model import Model
from viewer.translation import Sentence

Mask = npt.NDArray[np.bool_]


def check(model: Model, draws: Draws) -> list[Diagnostic]:
    """Diagnostics of the geometry, including those of clipped draws."""
    return [
        *draws.diagnostics,
        *_links(model),
        *_batch_sizes(model),
        *_slot_triangles(model),
        *_parent_order(model),
        *_unreferenced(model, draws),
    ]


def _links(model: Model) -> list[Diagnostic]:
    links = model.tri_descriptors["links"]
    total = len(links)
    is_outside = ((links != NO_LINK) & (links >= total)).any(axis=1)
    return findings(
        "V16",
        Severity.ERROR,
        TRIANGLE.name,
        is_outside,
        lambda row: Sentence("{links} of {total} descriptors", links=links[row].tolist(), total=total),
        "links",
    )


def _batch_sizes(model: Model) -> list[Diagnostic]:
    count = model.batches["index_count"]
    return findings(
        "V17",
        Severity.WARNING,
        BATCH.name,
        count % 3 != 0,
        lambda row: Sentence("{count} is not a multiple of 3; the rest is not drawn", count=count[row]),
        "index_count",
    )


def _slot_triangles(model: Model) -> list[Diagnostic]:
    """Slots whose number of descriptors differs from the triangles of their batches (V18)."""
    if not len(model.tri_descriptors):
        return []
    slots, total = model.slots, len(model.batches)
    per_batch = (model.batches["index_count"].astype(np.int64) + 2) // 3
    before = np.concatenate(([0], np.cumsum(per_batch)))
    start = np.minimum(slots["batch_start"].astype(np.int64), total)
    end = np.minimum(start + slots["batch_count"], total)
    triangles = before[end] - before[start]
    return findings(
        "V18",
        Severity.WARNING,
        SLOT.name,
        triangles != slots["tri_count"],
        lambda row: Sentence(
            "{count} descriptors for {triangles} triangles",
            count=slots["tri_count"][row],
            triangles=triangles[row],
        ),
        "tri_count",
    )


def _parent_order(model: Model) -> list[Diagnostic]:
    parent = model.nodes["parent"].astype(np.int64)
    number = np.arange(len(parent))
    is_later = (parent > number) & (parent < len(parent)) & (parent != NO_NODE)
    return findings(
        "V22",
        Severity.WARNING,
        NODE.name,
        is_later,
        lambda row: Sentence("{parent} comes after the node itself", parent=parent[row]),
        "parent",
    )


def _unreferenced(model: Model, draws: Draws) -> Iterator[Diagnostic]:
    """Slots, batches and vertices that no cell uses (V27)."""
    slot = draws.parts.slot
    if (slot == NO_SLOT).any():
        return
    for name, total, used in (
        (SLOT.name, len(model.slots), slot),
        (BATCH.name, len(model.batches), draws.batch),
        ("positions", model.vertex_count, draws.corners.reshape(-1)),
    ):
        is_used = np.zeros(total, np.bool_)
        is_used[used] = True
        unused = total - int(is_used.sum())
        if unused:
            first = int(is_used.argmin())
            message = Sentence(
                "{unused} of {total} are not used by any cell, the first is {first}",
                unused=unused,
                total=total,
                first=first,
            )
            yield Diagnostic("V27", Severity.INFO, message, name, first)
