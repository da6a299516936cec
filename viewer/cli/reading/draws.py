"""``draws``: the draws of one cell, before culling."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Annotated, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from viewer.cli import text_table
from viewer.cli.documents import write_answers
from viewer.cli.picturing import drawing
from viewer.cli.usage.arguments import AUTO, add_addresses, add_cell, add_forms, number
from viewer.cli.usage.reading_arguments import add_reading
from viewer.errors import UsageError
from viewer.geometry.transforms import point_of
from viewer.json_types import Natural, Rows, TableRow, described
from viewer.model.kinds.columns import Columns, NullableArray
from viewer.model.mesh.draws import NO_BATCH, NO_SLOT
from viewer.model.mesh.model import Variant
from viewer.model.mesh.portals import KINDS, NO_PORTAL, PortalKind
from viewer.model.mesh.reading import wear_rows_of
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.mesh.shown import CellRule, PartChoice
from viewer.operations.given_options import with_options
from viewer.session.opened.document import Document
from viewer.session.play.posing import framed
from viewer.session.view.options.drawn_parts import DrawnParts
from viewer.session.view.view_state import ViewState
from viewer.translation import _

_STORED: Final = ("index_start", "index_count", "base_vertex")


class DrawRow(TableRow, frozen=True):
    """A draw call of a cell, before culling."""

    node: Natural
    slot: Natural | None
    batch: Natural | None
    material: Annotated[int, described("the row of the wear table")]
    index_start: Natural | None
    index_count: Natural | None
    base_vertex: Natural | None
    triangles: Natural
    portal: Annotated[bool, described("whether the render loop leaves it out unless it is asked for portals")]
    portal_kind: PortalKind | None


class DrawsAnswer(Struct, frozen=True):
    """The draws of a cell of a model, in order."""

    lod: Annotated[int, described("row of the slot matrix")]
    group: Annotated[int, described("column of the slot matrix")]
    cell: str
    draws: Rows[DrawRow]


ANSWER: Final = DrawsAnswer


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    add_addresses(parser)
    add_cell(parser)
    drawing.declare_parts(parser, _("default {value}", value=CellRule.EXACT))
    parser.add_argument(
        "--distance",
        type=number,
        metavar="D",
        help="distance of the eye from the middle of the model for --lod auto, model units; by default the "
        "model fills the image; not in the seed reading",
    )
    add_forms(parser, "the draws")
    add_reading(parser)


def run(options: Namespace) -> int:
    """Print the draws of a cell of each model in order."""
    if options.distance is not None and (options.lod not in AUTO or options.distance <= 0):
        raise UsageError("--distance is a positive number, for --lod auto", source="draws")
    if options.distance is not None and options.reading == ReadingChoice.SEED:
        raise UsageError("--distance chooses nothing in the seed reading", source="draws")
    return write_answers(
        "draws",
        options,
        lambda document: _answer(document, choice_of("draws", options, document)),
        lambda document: _lines(document, choice_of("draws", options, document)),
        "draws",
    )


def _answer(document: Document, choice: PartChoice) -> DrawsAnswer:
    name = document.cell_names.cell(choice.lod, choice.group)
    return DrawsAnswer(choice.lod, choice.group, name, draw_rows(document, choice))


def _lines(document: Document, choice: PartChoice) -> Iterator[str]:
    yield document.cell_names.cell(choice.lod, choice.group)
    yield from text_table.lines(draw_rows(document, choice))


def choice_of(verb: str, options: Namespace, document: Document) -> PartChoice:
    """The requested cell, exactly unless the options say otherwise."""
    exact = ViewState(drawn=DrawnParts(cells=CellRule.EXACT))
    view = drawing.asked_for(verb, options, with_options(exact, vars(options)))
    if view.drawn.has_auto_detail:
        camera = framed(document, view.camera, view, 1.0)
        if options.distance is not None and document.extent is not None:
            camera = replace(camera, target=point_of(document.extent.center), distance=options.distance)
        view = document.with_detail(replace(view, camera=camera), view.group)
    return view.parts


def draw_rows(document: Document, choice: PartChoice) -> Columns:
    """Rows by draw; a terrain has neither batches nor indices, a legacy model no slots."""
    draws = document.draws
    rows = np.flatnonzero(document.chooser.shown(choice).visible(has_portals=True))
    batch = draws.batch[rows]
    is_terrain = document.model.variant is Variant.TERRAIN
    stored = None if is_terrain else document.model.batches[batch]
    return Columns.of(
        DrawRow,
        len(rows),
        node=draws.node[rows],
        slot=NullableArray.of(draws.slot[rows], NO_SLOT),
        batch=NullableArray.of(batch, NO_BATCH),
        material=face_materials(document, rows)
        if stored is None
        else wear_rows_of(stored, document.choice.reading.material_field),
        **{name: None if stored is None else stored[name] for name in _STORED},
        triangles=draws.triangle_count[rows],
        portal=document.chooser.is_portal[rows],
        portal_kind=[_kind_word(it) for it in document.chooser.portal[rows].tolist()],
    )


def _kind_word(kind: int) -> str | None:
    return None if kind == NO_PORTAL else str(KINDS[kind])


def face_materials(document: Document, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Base material of the given draws of a terrain; all faces of a draw have the same."""
    faces = document.draws.triangle[document.draws.triangle_start[rows]]
    materials: npt.NDArray[np.int64] = document.model.faces["material_a"][faces].astype(np.int64)
    return materials
