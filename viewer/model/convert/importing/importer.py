"""A scene against the model that it was exported from: the changes of the model that make it the same.

What export would give of the model is compared with the scene part by part. Only what really differs is a
change, so a file that nobody edited changes nothing; what follows from the changes is found like that of any
edit. What was not exported is never touched.

Source: spec/msh.md 12, 13.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from viewer.model.convert.from_model import origin_of, scene_of
from viewer.model.convert.importing.findings import DEFAULT, Findings, ImportChoices
from viewer.model.convert.importing.hierarchy import Hierarchy
from viewer.model.convert.importing.library_changes import LibraryChange, library_changes
from viewer.model.convert.importing.matching import matched, matched_nodes, with_known_cells
from viewer.model.convert.importing.materials import wear_changes
from viewer.model.convert.importing.movement.clips import on_strip
from viewer.model.convert.importing.movement.motion import Motions
from viewer.model.convert.importing.nameless import is_of_another_model, without_ids
from viewer.model.convert.importing.records import field_changes
from viewer.model.convert.importing.shapes.geometry import Shapes
from viewer.model.convert.importing.shapes.moved_nodes import unmoved
from viewer.model.convert.new_model import emptiness
from viewer.model.convert.scene import ClipRange, Clips, Origin, Scene
from viewer.model.convert.source import ModelSource
from viewer.model.edit.change import Change
from viewer.model.edit.keys.retime import SetFrameCount
from viewer.translation import Sentence

UNIT: Final = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Import:
    """What a scene changes in its template.

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
    """

    changes: tuple[Change, ...]
    wear: tuple[Change, ...] = ()
    losses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    libraries: tuple[LibraryChange, ...] = ()
    has_outdated: bool = False
    has_referenced: bool = False
    clips: tuple[ClipRange, ...] = ()


def changes_of(
    template: ModelSource,
    given: Scene,
    names: Sequence[str] | None = None,
    choices: ImportChoices = DEFAULT,
) -> Import:
    """What a scene changes in the model that it was exported from.

    Parameters
    ----------
    names
        The materials of the wear table of the model; None if it is not known.
    """
    findings = Findings([*given.losses], [*given.notes])
    own = origin_of(template)
    ranges = given.clip_ranges
    is_foreign = is_of_another_model(given, own, template.names)
    if is_foreign:
        given = without_ids(given)
    clips = Clips.NONE if given.options.clips is Clips.NONE else Clips.STRIP
    expected = scene_of(template, replace(given.options, has_textures=False, clips=clips))
    _compare_origin(own, given, findings, is_foreign=is_foreign)
    if expected.has_area:
        for words in emptiness(given):
            findings.lose(words)
    known = matched_nodes(expected, given, findings)
    given = with_known_cells(expected, given, known)
    found = matched(expected, given, known)
    given = unmoved(expected, given, found.nodes)
    wear = wear_changes(expected, given, names, findings)
    shapes = Shapes(template, (expected, given), found, wear.rows, findings).changes()
    has_tracks = any(it.track is not None for it in given.nodes) or any(it.tracks for it in given.clips)
    motions = Motions(template, findings, has_tracks=has_tracks)
    given = on_strip(template, (expected, given), found, motions, findings)
    nodes = Hierarchy(
        template,
        (expected, given),
        found,
        shapes,
        motions,
        findings,
        choices,
    )
    slots = () if shapes.slots is None else (shapes.slots,)
    changes = (
        *nodes.own_changes(),
        *_length(expected, given),
        *field_changes(expected, given, found),
        *shapes.rows,
        *shapes.materials,
        *slots,
        *nodes.structure(),
    )
    libraries = library_changes(template, given, wear, findings)
    findings.sum_up()
    return Import(
        changes,
        wear.changes,
        tuple(findings.losses),
        tuple(findings.notes),
        libraries,
        has_outdated=nodes.has_outdated,
        has_referenced=nodes.has_referenced,
        clips=ranges,
    )


def _compare_origin(own: Origin, given: Scene, findings: Findings, *, is_foreign: bool) -> None:
    """Note if the scene was made from another model, or in another reading."""
    origin = given.origin
    if origin is None:
        findings.note(
            Sentence("the file does not say which model it was made from; it is compared by names and places")
        )
        return
    if is_foreign:
        words = (
            "the file was exported from {name}, which is another model; it is compared by names and places"
        )
        findings.note(Sentence(words, name=origin.name))
    elif origin.sha256 != own.sha256:
        words = "the file was exported from {name} with other bytes; it is compared all the same"
        findings.note(Sentence(words, name=origin.name))
    if origin.reading != own.reading:
        findings.note(Sentence("the file was exported in another reading of the model"))
    if any(node.scale != UNIT for node in given.nodes):
        findings.lose(Sentence("scales of nodes are left out; apply them to the geometry"))


def _length(expected: Scene, given: Scene) -> Iterator[Change]:
    """Yield the length of the animation, if it was set in a file that has the same keys."""
    has_same = all(
        (one.track is None) == (other.track is None)
        for one, other in zip(expected.nodes, given.nodes, strict=False)
    )
    is_numbered = any(node.number is not None for node in given.nodes)
    if is_numbered and has_same and given.frame_count > expected.frame_count > 1:
        yield SetFrameCount(given.frame_count)
