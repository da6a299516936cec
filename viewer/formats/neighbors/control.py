"""CTLD, a controller (``.ctl``): the states of a model with their frames and duration, and the driven nodes.

Source: spec/ctl.md.
Status: inferred; bytes after the components are kept unread.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats.findings import Rule
from viewer.formats.layout.layout import Count, Layout
from viewer.formats.layout.lists import Listing, Nested
from viewer.formats.layout.members import Array, RawBytes, Short, Single, Varying
from viewer.formats.neighbors import component
from viewer.formats.neighbors.component import ControllerComponent
from viewer.formats.record import Bits, Field, Record, Rows, Status
from viewer.json_types import Natural

_INFERRED = Status.INFERRED
_OPEN = Status.OPEN
_COUNT = range(0x80000000)
"""Numbers of records."""

AXES = {
    0x01: "velocity x",
    0x02: "velocity y",
    0x04: "velocity z",
    0x10: "spin about x",
    0x20: "spin about y",
    0x40: "spin about z",
}
MODES = {0x1: "anchor", 0x10000: "moves by velocity", 0x100000: "fixed step", 0x1000000: "jitter"}
NOT_DRIVEN = 0x04
CHANNEL_FLAGS = {
    0x01: "wraps",
    0x02: "inverts",
    NOT_DRIVEN: "not driven",
    0x08: "gun mount",
    0x10: "plays the node's material",
    0x40: "takes the previous channel's value",
}

COUNTS = Record(
    "counts",
    20,
    Field("states", "<i4", "Number of states.", allowed=_COUNT),
    Field("contacts", "<i4", "Number of contacts of every state.", allowed=_COUNT),
    Field("channels", "<i4", "Number of channels.", allowed=_COUNT),
    Field("components", "<i4", "Number of components.", allowed=_COUNT),
    Field("groups", "<i4", "Number of groups.", allowed=_COUNT),
    doc="Numbers of records of each kind.",
)

PARAMETERS = Record(
    "parameters",
    108,
    Field("acceleration", "<f4", "Acceleration.", (3,), status=_INFERRED),
    Field("unread", "<f4", "Not read by the control code; mostly 0.", (3,), status=_OPEN),
    Field("top_speed", "<f4", "Top speed.", (3,), unit="m/s"),
    Field("turn_rate", "<f4", "Turn rate; 6.28 means no limit.", (3,), unit="rad/s"),
    Field("righting", "<f4", "Rate at which the hull rights itself.", (3,), status=_INFERRED),
    Field("lean", "<f4", "Largest lean of the body.", (3,), unit="rad"),
    Field("dead_milliseconds", "<i4", "Time for which a dead object stays.", unit="ms"),
    Field("unknown_0x60", "<f4", "Zero.", (2,), status=_OPEN),
    Field("slope_brakes", "<i4", "Brakes on slopes: 0, 2 or 3.", status=_INFERRED),
    Field("unknown_0x6c", "<f4", "-1.", status=_OPEN),
    Field("slope_cone", "<f4", "Cone of the slopes.", unit="rad", status=_INFERRED),
    Field("bits", "<i4", "Bits 0 to 4 are used.", status=_OPEN),
    Field("unknown_0x78", "<f4", "-1.", status=_OPEN),
    Field("payload", "<f4", "Largest load; the largest float means no limit.", unit="kg"),
    doc="Parameters of the object's movement.",
)

REQUESTS = {
    0: "finished building",
    1: "construction, code 1",
    2: "construction, code 2",
    6: "construction, code 6",
    8: "construction, code 8",
    10: "construction, code 10",
}
"""Request codes of states that are known, all of buildings."""
WHILE_INTACT, WHILE_DESTROYED = 0x100, 0x200
"""Flags of contacts: the state applies only while the node of the control point is there, or is not."""

# 156 bytes without the contacts; 56 that are zero reach from the engine's factor to the action at 0x90.
_STATE_FIELDS = (
    Field("axes", "<u4", "The axes of the boxes that apply.", flags=AXES),
    Field("mode", "<u4", "Mode of movement.", flags=MODES),
    Field("lean", "u1", "Source of the body's lean about x, y, z.", (3,), status=_INFERRED),
    Field("unknown_0x0b", "u1", "Unknown.", status=_OPEN),
    Field("frames_a", "<f4", "First and last frame of pair A.", (2,), unit="frames"),
    Field("frames_b", "<f4", "First and last frame of pair B; negative without B.", (2,), unit="frames"),
    Field("weight_b", "<f4", "Weight of pair B."),
    Field("milliseconds", "<f4", "Length of the step; 0 = by stride and speed.", unit="ms"),
    Field("velocity_min", "<f4", "Lower corner of the velocity box.", (3,)),
    Field("velocity_max", "<f4", "Upper corner of the velocity box.", (3,)),
    Field("spin_min", "<f4", "Lower corner of the spin box.", (3,)),
    Field("spin_max", "<f4", "Upper corner of the spin box.", (3,)),
    Field("engine", "<f4", "Factor of the engine.", status=_INFERRED),
    Field("unknown_0x58", "V56", "Zero.", status=_OPEN),
    Field(
        "action",
        "<i4",
        "Action group, uses, request code.",
        (3,),
        bits=(Bits("request code", 0, 32, "What asks for the state.", REQUESTS, none=0xFFFFFFFF, element=2),),
        status=_INFERRED,
    ),
)
_STATE_SIZE = 156
_CONTACT_SIZE = 16
CONTACT = ("point", "flags", "group", "unknown")

# 36 bytes, which the engine's loader takes; one public decoder takes 48 (spec/ctl.md).
CHANNEL = Record(
    "channels",
    36,
    Field("node", "<i4", "Node that the channel drives.", refers_to="nodes", none=-1),
    Field("first", "<f4", "First frame.", unit="frames"),
    Field("last", "<f4", "Last frame.", unit="frames"),
    Field("initial", "<f4", "Value at the start, 0 to 1."),
    Field("points", "<i4", "Two control points; -1 means none.", (2,), status=_INFERRED),
    Field("rate", "<f4", "Change of the value.", unit="1/s"),
    Field("span", "<f4", "Angle between the first and the last frame.", unit="rad"),
    Field("flags", "<u4", "Mode of the channel.", flags=CHANNEL_FLAGS),
    doc="A node that plays its own frames by a value from 0 to 1.",
)


# All states of a file have the same number of contacts, so that a file needs one record.
@lru_cache(16)
def state_record(contact_count: int) -> Record:
    """The record of a state with a number of contacts, each four words."""
    contacts = Field(
        "contacts",
        "<i4",
        "Contacts: control point, flags, group, and an unknown word each.",
        (contact_count, len(CONTACT)),
        components={"": CONTACT * contact_count},
        status=_INFERRED,
    )
    size = _STATE_SIZE + contact_count * _CONTACT_SIZE
    return Record("states", size, *_STATE_FIELDS, contacts, doc="Frames to play, and their conditions.")


# Keyed by the number of states: a row has a cost for each state to come from, the row itself is where to.
@lru_cache(16)
def cost_record(state_count: int) -> Record:
    """The record of the costs of reaching one state from each state."""
    doc = "Cost of reaching this state from each state; 1000000 and more: no transition."
    declared = Field("cost", "<f4", doc, (state_count,))
    return Record("costs", declared.size, declared, doc="Costs of changes of state; one row per destination.")


class Control(Struct, frozen=True, eq=False):
    """A decoded controller; arrays are raw records.

    Parameters
    ----------
    counts, parameters
        One `COUNTS` and one `PARAMETERS` record.
    states
        Records of `state_record`, (a,).
    costs
        Records of `cost_record`, (a,).
    channels
        `CHANNEL` records, (c,).
    components
        The components; none if they cannot all be read: then their bytes are in `rest`.
    rest
        Group numbers and groups; and everything from the first table that does not fit.
    """

    counts: np.void
    parameters: np.void
    states: Rows
    costs: Rows
    channels: Rows
    components: tuple[ControllerComponent, ...]
    rest: bytes
    diagnostics: tuple[Diagnostic, ...] = ()


def _findings(control: Control) -> Iterable[Diagnostic]:
    """The diagnostics of a controller that was read."""
    yield from _infinite(control)
    count = len(control.channels)
    for index, it in enumerate(control.components):
        rule = Rule(
            "CTL02", f"{component.COMPONENTS}[{index}].{component.DRIVEN.name}", "channel", Severity.WARNING
        )
        channels = it.driven["channel"]
        is_wrong = np.asarray((channels < 0) | (channels >= count))
        yield from rule.in_rows(is_wrong, "channel {channel} of {count}", channel=channels, count=count)


def _infinite(control: Control) -> Iterable[Diagnostic]:
    """Fields with numbers that are not finite (K04)."""
    for part in parts(control).children:
        if part.record is None or part.rows is None:
            continue
        rows = np.atleast_1d(np.asarray(part.rows))
        # All floats at once: the fields are only looked at one by one if one is not finite, which is rare.
        stored = np.frombuffer(rows.tobytes(), np.float32).reshape(len(rows), part.record.size // 4)
        if np.isfinite(stored[:, _float_columns(part.record)]).all():
            continue
        for declared in part.record.fields:
            if declared.is_float:
                values = rows[declared.name]
                is_wrong = np.asarray(~np.isfinite(values).all(axis=tuple(range(1, values.ndim))))
                rule = Rule("K04", part.name, declared.name, Severity.WARNING)
                found = rule.in_rows(is_wrong, "{values} is not finite", values=values)
                yield from found if part.is_table else [replace(finding, index=None) for finding in found]


@lru_cache(32)
def _float_columns(record: Record) -> npt.NDArray[np.intp]:
    """Columns of the floats of a record; all its fields have 4 bytes, or are arrays of such."""
    fields = (it for it in record.fields if it.is_float)
    # The frames of pair A, two floats at byte 0x0C of a state, are columns 3 and 4.
    return np.array([it.offset // 4 + index for it in fields for index in range(it.count)], np.intp)


REST = "rest"
"""The part with the groups."""
MOST_COMPONENTS = 1 << 12
"""Most components that are read; known files have up to 21."""
_STATES = Count("counts", "states")
LAYOUT = Layout(
    Control,
    check=_findings,
    counts=Single(COUNTS, "K01"),
    parameters=Single(PARAMETERS, "K01"),
    states=Array(Varying(state_record, Count("counts", "contacts")), _STATES, "K01", Short.LEFT),
    costs=Array(Varying(cost_record, _STATES), _STATES, "K01", Short.LEFT),
    channels=Array(CHANNEL, Count("counts", "channels"), "K01", Short.LEFT),
    # Optional: files in which they cannot be walked are whole otherwise, and no rule is about them.
    components=Listing(
        component.COMPONENTS,
        Nested("component", component.LAYOUT),
        "What the object consists of: engines, guns, radars; and the channels that they drive.",
        Count("counts", "components"),
        most=MOST_COMPONENTS,
        is_optional=True,
    ),
    rest=RawBytes(REST, "Group numbers and groups, and components that cannot be read."),
)
decode, encode, parts = LAYOUT.decode, LAYOUT.encode, LAYOUT.parts


def has_components(control: Control) -> bool:
    """Whether its components could be read; also if it has none."""
    return len(control.components) == int(control.counts["components"])


class ControlFacts(Struct, frozen=True):
    """The components, unless their records cannot be walked, and the size of all from the channels on."""

    components: Sequence[component.ComponentRow] | UnsetType
    rest_size: Natural


def facts(control: Control, _ignored: object = None) -> ControlFacts:
    """The components, if they can be read, and the length of what the channels are followed by."""
    rows = [component.row(*it) for it in enumerate(control.components)]
    size = sum(it.size for it in control.components) + len(control.rest)
    return ControlFacts(rows if has_components(control) else UNSET, size)
