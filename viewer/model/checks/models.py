"""The rules of models, legacy models and terrains, with their wear tables, in the order in which they report.

V01 is an error of the reader.

Source: spec/msh.md 11; spec/animation.md 8; spec/materials.md 2.2; spec/land.md 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError
from viewer.formats import wear
from viewer.formats.archive import nres
from viewer.formats.findings import Findings
from viewer.model.checks import containers, materials
from viewer.model.checks.animation import ANIMATION
from viewer.model.checks.containers import CONTAINER
from viewer.model.checks.geometry import BOUNDS, CELLS, DRAWS, GEOMETRY, PARENTS
from viewer.model.checks.joined_tables import LARGEST, Tables
from viewer.model.checks.model_tables import LAYOUT, TABLE
from viewer.model.checks.payload import Payload, Surroundings
from viewer.model.checks.rules import findings
from viewer.model.checks.terrain import FACED, TERRAIN
from viewer.model.game.registry import WEAR_SUFFIX, stem_of
from viewer.model.mesh.model import Model, Variant, missing_tables, variant_of
from viewer.model.mesh.reading import material_field


def _directory(it: Tables) -> Findings:
    for rule in CONTAINER.all:
        yield from rule(it.directory)


# The order of the report: the container, its tables, and then what is built from them, from nodes to keys.
_EVERY: Final = (_directory, *LAYOUT.all, *TABLE.all, *PARENTS.all, *CELLS.all)
_MODEL: Final = (*_EVERY, *DRAWS.all, *BOUNDS.all, *GEOMETRY.all, *ANIMATION.all)
RULES: Final[dict[Variant, Sequence[Callable[[Tables], Findings]]]] = {
    Variant.MODEL: _MODEL,
    # Its nodes have no known record: to the rules of nodes and cells the table is empty.
    Variant.LEGACY24: _MODEL,
    Variant.TERRAIN: (*_EVERY, *FACED.all, *BOUNDS.all, *TERRAIN.all),
}
"""The rules of each variant."""


def check_model(model: Model) -> list[Diagnostic]:
    """Diagnostics of a model, legacy model or terrain."""
    return check_models([model])[0]


def check_models(models: Sequence[Model]) -> list[list[Diagnostic]]:
    """The diagnostics of each of some models, of which those of a variant are checked together."""
    found: dict[int, list[Diagnostic]] = {}
    for variant, rules in RULES.items():
        some = [number for number, model in enumerate(models) if model.variant is variant]
        if some:
            told = findings(rules, Tables([models[number] for number in some]), len(some))
            found.update(zip(some, told, strict=True))
    return [found[number] for number in range(len(models))]


def layout_findings(model: Model) -> list[Diagnostic]:
    """Findings about tables of a model that cannot be read."""
    return [*model.archive.diagnostics, *findings(LAYOUT.all, Tables([model]))[0]]


def check(payload: Payload) -> list[Diagnostic]:
    """Diagnostics of a payload of kind model."""
    archive = nres.Archive.read(payload.data)
    if variant_of(archive) is None:
        # Tables are looked up by their type, so names may be empty or repeat (N07, N14 are not for them).
        return [Diagnostic.of(missing_tables(archive)), *containers.check(archive, has_names=False)]
    model = Model.of(archive)
    return [*check_model(model), *_of_wear(payload, model)]


def check_together(payloads: Sequence[Payload | None]) -> list[list[Diagnostic] | None]:
    """Findings of `check` in joined models; None for one that is not a model, or too large for that."""
    models = {number: it for number, payload in enumerate(payloads) if (it := _small(payload)) is not None}
    told = dict(zip(models, check_models([*models.values()]), strict=True))
    return [
        [*told[number], *_of_wear(payload, models[number])] if payload and number in models else None
        for number, payload in enumerate(payloads)
    ]


def _small(payload: Payload | None) -> Model | None:
    if payload is None or len(payload.data) > LARGEST:
        return None
    try:
        return Model.read(payload.data)
    except FormatError:
        return None


def _of_wear(payload: Payload, model: Model) -> list[Diagnostic]:
    """The diagnostics of the wear tables next to a model."""
    if model.variant is Variant.TERRAIN:
        return [*_terrain_wear(payload.around), *_selected_by_faces(payload, model)]
    return _selected_rows(payload, model)


def _selected_by_faces(payload: Payload, model: Model) -> list[Diagnostic]:
    """Faces that select a row beyond the wear tables next to a terrain."""
    first, second = map(payload.around.find, materials.TERRAIN_WEAR)
    return materials.selected_by_faces(model.faces, _row_count(first), _row_count(second))


def _row_count(data: bytes | memoryview | None) -> int | None:
    """The rows of a wear table; None without a readable one."""
    if data is None:
        return None
    try:
        return len(wear.decode(data).materials)
    except FormatError:
        return None


def _selected_rows(payload: Payload, model: Model) -> list[Diagnostic]:
    """Batches that select a row beyond the wear table next to the model."""
    rows = _row_count(payload.around.find(stem_of(payload.name) + WEAR_SUFFIX))
    if rows is None:
        return []
    batches = model.batches
    return materials.selected_rows(batches, material_field(batches, rows, payload.around.requested), rows)


def _terrain_wear(around: Surroundings) -> Iterable[Diagnostic]:
    if around.game is None or around.folder is None:
        return ()
    from viewer.model.checks import resources  # noqa: PLC0415 imports the formats of everything that has names

    return resources.of_terrain(name for name in materials.TERRAIN_WEAR if around.find(name) is None)
