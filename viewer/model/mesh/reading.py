"""Readings: what was chosen where the sources disagree, and why.

The model keeps raw values; every decoded view depends on a reading. ``auto`` decides per file.

Source: spec/field-notes.md 1, spec/animation.md 2.2, spec/msh.md 8.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.strings import NAME_SIZE
from viewer.formats.msh.tables import NAME_RECORDS
from viewer.formats.record import Rows
from viewer.formats.text import decode
from viewer.geometry.bounds import Bounds
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.pose.animation import Animation
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.mesh.shown import PartChoice, PartChooser
from viewer.translation import _


class MaterialField(StrEnum):
    """The field of a batch with its wear row: the u16 at +0x02, or the low byte at +0x04."""

    SEED = "seed"
    FIELD = "field"


class Reading(Struct, frozen=True):
    """The choices for the disputed fields."""

    quaternion_order: QuaternionOrder
    material_field: MaterialField
    has_name_records: bool
    """Node names come from Res9, and Res10 holds labels; otherwise names come from Res10."""

    @property
    def choices(self) -> tuple[str, str]:
        """The choices, by their names in the declarations of fields."""
        return self.material_field.value, self.quaternion_order.value


SEED = Reading(QuaternionOrder.XYZW, MaterialField.SEED, has_name_records=False)
FIELD = Reading(QuaternionOrder.WXYZ, MaterialField.FIELD, has_name_records=True)


class Reason(StrEnum):
    """The evidence that decided the quaternion order."""

    BOX = "box"
    VOTE = "vote"
    TIE = "tie"
    USER = "user"


class ResolvedReading(Struct, frozen=True):
    """A reading and how it was chosen.

    `errors` is the distance between the posed geometry's box and the header's, per quaternion
    order and as a fraction of the header's diagonal; None if it cannot be determined.
    `votes` counts the keys that support each order. `automatic` and `decided_by` are what is chosen without a
    request, and what decides it; `wear_rows` is the length of the wear table, None if it is not known.
    """

    reading: Reading
    requested: ReadingChoice
    errors: Mapping[QuaternionOrder, float] | None
    votes: Mapping[QuaternionOrder, int]
    automatic: Reading
    decided_by: Reason
    wear_rows: int | None = None

    @property
    def reason(self) -> Reason:
        """Evidence for the quaternion order."""
        return self.decided_by if self.requested is ReadingChoice.AUTO else Reason.USER

    @property
    def margin(self) -> float | None:
        """Difference of both errors, as a fraction of the header's diagonal."""
        return None if self.errors is None else max(self.errors.values()) - min(self.errors.values())


def choose(
    model: Model,
    skeleton: Skeleton,
    draws: Draws,
    *,
    requested: ReadingChoice = ReadingChoice.AUTO,
    wear_rows: int | None = None,
) -> ResolvedReading:
    """The reading of one model; `wear_rows` is the length of its wear table if known."""
    errors = box_errors(model, skeleton, draws)
    votes = quaternion_votes(model)
    order, reason = _quaternion_order(errors, votes)
    automatic = Reading(order, material_field(model.batches, wear_rows), has_name_records(model))
    asked = {ReadingChoice.AUTO: automatic, ReadingChoice.SEED: SEED, ReadingChoice.FIELD: FIELD}
    return ResolvedReading(asked[requested], requested, errors, votes, automatic, reason, wear_rows)


def _quaternion_order(
    errors: Mapping[QuaternionOrder, float] | None, votes: Mapping[QuaternionOrder, int]
) -> tuple[QuaternionOrder, Reason]:
    if errors is not None:
        better, worse = sorted(errors, key=errors.__getitem__)
        # Below 1 % and a quarter of the other one: the right order has a median error of 0.10 %, a wrong one
        # of 1.48 %. Above 0.001 %, as both may give one box (spec/field-notes.md 1.1).
        if errors[better] < 0.01 and errors[better] < errors[worse] / 4 and errors[worse] > 1e-5:
            return better, Reason.BOX
    if votes[QuaternionOrder.WXYZ] > votes[QuaternionOrder.XYZW]:
        return QuaternionOrder.WXYZ, Reason.VOTE
    is_tie = votes[QuaternionOrder.WXYZ] == votes[QuaternionOrder.XYZW]
    return QuaternionOrder.XYZW, Reason.TIE if is_tie else Reason.VOTE


def box_errors(model: Model, skeleton: Skeleton, draws: Draws) -> dict[QuaternionOrder, float] | None:
    """Distance of the posed box of LOD 0, group 0 at time 0 from the header's box, for each order.

    None if the header is degenerate or not finite, or nothing is drawn.
    """
    header = _header_bounds(model)
    if header is None or model.variant is not Variant.MODEL:
        return None
    drawn = draws.draws_of(PartChooser(model, draws).shown(PartChoice()).parts)
    errors = {}
    world, box = None, None
    for order in QuaternionOrder:
        pose = Animation(model, skeleton, order).pose(0.0)
        # A model whose poses are all identities has the same pose in both orders: its box is measured once.
        if world is None or not np.array_equal(world, pose.world):
            world, box = pose.world, draws.posed_bounds(model, pose.world, drawn)
        if box is None:
            return None
        distance = max(np.abs(box.low - header.low).max(), np.abs(box.high - header.high).max())
        errors[order] = float(distance / header.diagonal)
    return errors


def _header_bounds(model: Model) -> Bounds | None:
    if model.header is None or not np.isfinite(model.header["hull"]).all():
        return None
    bounds = Bounds.of(model.header["hull"])
    return bounds if bounds is not None and bounds.diagonal > 0 else None


def quaternion_votes(model: Model) -> dict[QuaternionOrder, int]:
    """Number of keys near the identity for each order (spec/animation.md 2.2)."""
    # In 16 bits abs(-32768) is -32768.
    size = np.abs(model.keys["quaternion"].astype(np.int64))
    # Near the identity, as most rest poses are: one component of about 1, the others below a quarter
    # (spec/animation.md 2.2).
    last = (size[:, 3] >= 32000) & (size[:, :3] <= 8000).all(axis=1)
    first = (size[:, 0] >= 32000) & (size[:, 1:] <= 8000).all(axis=1)
    return {QuaternionOrder.XYZW: int(last.sum()), QuaternionOrder.WXYZ: int(first.sum())}


def has_name_records(model: Model, requested: ReadingChoice = ReadingChoice.AUTO) -> bool:
    """Whether nodes take their names from Res9 rather than Res10.

    With `AUTO`, if Res9 is one printable record per node and at least one is not empty.
    """
    if requested is not ReadingChoice.AUTO:
        return (SEED if requested is ReadingChoice.SEED else FIELD).has_name_records
    if len(model.payload(NAME_RECORDS)) != NAME_SIZE * model.record_count:
        return False
    names = model.name_records
    return any(names) and all(decode(name).isprintable() for name in names)


def material_field(
    batches: Rows, wear_rows: int | None, requested: ReadingChoice = ReadingChoice.AUTO
) -> MaterialField:
    """The field of the batches with their wear row; `wear_rows` is the length of the wear table if known."""
    if requested is not ReadingChoice.AUTO:
        return MaterialField(requested)
    material, opaque4 = batches["material"], batches["opaque4"]
    low, high = opaque4 & 0xFF, opaque4 >> 8
    # The high byte says whether the lightmap is taken, so that in the field reading it is 0x00 or 0xFF
    # (spec/msh.md 8.1).
    has_flags = bool(((high == 0x00) | (high == 0xFF)).all())
    if has_flags and not material.any() and low.any():
        return MaterialField.FIELD
    if wear_rows is not None and has_flags and (material >= wear_rows).any() and (low < wear_rows).all():
        return MaterialField.FIELD
    return MaterialField.SEED


def why_material_field(batches: Rows, choice: ResolvedReading) -> str:
    """Evidence for the field of the batches with their wear row, as text."""
    if choice.requested is not ReadingChoice.AUTO:
        return _("the {reading} reading was requested", reading=choice.requested)
    if not len(batches):
        return _("this model has no batches")
    if choice.reading.material_field is MaterialField.SEED:
        return _("no evidence for the low bytes at +0x04")
    if batches["material"].any():
        return _("words at +0x02 exceed the wear table, the low bytes at +0x04 do not")
    return _("every word at +0x02 is 0, some low bytes at +0x04 are not, and the high bytes are 0x00 or 0xFF")


def wear_rows_of(batches: Rows, field: MaterialField) -> npt.NDArray[np.int64]:
    """The wear row of each batch, (n,) int64."""
    rows = batches["material"] if field is MaterialField.SEED else batches["opaque4"] & 0xFF
    return rows.astype(np.int64)
