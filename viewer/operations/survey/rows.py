"""Questions about slots, nodes and batches: S03 to S07, S13.

Source: spec/survey.md; spec/msh.md 2, 3, 8; spec/field-notes.md 2, 3.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from viewer.formats.msh.batches import BATCH, FLAG_PORTAL, FLAG_SEE_THROUGH
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import GROUPS, NODE
from viewer.formats.texture.pixels import PixelFormat
from viewer.geometry.transforms import Indices, Mask
from viewer.model.material.materials import Blend, Material, TextureRef
from viewer.model.mesh.model import Variant
from viewer.model.mesh.reading import Reason
from viewer.operations.survey.question import ZERO, Asked, SurveyQuestions
from viewer.operations.survey.subjects import ModelSubject
from viewer.operations.survey.tally import Tally
from viewer.translation import _

ROWS: Final = SurveyQuestions()
RIGHT: Final = 1e-3
"""Relative error of a stored float up to which it is the computed one."""
LARGEST: Final = 1e4
SMALLEST: Final = 1e-6
"""Floats below are small integers: 1 as a float is 1.4e-45."""

_AREA_30, _VOLUME_30 = "+0x30 area of the triangles", "+0x30 volume of the box"
_AREA_34, _VOLUME_34 = "+0x34 area of the triangles", "+0x34 volume of the box"


@ROWS.ask(
    "S03",
    Asked.MODEL,
    _("What are +0x30 and +0x34 of a slot? The answer is known: area and volume."),
    (_AREA_30, _VOLUME_30),
    (_AREA_34, _VOLUME_34),
)
def slot_measures(it: ModelSubject, tally: Tally) -> None:
    """The two measures of the slots that have triangles."""
    triangles, slots = it.triangles, it.model.slots
    if it.model.variant is not Variant.MODEL or not len(slots):
        return
    area = np.bincount(triangles.slot, triangles.areas, len(slots))[: len(slots)]
    used = np.flatnonzero(np.bincount(triangles.slot, minlength=len(slots))[: len(slots)])
    tally.rows += len(used)
    tally.of_rows("slots", used)
    stored = np.ascontiguousarray(slots["opaque"][used][:, :2]).view("<f4").astype(np.float64)
    sides = (slots["aabb_max"] - slots["aabb_min"])[used].astype(np.float64)
    measured = {(0, _AREA_30): area[used], (0, _VOLUME_30): sides.prod(axis=1)}
    measured |= {(1, _AREA_34): area[used], (1, _VOLUME_34): sides.prod(axis=1)}
    for (word, name), right in measured.items():
        with np.errstate(all="ignore"):
            off = np.abs(stored[:, word] - right) / np.maximum(np.abs(right), SMALLEST)
        tally.reading(name, off <= RIGHT, off)


_WORDS: Final = ("+0x38", "+0x3C", "+0x40")
_KINDS: Final = (ZERO, "a float", "a count")


@ROWS.ask(
    "S04",
    Asked.MODEL,
    _("What are the last three words of a slot?"),
    *(tuple(f"{word} {kind}" for kind in _KINDS) for word in _WORDS),
)
def slot_words(it: ModelSubject, tally: Tally) -> None:
    """The three words of every slot."""
    slots = it.model.slots
    if it.model.variant is Variant.TERRAIN or not len(slots):
        return
    tally.rows += len(slots)
    tally.of_rows("slots", np.arange(len(slots)))
    per_slot = np.bincount(it.triangles.slot, minlength=len(slots))[: len(slots)]
    counts = np.stack([slots["tri_count"], slots["batch_count"], per_slot, _vertices_of_slots(it)], axis=1)
    for number, word in enumerate(_WORDS, 2):
        stored = slots["opaque"][:, number]
        size = np.abs(np.ascontiguousarray(stored).view("<f4").astype(np.float64))
        with np.errstate(invalid="ignore"):
            is_float = (size >= SMALLEST) & (size <= LARGEST)
        tally.reading(f"{word} {ZERO}", stored == 0)
        tally.reading(f"{word} a float", is_float)
        is_count = (stored[:, None] == counts) & (stored != 0)[:, None]
        tally.reading(f"{word} a count", is_count.any(axis=1))
        names = ("triangles", "batches", "drawn triangles", "vertices")
        equal = zip(names, is_count.sum(axis=0).tolist(), strict=True)
        tally.count_words(f"{word} equals", dict(equal))
        tally.count(word, stored)


def _vertices_of_slots(it: ModelSubject) -> Indices:
    """Different vertices of each slot, (n,)."""
    triangles, count = it.triangles, it.slot_count
    keys = np.repeat(triangles.slot, 3) * max(1, it.model.vertex_count) + triangles.corners.reshape(-1)
    slot = np.unique(keys) // max(1, it.model.vertex_count)
    found: Indices = np.bincount(slot, minlength=count)[:count]
    return found


_NODE_FLAG: Final = 0x0010


@ROWS.ask(
    "S05",
    Asked.MODEL,
    _("What is node flag 0x0010?"),
    tuple(
        f"{has} {what}"
        for has in ("has", "has no")
        for what in ("geometry", "key track", "label", "child", "channel", "second LOD", "portal")
    ),
)
def node_flag(it: ModelSubject, tally: Tally) -> None:
    """The flag of the nodes of one model, against what else is known of them."""
    nodes, model = it.model.nodes, it.model
    if model.variant is not Variant.MODEL or not len(nodes):
        return
    tally.rows += len(nodes)
    tally.of_rows("nodes", np.arange(len(nodes)))
    flag = nodes["flags"] & _NODE_FLAG != 0
    cells = nodes["slots"] != NODE.field("slots").none
    draws = it.opened.draws
    portals = np.zeros(len(nodes), np.bool_)
    is_portal = (
        model.batches["flags"][np.maximum(draws.batch, 0)] & FLAG_PORTAL != 0 if len(model.batches) else []
    )
    portals[draws.node[np.asarray(is_portal, np.bool_)]] = True
    channels = np.zeros(len(nodes), np.bool_)
    controller = it.files.found.decoded
    if controller is not None:
        driven = controller.channels["node"].astype(np.int64)
        channels[driven[(driven >= 0) & (driven < len(nodes))]] = True
    parents = nodes["parent"].astype(np.int64)
    has_child = np.zeros(len(nodes), np.bool_)
    has_child[parents[parents < len(nodes)]] = True
    known = {
        "geometry": cells.any(axis=(1, 2)),
        "key track": nodes["map_start"] != NODE.field("map_start").none,
        "label": np.array([bool(tag) for tag in it.opened.socket_tags], np.bool_),
        "child": has_child,
        "channel": channels,
        "second LOD": cells[:, 1:].any(axis=(1, 2)),
        "portal": portals,
    }
    tally.predict_by("", flag, known)


_BATCH_FLAGS: Final = {0x0001: "0x0001 ", 0x0004: "0x0004 ", 0x4000: "0x4000 "}
_OF_BATCH: Final = (
    "blend",
    "extra texture-load flag",
    "lit skin",
    "extra material flag",
    "texture with alpha",
    "texels below opaque",
    "see-through flag",
    "one triangle",
    "lightmap",
    "later LOD",
)


@ROWS.ask(
    "S06",
    Asked.MODEL,
    _("What are batch flags 0x0001, 0x0004 and 0x4000?"),
    *(
        tuple(f"{prefix}{has} {what}" for has in ("has", "has no") for what in _OF_BATCH)
        for prefix in _BATCH_FLAGS.values()
    ),
)
def batch_flags(it: ModelSubject, tally: Tally) -> None:
    """The flags of the batches of one model, against their materials and what draws them."""
    batches, materials, draws = it.model.batches, it.opened.materials, it.opened.draws
    if it.model.variant is Variant.TERRAIN or len(materials.of_batch) != len(batches):
        return
    tally.rows += len(batches)
    tally.of_rows("batches", np.arange(len(batches)))
    rows = materials.rows
    later = np.zeros(len(batches), np.bool_)
    # Cells 0 to 4 are LOD 0: what any higher bit shows is drawn by a later one.
    later[draws.batch[draws.parts.cells[draws.part] >> GROUPS != 0]] = True
    opaque = [_least_alpha(material) for material in rows]
    of_material = {
        "blend": [material.blend is not Blend.OPAQUE for material in rows],
        "extra texture-load flag": [bool(material.attr1 & 0x01) for material in rows],
        "lit skin": [bool(material.attr1 & 0x02) for material in rows],
        "extra material flag": [bool(material.attr1 & 0x40) for material in rows],
        "texture with alpha": [_has_alpha(material) for material in rows],
        "texels below opaque": [alpha < 255 for alpha in opaque],
        "lightmap": [material.is_lightmapped for material in rows],
    }
    known = {name: np.array(values, np.bool_)[materials.of_batch] for name, values in of_material.items()}
    known["see-through flag"] = batches["flags"] & FLAG_SEE_THROUGH != 0
    known["one triangle"] = batches["index_count"] <= 3
    known["later LOD"] = later
    for bit, prefix in _BATCH_FLAGS.items():
        tally.predict_by(prefix, batches["flags"] & bit != 0, known)


def _texture(material: Material) -> TextureRef | None:
    return next((it for it in material.textures if it is not None), None)


def _has_alpha(material: Material) -> bool:
    found = _texture(material)
    return found is not None and PixelFormat(found.texture.format).has_alpha


def _least_alpha(material: Material) -> int:
    """The least alpha of the first texture of a material, 255 without one."""
    found = _texture(material)
    return 255 if found is None or not found.texture.levels else int(found.texture.level(0)[..., 3].min())


_HIGH, _SPAN = "+0x05 LIGHTMAPS row or 0xFF", "+0x0E largest index + 1"


@ROWS.ask(
    "S07",
    Asked.MODEL,
    _("What are +0x05 and +0x0E of a batch? The answer is known: a lightmap row, and the vertices spanned."),
    (_HIGH,),
    (_SPAN,),
)
def batch_words(it: ModelSubject, tally: Tally) -> None:
    """The two fields of every batch."""
    model, wear = it.model, it.files.wears[0].table
    batches = model.batches
    if model.variant is Variant.TERRAIN or not len(batches):
        return
    tally.rows += len(batches)
    tally.of_rows("batches", np.arange(len(batches)))
    high = batches["opaque4"] >> 8
    is_plain = (high == 0) | (high == 0xFF)
    if wear is not None:
        rows = len(wear.lightmaps)
        tally.reading(_HIGH, (high < rows) | (high == 0xFF) if rows else is_plain)
    tally.reading("+0x05 0 or 0xFF", is_plain)
    reach, different, is_whole = _indices_of_batches(it)
    tally.damaged += int((~is_whole).sum())
    stored = batches[BATCH.field("opaque14").name].astype(np.int64)[is_whole]
    tally.of_rows("batches", np.flatnonzero(is_whole))
    tally.reading(_SPAN, stored == reach[is_whole] + 1, np.abs(stored - reach[is_whole] - 1))
    tally.reading("+0x0E different indices", stored == different[is_whole])


def _indices_of_batches(it: ModelSubject) -> tuple[Indices, Indices, Mask]:
    """The largest relative index of each batch, the number of different ones, and whether all are there."""
    batches, indices = it.model.batches, it.model.indices
    start, count = batches["index_start"].astype(np.int64), batches["index_count"].astype(np.int64)
    is_whole = (count > 0) & (start + count <= len(indices))
    reach, different = np.full(len(batches), -1, np.int64), np.zeros(len(batches), np.int64)
    for row in np.flatnonzero(is_whole).tolist():
        own = np.unique(indices[start[row] : start[row] + count[row]])
        reach[row], different[row] = own[-1], len(own)
    return reach, different, is_whole


_ORDERS: Final = tuple(str(it) for it in QuaternionOrder)


@ROWS.ask("S13", Asked.MODEL, _("In which order are the components of a quaternion stored?"), _ORDERS)
def quaternion_order(it: ModelSubject, tally: Tally) -> None:
    """The order that fits one model, by the box of its header or, without one, by its keys."""
    choice = it.opened.choice
    if it.model.variant is not Variant.MODEL or not len(it.model.keys):
        return
    tally.rows += 1
    tally.count_words("decided by", {str(choice.decided_by): 1})
    if choice.decided_by is Reason.TIE:
        return
    for order in QuaternionOrder:
        errors = () if choice.errors is None else (choice.errors[order],)
        tally.reading(str(order), [choice.automatic.quaternion_order is order], errors)
        tally.count_words("votes", {str(order): choice.votes[order]})
    # The model whose answer is rare is worth a look: `readings` lists it.
    tally.count_words("models by order", {str(choice.automatic.quaternion_order): 1})
