"""Commands of an effect: name, size and fields of each opcode.

Source: spec/fxid.md 2, 5.
Status: proven (sizes, offset of the reference), inferred (every field of a body: names are hints).
"""

from __future__ import annotations

from dataclasses import dataclass

from viewer.formats import objects
from viewer.formats.record import Bits, Field, Record, Status

REFERENCE = ("archive", "resource")
"""The fields of a reference, in commands that have one."""
OPCODES = {
    1: "light",
    2: "sound",
    3: "particle",
    4: "distance_particle",
    5: "trail",
    6: "point",
    7: "particle_grid",
    8: "spawner",
    9: "rendered_particle",
    10: "particle_grid_2",
}
"""Names of the opcodes."""

_WORD = Field(
    "word",
    "<u4",
    "Kind of the command, and whether it is enabled.",
    bits=(
        Bits("opcode", 0, 8, "Kind of the command.", values=OPCODES, status=Status.PROVEN),
        Bits("enabled", 8, 1, "Whether it is enabled.", values={0: "no", 1: "yes"}, status=Status.PROVEN),
    ),
)


@dataclass(frozen=True, slots=True)
class CommandKind:
    """One opcode: its name, its whole record, and whether its reference may be empty."""

    opcode: int
    name: str
    record: Record
    needs_reference: bool = True

    @property
    def has_reference(self) -> bool:
        """Whether the command has a reference."""
        return len(self.record.fields) > 1

    @property
    def window(self) -> tuple[str, str] | None:
        """The fields with the times between which the command is active, or None."""
        names = {field.name for field in self.record.fields}
        return next((pair for pair in _WINDOWS if names.issuperset(pair)), None)


_WINDOWS = (
    ("start", "end"),
    ("active_start", "active_end"),
    ("active_start", "active_end_max"),
    ("window_start", "window_end"),
)
"""The pairs of fields that hold start and end of a command."""
_DOCS = {
    "mode": "Mode of the command.",
    "alpha_source": "Source of the alpha; negative: the time of the whole effect.",
    "start": "Start time.",
    "end": "End time.",
    "active_start": "Start of the window in which it is active.",
    "active_end": "End of the window in which it is active.",
    "color": "Red, green, blue.",
    "distance_normaliser": "The run time multiplies by its inverse.",
    "drag": "Drag or gravity.",
    "max_segments": "Largest number of segments.",
    "render_kind": "0, 1 or 2.",
    "unknown_0x08": "Not used.",
    "unknown_0x0c": "Not used.",
}
"""Descriptions of fields by name."""
_SUFFIXES = {"min": "Lower limit.", "max": "Upper limit.", "random": "Random span.", "power": "Power."}
"""Descriptions of fields by the last word of their name."""


def _field(name: str, dtype: str, shape: tuple[int, ...] = ()) -> Field:
    text = _DOCS.get(name) or _SUFFIXES.get(name.rpartition("_")[2], "Meaning unknown; the name is a hint.")
    return Field(name, dtype, text, shape=shape, status=Status.INFERRED)


def _words(*names: str) -> tuple[Field, ...]:
    return tuple(_field(name, "<u4") for name in names)


def _floats(*names: str) -> tuple[Field, ...]:
    return tuple(_field(name, "<f4") for name in names)


def _vectors(*names: str, count: int = 3) -> tuple[Field, ...]:
    return tuple(_field(name, "<f4", (count,)) for name in names)


def _kind(
    opcode: int,
    size: int,
    *fields: Field,
    after: tuple[Field, ...] = (),
    needs_reference: bool = True,
) -> CommandKind:
    """A kind whose record is the command word, `fields`, the reference, and what comes `after` it."""
    body = (*fields, *objects.REFERENCE.fields, *after) if fields else ()
    name = OPCODES[opcode]
    record = Record(name, size, _WORD, *body, doc=f"Command {opcode}.")
    return CommandKind(opcode, name, record, needs_reference)


_PARTICLE = (
    *_words("mode"),
    *_floats(
        "alpha_source", "power_0", "power_1", "out_min", "out_max", "out_power", "active_start", "active_end"
    ),
    *_vectors(
        "set0_min", "set0_max", "set0_power", "set1_min", "set1_max", "set2_min", "set2_max", "set2_power"
    ),
)
_GRID = (
    *_words("mode"),
    *_floats("min", "max", "power", "active_start", "active_end", "phase_span", "phase_rate"),
    *_words("count_0", "count_1"),
    *_vectors("set0_min", "set0_max", "set0_random", "set0_power"),
    *_vectors("set1_min", "set1_max", "set1_random", "set1_power"),
    *_floats("drag"),
)
_TIMED = (
    *_words("mode"),
    *_floats("start", "end"),
    *_vectors("position_a_min", "position_a_max", "position_b_min", "position_b_max"),
)

COMMAND_KINDS: dict[int, CommandKind] = {
    kind.opcode: kind
    for kind in (
        _kind(
            1, 224,
            *_TIMED,
            *_vectors("parameter_min", "parameter_max", "parameter_random", count=4),
            *_floats("scalar_min", "scalar_max", "scalar_random"),
            *_vectors("color"),
            Field("unknown_0x88", "u1", "Unknown.", shape=(24,), status=Status.OPEN),
            needs_reference=False,
        ),
        _kind(
            2, 148,
            *_TIMED,
            *_floats("scalar_0", "scalar_1", "scalar_2", "scalar_3"),
            *_words("parameter"),
        ),
        _kind(3, 200, *_PARTICLE),
        _kind(4, 204, *_PARTICLE, after=_floats("distance_normaliser")),
        _kind(
            5, 112,
            *_words("mode", "unknown_0x08", "unknown_0x0c"),
            *_floats("active_start"),
            *_words("max_segments"),
            *_floats("active_end_min", "active_end_max", "step", "segment_length", "alpha_source", "power"),
        ),
        _kind(6, 4, needs_reference=False),
        _kind(7, 208, *_GRID),
        _kind(
            8, 248,
            *_words("mode"),
            *_floats("window_start", "window_end", "gate_start", "gate_end"),
            *_floats("period_min", "period_max", "power"),
            *_words("slots"),
            *_vectors("set0_min", "set0_max", "set0_random", "set1_min", "set1_max", "set1_random"),
            *_vectors("random", "set_power", "bounds_0", "bounds_1", "bounds_2", "render_power"),
        ),
        _kind(9, 208, *_PARTICLE, after=_words("render_kind", "render_flag")),
        _kind(10, 208, *_GRID),
    )
}  # fmt: skip
