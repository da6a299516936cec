"""A scene against the model that it was exported from: the changes that make the model equal to it.

What export would give of the model is compared with the scene part by part. Only what really differs is a
change, so a file that nobody edited changes nothing; what follows from the changes is found like that of any
edit. What was not exported is never touched. Fields of records are compared if no other part of a file says
them: not ranges, parents, cells and tracks.

Source: spec/msh.md 2, 3, 8, 12, 13.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from msgspec import Struct

from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import HEADER, SLOT
from viewer.formats.record import Field, Record
from viewer.model.convert.importing.findings import DEFAULT, STATE, ImportChoices, Missing
from viewer.model.convert.importing.geometry import Shapes
from viewer.model.convert.importing.matching import Comparison, compared, lose_uvs
from viewer.model.convert.importing.materials.libraries import LibraryChange, library_changes
from viewer.model.convert.importing.materials.rows import wear_changes
from viewer.model.convert.importing.motion.clips import on_strip
from viewer.model.convert.importing.motion.curves import Motions
from viewer.model.convert.importing.nodes.hierarchy import Hierarchy
from viewer.model.convert.importing.nodes.missing import (
    has_missing_parts,
    note_missing,
    what_is_missing,
    with_missing,
)
from viewer.model.convert.scene import ClipRange, Fields, Scene, SceneClip
from viewer.model.convert.source import ModelSource
from viewer.model.edit.change import Change
from viewer.model.edit.nodes.track_edit import SetFrameCount
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice

OWN: Final[Mapping[str, tuple[str, ...]]] = {
    NODE.name: ("flags",),
    SLOT.name: ("aabb_min", "aabb_max", "sphere_center", "sphere_radius", "opaque"),
    BATCH.name: ("flags", "opaque4", "opaque6", "opaque14"),
    HEADER.name: tuple(field.name for field in HEADER.fields),
}
"""The fields of each record that nothing else says."""


def field_changes(comparison: Comparison) -> Iterator[Change]:
    """The changes of fields of nodes, slots, batches and the header.

    Against another model than the scene was made from, bounds and counts are not compared: they follow from
    its geometry.
    """
    origin = comparison.given.origin
    is_own = origin is None or origin == comparison.expected.origin
    for change in _changes(comparison):
        if is_own or change.field == "flags":
            yield change


def _changes(comparison: Comparison) -> Iterator[SetField]:
    expected, given = comparison.expected, comparison.given
    yield from _of_record(HEADER, None, expected.fields, given.fields)
    for node, known in comparison.pairs:
        if known is not None:
            yield from _of_record(NODE, known.number, known.fields, node.fields)
    for mesh, (own, at) in enumerate(zip(given.meshes, comparison.meshes, strict=True)):
        if at is None or not comparison.is_first(mesh):
            continue
        known_mesh = expected.meshes[at]
        yield from _of_record(SLOT, known_mesh.slot, known_mesh.fields, own.fields)
        batches = {it.batch: it.fields for it in known_mesh.primitives}
        for it in own.primitives:
            if it.batch in batches:
                yield from _of_record(BATCH, it.batch, batches[it.batch], it.fields)


def _of_record(record: Record, row: int | None, known: Fields, given: Fields) -> Iterator[SetField]:
    rows = RowChoice() if row is None else RowChoice.of(row)
    for name in OWN[record.name]:
        if name in known and name in given and not _is_same(record.field(name), known[name], given[name]):
            yield SetField(record.name, rows, name, _plain(record.field(name), given[name]))


def _is_same(field: Field, known: Any, given: Any) -> bool:
    """Whether values are stored the same; what is no value of the field is not compared."""
    try:
        with np.errstate(over="ignore"):
            one, other = (np.asarray(it, field.dtype).reshape(-1) for it in (known, given))
    except (TypeError, ValueError, OverflowError):
        return True
    return len(one) != len(other) or one.tobytes() == other.tobytes()


def _plain(field: Field, value: Any) -> Any:
    """A value as `SetField` has it."""

    def tuples(item: Any) -> Any:
        return tuple(map(tuples, item)) if isinstance(item, list) else item

    with np.errstate(over="ignore"):  # what is too large is listed as infinite, and the report warns of it
        return tuples(np.asarray(value, field.dtype).reshape(field.shape).tolist())


class Import(Struct, frozen=True):
    """The changes of a scene to its template.

    Attributes
    ----------
    changes
        Changes of the model, in order; one step of the history.
    wear
        Changes of its wear table, to be made before them.
    losses
        What the file says and the model cannot hold.
    notes
        What the user should know of the changes.
    libraries
        Changes of the libraries of the game folder, to be made before all others.
    has_outdated, has_referenced
        Whether `ImportChoices.other_levels` and `ImportChoices.clears_references` make a difference.
    missing
        What became of the nodes that are not in the file; None if all are.
    is_turned, is_y_up
        Whether the file was read in other directions than it says, as its nodes show, and whether Y is up.
    clips
        The frames of the clips of the file.
    new_clips
        Those of them that the model did not have, with their frames in it.
    comparison
        What was compared; None if nothing was.
    numbers
        The node of the model of each node of the file while the changes are made, new ones from the end on;
        None for one that is left out.
    wear_rows
        The wear row of each material of the file, -1 for none.
    """

    changes: tuple[Change, ...]
    wear: tuple[Change, ...] = ()
    losses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    libraries: tuple[LibraryChange, ...] = ()
    has_outdated: bool = False
    has_referenced: bool = False
    missing: Missing | None = None
    is_turned: bool = False
    is_y_up: bool = True
    clips: tuple[ClipRange, ...] = ()
    new_clips: tuple[SceneClip, ...] = ()
    comparison: Comparison | None = None
    numbers: tuple[int | None, ...] = ()
    wear_rows: tuple[int, ...] = ()


NO_CHANGES: Final = Import(())


def changes_of(
    template: ModelSource, given: Scene, names: Sequence[str] | None = None, choices: ImportChoices = DEFAULT
) -> Import:
    """The changes of a scene to the model that it was exported from.

    Parameters
    ----------
    names
        The materials of the wear table of the model; None if it is not known.
    """
    comparison = compared(template, given, choices)
    findings = comparison.findings
    missing = None
    if comparison.missing or has_missing_parts(comparison):
        missing = choices.missing or what_is_missing(comparison)
        note_missing(comparison, missing)
        if missing is Missing.KEEP:
            comparison = with_missing(comparison)
    lose_uvs(comparison)
    wear = wear_changes(comparison, names)
    shapes = Shapes(comparison, wear.rows).changes()
    motions = Motions(comparison)
    comparison = on_strip(comparison, motions)
    controller = template.controller.address
    if comparison.new_clips and controller is not None and not choices.adds_states:
        findings.note(STATE, controller=controller.name)
    nodes = Hierarchy(comparison, shapes, motions, choices)
    slots = () if shapes.slots is None else (shapes.slots,)
    # The order matters, as each is planned on what those before it leave: values first, while all rows are
    # where the comparison found them, slots before the cells that name them, and what moves or removes nodes,
    # which gives others new numbers, last.
    changes = (
        *nodes.own_changes(),
        *_length(comparison),
        *field_changes(comparison),
        *shapes.rows,
        *shapes.materials,
        *slots,
        *nodes.structure(),
    )
    libraries = library_changes(comparison, wear)
    findings.sum_up()
    return Import(
        changes,
        wear.changes,
        tuple(findings.losses),
        tuple(findings.notes),
        libraries,
        has_outdated=nodes.has_outdated,
        has_referenced=nodes.has_referenced,
        missing=missing,
        is_turned=comparison.given.options.is_y_up != given.options.is_y_up,
        is_y_up=comparison.given.options.is_y_up,
        clips=comparison.given.clip_ranges,
        new_clips=comparison.new_clips,
        comparison=comparison,
        numbers=tuple(nodes.numbers),
        wear_rows=wear.rows,
    )


def _length(comparison: Comparison) -> Iterator[Change]:
    """The length of the animation, if it was set in a file that has the same keys."""
    expected, given = comparison.expected, comparison.given
    has_same = all(
        (one.track is None) == (other.track is None)
        for one, other in zip(expected.nodes, given.nodes, strict=False)
    )
    is_numbered = any(node.number is not None for node in given.nodes)
    if is_numbered and (has_same or comparison.new_clips) and given.frame_count > expected.frame_count > 1:
        yield SetFrameCount(given.frame_count)
