"""The readings of models: both answers to each question, what was measured, and a ranking of many models.

Source: spec/field-notes.md 1, spec/animation.md 2.2, spec/msh.md 8.1, 9.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.nodes import NONE
from viewer.formats.msh.strings import NAME_SIZE
from viewer.formats.msh.tables import NAME_RECORDS, STREAM18, STRINGS, TABLES
from viewer.formats.msh.vertices import decode_uvs
from viewer.formats.text import decode
from viewer.json_types import JsonObject, Natural, Number, TableRow, described
from viewer.model.kinds import separated
from viewer.model.kinds.json_text import flat_columns
from viewer.model.kinds.registry import MODEL
from viewer.model.material.selectors import wears_of
from viewer.model.mesh import draw_builder, reading
from viewer.model.mesh.model import Model, Variant
from viewer.model.mesh.pose.skeleton import Skeleton
from viewer.model.mesh.reading import (
    FIELD,
    SEED,
    MaterialField,
    Reading,
    Reason,
    ResolvedReading,
    wear_rows_of,
    why_material_field,
)
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.corpus.many import FoundItem, ItemFinder, read_each
from viewer.progress import Progress, working
from viewer.translation import _

REASONS: Final = {
    Reason.BOX: _("the posed geometry fits the bounding box of the header"),
    Reason.VOTE: _("more keys are close to the identity in this order"),
    Reason.TIE: _("inconclusive; defaulting to the seed order"),
    Reason.USER: _("chosen by you"),
}
_CHAIN: Final = 4
"""Groups that are levels of detail in the field reading."""


class ReadingAnswer(Struct, frozen=True):
    """A reading, and its measures on a model; empty if nothing can be measured."""

    words: str
    measured: str = ""


class AnswerPart(JsonObject, frozen=True):
    """A reading, and its measures on a model."""

    answer: str
    measured: str | None


class QuestionPart(JsonObject, frozen=True):
    """A question that the sources answer differently."""

    question: str
    seed: AnswerPart
    field: AnswerPart
    automatic: Annotated[str | None, described("the reading whose answer is chosen without a request")]
    used: Annotated[str | None, described("the reading whose answer is in use")]
    why: str


class Question(Struct, frozen=True):
    """A question that the sources answer differently.

    Parameters
    ----------
    name
        Its name in JSON.
    seed, field
        The answers of the two readings.
    automatic
        The reading whose answer is chosen without a request; None if the evidence never decides.
    used
        The reading whose answer is in use; None if the question does not arise.
    why
        What decides the automatic answer.
    """

    name: str
    title: str
    seed: ReadingAnswer
    field: ReadingAnswer
    automatic: ReadingChoice | None
    used: ReadingChoice | None
    why: str

    @property
    def part(self) -> QuestionPart:
        """The question in an answer."""
        seed, field = (AnswerPart(str(it.words), str(it.measured) or None) for it in (self.seed, self.field))
        used, automatic = (it and str(it) for it in (self.used, self.automatic))
        return QuestionPart(self.name, seed, field, automatic, used, str(self.why))


def questions(model: Model, choice: ResolvedReading, *, has_lightmaps: bool | None) -> tuple[Question, ...]:
    """All questions about a model; `has_lightmaps`: whether its wear table names any, None if it has none."""
    return (
        _about_quaternions(choice),
        _about_materials(model, choice),
        _about_cells(model, choice),
        _about_names(model, choice),
        _about_stream18(model, choice, has_lightmaps=has_lightmaps),
    )


def _side(reading: Reading, part: Callable[[Reading], object]) -> ReadingChoice:
    """The reading that has the same answer."""
    return ReadingChoice.SEED if part(reading) == part(SEED) else ReadingChoice.FIELD


def box_and_votes(choice: ResolvedReading, order: QuaternionOrder) -> str:
    """Words about the error of the header's box in an order, and the keys that vote for it."""
    votes = choice.votes[order]
    if choice.errors is None:
        return _("no bounding box to compare, keys in favor: {votes}", votes=votes)
    error = f"{choice.errors[order]:.3%}"
    return _("bounding box off by {error} of its diagonal, keys in favor: {votes}", error=error, votes=votes)


def _about_quaternions(choice: ResolvedReading) -> Question:
    return Question(
        "quaternion_order",
        _("quaternion order"),
        ReadingAnswer("x, y, z, w", box_and_votes(choice, SEED.quaternion_order)),
        ReadingAnswer("w, x, y, z", box_and_votes(choice, FIELD.quaternion_order)),
        _side(choice.automatic, lambda it: it.quaternion_order),
        _side(choice.reading, lambda it: it.quaternion_order),
        REASONS[choice.decided_by],
    )


def _about_materials(model: Model, choice: ResolvedReading) -> Question:
    decided = replace(choice, reading=choice.automatic, requested=ReadingChoice.AUTO)
    return Question(
        "material_field",
        _("wear row of a batch"),
        ReadingAnswer(_("u16 at +0x02"), _wear_rows(model, choice, MaterialField.SEED)),
        ReadingAnswer(_("low byte at +0x04"), _wear_rows(model, choice, MaterialField.FIELD)),
        _side(choice.automatic, lambda it: it.material_field),
        _side(choice.reading, lambda it: it.material_field),
        why_material_field(model.batches, decided),
    )


def _wear_rows(model: Model, choice: ResolvedReading, field: MaterialField) -> str:
    rows = wear_rows_of(model.batches, field)
    distinct = len(np.unique(rows))
    if not len(rows) or choice.wear_rows is None:
        return _("different rows: {distinct}", distinct=distinct) if len(rows) else ""
    found, count = int((rows < choice.wear_rows).sum()), len(rows)
    words = _("different rows: {distinct}; in the wear table: {found} of {count} batches")
    return words.format(distinct=distinct, found=found, count=count)


def _about_cells(model: Model, choice: ResolvedReading) -> Question:
    stored = model.nodes["slots"][:, 0, :_CHAIN].astype(np.int64)
    is_filled = (stored != NONE) & (stored < len(model.slots))
    counts = np.append(model.slots["tri_count"].astype(np.int64), 0)[np.where(is_filled, stored, -1)]
    chains = [row[there] for row, there in zip(counts, is_filled, strict=True) if there.sum() > 1]
    falling = sum(bool((np.diff(chain) <= 0).all()) for chain in chains)
    words = _("nodes whose triangles become fewer from group to group: {falling} of {count}")
    return Question(
        "slot_matrix",
        _("slot matrix"),
        ReadingAnswer(_("LOD by group, without a meaning")),
        ReadingAnswer(
            _("damage stage by level of detail, group 4 the own view"),
            words.format(falling=falling, count=len(chains)) if chains else "",
        ),
        None,
        ReadingChoice.SEED if choice.requested is ReadingChoice.SEED else ReadingChoice.FIELD,
        _("nothing decides: the cells are the same, only their names differ"),
    )


def _about_names(model: Model, choice: ResolvedReading) -> Question:
    count, size = model.record_count, len(model.payload(NAME_RECORDS))
    names = model.name_records[:count]
    printable = sum(decode(name).isprintable() for name in names)
    has_size = size == NAME_SIZE * count
    records = _("printable: {count} of {all}", count=printable, all=len(names))
    other = _("{size} bytes, one record per node would be {expected}", size=size, expected=NAME_SIZE * count)
    return Question(
        "node_names",
        _("name of a node"),
        ReadingAnswer(
            _("Res10"), _("not empty: {count} of {all}", count=sum(map(bool, model.strings)), all=count)
        ),
        ReadingAnswer(_("Res9, and Res10 holds socket tags"), records if has_size else other),
        _side(choice.automatic, lambda it: it.has_name_records),
        _side(choice.reading, lambda it: it.has_name_records),
        _("Res9 has one printable record per node")
        if choice.automatic.has_name_records
        else _("Res9 is not one printable record per node"),
    )


def _about_stream18(model: Model, choice: ResolvedReading, *, has_lightmaps: bool | None) -> Question:
    raw = model.rows(STREAM18)["value"]
    measured = ""
    if len(raw):
        uvs = decode_uvs(raw)
        measured = _("u and v from {low:.3f} to {high:.3f}", low=float(uvs.min()), high=float(uvs.max()))
    automatic = ReadingChoice.FIELD if has_lightmaps else ReadingChoice.SEED
    chosen = automatic if choice.requested is ReadingChoice.AUTO else choice.requested
    if not len(raw):
        why = _("the model has no Res18")
    elif has_lightmaps is None:
        why = _("no wear table is known")
    elif has_lightmaps:
        why = _("the wear table names lightmaps")
    else:
        why = _("the wear table names no lightmaps")
    return Question(
        "stream18",
        _("Res18"),
        ReadingAnswer(_("perhaps a color, B G R A")),
        ReadingAnswer(_("u, v of the lightmap, 1/1024"), measured),
        automatic if len(raw) else None,
        chosen if len(raw) else None,
        why,
    )


class ScoreRow(TableRow, frozen=True):
    """A model in the ranked table."""

    source: str
    xyzw_error: Annotated[Number | None, described("distance from the box in this order, of its diagonal")]
    wxyz_error: Number | None
    pick: QuaternionOrder
    decided_by: Reason
    margin: Number | None
    xyzw_votes: Annotated[Natural, described("keys that are close to the identity in this order")]
    wxyz_votes: Natural
    material_field: MaterialField
    names_from: str
    reading: Annotated[str, described("the reading that is requested")]


class ScoredModel(ScoreRow, frozen=True):
    """A model with all questions about it."""

    questions: Sequence[QuestionPart]


class ModelScore(Struct, frozen=True):
    """Certainty of the reading of a model.

    Attributes
    ----------
    label
        Its address from the folder that everything scored is in.
    """

    address: Address
    label: str
    choice: ResolvedReading
    questions: tuple[Question, ...]

    @property
    def rank(self) -> tuple[int, float]:
        """The smaller, the less sure: a tie, then votes, then boxes, those with a small margin first."""
        return [Reason.TIE, Reason.VOTE, Reason.BOX].index(self.choice.decided_by), self.choice.margin or 0.0

    def row(self) -> ScoreRow:
        """The row of the ranked table for other programs."""
        choice, picked = self.choice, self.choice.automatic
        errors, orders = choice.errors or {}, QuaternionOrder
        return ScoreRow(
            source=str(self.address),
            xyzw_error=errors.get(orders.XYZW),
            wxyz_error=errors.get(orders.WXYZ),
            pick=picked.quaternion_order,
            decided_by=choice.decided_by,
            margin=choice.margin,
            xyzw_votes=choice.votes[orders.XYZW],
            wxyz_votes=choice.votes[orders.WXYZ],
            material_field=picked.material_field,
            names_from=TABLES[NAME_RECORDS if picked.has_name_records else STRINGS].name,
            reading=str(choice.requested),
        )

    def scored(self) -> ScoredModel:
        """The row with all questions."""
        return ScoredModel.of(self.row(), questions=[it.part for it in self.questions])


class ReadingScores(Struct, frozen=True):
    """The models that were scored, the least sure first, and what could not be read, and why."""

    models: tuple[ModelScore, ...]
    unreadable: Mapping[str, str]

    def csv(self) -> str:
        """The ranked table: a heading, and a line for each model."""
        columns = flat_columns([it.row() for it in self.models])
        rows = zip(*(cells for _name, cells in columns), strict=True)
        return separated.text_of(([name for name, _cells in columns], *rows))


def automatic(_ignored: Address) -> ReadingChoice:
    """Request no reading."""
    return ReadingChoice.AUTO


def score(
    store: FileStore,
    addresses: Sequence[Address],
    progress: Progress,
    requested: Callable[[Address], ReadingChoice] = automatic,
) -> ReadingScores:
    """Judge the reading of every model at the addresses; terrains have nothing to be judged by.

    Raises `AddressError` if there is no model. What cannot be read is noted, and the next one follows.
    """
    with working(progress):
        found = ItemFinder(store, frozenset({MODEL.id}), _("model")).find(addresses)
        scored: list[ModelScore] = []

        def judge(item: FoundItem) -> None:
            score = _of_model(store, item, requested(item.address))
            scored.extend([] if score is None else [score])

        unreadable = read_each(store, found, progress, judge)
        return ReadingScores(tuple(sorted(scored, key=lambda it: it.rank)), unreadable)


def _of_model(store: FileStore, item: FoundItem, requested: ReadingChoice) -> ModelScore | None:
    opened = store.open(item.address)
    model = Model.read(opened.data)
    if model.variant is Variant.TERRAIN:
        return None
    wear = wears_of(store, opened, model.variant)[0]
    skeleton, draws = Skeleton(model), draw_builder.build(model)
    choice = reading.choose(model, skeleton, draws, requested=requested, wear_rows=wear.row_count)
    has_lightmaps = None if wear.table is None else bool(wear.table.lightmaps)
    answers = questions(model, choice, has_lightmaps=has_lightmaps)
    return ModelScore(item.address, item.label, choice, answers)
