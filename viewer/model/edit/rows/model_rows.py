"""Rows of tables that nothing else in a model counts: light probes, the path graph, texts of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viewer.errors import EditError
from viewer.formats import splice
from viewer.formats.archive import nres_edit
from viewer.formats.msh import strings
from viewer.formats.msh.path_graph import LIGHT_PROBE, PATH_LINK, PATH_NODE
from viewer.formats.msh.strings import TABLE
from viewer.formats.msh.tables import LIGHT_PROBES, PATH_GRAPH, STRINGS
from viewer.formats.part import Part
from viewer.formats.splice import Splice, Splices
from viewer.formats.text import until_nul
from viewer.model.edit import values
from viewer.model.edit.draft import Draft, refused
from viewer.model.edit.rows.arrangement import Arrangement, arranged, joined, renumbered, zeros
from viewer.model.kinds.registry import MODEL
from viewer.translation import Sentence


def arrange_light_probes(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of light probes, with their number in the directory."""
    rows = arranged(draft, draft.part(path), arrangement, zeros)
    return _in_container(draft, LIGHT_PROBES, rows, (arrangement.growth, 0))


def arrange_path_nodes(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of the points of a path graph; links follow. Raises `EditError` for a linked point."""
    rows = arranged(draft, draft.part(path), arrangement, zeros)
    ends = [
        renumbered(draft, PATH_LINK.name, field, arrangement, "point")
        for field in ("start", "end")
        if draft.part(PATH_LINK.name).count
    ]
    return _in_container(draft, PATH_GRAPH, joined(rows, *ends), (arrangement.growth, 0))


def arrange_path_links(draft: Draft, path: str, arrangement: Arrangement) -> Splices:
    """The splices of the links of a path graph."""
    rows = arranged(draft, draft.part(path), arrangement, zeros)
    return _in_container(draft, PATH_GRAPH, rows, (0, arrangement.growth))


def _in_container(draft: Draft, type_id: int, splices: Splices, growth: tuple[int, int]) -> Splices:
    """The splices of the model, given those of a table in it and how many more its attributes count."""
    archive = draft.model.archive
    index = archive.find_type(type_id)
    entry = None if index is None else archive.entry(index)
    if entry is None or any(not entry.offset <= it.offset <= it.end <= entry.end for it in splices):
        raise EditError(Sentence("shares its bytes with another table"))
    if not splices:
        return ()
    inside = splice.moved(splices, -entry.offset)
    edit = nres_edit.Edit(archive)
    with refused():
        edit.replace(entry.index, splice.applied(archive.payload(entry.index), inside), inside)
        if any(growth):
            attr1, attr2 = max(0, entry.attr1 + growth[0]), max(0, entry.attr2 + growth[1])
            edit.describe(entry.index, attr1, attr2, entry.attr3)
        return edit.splices()


ARRANGERS = {
    LIGHT_PROBE.name: arrange_light_probes,
    PATH_NODE.name: arrange_path_nodes,
    PATH_LINK.name: arrange_path_links,
}
"""How their rows are rearranged, by the name of the table."""


LONGEST = 1 << 16
"""Most bytes of a text; no file has more than some tens."""
_LENGTH_SIZE = 4


def set_texts(draft: Draft, rows: Sequence[int], value: Any, element: tuple[int, ...]) -> None:
    """Set the texts of nodes; None and an empty text mean none. Raises `EditError`."""
    if element:
        raise EditError(Sentence("{field} has no elements", field="text"))
    if value is not None and not isinstance(value, str):
        raise EditError(Sentence("{value!r} is not a text", value=value))
    text = values.encoded(value or "", LONGEST)
    part = draft.part(TABLE)
    found = [_in_row(part.children[row], text) for row in rows]
    splices = splice.ordered(it for it in found if it is not None)
    if draft.kind is not MODEL or not splice.growth(splices):
        draft.splice_readable(splices)
    else:
        draft.edit_container(_moved_container(draft, part, splices))


def _in_row(part: Part, text: bytes) -> Splice | None:
    """What replaces a text, with its length and the byte after it."""
    before = bytes(part.stored)
    old = before[_LENGTH_SIZE:-1]
    if old == text or (until_nul(old) == text and old):
        return None
    after = strings.build([text])
    if old and text:
        after = after[:-1] + before[-1:]
    return Splice(part.start, before, after)


def _moved_container(draft: Draft, part: Part, splices: Splices) -> nres_edit.Edit:
    """The changes of the container; `splices` count in the model."""
    archive = draft.model.archive
    index = archive.find_type(STRINGS)
    entry = None if index is None else archive.entry(index)
    if entry is None or part.start != entry.offset:
        raise EditError(Sentence("shares its bytes with another table"))
    inside = splice.moved(splices, -entry.offset)
    edit = nres_edit.Edit(archive)
    edit.replace(entry.index, splice.applied(archive.payload(entry.index), inside), inside)
    return edit
