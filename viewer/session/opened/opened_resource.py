"""An opened payload other than a model: a texture, a material, a wear table and so on; or a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from viewer.diagnostics import Diagnostic
from viewer.errors import AddressError, MshviewError
from viewer.formats import fxid, wear
from viewer.formats.neighbors.control import Control
from viewer.formats.neighbors.damage import NODE_DAMAGE, Damage
from viewer.formats.part import Part
from viewer.formats.record import ENTRY
from viewer.formats.text import decode, fold, is_text, until_nul
from viewer.formats.texture import font, texm
from viewer.formats.texture.texm import Texture
from viewer.formats.units import Unit
from viewer.model.checks.payload import Surroundings
from viewer.model.clips.controller import Controller, read_controller
from viewer.model.clips.found_controller import addresses
from viewer.model.clips.started_effects import StartedEffect, started_effects
from viewer.model.game.game_folder import NO_GAME
from viewer.model.game.part_names import PartNames
from viewer.model.game.registry import MATERIALS, Game
from viewer.model.game.slots import fitting
from viewer.model.kinds.registry import EFFECT, EXPLOSION, FONT, MATERIAL, TEXTURE, by_id, kind_of
from viewer.model.material.entry import material_of_entry
from viewer.model.material.lookup import MaterialLookup
from viewer.model.material.materials import Material, TextureRef
from viewer.model.references.links import NO_LINKS, Links, Socket, links_of, node_names, sockets
from viewer.model.references.targets import ResourceName, Target, Targets
from viewer.model.sky.roles import roles_of
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.folder import CaselessFolder
from viewer.model.store.item import Item
from viewer.model.validation.validate import MAX_DEPTH, check_item, surroundings_of
from viewer.operations.effects.effects import LoadedEffect, materials_of, missing_textures
from viewer.operations.effects.model_effects import slot_effects
from viewer.operations.picturing import PaletteOptions, with_palette
from viewer.operations.units import tried_parts
from viewer.operations.units.tried_parts import NO_PARTS, TriedParts
from viewer.operations.units.unit_sheets import UnitSheet, sheet_of
from viewer.session.opened.assembled_unit import AssembledUnit
from viewer.session.opened.entry_list import FOLDER
from viewer.session.play.effect_play import round_frames
from viewer.session.play.material_play import longest_period
from viewer.session.play.timeline import FRAME
from viewer.translation import _

MOST_FINDINGS: Final = 3
"""Rules whose diagnostics are shown next to the texture."""
MOST_MATERIALS: Final = 256
LONGEST_TEXT: Final = 1 << 20
"""Bytes of the longest text that is shown as such."""
NO_TYPE: Final = "0"
"""The kind of a payload of which nothing tells what it is."""
MOST_COMPONENTS: Final = 10_000
"""Components of a unit whose models are looked up."""
NO_ENTRIES: Final = range(0)


class OpenedResource(Struct, frozen=True, eq=False):
    """A payload and its description, or a folder. It needs no OpenGL, so a worker thread can make it.

    Attributes
    ----------
    kind
        Kind, as in ``mshview ls``.
    data
        Its bytes; a folder has none.
    parts
        What its bytes are made of; None if nothing is known of its kind, or it cannot be read.
    texture
        The texture, or None if it is something else or has no complete level.
    problem
        Why it cannot be read, empty if it can.
    notes
        Notes on the texture: missing resources and the folders searched.
    value
        What its kind decodes it to; None if it cannot be read.
    links
        Where its names and row numbers lead.
    material
        The material with its textures, or None if it is something else.
    materials
        The materials that its names lead to, by address, no more than `MOST_MATERIALS`.
    models, sockets
        The model of each component of a unit, and the node that it hangs on; None for no known node.
    unit
        A unit with its models in place; None for anything else, and without a game folder.
    sheet
        The measures of its parts; None without `unit`.
    tried
        The parts that `unit` and `sheet` have in place of those of the file, or besides them.
    controller
        The clips and channels of a controller.
    started
        The effects that a controller starts, and where their names lead.
    fitting
        The objects that fit each slot that its components are, by label: keys, with what these are called.
    controlled
        The address of the model that plays them, or None.
    node_names
        The name of each node of the model that a controller or the damage of nodes is linked to.
    last_frame
        The end of the longest cycle of a material, or of a round of an effect, in frames; 0 if nothing moves.
    effect_materials
        The material of each block of an effect, or None.
    slots
        The effect of each slot of an explosion, or None.
    text
        Its text, or None if its bytes are not text.
    diagnostics
        What the rules found in it; for an archive not what they would find in its entries.
    """

    address: Address
    kind: str
    data: memoryview
    parts: Part | None = None
    texture: TextureRef | None = None
    problem: str = ""
    notes: tuple[str, ...] = ()
    value: Any = None
    links: Links = NO_LINKS
    material: Material | None = None
    materials: Mapping[Address, Material] = field(default_factory=lambda: MappingProxyType({}))
    models: tuple[Target, ...] = ()
    sockets: tuple[Socket | None, ...] = ()
    unit: AssembledUnit | None = None
    sheet: UnitSheet | None = None
    tried: TriedParts = NO_PARTS
    controller: Controller | None = None
    started: tuple[tuple[StartedEffect, Target], ...] = ()
    fitting: Mapping[bytes, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    controlled: Address | None = None
    node_names: tuple[str, ...] = ()
    last_frame: float = 0.0
    effect_materials: tuple[Material | None, ...] = ()
    slots: tuple[LoadedEffect | None, ...] = ()
    text: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()

    def end(self, mode: int | None) -> float:
        """`last_frame` with a time mode in place of those of its effects; None for theirs."""
        effects = [it.effect for it in self.slots if it is not None]
        effects += [self.value] if self.kind == EFFECT.id and self.last_frame else []
        if mode is None or not effects:
            return self.last_frame
        return max(round_frames(it, mode) for it in effects)

    def component_name(self, component: int) -> str:
        """The display name of a component of a unit, else its key."""
        if component >= len(self.value.components):  # a part that is tried on a free socket
            part = self.unit.parts[component] if self.unit else None
            return "" if part is None else part.called or part.key
        row = self.value.components[component]
        names = (decode(until_nul(row[name].tobytes())).strip() for name in ("name", "key"))
        return next(filter(None, names), str(component))

    @property
    def row_names(self) -> Mapping[str, Sequence[str]]:
        """The names of rows by table: a file with a row for each node calls them as the model does."""
        if isinstance(self.value, Damage):
            return {NODE_DAMAGE.name: self.node_names}
        return {wear.MATERIALS: self.roles} if self.roles else {}

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the rows of a sky's wear table; empty for other resources."""
        is_wear = isinstance(self.value, wear.Wear)
        return tuple(map(str, roles_of(os.fsencode(self.address.name)))) if is_wear else ()

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, of which an overview is all that is shown."""
        return self.kind == FOLDER

    @property
    def is_effect(self) -> bool:
        """Whether it is an effect, or an explosion, whose image moves in every frame."""
        return self.kind in (EFFECT.id, EXPLOSION.id)

    @property
    def kind_title(self) -> str:
        """The kind of the resource in the user's language."""
        kind = by_id(self.kind)
        if self.is_folder:
            return _("folder")
        if kind.is_known or (self.text is None and self.kind != NO_TYPE):
            return str(kind.title)
        return _("unknown format") if self.text is None else _("text")


def of_folder(address: Address) -> OpenedResource:
    """The folder at an address."""
    return OpenedResource(address, FOLDER, memoryview(b""))


def read(
    library: FileStore, item: Item, game: Path | None = None, tried: TriedParts = NO_PARTS
) -> OpenedResource:
    """A payload and its description.

    Parameters
    ----------
    game
        The game folder in which a palette is looked up, or None.
    tried
        The parts to show of a unit in place of those of its file; not used if they do not fit its components.
    """
    kind = kind_of(item)
    text = decode(bytes(item.data)) if len(item.data) <= LONGEST_TEXT and is_text(item.data) else None
    found = _diagnostics(library, item, game)
    shown = OpenedResource(item.address, kind.id, item.data, text=text, diagnostics=found)
    try:
        ref, notes = _texture_of(library, item, kind.id, game)
        shown = replace(shown, texture=ref, notes=notes)
        shown = _decoded(shown, library, item, kind.read(item), game) if kind.is_known else shown
        if game is None or not isinstance(shown.value, Unit):
            return shown
        return with_parts(shown, library, game, tried if tried.fit(shown.value) else NO_PARTS)
    except MshviewError as error:
        return replace(shown, problem=error.text)


def with_parts(opened: OpenedResource, library: FileStore, game: Path, tried: TriedParts) -> OpenedResource:
    """A unit with tried parts in place, and its sheet; raises `UsageError` if it cannot have them."""
    made, parents = tried_parts.shown(opened.value, tried, PartNames.of(library, game))
    unit = AssembledUnit.of(library, made, game, has_effects=True, parents=parents)
    sheet = sheet_of(library, unit.game, made, unit.parts)
    return replace(opened, unit=unit, sheet=sheet, tried=tried)


def edited_effect(before: OpenedResource, library: FileStore) -> OpenedResource | None:
    """The next revision of an effect after an edit of its numbers; None if it has to be read again.

    Its diagnostics are those from before the edit. Raises `MshviewError` if it cannot be read.
    """
    data = library.open(before.address).data
    value = fxid.decode(data)
    if before.value is None or [*value.references()] != [*before.value.references()]:
        return None
    parts = by_id(EFFECT.id).parts(value)
    links, last_frame = replace(before.links, root=parts), _last_frame(EFFECT.id, value, None, ())
    return replace(before, data=data, value=value, parts=parts, links=links, last_frame=last_frame)


def _decoded(
    shown: OpenedResource, library: FileStore, item: Item, value: Any, game: Path | None
) -> OpenedResource:
    """The resource with its parts, its links, and what is drawn of a material or a unit."""
    targets = Targets(library, game, NO_GAME.problem)
    parts = by_id(shown.kind).parts(value)
    libraries = MaterialLookup.of(library, game) if game else None
    is_archive = by_id(shown.kind).is_archive
    links = Links(shown.address, parts) if is_archive else links_of(library, item, parts, targets)
    keys = _keys(value) if isinstance(value, Unit) else []
    by_key = {key: targets.model(key) for key in dict.fromkeys(keys)}
    models = tuple(by_key[key] for key in keys)
    controller = read_controller(item.address, value) if isinstance(value, Control) else None
    slots = slot_effects(library, game, value) if shown.kind == EXPLOSION.id and game else ()
    material = material_of_entry(item, libraries) if shown.kind == MATERIAL.id else None
    drawn = materials_of(value, libraries) if shown.kind == EFFECT.id else ()
    if drawn and libraries is None:
        words = _("{problem}: materials are not shown", problem=NO_GAME.problem)
        shown = replace(shown, notes=(*shown.notes, words))
    return replace(
        shown,
        diagnostics=(*shown.diagnostics, *missing_textures(value, drawn)) if drawn else shown.diagnostics,
        value=value,
        parts=parts,
        links=links,
        material=material,
        controller=controller,
        started=tuple((it, targets.find(_named(it))) for it in started_effects(value)) if controller else (),
        fitting=_fitting(library, controller, game) if controller else MappingProxyType({}),
        controlled=_controlled(library, item, links, game) if controller else None,
        node_names=node_names(library, links.model)
        if links.model and isinstance(value, Control | Damage)
        else (),
        last_frame=_last_frame(shown.kind, value, material, slots),
        slots=slots,
        effect_materials=drawn,
        materials=MappingProxyType(dict(_materials(library, links, libraries))),
        models=models,
        sockets=sockets(library, value, models) if isinstance(value, Unit) else (),
    )


def _fitting(
    library: FileStore, controller: Controller, game: Path | None
) -> Mapping[bytes, tuple[str, ...]]:
    """The parts that fit the slots of a controller, by label; empty without a registry."""
    registry = None if game is None else Game(game.absolute(), library).registry
    if registry is None:
        return MappingProxyType({})
    called = PartNames.of(library, game)

    def name(key: bytes) -> str:
        return " ".join(filter(None, (decode(key), str(called.of_key(key) or ""))))

    labels = dict.fromkeys(it.label for it in controller.components if it.label)
    return MappingProxyType({it: tuple(map(name, fitting(registry, it))) for it in labels})


def _named(effect: StartedEffect) -> ResourceName:
    return ResourceName(ENTRY, effect.name, effect.archive)


def _last_frame(
    kind: str, value: Any, material: Material | None, slots: tuple[LoadedEffect | None, ...]
) -> float:
    if kind == EFFECT.id:
        return round_frames(value) if len(value.opcodes) else 0.0
    if slots:
        return max((round_frames(it.effect) for it in slots if it is not None), default=0.0)
    return longest_period(material) / FRAME if material else 0.0


def _controlled(library: FileStore, item: Item, links: Links, game: Path | None) -> Address | None:
    """The model that a controller belongs to; None if that plays another controller."""
    with suppress(MshviewError):
        if links.model:
            used = next(addresses(library, library.open(links.model), game), None)
            return links.model if used == item.address else None
    return None


def _diagnostics(library: FileStore, item: Item, game: Path | None) -> tuple[Diagnostic, ...]:
    """The findings of the rules in an item itself."""
    folder = CaselessFolder(item.address.path.parent, library)
    of_file = Surroundings(folder=folder, game=Game(game, library) if game else None)
    around = surroundings_of(item, of_file)
    reports = check_item(item, around, NO_ENTRIES, MAX_DEPTH)
    return reports[0].diagnostics if reports else ()


def _keys(unit: Unit) -> list[bytes]:
    """The object keys of the components of a unit."""
    return [until_nul(key) for key in unit.components["key"][:MOST_COMPONENTS].tolist()]


def _materials(
    library: FileStore, links: Links, libraries: MaterialLookup | None
) -> Iterator[tuple[Address, Material]]:
    """The materials that names lead to, by address."""
    places = dict.fromkeys(target.place.address for target in links.targets.values() if target.place)
    in_library = (address for address in places if _is_in_material_library(address))
    for address in islice(in_library, MOST_MATERIALS):
        with suppress(MshviewError):
            item = library.open(address)
            if kind_of(item) is MATERIAL:
                yield address, material_of_entry(item, libraries)


def _is_in_material_library(address: Address) -> bool:
    return bool(address.entries) and fold(os.fsencode(address.path.name)) == fold(MATERIALS)


def texture_at(library: FileStore, address: Address, game: Path | None) -> TextureRef:
    """The texture at an address, or that of a font; raises `MshviewError` if there is none to show."""
    item = library.open(address)
    ref, _ignored = _texture_of(library, item, kind_of(item).id, game)
    if ref is None:
        raise AddressError("has no complete level", source=address)
    return ref


def _texture_of(
    library: FileStore, item: Item, kind: str, game: Path | None
) -> tuple[TextureRef | None, tuple[str, ...]]:
    """The texture of a payload, also of a font, and the notes on it."""
    texture: Texture | None = None
    notes: list[str] = []
    if kind == TEXTURE.id:
        decoded = item.decoded(texm.decode)
        texture, steps = with_palette(library, item, decoded, PaletteOptions(game))
        notes = [step.text for step in steps]
    elif kind == FONT.id:
        letters, start = font.decode(item.data), font.TEXTURE_START
        texture = letters.texture
        notes = [
            _("offsets count from {start:#x}, the start of its texture", start=start),
            _("row pitch of the glyphs: {pitch} pixels, their height + 1", pitch=letters.row_pitch),
            _("width of a glyph: its advance + 1; which of its words is the advance is unknown"),
        ]
    if texture is None:
        return None, ()
    if not texture.levels:
        return None, (_("no level is complete, so there is no image"),)
    notes += (finding.text for finding in texture.diagnostics[:MOST_FINDINGS])
    alone = item.alone
    digest = (lambda: alone.digest) if kind == TEXTURE.id else None
    ref = TextureRef(item.address, item.address.name, texture, digest=digest)
    return ref, tuple(notes)
