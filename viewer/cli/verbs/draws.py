"""``draws``: the draws of one cell, before culling."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

import numpy as np
import numpy.typing as npt

from viewer.cli import text_table
from viewer.cli.arguments import add_addresses, add_cell, add_json, add_reading
from viewer.cli.documents import write_answers
from viewer.model.kinds.columns import Columns, NullableArray
from viewer.model.mesh.draws import NO_BATCH, NO_SLOT
from viewer.model.mesh.model import Variant
from viewer.model.mesh.reading import wear_rows_of
from viewer.session.opened.document import Document


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_addresses(parser)
    add_cell(parser, 0)
    add_json(parser)
    add_reading(parser)


def run(options: Namespace) -> int:
    """Print the draws of a cell of each model in order."""
    lod, group = options.lod, options.group
    return write_answers(
        "draws",
        options,
        lambda document: {"lod": lod, "group": group, "draws": draw_rows(document, lod, group)},
        lambda document: text_table.lines(draw_rows(document, lod, group)),
    )


def draw_rows(document: Document, lod: int, group: int) -> Columns:
    """One row per draw; a terrain has neither batches nor indices, a legacy model no slots."""
    draws = document.draws
    rows = np.flatnonzero(draws.draws_of(draws.chosen_parts(lod, group)))
    batch = draws.batch[rows]
    is_terrain = document.model.variant is Variant.TERRAIN
    stored = None if is_terrain else document.model.batches[batch]
    return Columns(
        len(rows),
        {
            "node": draws.node[rows],
            "slot": NullableArray.of(draws.slot[rows], NO_SLOT),
            "batch": NullableArray.of(batch, NO_BATCH),
            "material": face_materials(document, rows)
            if stored is None
            else batch_materials(document)[batch],
            "index_start": None if stored is None else stored["index_start"],
            "index_count": None if stored is None else stored["index_count"],
            "base_vertex": None if stored is None else stored["base_vertex"],
            "triangles": draws.triangle_count[rows],
        },
    )


def batch_materials(document: Document) -> npt.NDArray[np.int64]:
    """Wear row of each batch in the chosen reading, (b,)."""
    return wear_rows_of(document.model.batches, document.choice.reading.material_field)


def face_materials(document: Document, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Base material of the given draws of a terrain; all faces of a draw have the same."""
    faces = document.draws.triangle[document.draws.triangle_start[rows]]
    materials: npt.NDArray[np.int64] = document.model.faces["material_a"][faces].astype(np.int64)
    return materials
