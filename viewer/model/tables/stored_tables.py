"""The tables of a model that the file stores, with the columns that are computed for their rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from viewer.formats.archive import nres
from viewer.formats.msh import keys, path_graph, strings, triangles
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.keys import KEY, WORD
from viewer.formats.msh.nodes import GROUPS, NODE, NONE
from viewer.formats.msh.slots import HEADER, SLOT
from viewer.formats.msh.tables import (
    TABLES,
)
from viewer.formats.msh.triangles import TRIANGLE
from viewer.formats.msh.vertices import INDEX
from viewer.formats.text import decode
from viewer.model.mesh.reading import wear_rows_of
from viewer.model.tables.declaration import (
    FLOAT,
    Computed,
    Declaration,
    number,
    row_of,
    text,
)
from viewer.model.tables.set_fields import (
    FACE_NORMAL,
    NODE_NAME,
    QUATERNION,
    SELECTORS,
    SOCKET_TAG,
    TEXT_OF_NODE,
    WEAR_ROW,
)
from viewer.model.tables.source import Ints, TableSource
from viewer.model.tables.table_names import VERTICES, WEAR
from viewer.translation import Text, _, translated

NODE_DOC: Final = _("Node that uses it, the first of several.")
BATCH_DOC: Final = _("Batch that draws it, the first of several.")


def _cells(users: Callable[[TableSource], Ints]) -> tuple[Computed, ...]:
    """Node, LOD and group of the first cell that shows each row, of (n, 3)."""
    return (
        row_of(NODE.name, "node", NODE_DOC, lambda it: users(it)[:, 0]),
        number(
            "lod",
            _("LOD of the first cell that shows it: a row of the slot matrix."),
            lambda it: users(it)[:, 1],
            lambda it: it.read.cell_names.lods,
        ),
        number(
            "group",
            _("Group of the first cell that shows it: a column of the slot matrix."),
            lambda it: users(it)[:, 2],
            lambda it: it.read.cell_names.groups,
        ),
    )


def _cell_names(source: TableSource) -> Callable[[int], str]:
    """The names of the cells of the slot matrix by their numbers."""
    return lambda at: translated(source.read.cell_names.cell(*divmod(at, GROUPS)))


def _table_names(source: TableSource) -> list[str]:
    types = source.model.archive.rows["type_id"].tolist()
    return [TABLES[type_id].name if type_id in TABLES else "" for type_id in types]


STORED_TABLES: Final = (
    Declaration(
        NODE.name,
        NODE,
        (
            text(
                "name",
                _("Name of the node."),
                lambda it: it.read.names[: len(it.model.nodes)],
                NODE_NAME,
                exists=lambda it: any(it.read.names),
            ),
            text(
                "takes",
                _("Socket tag: the prefix of the parts that a socket accepts."),
                lambda it: it.read.socket_tags[: len(it.model.nodes)],
                SOCKET_TAG,
                exists=lambda it: any(it.read.socket_tags),
            ),
        ),
        nones={"fallback_key": NONE},
        elements={"slots": _cell_names},
    ),
    Declaration(SLOT.name, SLOT, _cells(lambda it: it.slot_users)),
    Declaration(
        BATCH.name,
        BATCH,
        (
            *_cells(lambda it: it.batch_users),
            row_of(SLOT.name, "slot", _("Slot that contains it."), lambda it: it.batch_slot),
            row_of(
                WEAR,
                "wear_row",
                _("Row of the wear table, which names the material."),
                lambda it: wear_rows_of(it.model.batches, it.read.choice.reading.material_field),
                WEAR_ROW,
            ),
        ),
    ),
    Declaration(
        TRIANGLE.name,
        TRIANGLE,
        (
            row_of(NODE.name, "node", NODE_DOC, lambda it: it.node_of_draw(it.descriptor_draw)),
            row_of(BATCH.name, "batch", BATCH_DOC, lambda it: it.batch_of_draw(it.descriptor_draw)),
            Computed(
                "normal",
                _("{doc} Decoded.", doc=Text.of(TRIANGLE.field("normal").doc)),
                lambda it: FACE_NORMAL.decode(it.model.tri_descriptors["normal"]),
                FLOAT,
                (3,),
                edited=FACE_NORMAL.field,
            ),
            Computed(
                "selectors",
                _("Shared edge of each neighbor."),
                lambda it: triangles.decode_selectors(it.model.tri_descriptors["selectors"]),
                "u1",
                (3,),
                none=triangles.NO_SELECTOR,
                edited=SELECTORS,
            ),
        ),
    ),
    Declaration(
        INDEX.name,
        INDEX,
        (
            row_of(BATCH.name, "batch", _("Batch whose range has it."), lambda it: it.index_batch),
            row_of(VERTICES, "vertex", _("Vertex: index and base vertex."), lambda it: it.index_vertex),
        ),
        scalar="index",
    ),
    Declaration(
        KEY.name,
        KEY,
        (
            row_of(NODE.name, "node", NODE_DOC, lambda it: it.read.animation.key_owners),
            Computed(
                "quaternion",
                _("Rotation w, x, y, z in the reading in effect."),
                lambda it: keys.decode_quaternion(
                    it.model.keys["quaternion"], it.read.choice.reading.quaternion_order
                ),
                FLOAT,
                (4,),
                edited=QUATERNION,
            ),
        ),
    ),
    Declaration(
        WORD.name,
        WORD,
        (
            row_of(NODE.name, "node", NODE_DOC, lambda it: it.word_users[:, 0]),
            number("frame", _("Frame of the animation."), lambda it: it.word_users[:, 1]),
        ),
        scalar="key",
    ),
    Declaration(
        strings.TABLE,
        None,
        (
            text(
                "text",
                _("Text up to its NUL."),
                lambda it: [decode(raw) for raw in it.model.strings],
                TEXT_OF_NODE,
            ),
        ),
        count=lambda it: len(it.model.strings),
        scalar="text",
    ),
    Declaration(HEADER.name, HEADER),
    Declaration(path_graph.PATH_NODE.name, path_graph.PATH_NODE),
    Declaration(path_graph.PATH_LINK.name, path_graph.PATH_LINK),
    Declaration(
        nres.ENTRY.name, nres.ENTRY, (text("table", _("Table that the entry contains."), _table_names),)
    ),
    Declaration(nres.HEADER.name, nres.HEADER),
)
