"""An edit of a payload together with what follows in the payloads next to it, in its archive.

Source: spec/field-notes.md 5, spec/ctl.md, spec/msh.md 8.1.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from viewer.errors import EditError, FormatError, MshviewError, reading_from
from viewer.formats import splice
from viewer.formats.archive import nres
from viewer.formats.part import find
from viewer.formats.splice import Splices
from viewer.formats.text import fold
from viewer.model.clips import found_controller
from viewer.model.edit.archive.entries import DescribeEntry
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.neighbors import follow_nodes
from viewer.model.edit.neighbors.notes import clip_notes, find_notes
from viewer.model.edit.nodes.node_edit import NodeReference
from viewer.model.edit.plan import Plan, in_archive, lifted, lifted_together, plan
from viewer.model.game.registry import MODEL_SUFFIX, WEAR_SUFFIX, ControllerIndex
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import ARCHIVE, MODEL, promised_kind
from viewer.model.mesh.model import Variant
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.translation import _

COUNTED: Final[Mapping[str, tuple[str, ...]]] = {
    "control_points": ("points",),
    "damage": ("nodes",),
    "ground_plan": ("inner", "outer"),
}
"""The tables whose rows are counted together, by the id of the kind."""


def find_counts(library: FileStore, payloads: Iterable[tuple[Address, Plan]]) -> Iterator[DescribeEntry]:
    """The new numbers of rows of entries whose number was right before their plans."""
    for address, made in payloads:
        if not made.splices or not address.entries:
            continue
        item = library.open(address)
        kind, entry = promised_kind(item), item.nres_entry
        tables = COUNTED.get(kind.id)
        if tables is None or entry is None:
            continue
        before, after = (_rows(kind, entry, data, tables) for data in (made.before, made.after))
        if after is not None and before == entry.attr1 != after:
            yield DescribeEntry(address.entries[-1], attr1=after)


def _rows(kind: Kind, entry: nres.Entry, data: memoryview, tables: Sequence[str]) -> int | None:
    """The rows of tables; None if the bytes cannot be read."""
    try:
        root = kind.parts(kind.decode(data, entry))
    except FormatError:
        return None
    return sum(part.count for part in (find(root, table) for table in tables) if part is not None)


NUMBERED: Final = (".cpt", ".ndp")
"""Suffixes of what numbers the nodes of a model, besides its controllers."""
MATERIALS: Final = "materials"

Drafts = Callable[[Address], Draft]
"""Makes a draft of a payload as it is now; raises `MshviewError`."""
Wanted = tuple[Address, list[tuple[Change, Topic]]]


class CombinedEdit(Struct, frozen=True):
    """Plans of payloads of one file, made as one step.

    Parameters
    ----------
    payloads
        The edited payload first, then those that follow.
    splices
        What all of them replace in the file.
    notes
        What the user should know of them.
    """

    payloads: tuple[tuple[Address, Plan], ...]
    splices: Splices
    notes: tuple[str, ...] = ()

    @property
    def plan(self) -> Plan:
        """The plan of the edited payload."""
        return self.payloads[0][1]

    @property
    def others(self) -> tuple[Address, ...]:
        """The other payloads whose bytes change; not the archive, whose directory alone follows."""
        address = self.payloads[0][0]
        return tuple(it for it, made in self.payloads[1:] if made.splices and it != address.parent)

    @property
    def topics(self) -> tuple[Topic, ...]:
        """The consequences that were made, each once."""
        return tuple(dict.fromkeys(topic for _ignored, made in self.payloads for topic in made.topics))


def node_references(library: FileStore, model: Item) -> Iterator[NodeReference]:
    """The references of payloads next to a model to its nodes, by number."""
    count = len(model.read_model().nodes)
    controllers = _controllers(library, model, []) if model.holder else _siblings(library, model, ".ctl")
    for item in (*_siblings(library, model), *controllers):
        kind = promised_kind(item)
        if kind.is_known:
            with suppress(FormatError):
                yield from follow_nodes.references_in(kind.parts_in(item), count, item.address.name)


def together(
    library: FileStore,
    address: Address,
    made: Plan,
    drafts: Drafts,
    declined: Collection[Topic] = (),
    *,
    others: Sequence[tuple[Address, Plan]] = (),
) -> CombinedEdit:
    """The plan of a payload with those of the payloads next to it that follow it.

    Raises `EditError` if one of them cannot follow; its source is that payload. One that cannot be read stays
    as it is.

    Parameters
    ----------
    others
        Plans of other payloads of the archive, which are made in the same step; nothing follows them. One
        that follows the edited payload is planned again, with its changes after what follows.
    """
    notes = list(made.notes)
    planned = {address: made, **dict(others)}
    if Topic.REFERENCES not in declined:
        planned |= _following(library, address, made, drafts, declined, notes, dict(others))
    payloads = [*planned.items()]
    if Topic.REFERENCES not in declined:
        notes += find_notes(library, address, made)
    notes += clip_notes(library, address, made, payloads)
    splices = [(it, own.splices) for it, own in payloads]
    counts = [] if Topic.ATTRIBUTES in declined else [*find_counts(library, payloads)]
    if not counts:
        return CombinedEdit(tuple(payloads), lifted_together(library, splices), tuple(notes))
    holder, inside = address.parent, in_archive(library, splices)
    # In the archive as the payloads leave it: attributes are in its directory, which may have moved.
    described = _described(library, holder, inside, counts)
    in_file = lifted(library, holder, splice.combined(inside, described.splices))
    return CombinedEdit((*payloads, (holder, described)), in_file, tuple(notes))


def _described(library: FileStore, holder: Address, inside: Splices, counts: Sequence[Change]) -> Plan:
    """The plan of the archive that describes its entries, after splices of it."""
    data = memoryview(splice.applied(library.open(holder).data, inside))
    with reading_from(holder):
        return _as(plan(Draft(ARCHIVE, data), counts), [Topic.ATTRIBUTES] * len(counts))


def _following(
    library: FileStore,
    address: Address,
    made: Plan,
    drafts: Drafts,
    declined: Collection[Topic],
    notes: list[str],
    others: Mapping[Address, Plan],
) -> Iterator[tuple[Address, Plan]]:
    """The plans of the payloads that follow, of those that change."""
    for neighbor, changes in _wanted(library, address, made, notes):
        chosen: list[tuple[Change, Topic | None]] = [it for it in changes if it[1] not in declined]
        chosen += [(it.change, None) for it in others[neighbor].steps] if neighbor in others else []
        try:
            with reading_from(neighbor):
                planned = plan(drafts(neighbor), [change for change, _ignored in chosen])
        # It could be read but cannot follow: then the whole edit is refused. A FormatError leaves the
        # payload alone.
        except EditError:
            raise
        except FormatError as error:
            words = "{payload} does not follow: {reason}"
            notes.append(_(words, payload=neighbor.name, reason=error.text))
            continue
        if planned.splices:
            yield neighbor, _as(planned, [topic for _ignored, topic in chosen])


def _as(made: Plan, topics: Sequence[Topic | None]) -> Plan:
    """A plan of consequences, each with its topic; None for a change of its own."""
    steps = zip(made.steps, topics, strict=True)
    return replace(made, steps=tuple(replace(step, topic=topic) for step, topic in steps if step.splices))


def _wanted(library: FileStore, address: Address, made: Plan, notes: list[str]) -> Iterator[Wanted]:
    """The payloads next to an edited one and how they follow."""
    if not made.splices:
        return
    item = library.open(address)
    name, rows = fold(item.name), made.moves.orders.get(MATERIALS)
    if rows is not None and name.endswith(WEAR_SUFFIX):
        yield from _models(library, item, follow_nodes.FollowWear(rows.count, rows.order), notes)
    if item.holder is None or not name.endswith(MODEL_SUFFIX):
        return
    order, nodes = made.moves.nodes, list[tuple[Change, Topic]]()
    if order is not None:
        follow = follow_nodes.FollowNodes(order.count, order.order, made.moves.clears_references)
        nodes = [(follow, Topic.REFERENCES)]
    for found in _siblings(library, item) if nodes else ():
        yield found.address, nodes
    frames = [*_frames(made)]
    for found in _controllers(library, item, notes) if nodes or frames else ():
        # Frames first: their moves name nodes by the numbers before the edit.
        yield found.address, [*frames, *nodes]


def _frames(made: Plan) -> Iterator[tuple[Change, Topic]]:
    for move in made.moves.frames:
        values = (move.start, move.end, move.to_start, move.to_end, move.moves_later, move.node)
        # Before the frames follow: how much longer a state becomes is seen from the frames that it had.
        if move.node is None:
            yield follow_nodes.FollowDurations(*values), Topic.DURATIONS
        yield follow_nodes.FollowFrames(*values), Topic.REFERENCES


def _siblings(library: FileStore, item: Item, *suffixes: str) -> Iterator[Item]:
    """The payloads with the same stem in the same archive or folder, of those that exist."""
    for suffix in suffixes or NUMBERED:
        with suppress(MshviewError):
            found = library.sibling(item, suffix)
            if found is not None:
                yield found


def _models(library: FileStore, wear: Item, change: Change, notes: list[str]) -> Iterator[Wanted]:
    """The model of a wear table; one in a file of its own cannot follow in the same step."""
    for item in _siblings(library, wear, MODEL_SUFFIX.decode()):
        if promised_kind(item) is not MODEL:
            continue
        if wear.holder is None:
            words = "the batches of {model} do not follow: it is another file"
            notes.append(_(words, model=item.address.name))
        elif _is_model(item):
            yield item.address, [(change, Topic.REFERENCES)]


def _is_model(item: Item) -> bool:
    """Whether a model can be read, and is no terrain: a terrain has two wear tables."""
    with suppress(MshviewError):
        return item.read_model().variant is not Variant.TERRAIN
    return False


def _controllers(library: FileStore, model: Item, notes: list[str]) -> Iterator[Item]:
    """The controllers of a model in its archive, without those that move other models too."""
    address, folder = model.address, model.address.path.parent
    archive = model.holder.name if model.holder else b""
    index = ControllerIndex.of(library, folder)
    name = fold(model.name)
    for found in dict.fromkeys(found_controller.addresses(library, model, folder)):
        item = library.open(found)
        is_here = found.path == address.path and found.parent == address.parent
        # A step edits one file; a controller in another one gets a note instead, as its clips are checked.
        if not is_here or item.nres_entry is None:
            continue
        moved = index.models(archive, item.name) if index else ()
        others = {it.resource: None for it in moved if fold(it.resource.strip()) != name}
        if not others:
            yield item
            continue
        # Names in the files are in the Russian code page.
        names = ", ".join(it.decode("cp1251", "replace") for it in others)
        words = "{controller} does not follow: it moves {models} too"
        notes.append(_(words, controller=found.name, models=names))
