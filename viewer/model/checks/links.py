"""Rules W01, W06, W07, F04, O03 to O05: names that lead nowhere.

Rules without a number in the specification: TEX01 (a material's texture), UNIT02 (a component's key)
and NDP02 (a node's explosion).

Source: spec/materials.md 2.2, 5; spec/fxid.md 6; spec/objects.md 2, 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from viewer.errors import Diagnostic, Severity
from viewer.formats import objects, units, wear
from viewer.formats.damage import NODE_DAMAGE, Damage
from viewer.formats.fxid import COMMAND, Effect
from viewer.formats.mat0 import PHASE, Material
from viewer.formats.text import decode, until_nul
from viewer.model.game import LIGHTMAPS, MATERIALS, REGISTRY, TEXTURES, Expansion, Game, Reference, Registry

TERRAIN_WEAR = (b"Land1.wea", b"Land2.wea")


def of_wear(table: wear.Wear, game: Game) -> Iterator[Diagnostic]:
    """Rows that name no material (W06), or no lightmap (W07)."""
    yield from _rows("W06", wear.TABLE, table.materials, MATERIALS, "DEFAULT is shown", game)
    yield from _rows("W07", wear.LIGHTMAPS, table.lightmaps, LIGHTMAPS, "none is shown", game)


def _rows(
    rule: str, table: str, rows: Sequence[wear.Row], library: bytes, instead: str, game: Game
) -> Iterator[Diagnostic]:
    for index, row in enumerate(rows):
        if game.lacks(library, row.name):
            message = f"{decode(row.name)!r} is not in {decode(library)}; {instead}"
            yield Diagnostic(rule, Severity.WARNING, message, table, index, "name")


def of_material(material: Material, game: Game) -> Iterator[Diagnostic]:
    """Phases that name no texture."""
    for index in range(len(material.phases)):
        name = material.texture(index)
        if name and game.lacks(TEXTURES, name):
            message = f"{decode(name)!r} is not in {decode(TEXTURES)}"
            yield Diagnostic("TEX01", Severity.WARNING, message, PHASE.name, index, "texture")


def of_effect(effect: Effect, game: Game) -> Iterator[Diagnostic]:
    """Commands whose reference leads nowhere; those without one are reported by the decoder (F04)."""
    for index, command in enumerate(effect.commands):
        archive, resource = effect.reference(command) or (b"", b"")
        if archive and resource:
            message = _problem(Reference(archive, resource, index), game)
            if message:
                yield Diagnostic("F04", Severity.WARNING, message, COMMAND, index, "reference")


def of_damage(damage: Damage, game: Game) -> Iterator[Diagnostic]:
    """Nodes whose explosion is not to be found."""
    for index, row in enumerate(damage.rows):
        archive, explosion = until_nul(bytes(row["archive"])), until_nul(bytes(row["explosion"]))
        message = _problem(Reference(archive, explosion, index), game) if archive and explosion else ""
        if message:
            yield Diagnostic("NDP02", Severity.WARNING, message, NODE_DAMAGE.name, index, "explosion")


def of_unit(unit: units.Unit, game: Game) -> Iterator[Diagnostic]:
    """Components whose key leads nowhere."""
    for index, row in enumerate(unit.components):
        key = Reference(until_nul(bytes(row["archive"])), until_nul(bytes(row["key"])), index)
        message = _problem(key, game)
        if message:
            yield Diagnostic("UNIT02", Severity.WARNING, message, units.COMPONENT.name, index, "key")


def of_terrain(missing: Iterable[bytes]) -> Iterator[Diagnostic]:
    """Wear tables that a terrain lacks (W01)."""
    for name in missing:
        yield Diagnostic("W01", Severity.ERROR, f"{decode(name)!r} does not exist", wear.TABLE)


def of_object(index: int, registry: Registry, game: Game | None) -> Iterator[Diagnostic]:
    """Where the references of an object lead, with those that it inherits."""
    expansion = registry.expand(index)
    for row in expansion.cycles:
        message = f"{registry.references(index)[row]} leads in a circle, or too far"
        yield Diagnostic("O03", Severity.ERROR, message, objects.REFERENCE.name, row)
    if not expansion.models and not expansion.cycles:
        yield Diagnostic("O05", Severity.INFO, "no reference leads to a model", objects.REFERENCE.name)
    if game is not None:
        yield from _own_references(registry.references(index), game)
        yield from _wear(expansion, game)


def _own_references(references: Sequence[Reference], game: Game) -> Iterator[Diagnostic]:
    for reference in references:
        message = _problem(reference, game)
        if message:
            yield Diagnostic(
                "O04", Severity.WARNING, message, objects.REFERENCE.name, reference.row, "resource"
            )


def _wear(expansion: Expansion, game: Game) -> Iterator[Diagnostic]:
    model = game.model_of(expansion)
    if model is not None and not game.has_wear(model):
        message = f"{model} has no wear table"
        yield Diagnostic("W01", Severity.ERROR, message, objects.REFERENCE.name, model.row, "resource")


def _problem(reference: Reference, game: Game) -> str:
    """Why a reference leads nowhere, empty where it does."""
    if reference.is_inherited and game.registry is not None:
        known = game.registry.find(reference.resource) is not None
        return "" if known else f"{decode(reference.resource)!r} is no key of {decode(REGISTRY)}"
    if game.archive(reference.archive) is None:
        return f"{decode(reference.archive)!r} is no archive of the game"
    return "" if game.has(reference.archive, reference.resource) else f"there is no {reference}"
