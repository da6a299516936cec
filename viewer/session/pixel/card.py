"""The explanation of a pixel for people, line by line with the place of each thing, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Final

from msgspec import Meta, Struct

from viewer.formats.mat0 import PHASE
from viewer.formats.meaning import meaning
from viewer.formats.msh.batches import BATCH
from viewer.formats.msh.keys import KEY
from viewer.formats.msh.nodes import NODE
from viewer.formats.msh.slots import SLOT
from viewer.formats.msh.tables import NORMALS, POSITIONS, TABLES
from viewer.formats.msh.terrain import FACE, is_water
from viewer.formats.msh.triangles import NONE, TRIANGLE, decode_normal
from viewer.formats.msh.vertices import INDEX
from viewer.formats.record import Field
from viewer.json_types import JsonObject, Natural, Vector, described
from viewer.model.material.light import exponent
from viewer.model.material.materials import MATERIALS
from viewer.model.mesh.model import Variant
from viewer.model.mesh.pose.pose_trace import PoseSource
from viewer.model.store.place import Place
from viewer.model.tables.table_names import VERTICES
from viewer.session.opened.document import Document
from viewer.session.pixel.card_lines import (
    LIGHT_PANEL,
    MATERIAL_PANEL,
    RANGES,
    CardLine,
    CardSection,
    numbers,
    pixel_line,
    range_lines,
    texel_lines,
)
from viewer.session.pixel.effect_card import count_line, sprite_sections
from viewer.session.pixel.explanation import PixelExplanation
from viewer.session.pixel.shading import LightSum, ground_color
from viewer.session.selection import PickHit
from viewer.translation import Text, _, translated

_POSES: Final = {
    PoseSource.NO_KEY: _("no key: in the place of its parent"),
    PoseSource.NO_MAP: _("key {key}, as it has no frame map"),
    PoseSource.OUTSIDE: _("key {key}, as the frame is outside of the map"),
    PoseSource.FALLBACK: _("key {key}, the fallback key"),
    PoseSource.AT_KEY: _("exactly at key {key}"),
    PoseSource.LINEAR: _("{share} of the way from key {key} to {following}, linear"),
    PoseSource.ARC: _("{share} of the way from key {key} to {following}, along the arc"),
}


Corners = Annotated[Sequence[Natural], Meta(min_length=3, max_length=3)]


class BytesRange(JsonObject, frozen=True):
    """Bytes of the file that decide what the pixel shows."""

    what: str
    table: str
    row: Natural | None
    offset: Annotated[Natural | None, described("from the start of the file")]
    size: Natural


class PixelAnswer(Struct, frozen=True):
    """Explanation of a pixel; everything of the background is null."""

    x: Natural
    y: Natural
    hit: bool
    node: Natural | None
    slot: Natural | None
    cell: Annotated[tuple[Natural, Natural] | None, described("row and column of the slot matrix")]
    batch: Natural | None
    triangle: Natural | None
    descriptor: Natural | None
    indices: Corners | None
    vertices: Corners | None
    material: str | None
    texture: str | None
    position: Vector | None
    bytes: Sequence[BytesRange]


def sections(document: Document, found: PixelExplanation) -> tuple[CardSection, ...]:
    """The explanation of a pixel of a document in sections that are not empty."""
    card = _Card(document, found)
    parts: Sequence[tuple[str, Text, Iterable[CardLine]]] = (
        ("pixel", _("Pixel"), card.pixel()),
        ("triangle", _("Triangle"), card.triangle()),
        ("owners", _("Where it belongs"), card.owners()),
        ("material", _("Material"), card.material()),
        ("light", _("Light"), card.light()),
        ("pose", _("Pose"), card.pose()),
        ("bytes", _("Bytes"), card.ranges()),
    )
    made = (CardSection(name, str(title), tuple(lines)) for name, title, lines in parts)
    first, *others = (it for it in made if it.lines)
    return first, *sprite_sections(found.sprites), *others


def as_json(found: PixelExplanation) -> PixelAnswer:
    """The explanation as ``why --json`` prints it."""
    hit, path = found.hit, found.source.path
    material = None if hit is None else found.material
    indices = [corner.index for corner in found.corners if corner.index is not None]
    return PixelAnswer(
        x=found.x,
        y=found.y,
        hit=hit is not None,
        node=_of(hit, "node"),
        slot=_of(hit, "slot"),
        cell=found.cell,
        batch=_of(hit, "batch"),
        triangle=_of(hit, "triangle"),
        descriptor=_of(hit, "descriptor"),
        indices=indices or None,
        vertices=None if hit is None else hit.vertices,
        material=None if material is None else material.name,
        texture=_texture_name(found),
        position=None if hit is None else hit.position,
        bytes=[
            BytesRange.of(it, table=it.place.table, row=it.place.row)
            for it in found.ranges
            if it.place.address.path == path
        ],
    )


def place_of_bytes(found: PixelExplanation) -> Place | None:
    """The place whose bytes are those of the triangle: descriptor or face, else its indices."""
    names = "descriptor", "face", "indices"
    places = {it.what: it.place for it in found.ranges if it.what in names}
    return next((places[name] for name in names if name in places), None)


def _of(hit: PickHit | None, name: str) -> int | None:
    value: int | None = None if hit is None else getattr(hit, name)
    return value


def _texture_name(found: PixelExplanation) -> str | None:
    """The name that the material's phase asks for, found or not."""
    if found.material is None or found.state is None:
        return None
    return found.material.phases[found.state.phase].texture


class _Card:
    """Makes the lines of one explanation."""

    def __init__(self, document: Document, found: PixelExplanation) -> None:
        self._document, self._found = document, found

    def _place(self, table: str, row: int | None, field: str = "") -> Place:
        return Place(self._document.address, table, row, field)

    def _row(self, title: str, table: str, row: int | None, more: str = "") -> Iterator[CardLine]:
        """A row with its name, if there is one."""
        if row is not None:
            words = self._document.labels.label(table, row)
            yield CardLine(title, f"{words}; {more}" if more else words, self._place(table, row))

    def pixel(self) -> Iterator[CardLine]:
        found = self._found
        yield pixel_line(found.x, found.y, found.size, self._document.address)
        yield from count_line(_("effects"), found.sprites)
        if found.hit is None:
            yield CardLine(_("shows"), _("the background"), panel=LIGHT_PANEL)
            return
        nearest = max(found.corners, key=lambda it: it.weight).vertex
        yield CardLine(
            _("position"), numbers(found.hit.position), self._place(TABLES[POSITIONS].name, nearest)
        )
        order = _("draw {order} of {count}, in the engine's order", order=found.order, count=found.drawn)
        batch, face = found.hit.batch, found.hit.triangle  # a terrain has faces, and no batches
        row = (FACE.name, face) if batch is None else (BATCH.name, batch)
        yield CardLine(_("order"), order, self._place(*row))

    def triangle(self) -> Iterator[CardLine]:
        found, hit = self._found, self._found.hit
        if hit is None:
            return
        if self._document.model.variant is Variant.TERRAIN:
            yield from self._row(_("face"), FACE.name, hit.triangle)
        else:
            first = INDEX.name, 3 * hit.triangle
            yield CardLine(
                _("triangle"), _("{row} in the order of Res6", row=hit.triangle), self._place(*first)
            )
            stored = " ".join(str(corner.index) for corner in found.corners)
            words = _("{indices} from vertex {base}", indices=stored, base=found.base_vertex)
            yield CardLine(_("indices"), words, self._place(*first))
        if found.is_cut_open:
            words = _("seen from behind: filled in one color if its surface is closed")
            yield CardLine(_("section"), words, panel=LIGHT_PANEL)
        for corner in found.corners:
            words = _("{row}, {share} of the pixel", row=corner.vertex, share=f"{corner.weight:.3f}")
            yield CardLine(_("vertex"), words, self._place(VERTICES, corner.vertex))
            for name, table, field, values in corner.streams:
                place = self._place(table, corner.vertex, field.name)
                yield CardLine(str(RANGES.get(name, name)), _stored(field, values), place)
        yield from self._descriptor(hit)

    def _descriptor(self, hit: PickHit) -> Iterator[CardLine]:
        rows = self._document.model.tri_descriptors
        if hit.descriptor is None or hit.descriptor >= len(rows):
            return
        row = rows[hit.descriptor]
        links = " ".join("-" if link == NONE else str(link) for link in row["links"].tolist())
        words = _(
            "{row}: flags {flags}; neighbors {links}; normal {normal}",
            row=hit.descriptor,
            flags=meaning(TRIANGLE.field("flags"), row["flags"]) or "0",
            links=links,
            normal=numbers(decode_normal(row["normal"]).tolist()),
        )
        yield CardLine(_("descriptor"), words, self._place(TRIANGLE.name, hit.descriptor))

    def owners(self) -> Iterator[CardLine]:
        found, hit = self._found, self._found.hit
        if hit is None:
            return
        yield from self._row(_("node"), NODE.name, hit.node)
        if found.cell is not None:
            name = str(self._document.cell_names.cell(*found.cell))
            yield CardLine(_("cell"), name, self._place(NODE.name, hit.node, "slots"))
        yield from self._row(_("slot"), SLOT.name, hit.slot)
        flags = ""
        if hit.batch is not None:
            stored = self._document.model.batches[hit.batch]["flags"]
            flags = _("flags {flags}", flags=meaning(BATCH.field("flags"), stored) or "0")
        yield from self._row(_("batch"), BATCH.name, hit.batch, flags)
        if self._document.chooser.is_portal[hit.draw]:
            words = self._document.portal_label(hit.draw)
            yield CardLine(_("portal"), words, self._place(BATCH.name, hit.batch, "opaque6"))

    def material(self) -> Iterator[CardLine]:
        found, material, state = self._found, self._found.material, self._found.state
        if material is None or state is None or found.material_row is None:
            return
        yield from self._row(_("material"), MATERIALS, found.material_row)
        for number, step in enumerate(material.steps):
            words = translated(step.text)
            yield CardLine("" if number else _("found"), words, step.place, panel=MATERIAL_PANEL)
        entry = None if material.entry is None else Place(material.entry)
        yield CardLine(_("blend"), self._blend(), entry, panel=MATERIAL_PANEL)
        phase = _("phase {phase} of {count}", phase=state.phase, count=len(material.phases))
        yield CardLine(_("phase"), phase, self._phase(), panel=MATERIAL_PANEL)
        name = _texture_name(found)
        if found.texel is None:
            words = _("{name} is not there", name=name) if name else _("none")
            yield CardLine(_("texture"), words, self._phase("texture"), panel=MATERIAL_PANEL)
        else:
            yield from texel_lines(_("texture"), found.texel)
        if material.microtexture is not None:
            yield from self._row(_("microtexture"), MATERIALS, material.microtexture)
        if material.second is not None:
            share = _(
                "opacity {opacity}, from stream14 and its ambient alpha", opacity=f"{found.second_alpha:.3f}"
            )
            yield from self._row(_("second material"), MATERIALS, material.second, share)
        if found.lightmap is not None:
            yield from texel_lines(_("lightmap"), found.lightmap)

    def _phase(self, field: str = "") -> Place | None:
        """The phase that is shown, in the file of the material."""
        material, state = self._found.material, self._found.state
        if material is None or material.entry is None or state is None:
            return None
        return Place(material.entry, PHASE.name, state.phase, field)

    def _blend(self) -> str:
        material, state = self._found.material, self._found.state
        if material is None or state is None:
            return ""
        if material.is_lightmapped:
            return _("opaque, as a lightmap lights it")
        if material.is_solid and self._is_water():
            return _("opaque, as texture times light; low certainty: the game mirrors the scene in water")
        if material.is_solid:
            return _("opaque, as all ground is")
        if material.is_see_through(state.ambient[3]):
            return _(
                "{mode}, after the rest and without writing depth; low certainty: the order of see-through "
                "surfaces",
                mode=Text.of(material.blend.label),
            )
        return translated(material.blend.label)

    def _is_water(self) -> bool:
        """Whether the pixel is on water of a terrain."""
        model, hit = self._document.model, self._found.hit
        if hit is None or model.variant is not Variant.TERRAIN:
            return False
        return bool(is_water(model.faces[hit.triangle : hit.triangle + 1]).any())

    def light(self) -> Iterator[CardLine]:
        found = self._found
        if found.light is None:
            return
        nearest = max(found.corners, key=lambda it: it.weight).vertex
        stream = NORMALS if self._document.model.has(NORMALS) else POSITIONS
        light = found.light
        yield CardLine(_("normal"), numbers(light.normal), self._place(TABLES[stream].name, nearest))
        for term in light.terms:
            place = self._phase(term.field) if term.field else None
            yield CardLine(str(term.name), numbers(term.color), place, panel=LIGHT_PANEL)
        base, scene = numbers(light.base), numbers(light.scene)
        first, second = numbers(light.first), numbers(light.second)
        spilled = _("{color}, spilled of the highlight and of what the knee leaves above 1", color=second)
        for title, words, place in (
            (_("sum"), numbers(light.total), None),
            (_("floor"), _("{color}, at least the scene color {scene}", color=base, scene=scene), None),
            (_("knee"), _("{color}, bent above 1", color=numbers(light.bent)), None),
            (_("highlight"), self._highlight(light), self._phase("power")),
            (_("first color"), _("{color}, what the texture is multiplied by", color=first), None),
            (_("second color"), spilled, None),
        ):
            yield CardLine(title, words, place, panel=LIGHT_PANEL)
        if light.fog is not None:
            far, share, color = light.fog
            words = _(
                "{share:.1%} of the color is left at {distance:.4g} units, the rest is {color}",
                share=share,
                distance=far,
                color=numbers(color),
            )
            yield CardLine(_("fog"), words, panel=LIGHT_PANEL)
        if found.ground:
            r, g, b = (round(255 * it) for it in ground_color(found.ground, found.second_alpha))
            words = _("{r}, {g}, {b}: {layers}, unfiltered", r=r, g=g, b=b, layers=self._layers())
            yield CardLine(
                _("color"), words, self._place(FACE.name, found.hit.triangle if found.hit else None)
            )
        elif found.texel is not None:
            r, g, b = (round(255 * it) for it in light.times(found.texel, found.lightmap))
            words = _("{r}, {g}, {b}: texel times first color, plus second color, unfiltered", r=r, g=g, b=b)
            yield CardLine(_("color"), words, Place(found.texel.texture.address))

    def _layers(self) -> str:
        """Steps to the color of the ground, with the texels of each material."""
        parts = []
        for layer in self._found.ground:
            name = self._document.materials.rows[layer.row].name or str(layer.row)
            texels = [it for it in (layer.texel, layer.micro) if it is not None]
            factors = " x ".join("({}, {}, {})".format(*it.color[:3]) for it in texels)
            parts.append(f"{name} {factors} x 2" if layer.micro is not None else f"{name} {factors}")
        return _(" under ").join(parts)

    def _highlight(self, light: LightSum) -> str:
        """The text of the highlight: its color, and the exponent of its sharpness."""
        color = numbers(light.highlight)
        if not light.power:
            return _("{color}, none of power 0", color=color)
        sharp = f"{exponent(light.power):g}"
        return _(
            "{color}, exponent {exponent} of power {power}", color=color, exponent=sharp, power=light.power
        )

    def pose(self) -> Iterator[CardLine]:
        node = None if self._found.hit is None else self._found.hit.node
        for trace, weight in self._found.traces:
            share = "" if weight == 1 else _("{share} of it: ", share=f"{weight:.4g}")
            source = _POSES[trace.source].format(
                key=trace.key, following=trace.following, share=f"{trace.alpha:.4g}"
            )
            words = _("{share}frame {time}: {source}", share=share, time=f"{trace.time:g}", source=source)
            row = (NODE.name, node) if trace.key is None else (KEY.name, trace.key)
            yield CardLine(_("pose"), words, self._place(*row))

    def ranges(self) -> Iterator[CardLine]:
        return range_lines(self._found.ranges, self._found.source)


def _stored(field: Field, values: tuple[float, ...]) -> str:
    """The stored numbers of a stream, and those that they stand for."""
    words = numbers(values)
    scale = field.scale
    return f"{words} = {numbers(value / scale for value in values)}" if scale else words
