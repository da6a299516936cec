"""Components of a controller: what an object consists of, the channels that they drive, and how fast.

Source: spec/ctl.md, Component and Playing.
Status: inferred.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from functools import lru_cache
from math import isfinite
from typing import Annotated, Final

import numpy as np
from msgspec import Struct, field

from viewer.formats.layout.layout import Count, Layout
from viewer.formats.layout.lists import CountedText
from viewer.formats.layout.members import Array, Single
from viewer.formats.record import ARCHIVE, CP1251, ENTRY, Bits, Field, Record, Rows, Status
from viewer.formats.text import decode, until_nul
from viewer.json_types import U32, JsonObject, Matrix, Number, Pair, described

COMPONENTS: Final = "components"
CLASSES: Final = {
    1: "turret",
    2: "gun",
    3: "device",
    4: "camera",
    5: "engine",
    8: "radar",
    9: "shield",
    10: "detection shield",
    12: "door",
    13: "computer",
    15: "repair",
    17: "seeker",
    19: "battery",
    21: "deflector",
    24: "hero's arms",
    25: "main teleport",
    26: "efficiency",
    27: "armour",
    29: "mast",
    30: "builder's beam",
}
"""The 20 of the 30 classes that files have."""
IS_SWITCH: Final = 0x80000000
FLAGS: Final = {
    0x02000000: "of a gun: all barrels at once",
    0x04000000: "of a turret: stands on the ground",
    IS_SWITCH: "switch",
}
MAST: Final = 29
# 5, 12, 13, 24 and 25 run by the same code, but their owner steers them: doors and arms stand until it does.
_SELF_TURNING: Final = frozenset({3, 8, 26, MAST})
"""The classes that step their channels and are steered by nobody."""
_USUAL_WORD: Final = 5
"""The switch word of every class: forward, round for ever."""
# 5 is 1 + 4: forward, wraps. 9 of two masts is 1 + 8: forward, turns round. 33 of the hero's arms: forward,
# stops.
_DIRECTION: Final = 3
"""Bits of the switch word; what they do is in `_DIRECTIONS`."""
_DIRECTIONS: Final = {1: 1, 2: -1}
_ROUND_BIT, _BACK_BIT = 4, 8
_LEAST: Final = 1e-9
"""Rates below this are no motion."""
INPUTS: Final = {
    2: "spin about x",
    3: "spin about y",
    4: "spin about z",
    5: "spin about x, negated",
    6: "spin about y, negated",
    7: "spin about z, negated",
    8: "lean about x",
    9: "lean about y",
    10: "lean about z",
    11: "velocity x / top speed",
    12: "velocity y / top speed",
    13: "velocity z / top speed",
    14: "speed / top speed",
}
"""Inputs of a selector; with any other number the first input is 1, the second 0."""
# A body of a viewer runs along y and turns about z: spin about z, the same negated, velocity y, speed.
_MOVED: Final = (4, 7, 12, 14)
"""The selectors of what a `BodyMotion` has."""
HOLDS: Final = 1
"""The selector of the value: 0 lets it move, 1 holds it, from 2 on an input sets it outright."""
VALUE_INPUTS: Final = {0: "moves at a rate", HOLDS: "holds the initial value", **INPUTS}
_INFERRED: Final = Status.INFERRED
_OPEN: Final = Status.OPEN

COMPONENT: Final = Record(
    "component",
    0xB0,
    Field("class", "<i4", "Class, 1 to 30.", values=CLASSES),
    Field("node", "<i4", "Node of the model that it is on.", refers_to="nodes", none=-1),
    Field("flags", "<u4", "Selectors of its inputs, and bits of the class.", flags=FLAGS, bits=(
        # 0x00040C00: the value moves (0), at velocity y (12) times one weight and spin about z (4) times the
        # other.
        Bits("value input", 0, 8, "What its value follows.", values=VALUE_INPUTS),
        Bits("first input", 8, 8, "First input of its rate.", values=INPUTS),
        Bits("second input", 16, 8, "Second input of its rate.", values=INPUTS),
    )),
    Field("group", "<i4", "Group of a gun that runs with a shot.", status=_INFERRED),
    Field("groups", "<i4", "Groups that run when it starts and stops working.", (2,), status=_INFERRED),
    Field("switch", "<i4", "Switch word at the start: bits 0 and 1 forward, backward; 4 wraps, 8 turns "
          "round; -1 for that of the class, 5.", status=_INFERRED),
    Field("unknown_0x1c", "<i4", "Unknown.", status=_OPEN),
    Field("power", "<f4", "Power that it draws or gives."),
    Field("weights", "<f4", "Weights of the two inputs of its rate.", (2,)),
    Field("values", "<f4", "Values of the class.", (16,), status=_INFERRED),
    Field("archive", "S32", "Archive of what it emits.", encoding=CP1251, names=ARCHIVE),
    Field("name", "S32", "What it emits: the round of a gun, the effect of a shield.", encoding=CP1251,
          names=ENTRY),
    Field("channel_count", "<i4", "Number of channels that it drives.", allowed=range(0x80000000)),
    doc="An engine, a gun, a radar: its class, its node and how it drives channels.",
    status=_INFERRED,
)  # fmt: skip
_LABEL: Final = "What fits the slot that the component is."
DRIVEN: Final = Record(
    "driven",
    4,
    Field("channel", "<i4", "Channel that it drives.", refers_to="channels"),
    doc="The channels that a component drives.",
    status=_INFERRED,
)


@lru_cache(64)
def label_record(length: int) -> Record:
    """The record of a label of a length; an empty one has no text and no NUL."""
    stated = Field("length", "<u4", "Length of the label without its NUL; 0 for none.")
    if not length:
        return Record("label", stated.size, stated, doc=_LABEL)
    text = Field("text", f"V{length}", "Prefix of the entries of the registry that fit.", encoding=CP1251)
    end = Field("end", "u1", "Always 0.")
    return Record("label", stated.size + length + 1, stated, text, end, doc=_LABEL)


class End(Enum):
    """The behavior of a value at its end."""

    WRAPS = auto()
    TURNS_ROUND = auto()
    STOPS = auto()


class BodyMotion(Struct, frozen=True):
    """The motion of an object, as components take it.

    Attributes
    ----------
    speed
        Share of the top speed, forward along y; negative backward.
    turn
        Spin about z, rad/s; positive to the left.
    """

    speed: float = 0.0
    turn: float = 0.0

    def input(self, selector: int) -> float | None:
        """The input that a selector takes, 0 for what is not moved here; None if it takes none."""
        if selector not in INPUTS:
            return None
        found = dict(zip(_MOVED, (self.turn, -self.turn, self.speed, abs(self.speed)), strict=True))
        return found.get(selector, 0.0)


AT_REST: Final = BodyMotion()


class ControllerComponent(Struct, frozen=True, eq=False):
    """A component of a controller.

    Parameters
    ----------
    header
        One `COMPONENT` record.
    driven
        `DRIVEN` records, (n,).
    label_row
        One record of `label_record`.
    """

    header: np.void
    driven: Rows
    label_row: np.void

    def __eq__(self, other: object) -> bool:
        # By their bytes: records with a number that is none would not even equal themselves.
        return isinstance(other, ControllerComponent) and self._stored == other._stored

    def __hash__(self) -> int:
        return hash(self._stored)

    @property
    def _stored(self) -> bytes:
        return b"".join(it.tobytes() for it in (self.header, self.driven, self.label_row))

    @property
    def size(self) -> int:
        """The length of the component in the file, bytes."""
        return self.header.nbytes + self.driven.nbytes + self.label_row.nbytes

    @property
    def number(self) -> int:
        """The number of its class."""
        return int(self.header["class"])

    @property
    def node(self) -> int:
        """The node that it is on; it need not exist."""
        return int(self.header["node"])

    @property
    def channels(self) -> tuple[int, ...]:
        """The channels that it drives; they need not exist."""
        return tuple(self.driven["channel"].tolist())

    @property
    def steers_itself(self) -> bool:
        """Whether nobody steers its channels: its class steps them."""
        return self.number in _SELF_TURNING

    @property
    def word(self) -> int:
        """The switch word at the start, that of the class where none is stored."""
        stored = int(self.header["switch"])
        # -1 on 1036 of the 1066 components of the game.
        return _USUAL_WORD if stored == -1 else stored

    @property
    def direction(self) -> int:
        """1 if it starts forward, -1 backward, 0 if it is off."""
        return _DIRECTIONS.get(self.word & _DIRECTION, 0)

    @property
    def end(self) -> End:
        """Behavior of values at their ends."""
        if self.word & _ROUND_BIT:
            return End.WRAPS
        return End.TURNS_ROUND if self.word & _BACK_BIT else End.STOPS

    @property
    def value_input(self) -> int:
        """The selector of the value: 0 lets it move, `HOLDS` holds it, one of `INPUTS` sets it."""
        return int(self.header["flags"]) & 0xFF

    @property
    def is_switch(self) -> bool:
        """Whether the input of the value switches it at its initial value."""
        return bool(int(self.header["flags"]) & IS_SWITCH)

    def rate(self, motion: BodyMotion) -> float:
        """Speed of values, for a channel rate of 1: negative downwards, 0 for next to nothing."""
        flags = int(self.header["flags"])
        first, second = (motion.input(flags >> shift & 0xFF) for shift in (8, 16))
        weights: list[float] = self.header["weights"].tolist()
        # Without a selector the first input counts 1, the second 0.
        rate = weights[0] * (1.0 if first is None else first) + weights[1] * (second or 0.0)
        return rate if isfinite(rate) and abs(rate) >= _LEAST else 0.0

    @property
    def takes_motion(self) -> bool:
        """Whether the component drives channels by how the object moves."""
        flags = int(self.header["flags"])
        selectors = (self.value_input,) if self.value_input else (flags >> 8 & 0xFF, flags >> 16 & 0xFF)
        return self.steers_itself and any(it in _MOVED for it in selectors)

    @property
    def turns(self) -> float | None:
        """Values per second at rest, for a channel rate of 1; None if it does not turn by itself."""
        if not (self.steers_itself and self.channels and self.value_input == 0):
            return None
        return self.direction * self.rate(AT_REST) or None

    @property
    def label(self) -> bytes | None:
        """The prefix of what fits the slot; None if it is no slot."""
        return until_nul(self.label_row["text"].tobytes()) if self.label_row["length"] else None


def class_name(number: int) -> str | None:
    """The name of a class; None for one that no known file has."""
    return CLASSES.get(number)


LAYOUT: Final = Layout(
    ControllerComponent,
    header=Single(COMPONENT, "K01"),
    driven=Array(DRIVEN, Count("header", "channel_count")),
    label_row=CountedText(label_record),
)


class ComponentRow(JsonObject, frozen=True):
    """A component of a controller."""

    index: int
    number: int = field(name="class")
    class_name: str | None
    node: int
    flags: U32
    group: int
    groups: tuple[int, int]
    switch: int
    power: Number
    weights: Pair
    values: Matrix
    archive: str
    name: str
    channels: Sequence[int]
    label: str | None
    turns: Annotated[
        Number | None, described("values per second at rest; null if it does not turn by itself")
    ]


def row(index: int, it: ControllerComponent) -> ComponentRow:
    """A component as plain data."""
    header = it.header
    return ComponentRow(
        index=index,
        number=it.number,
        class_name=class_name(it.number),
        node=it.node,
        flags=int(header["flags"]),
        group=int(header["group"]),
        groups=header["groups"].tolist(),
        switch=int(header["switch"]),
        power=float(header["power"]),
        weights=header["weights"].tolist(),
        values=header["values"].tolist(),
        archive=decode(until_nul(header["archive"].tobytes())),
        name=decode(until_nul(header["name"].tobytes())),
        channels=it.channels,
        label=None if it.label is None else decode(it.label),
        turns=it.turns,
    )
