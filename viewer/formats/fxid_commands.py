"""Commands of an effect: what each opcode is called, how long it is, and the fields of its body.

Source: spec/fxid.md 2, 5.
Status: proven (sizes, place of the reference), inferred (every field of a body: names are hints).
"""

from __future__ import annotations

from dataclasses import dataclass

from viewer.formats.record import Field, Record, Status

NAME_SIZE = 32
REFERENCE = ("archive", "resource")
"""Fields that name a resource, in the commands that have one."""


@dataclass(frozen=True, slots=True)
class CommandKind:
    """One opcode: its name, its whole record, and whether its reference may be empty."""

    opcode: int
    name: str
    record: Record
    needs_reference: bool = True

    @property
    def has_reference(self) -> bool:
        """Whether the command has room for a reference."""
        return len(self.record.fields) > 1


def _words(*names: str) -> tuple[Field, ...]:
    return tuple(Field(name, "<u4", "Unsigned number.", status=Status.INFERRED) for name in names)


def _floats(*names: str) -> tuple[Field, ...]:
    return tuple(Field(name, "<f4", "Number.", status=Status.INFERRED) for name in names)


def _vectors(*names: str, count: int = 3) -> tuple[Field, ...]:
    return tuple(Field(name, "<f4", "Vector.", shape=(count,), status=Status.INFERRED) for name in names)


def _kind(
    opcode: int,
    name: str,
    size: int,
    *fields: Field,
    after: tuple[Field, ...] = (),
    needs_reference: bool = True,
) -> CommandKind:
    """A kind whose record is the command word, `fields`, the reference, and what comes `after` it."""
    word = Field("word", "<u4", "Opcode in the low byte, bit 8 = enabled, other bits kept.")
    reference = (
        Field("archive", f"V{NAME_SIZE}", "Archive of the resource; what follows the NUL is kept."),
        Field("resource", f"V{NAME_SIZE}", "Entry of that archive; what follows the NUL is kept."),
    )
    body = (*fields, *reference, *after) if fields else ()
    return CommandKind(opcode, name, Record(f"FXID.{name}", size, word, *body), needs_reference)


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
            1, "light", 224,
            *_TIMED,
            *_vectors("parameter_min", "parameter_max", "parameter_random", count=4),
            *_floats("scalar_min", "scalar_max", "scalar_random"),
            *_vectors("color"),
            Field("unknown_0x88", "u1", "Unknown.", shape=(24,), status=Status.OPEN),
            needs_reference=False,
        ),
        _kind(
            2, "sound", 148,
            *_TIMED,
            *_floats("scalar_0", "scalar_1", "scalar_2", "scalar_3"),
            *_words("parameter"),
        ),
        _kind(3, "particle", 200, *_PARTICLE),
        _kind(4, "distance_particle", 204, *_PARTICLE, after=_floats("distance_normaliser")),
        _kind(
            5, "trail", 112,
            *_words("mode", "unknown_0x08", "unknown_0x0c"),
            *_floats("active_start"),
            *_words("max_segments"),
            *_floats("active_end_min", "active_end_max", "step", "segment_length", "alpha_source", "power"),
        ),
        _kind(6, "point", 4, needs_reference=False),
        _kind(7, "particle_grid", 208, *_GRID),
        _kind(
            8, "spawner", 248,
            *_words("mode"),
            *_floats("window_start", "window_end", "gate_start", "gate_end"),
            *_floats("period_min", "period_max", "power"),
            *_words("slots"),
            *_vectors("set0_min", "set0_max", "set0_random", "set1_min", "set1_max", "set1_random"),
            *_vectors("random", "set_power", "bounds_0", "bounds_1", "bounds_2", "render_power"),
        ),
        _kind(9, "rendered_particle", 208, *_PARTICLE, after=_words("render_kind", "render_flag")),
        _kind(10, "particle_grid_2", 208, *_GRID),
    )
}  # fmt: skip
