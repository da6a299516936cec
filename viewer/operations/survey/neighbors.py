"""Questions about controllers, materials, effects and the ground: S14 to S17.

Source: spec/survey.md; spec/ctl.md; spec/materials.md 4; spec/fxid.md; spec/land.md 2.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import Struct

from viewer.formats import mat0
from viewer.formats.fxid import COMMAND_KINDS, Effect
from viewer.formats.msh.terrain import NO_LAYER, NONE
from viewer.formats.neighbors.control import Control
from viewer.formats.record import Status
from viewer.geometry.transforms import Mask
from viewer.model.material.materials import blend_of
from viewer.operations.survey.question import ZERO, Asked, SurveyQuestions
from viewer.operations.survey.subjects import ModelSubject
from viewer.operations.survey.tally import Tally
from viewer.translation import _

NEIGHBORS: Final = SurveyQuestions()


@NEIGHBORS.ask(
    "S14", Asked.CONTROL, _("What are word 0x1C of a component, and the rates and spans of channels?")
)
def components(it: Control, tally: Tally) -> None:
    """The components and channels of one controller."""
    tally.rows += len(it.components) + len(it.channels)
    if len(it.channels):
        tally.of_rows("channels", np.arange(len(it.channels)))
        tally.count("channel rate", it.channels["rate"].astype(np.float64).round(4))
        tally.count("channel span", it.channels["span"].astype(np.float64).round(4))
    if not it.components:
        return
    headers = np.array([component.header for component in it.components])
    tally.of_rows("components", np.arange(len(headers)))
    tally.count("component class", headers["class"])
    tally.count("word 0x1C", headers["unknown_0x1c"])
    for number in np.unique(headers["class"]).tolist():
        own = headers[headers["class"] == number]
        values = np.ascontiguousarray(own["values"]).view("<u4")
        for word in range(values.shape[1]):
            tally.keep_constant(f"class {number}, value {word}", values[:, word])
        tally.keep_constant(f"class {number}, word 0x1C", own["unknown_0x1c"])


class StoredMaterial(Struct, frozen=True, eq=False):
    """A material with the attribute of its entry, which says how it blends."""

    record: mat0.MaterialRecord
    attr1: int


_HIGHLIGHT: Final = "a skin with a specular color has a power"


@NEIGHBORS.ask("S16", Asked.MATERIAL, _("Which skins have a highlight, and with which power?"), (_HIGHLIGHT,))
def skins(it: StoredMaterial, tally: Tally) -> None:
    """The phases of one material; bits of attributes by blend."""
    phases = it.record.phases
    blend = blend_of(it.attr1).name.lower()
    tally.rows += len(phases)
    bits = {f"{blend} {bit:#04x}": int(bool(it.attr1 & bit)) for bit in mat0.FLAG_HINTS}
    tally.count_words("attribute bits by blend", {blend: 1, **bits})
    if not it.attr1 & mat0.LIT_SKIN or not len(phases):
        return
    is_shiny = phases["specular"].any(axis=1)
    tally.count_words(
        "phases of skins", {"specular color": int(is_shiny.sum()), "none": int((~is_shiny).sum())}
    )
    if is_shiny.any():
        tally.of_rows("phases", np.flatnonzero(is_shiny))
        tally.reading(_HIGHLIGHT, phases["power"][is_shiny] > 0)
        tally.count("power", phases["power"][is_shiny])


_KINDS: Final = (ZERO, "a float", "below 256", "equal to another field")


@NEIGHBORS.ask("S17", Asked.EFFECT, _("What are the fields of effects that nothing names?"))
def effect_fields(it: Effect, tally: Tally) -> None:
    """The unnamed fields of the commands of one effect, word by word."""
    for kind in COMMAND_KINDS.values():
        rows = it.records(kind)
        unnamed = [field for field in kind.record.fields if field.status is Status.OPEN]
        if not len(rows) or not unnamed:
            continue
        stored = np.frombuffer(rows.tobytes(), np.uint8).reshape(len(rows), -1)
        whole = stored[:, : stored.shape[1] // 4 * 4].copy().view("<u4")
        for field in unnamed:
            tally.rows += len(rows)
            for word in range(field.offset // 4, (field.offset + field.size) // 4):
                values = whole[:, word]
                size = np.abs(values.view("<f4").astype(np.float64))
                with np.errstate(invalid="ignore"):
                    is_float = (size >= 1e-6) & (size <= 1e6)
                others = np.delete(whole, word, axis=1)
                is_equal = ((others == values[:, None]) & (values != 0)[:, None]).any(axis=1)
                name = f"{kind.name} +0x{4 * word:02X}"
                held = (values == 0, is_float, (values > 0) & (values < 256), is_equal)
                for what, holds in zip(_KINDS, held, strict=True):
                    tally.reading(f"{name} {what}", holds)


_MIXES: Final = "where two materials meet one, Res14 is 0 or 1 at both ends"


@NEIGHBORS.ask(
    "S15",
    Asked.TERRAIN,
    _("Is Res14 the opacity of a second material, and what is +0x1B of a face?"),
    (_MIXES,),
)
def ground(it: ModelSubject, tally: Tally) -> None:
    """The faces of one map."""
    faces, alphas = it.model.faces, it.model.second_alphas
    tally.rows += len(faces)
    if not len(faces) or alphas is None or not len(alphas):
        return
    corners = faces["vertices"].astype(np.int64)
    is_whole = np.asarray((corners < len(alphas)).all(axis=1), np.bool_)
    tally.damaged += int((~is_whole).sum())
    at = alphas[np.where(is_whole[:, None], corners, 0)]
    has_second: Mask = (faces["material_b"] != NO_LAYER) & is_whole
    counted = {"one material": int((~has_second & is_whole).sum()), "two": int(has_second.sum())}
    tally.count_words("faces", counted)
    if has_second.any():
        clear = int((at[has_second] == 0).all(axis=1).sum())
        tally.count_words("faces with a second material", {"0 at all corners": clear})
        tally.count("Res14 at corners, tenths", (np.clip(at[has_second], -1, 2) * 10).round().reshape(-1))
    tally.of_rows("faces", np.arange(len(faces)))
    tally.count("+0x1B", faces["opaque27"])
    neighbors = faces["neighbours"].astype(np.int64)
    row, edge = np.nonzero(has_second[:, None] & (neighbors != NONE) & (neighbors < len(faces)))
    target = neighbors[row, edge]
    meets = ~has_second[target] & is_whole[target]
    row, edge = row[meets], edge[meets]
    if len(row):
        tally.of_rows("faces", row)
        # Edge e runs from corner e to the next one, as in Res7.
        first, second = at[row, edge], at[row, (edge + 1) % 3]
        tally.reading(_MIXES, (first == second) & np.isin(first, (0.0, 1.0)))
