"""Questions about archives and about bytes that nothing explains: S18 to S20.

Source: spec/survey.md; spec/nres.md 1.2; spec/rsli.md; spec/field-notes.md 2.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import Struct

from viewer.formats.archive import nres, rsli
from viewer.formats.msh import tables
from viewer.formats.msh.strings import NAME_SIZE
from viewer.formats.part import Part, leaves
from viewer.formats.record import Status
from viewer.model.kinds.kind import Kind
from viewer.model.store.item import Container
from viewer.operations.survey.question import ZERO, Asked, SurveyQuestions
from viewer.operations.survey.subjects import ModelSubject
from viewer.operations.survey.tally import Tally
from viewer.translation import _

CONTAINERS: Final = SurveyQuestions()
_HEADER: Final = {0x06: "unknown_0x06", 0x10: "unknown_0x10", 0x18: "unknown_0x18"}
_ATTRIBUTES: Final = ("attr1", "attr2", "attr3")


@CONTAINERS.ask(
    "S18", Asked.ARCHIVE, _("What are the unknown header bytes of libraries, and the attributes of entries?")
)
def directory(it: Container, tally: Tally) -> None:
    """The header and the directory of one archive."""
    tally.rows += len(it.rows)
    if isinstance(it, rsli.PackedLibrary):
        for offset, name in _HEADER.items():
            words = np.frombuffer(bytes(it.header[name]), "<u4")
            tally.count(f"RsLi +0x{offset:02X}", words)
            tally.keep_constant(f"RsLi +0x{offset:02X}", words)
        tally.count("RsLi entry flags", it.rows["flags"])
        services = np.frombuffer(it.rows["service"].tobytes(), "<u4")
        tally.reading(f"RsLi service {ZERO}", services == 0)
        return
    for type_id in np.unique(it.rows["type_id"]).tolist():
        own = it.rows[it.rows["type_id"] == type_id]
        for name in _ATTRIBUTES:
            tally.count(f"type {type_id} {name}", own[name])
            if len(own) > 1:
                same = bool((own[name] == own[name][0]).all())
                tally.reading(f"type {type_id} {name} equal over the archive", [same])


_OPTIONAL: Final = {tables.NAME_RECORDS: "Res9", tables.STREAM16: "Res16", tables.PATH_GRAPH: "Res17"}


@CONTAINERS.ask(
    "S19",
    Asked.MODEL,
    _("Which models have Res9, Res16, Res17 and tables of unknown types?"),
    ("Res9: a name of 32 bytes per node",),
    ("Res17: nodes and links that fit it",),
)
def optional_tables(it: ModelSubject, tally: Tally) -> None:
    """The optional tables of one model."""
    model = it.model
    tally.rows += 1
    for type_id, name in _OPTIONAL.items():
        size = len(model.payload(type_id))
        state = "missing" if not model.has(type_id) else "empty" if not size else "present"
        tally.count_words(name, {state: 1})
    names = model.payload(tables.NAME_RECORDS)
    if len(names):
        is_whole = len(names) == NAME_SIZE * model.record_count
        tally.reading(
            "Res9: a name of 32 bytes per node", [is_whole and it.opened.choice.automatic.has_name_records]
        )
    graph = model.payload(tables.PATH_GRAPH)
    index = model.archive.find_type(tables.PATH_GRAPH)
    if len(graph) and index is not None:
        entry = model.archive.entry(index)
        # attr1 nodes of 20 bytes, then attr2 links of 40.
        tally.reading(
            "Res17: nodes and links that fit it", [20 * entry.attr1 + 40 * entry.attr2 == len(graph)]
        )
    unknown = sorted(set(model.archive.types) - {*tables.TABLES})
    tally.count_words("unknown types", {str(type_id): 1 for type_id in unknown})


class Explained(Struct, frozen=True, eq=False):
    """The content of a file as parts, which say what its bytes are."""

    kind: Kind
    parts: Part
    archive: nres.Archive | None = None


@CONTAINERS.ask("S20", Asked.FILE, _("How many bytes does no declared field explain?"), (ZERO,))
def unexplained(it: Explained, tally: Tally) -> None:
    """The stretches of one file or entry that no record describes."""
    if it.archive is not None:
        _in_model(it.archive, tally)
        return
    explained = 0
    for part in leaves(it.parts):
        if part.record is not None or not part.size or part.status is not Status.OPEN:
            explained += part.size
            continue
        _stretch(tally, f"{it.kind.id} {part.name}", bytes(part.data))
    tally.count_words("explained bytes", {it.kind.id: explained})


def _stretch(tally: Tally, place: str, data: bytes) -> None:
    """A stretch of bytes at a place, which is named by the format and by where it is."""
    tally.rows += 1
    tally.reading(ZERO, [not any(data)])
    tally.count_words("unexplained bytes", {place: len(data)})


def _in_model(archive: nres.Archive, tally: Tally) -> None:
    """The tables of a model whose rows have no declared meaning, by their type."""
    for entry in archive.entries:
        if entry.is_damaged:
            tally.damaged += 1
            continue
        table = tables.TABLES.get(entry.type_id)
        payload = bytes(archive.data[entry.offset : entry.end])
        if table is None or (table.record is None and entry.type_id not in _READ):
            _stretch(tally, f"msh table {entry.type_id}", payload)
        elif table.record is not None:
            over = (len(payload) - table.header_size) % table.record.size
            if over and entry.type_id not in _ANY_SIZE:
                _stretch(tally, f"msh tail of table {entry.type_id}", payload[-over:])
    rest = bytes(archive.data[archive.total_size :])
    if rest:
        _stretch(tally, "msh tail", rest)


_READ: Final = frozenset({tables.STRINGS, tables.AREAL_MAP, tables.PATH_GRAPH})
"""Tables without a record of one size, which are read all the same."""
_ANY_SIZE: Final = frozenset({tables.NAME_RECORDS})
