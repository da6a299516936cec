"""Validation of a file by the numbered rules of the specification.

The decoders report what they tolerate; the checks add what only matters to a validator. Rules
without a number in the specification are named after their subject: CPT01, NDP01, EXP01, BAS01, UNIT01,
PAL01, AREA01 and SKY01 for inconsistent payloads; SKY02 to SKY04 for values of skies that cannot be
meant; AREA02 and CTL02 for references to what does not exist; DSC01 for a part without a name; TEX01,
NDP02, EXP02, CTL01 and UNIT02 for unresolved names; FX01 to FX05 for values of effects that cannot be
played; LIB01 for libraries in which names are not looked up; TYPE01 for entries whose type is not that of
their payload.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, Severity
from viewer.formats.archive import nres, rsli
from viewer.model.checks import containers, models
from viewer.model.checks.joined_tables import TOGETHER
from viewer.model.checks.payload import NOWHERE, Payload, Surroundings
from viewer.model.kinds.entry_kinds import entry_kinds, misfits
from viewer.model.kinds.registry import ARCHIVE, CHECKED, MODEL, PACKED, promised_kind
from viewer.model.mesh.draws import chunks
from viewer.model.store.address import Address
from viewer.model.store.item import Container, Item, spelling
from viewer.progress import checkpoint

MAX_DEPTH: Final = 8
"""Depth of nested archives that are checked."""


class Report(Struct, frozen=True):
    """The diagnostics of one file, or of one entry of an archive.

    `is_readable` is False if nothing could be read; then the only diagnostic says why.
    """

    source: Address
    kind: str
    diagnostics: tuple[Diagnostic, ...] = ()
    is_readable: bool = True

    @property
    def errors(self) -> list[Diagnostic]:
        """The diagnostics for which a strict reader refuses the file."""
        return errors(self.diagnostics)

    @property
    def tolerated(self) -> Report:
        """The report with tolerated damage as warnings."""
        return replace(self, diagnostics=tuple(map(_soften, self.diagnostics))) if self.is_readable else self


def _soften(finding: Diagnostic) -> Diagnostic:
    is_error = finding.severity is Severity.ERROR
    return replace(finding, severity=Severity.WARNING) if is_error else finding


def errors(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics for which a strict reader refuses a file."""
    return [finding for finding in found if finding.severity is Severity.ERROR]


def check_items(
    items: Sequence[Item], around: Sequence[Surroundings], part: range | None = None, depth: int = 0
) -> Iterator[list[Report]]:
    """The reports on items as `check_item` makes them, each with its surroundings.

    Models among them are checked together, so several should hold no more than `TOGETHER` bytes.
    """
    payloads = [_payload(item, place) for item, place in zip(items, around, strict=True)]
    are_models = [promised_kind(item) is MODEL for item in items]
    some = [it if is_model else None for it, is_model in zip(payloads, are_models, strict=True)]
    told = models.check_together(some)
    for item, place, found in zip(items, around, told, strict=True):
        if found is None:
            yield check_item(item, place, part, depth)
        else:
            checkpoint()
            yield [Report(item.address, MODEL.id, tuple(found))]


def check_item(
    item: Item, around: Surroundings = NOWHERE, part: range | None = None, depth: int = 0
) -> list[Report]:
    """A report on an item, and one on each entry of the archives inside it, in directory order.

    There is no report on an unknown format, so that an unchecked file is never reported as good.
    With `part`, only on the entries of the archive with these indices, and on the archive if they include 0.
    """
    checkpoint()
    kind = promised_kind(item)
    if not kind.is_checked:
        return []
    try:
        if kind is ARCHIVE:
            return _check_archive(item, around, part, depth)
        if kind is PACKED:
            return _check_library(item, around, depth)
        found = kind.check(_payload(item, around))
    except FormatError as error:
        return [Report(item.address, kind.id, (Diagnostic.of(error),), is_readable=False)]
    return [Report(item.address, kind.id, tuple(found))]


def _payload(item: Item, around: Surroundings) -> Payload:
    return Payload(item.data, item.nres_entry, item.name, around)


def surroundings_of(item: Item, around: Surroundings) -> Surroundings:
    """The surroundings of an item, if `around` are those of its file."""
    holder = item.holder
    parent = None if holder is None else holder.container
    return around.in_archive(parent, holder.name) if holder and isinstance(parent, nres.Archive) else around


def _check_archive(item: Item, around: Surroundings, part: range | None, depth: int) -> list[Report]:
    """The reports of an archive; overlapping entries are skipped, as they may be the same bytes often."""
    archive = item.once(nres.Archive, lambda: nres.Archive.read(item.data))
    part = range(len(archive.rows)) if part is None else part
    reports: list[Report] = []
    # An archive that is divided reports on itself with its first part.
    if part.start == 0:
        found = (*containers.check(archive), *misfits(archive))
        reports.append(Report(item.address, ARCHIVE.id, found))
    if depth == MAX_DEPTH:
        return reports
    # Kept with the item: the parts of an archive ask one after the other.
    is_checked = item.once(CHECKED, lambda: _are_checked(archive))
    inside = around.in_archive(archive, item.name)
    # Models that are checked together are joined, and `TOGETHER` bounds what is held for that.
    indices = part.start + np.flatnonzero(is_checked[part.start : part.stop])
    for some in chunks(archive.rows["size"][indices].astype(np.int64), TOGETHER):
        members = [_member(item, archive, index, archive.payload(index)) for index in indices[some].tolist()]
        reports += chain(*check_items(members, [inside] * len(members), depth=depth + 1))
    return reports


def _are_checked(archive: nres.Archive) -> npt.NDArray[np.bool_]:
    """Whether each entry is checked, (n,): one of a known kind, neither damaged nor inside another one."""
    starts = archive.rows["data_offset"].astype(np.int64)
    is_inside = (starts >= nres.HEADER.size) & (starts + archive.rows["size"] <= archive.directory_offset)
    is_alone = np.ones(len(starts), np.bool_)
    is_alone[[*containers.overlapping(archive)]] = False
    is_checked: npt.NDArray[np.bool_] = entry_kinds(archive).are(CHECKED) & is_inside & is_alone
    return is_checked


def _member(item: Item, container: Container, index: int, data: memoryview) -> Item:
    address = item.address.child(spelling(container, index))
    return Item(address, data, container.entries[index], holder=item)


def _check_library(item: Item, around: Surroundings, depth: int) -> list[Report]:
    library = rsli.PackedLibrary.read(item.data)
    members: list[Report] = []
    found = containers.accept_known(library, item.name)
    for index, data, problems in containers.members(library):
        found += problems
        if data is not None and depth < MAX_DEPTH:
            member = _member(item, library, index, data)
            # Without an archive around: members of a packed library have no directory in which others are
            # found by name.
            members += check_item(
                member, Surroundings(game=around.game, requested=around.requested), depth=depth + 1
            )
    own = Report(item.address, PACKED.id, tuple(dict.fromkeys(found)))
    return [own, *members]
