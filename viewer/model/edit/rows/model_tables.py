"""Tables of models that nothing but themselves counts: light probes and the path graph."""

from __future__ import annotations

from viewer.errors import EditError
from viewer.formats import splice
from viewer.formats.archive import nres_edit
from viewer.formats.msh.path_graph import LIGHT_PROBE, PATH_LINK, PATH_NODE
from viewer.formats.msh.tables import LIGHT_PROBES, PATH_GRAPH
from viewer.formats.splice import Splices
from viewer.model.edit.draft import Draft, refused
from viewer.model.edit.rows.arrangement import Arrangement, arranged, joined, renumbered, zeros
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


TABLES = {
    LIGHT_PROBE.name: arrange_light_probes,
    PATH_NODE.name: arrange_path_nodes,
    PATH_LINK.name: arrange_path_links,
}
"""How their rows are rearranged, by the name of the table."""
