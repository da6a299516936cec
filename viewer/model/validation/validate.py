"""Everything that can be said against a file, by the numbered rules of the specification.

The decoders report what they have to work around; the checks add what only a validator minds. Rules
that the specification does not number are called by what they are about: CPT01, NDP01, BAS01, UNIT01 and
PAL01 for payloads that do not add up; TEX01, NDP02 and UNIT02 for names that lead nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from viewer.errors import Diagnostic, FormatError, Severity
from viewer.formats import (
    control_points,
    damage,
    font,
    fxid,
    ground_plan,
    mat0,
    nres,
    objects,
    palette,
    rsli,
    texm,
    units,
    wear,
)
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.text import fold
from viewer.model.checks import animation, containers, geometry, links, materials, packed, tables, terrain
from viewer.model.game.registry import WEAR_SUFFIX, Game, Registry, stem_of
from viewer.model.kinds import entries
from viewer.model.mesh import draw_builder
from viewer.model.mesh.animation import Animation
from viewer.model.mesh.draws import Draws
from viewer.model.mesh.model import Model, Variant, missing_tables, variant_of
from viewer.model.mesh.reading import ReadingChoice, material_field
from viewer.model.mesh.skeleton import Skeleton
from viewer.model.store.file_store import Container, Item, spelling
from viewer.model.store.folder import Folder

MAX_DEPTH: Final = 8
"""Archives inside each other that are looked into."""

_PROMISES: Final = {b"msh": entries.MODEL, b"rlb": entries.ARCHIVE, b"lib": entries.ARCHIVE}
"""What a file claims to be by its name, where it does not begin as anything else."""

_BY_MAGIC: Final = frozenset(
    {entries.MODEL, entries.ARCHIVE, entries.PACKED_ARCHIVE, "font", "texm", "units"}
)


@dataclass(frozen=True, slots=True)
class Report:
    """What there is to say about one file, or about one entry of an archive.

    `is_readable` is off where nothing could be read; then the one diagnostic says why.
    """

    source: str
    kind: str
    diagnostics: tuple[Diagnostic, ...] = ()
    is_readable: bool = True

    @property
    def errors(self) -> list[Diagnostic]:
        """The findings that a strict reader refuses the file for."""
        return errors(self.diagnostics)

    @property
    def tolerated(self) -> Report:
        """The same where all that can be worked around is no error."""
        return replace(self, diagnostics=tuple(map(_soften, self.diagnostics))) if self.is_readable else self


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around a payload.

    Parameters
    ----------
    archive
        The archive that it is an entry of; None for files and in packed libraries.
    registry
        The keys of that archive, where object references are inherited from.
    folder
        The folder that it is a file of.
    game
        The game whose names it uses, None where they are not looked up.
    wanted
        How models are read.
    """

    archive: nres.Archive | None = None
    registry: Registry | None = None
    folder: Folder | None = None
    game: Game | None = None
    wanted: ReadingChoice = ReadingChoice.AUTO

    def in_archive(self, archive: nres.Archive) -> Surroundings:
        """What stands around the entries of an archive."""
        return replace(self, archive=archive, registry=Registry(archive), folder=None)

    def find(self, name: bytes) -> memoryview | None:
        """What is called `name` beside the payload, None where there is nothing that can be read."""
        if self.archive is None:
            return self.folder.read(name) if self.folder else None
        index = self.archive.find(name)
        if index is None or self.archive.entries[index].is_damaged:
            return None
        return self.archive.payload(index)


NOWHERE: Final = Surroundings()


@dataclass(frozen=True, slots=True)
class CheckedPayload:
    """A payload to be judged: what it is, its bytes, its name, its directory entry, what is around it."""

    kind: str
    data: memoryview
    name: bytes = b""
    entry: nres.Entry | None = None
    around: Surroundings = NOWHERE


def _soften(finding: Diagnostic) -> Diagnostic:
    is_error = finding.severity is Severity.ERROR
    return replace(finding, severity=Severity.WARNING) if is_error else finding


def check_model(model: Model) -> list[Diagnostic]:
    """All findings in a model, legacy model or terrain."""
    skeleton = Skeleton(model)
    draws = draw_builder.build(model)
    moving = Animation(model, skeleton, QuaternionOrder.XYZW)
    return check_parts(model, skeleton, draws, moving)


def check_parts(model: Model, skeleton: Skeleton, draws: Draws, moving: Animation) -> list[Diagnostic]:
    """The same where the parts have been made already."""
    found = [*containers.check(model.archive, has_names=False), *tables.check(model), *skeleton.diagnostics]
    if model.variant is Variant.TERRAIN:
        found += terrain.check(model, draws)
    else:
        found += [*geometry.check(model, draws), *animation.check(model, moving)]
    return list(dict.fromkeys(found))


def errors(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings that a strict reader refuses a file for."""
    return [finding for finding in found if finding.severity is Severity.ERROR]


def check_payload(subject: CheckedPayload) -> list[Diagnostic]:
    """All findings in a payload, itself only; raises `FormatError` where it cannot be read at all."""
    check = _CHECKS.get(subject.kind)
    return [] if check is None else list(dict.fromkeys(check(subject)))


def is_known(kind: str) -> bool:
    """Whether there is anything to check in what is of this kind."""
    return kind in _CHECKS or kind in {entries.ARCHIVE, entries.PACKED_ARCHIVE}


def kind_of(item: Item) -> str:
    """What an item is; where its bytes do not tell, what its name promises."""
    suffix = fold(item.name.rpartition(b".")[2])
    if suffix == b"msh" and item.data[:4] == nres.MAGIC:
        return entries.MODEL
    kind = entries.kind_of(item)
    if item.entry is not None or kind in _BY_MAGIC or suffix not in _PROMISES:
        return kind
    return entries.PACKED_ARCHIVE if item.data[:2] == rsli.MAGIC else _PROMISES[suffix]


def check_item(
    item: Item, around: Surroundings = NOWHERE, part: range | None = None, depth: int = 0
) -> list[Report]:
    """A report on an item, and one on each entry of the archives inside it, in directory order.

    There is none on what is of unknown format, so that nothing is called good that was not looked at.
    With a `part`, only on the entries of the archive with these indices, and on the archive if 0 is one.
    """
    kind = kind_of(item)
    if not is_known(kind):
        return []
    try:
        if kind == entries.ARCHIVE:
            return _check_archive(item, around, part, depth)
        if kind == entries.PACKED_ARCHIVE:
            return _check_library(item, around, depth)
        entry = item.entry if isinstance(item.entry, nres.Entry) else None
        found = check_payload(CheckedPayload(kind, item.data, item.name, entry, around))
    except FormatError as error:
        return [Report(str(item.address), kind, (error.finding,), is_readable=False)]
    return [Report(str(item.address), kind, tuple(found))]


def _check_archive(item: Item, around: Surroundings, part: range | None, depth: int) -> list[Report]:
    """Entries that overlap others are left out: they may be the same bytes over and over."""
    archive = nres.Archive.read(item.data)
    part = range(len(archive.entries)) if part is None else part
    reports: list[Report] = []
    if part.start == 0:
        reports.append(Report(str(item.address), entries.ARCHIVE, tuple(containers.check(archive))))
    overlapping = containers.overlapping(archive)
    inside = around.in_archive(archive)
    for entry in archive.entries[part.start : part.stop]:
        if not entry.is_damaged and entry.index not in overlapping and depth < MAX_DEPTH:
            member = _member(item, archive, entry.index, archive.payload(entry.index))
            reports += check_item(member, inside, depth=depth + 1)
    return reports


def _member(item: Item, container: Container, index: int, data: memoryview) -> Item:
    return Item(item.address.child(spelling(container, index)), data, container.entries[index])


def _check_library(item: Item, around: Surroundings, depth: int) -> list[Report]:
    library = rsli.PackedLibrary.read(item.data)
    members: list[Report] = []
    found = packed.accept_known(library, item.name)
    for index, data, problems in packed.members(library):
        found += problems
        if data is not None and depth < MAX_DEPTH:
            member = _member(item, library, index, data)
            members += check_item(
                member, Surroundings(game=around.game, wanted=around.wanted), depth=depth + 1
            )
    own = Report(str(item.address), entries.PACKED_ARCHIVE, tuple(dict.fromkeys(found)))
    return [own, *members]


def _check_model(subject: CheckedPayload) -> list[Diagnostic]:
    archive = nres.Archive.read(subject.data)
    if variant_of(archive) is None:
        return [missing_tables(archive).finding, *containers.check(archive, has_names=False)]
    model = Model.of(archive)
    found = check_model(model)
    if model.variant is Variant.TERRAIN:
        return [*found, *_terrain_wear(subject.around)]
    rows = _wear_rows(subject)
    if rows is None:
        return found
    field = material_field(model.batches, rows, subject.around.wanted)
    return [*found, *materials.selected_rows(model.batches, field, rows)]


def _wear_rows(subject: CheckedPayload) -> int | None:
    """Rows of the wear table beside a model, None where there is none that can be read."""
    data = subject.around.find(stem_of(subject.name) + WEAR_SUFFIX)
    try:
        return None if data is None else len(wear.decode(data).materials)
    except FormatError:
        return None


def _terrain_wear(around: Surroundings) -> Iterable[Diagnostic]:
    if around.game is None or around.folder is None:
        return ()
    return links.of_terrain(name for name in links.TERRAIN_WEAR if around.find(name) is None)


def _check_wear(subject: CheckedPayload) -> Iterator[Diagnostic]:
    table = wear.decode(subject.data)
    yield from table.diagnostics
    if subject.around.game is not None:
        yield from links.of_wear(table, subject.around.game)


def _check_material(subject: CheckedPayload) -> Iterator[Diagnostic]:
    version = mat0.VERSION if subject.entry is None else subject.entry.attr2
    material = mat0.decode(subject.data, version)
    yield from material.diagnostics
    yield from materials.texture_names(material)
    if subject.entry is not None:
        yield from materials.attributes(subject.entry)
    if subject.around.game is not None:
        yield from links.of_material(material, subject.around.game)


def _check_effect(subject: CheckedPayload) -> Iterator[Diagnostic]:
    effect = fxid.decode(subject.data)
    yield from effect.diagnostics
    if subject.around.game is not None:
        yield from links.of_effect(effect, subject.around.game)


def _check_object(subject: CheckedPayload) -> Iterator[Diagnostic]:
    yield from objects.decode(subject.data).diagnostics
    registry, entry = subject.around.registry, subject.entry
    if registry is not None and entry is not None:
        yield from links.of_object(entry.index, registry, subject.around.game)


def _check_unit(subject: CheckedPayload) -> Iterator[Diagnostic]:
    unit = units.decode(subject.data)
    yield from unit.diagnostics
    if subject.around.game is not None:
        yield from links.of_unit(unit, subject.around.game)


def _check_damage(subject: CheckedPayload) -> Iterator[Diagnostic]:
    table = damage.decode(subject.data)
    yield from table.diagnostics
    if subject.around.game is not None:
        yield from links.of_damage(table, subject.around.game)


def _check_palette(subject: CheckedPayload) -> tuple[Diagnostic, ...]:
    palette.decode(subject.data)
    return ()


_CHECKS: Final[Mapping[str, Callable[[CheckedPayload], Iterable[Diagnostic]]]] = {
    entries.MODEL: _check_model,
    "wear": _check_wear,
    "mat0": _check_material,
    "texm": lambda subject: texm.decode(subject.data).diagnostics,
    "font": lambda subject: font.decode(subject.data).diagnostics,
    "fxid": _check_effect,
    "objects": _check_object,
    "units": _check_unit,
    "control_points": lambda subject: control_points.decode(subject.data).diagnostics,
    "damage": _check_damage,
    "ground_plan": lambda subject: ground_plan.decode(subject.data).diagnostics,
    "palette": _check_palette,
}
