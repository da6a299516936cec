"""The effects that a controller starts: the records of its groups that place one, and when they run.

Source: spec/effects.md 10; spec/ctl.md (Layout).
Status: inferred.
"""

from __future__ import annotations

import struct
from typing import Final

from msgspec import Struct

from viewer.formats.neighbors.control import CONTACT, Control, has_components
from viewer.formats.neighbors.explosion import SURFACES
from viewer.formats.text import until_nul
from viewer.translation import _

SLOTS: Final = 21
"""Group numbers of a controller."""
# 100 bytes: flags, mask, invert; action, v4 to v7, a word that is not read; archive and name.
RECORD: Final = struct.Struct("<3I5ii32s32s")
WORD: Final = struct.Struct("<i")
ON_NODE, ON_POINTS, ON_SPHERE, EXPLODE = 3, 4, 5, 27
PLACES: Final = {
    ON_NODE: _("on a node"),
    ON_POINTS: _("on control points"),
    ON_SPHERE: _("on the construction sphere"),
    EXPLODE: _("explosion of a node"),
}
"""The actions that name an effect, or an explosion, and where they place it."""
LOAD, CRITICAL, REPAIRED, GROUND = 0, 6, 7, 10
_TIMES: Final = {LOAD: _("load"), CRITICAL: _("critical"), REPAIRED: _("repaired")}


class StartedEffect(Struct, frozen=True):
    """A record of a group that places an effect.

    Attributes
    ----------
    group, row
        Its group, and its row in it.
    slots
        The places of the 21 group numbers that name the group, ascending: what they stand for says `when`.
    components
        The components that name the group.
    action
        One of `PLACES`.
    values
        ``v4`` to ``v7``: a node, or three control points; then the id of the effect.
    archive, name
        What it names.
    states
        The states whose action the group is.
    contacts
        The control points with which the group runs when they touch the ground.
    """

    group: int
    row: int
    slots: tuple[int, ...]
    components: tuple[int, ...]
    action: int
    values: tuple[int, ...]
    archive: bytes
    name: bytes
    states: tuple[int, ...] = ()
    contacts: tuple[int, ...] = ()

    @property
    def where(self) -> tuple[int, ...]:
        """The node, or the control points, each once."""
        if self.action == ON_POINTS:
            return tuple(dict.fromkeys(self.values[:3]))
        return () if self.action == ON_SPHERE else self.values[:1]


def when(effect: StartedEffect) -> str:
    """Start of an effect, in words; the places of the group numbers that are not known are numbered."""
    words = [_slot_text(slot) for slot in effect.slots]
    words += [_("component {index}", index=index) for index in effect.components]
    words += [_("state {index}", index=index) for index in effect.states]
    words += [_("contact of point {point}", point=point) for point in effect.contacts]
    return ", ".join(words) or _("group {group}", group=effect.group)


def _slot_text(slot: int) -> str:
    if slot in _TIMES:
        return str(_TIMES[slot])
    # Group numbers 10 to 20 are those of the ground surfaces 0 to 10.
    if GROUND <= slot < GROUND + len(SURFACES):
        return _("ground {surface}", surface=SURFACES[slot - GROUND])
    return _("slot {slot}", slot=slot)


def started_effects(control: Control) -> tuple[StartedEffect, ...]:
    """The effects that a controller starts, in the order of their records; those that can be read."""
    data, at = memoryview(control.rest), SLOTS * WORD.size
    if not has_components(control) or at > len(data):
        return ()
    slots = [WORD.unpack_from(data, index * WORD.size)[0] for index in range(SLOTS)]
    of_component = [int(it.header["group"]) for it in control.components]
    starters = _Starters(slots, of_component, control)
    found: list[StartedEffect] = []
    for group in range(int(control.counts["groups"])):
        if at + WORD.size > len(data):
            break
        (count,) = WORD.unpack_from(data, at)
        at += WORD.size
        # A damaged number ends the walk: where the next group begins is not known any more.
        if not 0 <= count <= (len(data) - at) // RECORD.size:
            break
        slots_of, components, states, contacts = starters.of(group)
        for row in range(count):
            record = RECORD.unpack_from(data, at + row * RECORD.size)
            action, values, archive, name = (
                record[3],
                record[4:8],
                until_nul(record[9]),
                until_nul(record[10]),
            )
            if action in PLACES and name:
                place = group, row, slots_of, components, action, values
                found.append(StartedEffect(*place, archive, name, states, contacts))
        at += count * RECORD.size
    return tuple(found)


class _Starters:
    """The states, components and contacts that name the groups of a controller."""

    def __init__(self, slots: list[int], of_component: list[int], control: Control) -> None:
        self._slots, self._of_component = slots, of_component
        self._of_state: list[int] = control.states["action"][:, 0].tolist()
        # A contact is point, flags, group and a word: the group first, then the point, each pair once.
        contacts = control.states["contacts"].reshape(-1, len(CONTACT))
        self._of_contact: list[tuple[int, int]] = list(
            dict.fromkeys(map(tuple, contacts[:, [2, 0]].tolist()))
        )

    def of(self, group: int) -> tuple[tuple[int, ...], ...]:
        """Group numbers, components and states that name a group, and the points of contacts that do."""
        places = (
            tuple(index for index, number in enumerate(numbers) if number == group)
            for numbers in (self._slots, self._of_component, self._of_state)
        )
        return *places, tuple(point for number, point in self._of_contact if number == group)
