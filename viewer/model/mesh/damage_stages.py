"""Damage stages: which row of its slots a node draws while it loses its life.

Source: spec/field-notes.md 3.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Final

from viewer.formats.msh.nodes import FLAG_COPIES_LIFE, FLAG_SURVIVES, FLAG_VITAL
from viewer.translation import _

INDESTRUCTIBLE: Final = 1_000_000
"""Hit points of what cannot be destroyed."""


def stage_of(rows: int, life: float, most: float) -> int:
    """The stage of a node at some life: ``rows - ceil(rows * life / most)``, from 0 to `rows`.

    Parameters
    ----------
    rows
        Rows of the slot matrix that the node has; at stage `rows`, life 0, nothing of it is left.
    most
        The life of the whole node.
    """
    share = min(max(life / most, 0.0), 1.0) if most > 0 else 1.0
    return rows - ceil(rows * share)


def stages(rows: int, hit_points: float, flags: int) -> Iterator[str]:
    """Stages in which a node loses its life, in words.

    Parameters
    ----------
    rows
        As for `stage_of`.
    hit_points
        Its whole life.
    flags
        Its node flags.
    """
    if flags & FLAG_VITAL:
        yield _("vital: the unit dies with it")
    if flags & FLAG_COPIES_LIFE:
        yield _("has the share of life of its parent")
    if hit_points >= INDESTRUCTIBLE:
        yield _("cannot be destroyed")
        return
    for stage in range(1, rows):
        # Stage 1 of 3 begins where 3 - ceil(3 * share) reaches 1: at two thirds.
        life = hit_points * (rows - stage) / rows
        yield _("stage {stage} from {life:g} of {most:g} hit points", stage=stage, life=life, most=hit_points)
    if rows:
        yield _("drawn even at 0") if flags & FLAG_SURVIVES else _("hidden at 0")
