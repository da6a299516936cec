"""Rules of payloads other than models: diagnostics of the decoder, and names that lead nowhere.

These are W01, W06, W07, F04, O03 to O05, and rules without a number in the specification: TEX01 (a material's
texture), UNIT02 (a component's key), NDP02 (a node's explosion), EXP02 (an explosion's effect), CTL01 (an
effect that a controller starts) and FX01 to FX05 (values of an effect that cannot be played).

Source: spec/materials.md 2.2, 4.5, 5; spec/fxid.md 6; spec/objects.md 2, 4; spec/field-notes.md 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats import fxid, mat0, objects, units, wear
from viewer.formats.archive.rsli import PackedLibrary
from viewer.formats.findings import Rule
from viewer.formats.fxid import COMMANDS, Effect
from viewer.formats.mat0 import PHASE, MaterialRecord
from viewer.formats.neighbors import control, damage, explosion
from viewer.formats.neighbors.damage import NODE_DAMAGE, Damage
from viewer.formats.neighbors.explosion import SLOT, Explosion
from viewer.formats.record import Rows
from viewer.formats.text import decode, until_nul
from viewer.model.checks import animation, materials
from viewer.model.checks.payload import Payload
from viewer.model.clips.started_effects import started_effects
from viewer.model.effects.blocks import SOUND
from viewer.model.effects.faults import faults
from viewer.model.game.registry import (
    LIGHTMAPS,
    MATERIALS,
    REGISTRY,
    TEXTURES,
    Game,
    ObjectReference,
    Registry,
)
from viewer.translation import _

Named = Iterable[tuple[int, bytes, bytes]]
"""Row, archive and resource of references."""


def of_wear(table: wear.Wear, game: Game) -> Iterator[Diagnostic]:
    """Rows whose material (W06) or lightmap (W07) does not exist."""
    materials = _missing(table.materials, MATERIALS, _("DEFAULT is shown"), game)
    yield from _warning("W06", wear.MATERIALS, "name").of_problems(materials)
    lightmaps = _missing(table.lightmaps, LIGHTMAPS, _("none is shown"), game)
    yield from _warning("W07", wear.LIGHTMAPS, "name").of_problems(lightmaps)


def _missing(rows: Sequence[wear.Row], library: bytes, instead: str, game: Game) -> dict[int, str]:
    """The message of each row whose name is not in a library, by row."""
    words = "{name!r} is not in {library}; {instead}"
    return {
        index: _(words, name=decode(row.name), library=decode(library), instead=instead)
        for index, row in enumerate(rows)
        if game.missing(library, row.name)
    }


def of_material(material: MaterialRecord, game: Game) -> list[Diagnostic]:
    """Phases whose texture does not exist."""
    names = material.textures()
    # Each name is looked up once: the phases of a material share few textures.
    missing = {name for name in {*names} if name and game.missing(TEXTURES, name)}
    problems = {
        index: _("{name!r} is not in {library}", name=decode(name), library=decode(TEXTURES))
        for index, name in enumerate(names)
        if name in missing
    }
    return _warning("TEX01", PHASE.name, "texture").of_problems(problems)


def of_effect(effect: Effect, game: Game) -> list[Diagnostic]:
    """Commands with an unresolved reference; a missing reference is reported by the decoder (F04).

    A sound that does not exist is only information: the effect looks the same without it.
    """
    is_sound = (effect.opcodes == SOUND).tolist()
    found: list[Diagnostic] = []
    for is_chosen, severity in ((False, Severity.WARNING), (True, Severity.INFO)):
        named = [it for it in effect.references() if is_sound[it[0]] is is_chosen]
        found += _lost(Rule("F04", COMMANDS, "resource", severity), named, game)
    return sorted(found, key=lambda it: -1 if it.index is None else it.index)


def of_damage(damage: Damage, game: Game) -> list[Diagnostic]:
    """Nodes whose explosion does not exist."""
    rule = _warning("NDP02", NODE_DAMAGE.name, "explosion")
    return _lost(rule, _names(damage.rows, "explosion"), game)


def of_explosion(explosion: Explosion, game: Game) -> list[Diagnostic]:
    """Slots whose effect does not exist."""
    return _lost(_warning("EXP02", SLOT.name, "effect"), _names(explosion.rows, "effect"), game)


def of_unit(unit: units.Unit, game: Game) -> list[Diagnostic]:
    """Components whose key does not exist."""
    problems = _problems(_names(unit.components, "key"), game)
    return _warning("UNIT02", units.COMPONENT.name, "key").of_problems(problems)


def _names(rows: Rows, resource: str) -> Named:
    names = ([until_nul(name) for name in rows[field].tolist()] for field in ("archive", resource))
    return zip(range(len(rows)), *names, strict=True)


def _warning(rule: str, table: str, field: str) -> Rule:
    return Rule(rule, table, field, Severity.WARNING)


def _lost(rule: Rule, named: Named, game: Game) -> list[Diagnostic]:
    """Unresolved references that have both an archive and a resource."""
    complete = (names for names in named if names[1] and names[2])
    return rule.of_problems(_problems(complete, game))


def _problems(named: Named, game: Game) -> dict[int, str]:
    """Reasons for which references cannot be resolved, by row."""
    found = {row: _problem(ObjectReference(archive, resource, row), game) for row, archive, resource in named}
    return {row: problem for row, problem in sorted(found.items()) if problem}


def of_terrain(missing: Iterable[bytes]) -> Iterator[Diagnostic]:
    """Missing wear tables of a terrain (W01)."""
    for name in missing:
        yield Rule("W01").finding("{name!r} does not exist", name=decode(name))


def of_object(index: int, registry: Registry, game: Game | None) -> Iterator[Diagnostic]:
    """Diagnostics of the references of an object, including inherited ones."""
    expansion = registry.expand(index)
    references, table = registry.references(index), objects.REFERENCE.name
    for row in expansion.cycles:
        words = "{reference} is a circular reference, or too deep"
        yield Rule("O03", table).finding(words, row, reference=references[row])
    if not expansion.models and not expansion.cycles:
        # Information: suns and objects of the system have no geometry (spec/objects.md 2).
        yield Rule("O05", table, severity=Severity.INFO).finding("no reference is a model")
    if game is not None:
        named = ((it.row, it.archive, it.resource) for it in references)
        # Three components of every install and 41 references of the demo lead nowhere, so it is no error
        # (spec/field-notes.md 5).
        yield from _warning("O04", table, "resource").of_problems(_problems(named, game))
        model = game.model_of(expansion)
        if model is not None and not game.has_wear(model):
            rule = Rule("W01", table, "resource")
            yield rule.finding("{model} has no wear table", model.row, model=model)


def _problem(reference: ObjectReference, game: Game) -> str:
    """Reason for which a reference cannot be resolved, empty if it can, or if its library is packed."""
    if reference.is_inherited and game.registry is not None:
        if game.registry.find(reference.resource) is not None:
            return ""
        key, registry = decode(reference.resource), decode(REGISTRY)
        return _("{key!r} is not a key of {registry}", key=key, registry=registry)
    archive = game.archive(reference.archive)
    if archive is None:
        return _("{archive!r} is not an archive of the game", archive=decode(reference.archive))
    is_there = isinstance(archive, PackedLibrary) or game.has(reference.archive, reference.resource)
    return "" if is_there else _("{reference} does not exist", reference=reference)


def _with_names(
    decode: Callable[[memoryview], Any], of_names: Callable[[Any, Game], Iterable[Diagnostic]]
) -> Callable[[Payload], Iterator[Diagnostic]]:
    """Function that adds diagnostics of names that lead nowhere in a game to those of a decoder."""

    def check(payload: Payload) -> Iterator[Diagnostic]:
        decoded = decode(payload.data)
        yield from decoded.diagnostics
        if payload.around.game is not None:
            yield from of_names(decoded, payload.around.game)

    return check


wear_table = _with_names(wear.decode, of_wear)
unit = _with_names(units.decode, of_unit)
node_damage = _with_names(damage.decode, of_damage)
explosion_slots = _with_names(explosion.decode, of_explosion)


def material(payload: Payload) -> Iterator[Diagnostic]:
    """Diagnostics of a material."""
    # The version is in attr2 of the entry and not in the payload; a material in a file of its own is taken
    # for one of the game.
    version = mat0.VERSION if payload.entry is None else payload.entry.attr2
    material = mat0.decode(payload.data, version)
    yield from material.diagnostics
    yield from materials.texture_names(material)
    if payload.entry is not None:
        yield from materials.attributes(payload.entry)
    if payload.around.game is not None:
        yield from of_material(material, payload.around.game)


def effect(payload: Payload) -> Iterator[Diagnostic]:
    """Diagnostics of an effect."""
    effect = fxid.decode(payload.data)
    yield from effect.diagnostics
    yield from faults(effect)
    if payload.around.game is not None:
        yield from of_effect(effect, payload.around.game)


def object_references(payload: Payload) -> Iterator[Diagnostic]:
    """Diagnostics of the references of an object."""
    yield from objects.decode(payload.data).diagnostics
    registry, entry = payload.around.registry, payload.entry
    if registry is not None and entry is not None:
        yield from of_object(entry.index, registry, payload.around.game)


def controller(payload: Payload) -> Iterator[Diagnostic]:
    """Diagnostics of a controller; its frames and nodes are checked if its model is known."""
    decoded = control.decode(payload.data)
    yield from decoded.diagnostics
    if payload.around.game is not None:
        named = ((it.archive, it.name) for it in started_effects(decoded) if it.archive and it.name)
        # Many records start the same effect: each name is said once.
        for row, (archive, name) in enumerate(dict.fromkeys(named)):
            problem = _problem(ObjectReference(archive, name, row), payload.around.game)
            if problem:
                yield Diagnostic("CTL01", Severity.WARNING, problem, control.REST)
    model = animation.model_of(payload)
    if model is not None:
        yield from animation.frames_in_model(decoded, model.frame_count)
        yield from animation.nodes_in_model(decoded, model.node_count)
