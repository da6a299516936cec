"""Description of a material: phases, animation, lightmap, stored fields, and how it was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import numpy as np
from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui
from msgspec import Struct

from viewer.formats import mat0
from viewer.formats.record import flags_text
from viewer.model.material.materials import (
    AlphaKind,
    Blend,
    BlendMask,
    Block,
    Layer,
    Material,
    Phase,
    TraceStep,
    blend_index,
)
from viewer.model.material.phases import PhaseMoment, PhaseState, segments
from viewer.model.mesh.reading import Reading
from viewer.model.store.address import Address
from viewer.model.store.place import Place
from viewer.session.field_text import counted
from viewer.translation import Text, _, translated
from viewer.ui.context import UiContext
from viewer.ui.fields import resource_links
from viewer.ui.fields.field_view import NO_LINKS, EntryEditing, RecordEditing, draw_facts, draw_record
from viewer.ui.material.material_player import mode_text
from viewer.ui.widgets import theme
from viewer.ui.widgets.table_grid import table_rows
from viewer.ui.widgets.widgets import (
    colored,
    copy_menu,
    identified,
    labeled,
    swatch,
    text,
    tooltip,
    wrapped,
    wrapped_link,
)

MOST_PHASES: Final = 64
MOST_KEYS: Final = 64
"""Most keys that are drawn; the rest is counted. The opened entry lists all."""
BYTE_WIDTH: Final = 1.8
"""Width of a byte of a color, font heights."""
_MASKS: Final[Mapping[int, Text]] = {
    BlendMask.AMBIENT: _("ambient"),
    BlendMask.DIFFUSE: _("diffuse"),
    BlendMask.SPECULAR: _("specular"),
    BlendMask.EMISSIVE: _("emissive"),
    BlendMask.AMBIENT_ALPHA: _("ambient alpha"),
}
_ALPHAS: Final = {
    AlphaKind.NONE: _("none"),
    AlphaKind.GLOSS: _("gloss"),
    AlphaKind.CUTOUT: _("cut-out"),
    AlphaKind.TRANSLUCENT: _("translucent"),
}
_TABLE = imgui.TableFlags_.row_bg | imgui.TableFlags_.borders_inner_v | imgui.TableFlags_.no_saved_settings

Show = Callable[[int, PhaseMoment], None]
"""Shows a material at a moment of one of its variants."""


class MaterialSheet(Struct, frozen=True):
    """The description of a material, except its users.

    Attributes
    ----------
    state
        How the material looks now.
    show
        Called when a key of its animation is clicked; None for an unused material.
    editing
        Edits the entry of the material; None if it has none.
    """

    frame: UiContext
    material: Material
    state: PhaseState
    reading: Reading
    show: Show | None
    editing: EntryEditing | None = None

    def draw(self) -> None:
        """Draw the phases and blocks of the material."""
        frame, material, show = self.frame, self.material, self.show
        count = len(material.phases)
        imgui.separator_text(counted(count, "{count} phase", "{count} phases"))
        for number in range(min(count, MOST_PHASES)):
            with identified(f"phase{number}"):
                self._draw_phase(number)
        _draw_rest(count, MOST_PHASES)
        for number, block in enumerate(material.blocks):
            with identified(f"block{number}"):
                imgui.separator_text(
                    _("Animation {number}: {mode}", number=number, mode=mode_text(block.mode))
                )
                _draw_block(block, None if show is None else partial(show, number))
                self._draw_stored_block(number)
        if material.lightmap is not None:
            imgui.separator_text(_("Lightmap"))
            draw_link(frame, material.lightmap.name, material.lightmap.address)
        if material.stored is not None:
            imgui.separator_text(_("Entry"))
            self._draw_header(material.stored)
        imgui.separator_text(_("How it was found"))
        if material.entry is not None:
            draw_link(frame, _("open the material's entry"), material.entry)
        for number, step in enumerate(material.steps):
            _draw_step(frame, f"step{number}", step)

    def _draw_phase(self, number: int) -> None:
        """Draw a phase as a tree node, expanded at first if it is the only one."""
        material, is_alone = self.material, len(self.material.phases) == 1
        phase, picture = material.phases[number], material.textures[number]
        is_now = self.show is not None and number == self.state.phase and not is_alone
        flags = imgui.TreeNodeFlags_.no_tree_push_on_open
        if is_alone:
            flags |= imgui.TreeNodeFlags_.default_open
        with colored(theme.ACCENT if is_now else theme.TEXT):
            is_open = imgui.tree_node_ex(labeled(phase_title(phase, number), "fold"), flags)
        if is_now:
            tooltip(_("Shown now"))
        if not is_open:
            return
        stored = material.stored.phases if material.stored else ()
        edited = self._edited(mat0.PHASE.name, number) if number < len(stored) else None
        is_reordered = picture is not None and self.frame.view.textures.reorders(picture.texture.format)
        shown = facts(phase, material.alphas[number], is_reordered=is_reordered)
        links: dict[str, Callable[[str], None]] = {}
        if picture is not None:
            links[_("texture")] = partial(draw_link, self.frame, address=picture.address)
        if edited is None:
            _draw_colors(phase)
        else:
            _draw_edited_colors(edited, stored[number], self.reading)
            field, link, choices = mat0.PHASE.field("texture"), links.get(_("texture")), self.reading.choices
            links[_("texture")] = lambda words: edited.draw(
                field, stored[number][field.name], choices, None if link is None else partial(link, words)
            )
        draw_facts("phase", shown, links)
        if number < len(stored) and _is_unfolded("stored"):
            draw_record(mat0.PHASE, stored[number], self.reading, NO_LINKS, editing=edited)

    def _edited(self, table: str, row: int | None = None) -> RecordEditing | None:
        return self.editing.of(table, row) if self.editing else None

    def _draw_header(self, stored: mat0.MaterialRecord) -> None:
        draw_facts("entry", entry_facts(self.material, stored))
        if _is_unfolded("stored_header"):
            edited = self._edited(mat0.HEADER.name)
            draw_record(mat0.HEADER, stored.header, self.reading, NO_LINKS, editing=edited)

    def _draw_stored_block(self, number: int) -> None:
        stored = self.material.stored
        if stored is None or number >= len(stored.blocks) or not _is_unfolded("stored"):
            return
        block, fields = stored.blocks[number], mat0.KEY.fields
        draw_facts("block", block_facts(block))
        columns = dict.fromkeys((_("key"), *(field.name for field in fields)), 0.0)
        rows = enumerate(block.keys[:MOST_KEYS])
        for key, row in table_rows("##keys", columns, rows, _TABLE, has_headers=True):
            edited = self._edited(f"blocks[{number}].{mat0.KEY.name}", key)
            text(str(key))
            for field in fields:
                imgui.table_next_column()
                with identified(f"{key}.{field.name}"):
                    if edited is None:
                        text(str(int(row[field.name])))
                    else:
                        edited.draw(field, row[field.name], self.reading.choices, None)
        _draw_rest(len(block.keys), MOST_KEYS)


def _draw_step(frame: UiContext, name: str, step: TraceStep) -> None:
    """Draw a sentence of the trace; a click shows what it is about."""
    color = theme.WARNING if step.is_problem else theme.DIM
    words = translated(step.text)
    if step.place is None:
        wrapped(words, color)
    elif wrapped_link(name, f"{fa.ICON_FA_ANGLE_RIGHT}  {words}", color):
        frame.later(frame.control.opening.go_to, step.place)
    else:
        tooltip(_("go to {place}", place=step.place))
    copy_menu(f"copy_{name}", words)


def draw_link(frame: UiContext, words: str, address: Address) -> None:
    """Draw a link that opens an address."""
    resource_links.draw_link(frame, f"open_{address}", words, Place(address))


def facts(phase: Phase, alpha: AlphaKind, *, is_reordered: bool = False) -> dict[str, str]:
    """Return the fields of a phase except its colors; the alpha usage is that in the usual byte order."""
    usage = _("{usage} in the usual byte order") if is_reordered else "{usage}"
    return {
        _("power"): str(phase.power),
        _("is lit"): _("yes") if phase.is_lit else _("no, it glows"),
        _("texture"): phase.texture or _("none"),
        _("page"): _("whole texture") if phase.page is None else _rectangle(phase),
        _("alpha"): usage.format(usage=_ALPHAS[alpha]),
    }


def entry_facts(material: Material, stored: mat0.MaterialRecord) -> dict[str, str]:
    """Return what the entry holds in addition to the header of the material."""
    size = mat0.header_size(stored.version)
    is_whole = size == mat0.HEADER.size
    version = _("version {version}")
    if not is_whole:
        version = _("version {version}: {size} bytes of header; the rest are the engine's defaults")
    blend = _("index {index}: {blend}")
    found = {
        "attr1": f"0x{material.attr1:08X}",
        _("flags"): flags_text(material.attr1 & ~0x3C, mat0.FLAG_HINTS),
        _("blend"): blend.format(index=blend_index(material.attr1), blend=translated(material.blend.label)),
        "attr2": version.format(version=stored.version, size=size),
    }
    if material.opacity != 1:
        words = _("alpha times {factor:.4g}, if it blends")
        found[_("plain look")] = words.format(factor=material.opacity)
    if stored.tail:
        count = counted(len(stored.tail), "{count} byte", "{count} bytes")
        found[_("tail")] = f"{count}: {stored.tail[:16].hex(' ')}"
    return found


def block_facts(block: mat0.BlockRecord) -> dict[str, str]:
    """Return the header of an animation block, raw and decoded."""
    masks = {bit: str(name) for bit, name in _MASKS.items()}
    return {
        _("header"): f"0x{block.header:08X}",
        _("mode"): f"{block.mode}: {mode_text(block.mode)}",
        _("blends"): f"0x{block.mask:X}: {flags_text(block.mask, masks)}",
    }


_LAYERS: Final = {
    Layer.FIRST: _("first material"),
    Layer.SECOND: _("second material"),
    Layer.MICROTEXTURE: _("microtexture"),
}


def summary(material: Material) -> str:
    """Return how a material is drawn, as short text."""
    parts = [translated(Blend.OPAQUE.label if material.is_solid else material.blend.label)]
    if len(material.phases) > 1:
        parts.append(counted(len(material.phases), "{count} phase", "{count} phases"))
    if len(material.blocks) > 1:
        parts.append(counted(len(material.blocks), "{count} variant", "{count} variants"))
    if material.lightmap is not None:
        parts.append(_("lightmap"))
    if material.is_see_through(material.phases[0].ambient[3]):
        parts.append(_("see-through"))
    if material.layer is not None:
        parts.append(str(_LAYERS[material.layer]))
    return ", ".join(parts)


def phase_title(phase: Phase, number: int) -> str:
    """Return the title of a phase: number, texture, page."""
    words = f"{number}  {phase.texture or _('untextured')}"
    return words if phase.page is None else f"{words}, {_rectangle(phase)}"


def _rectangle(phase: Phase) -> str:
    return _("rectangle {page}", page=phase.page)


def _draw_colors(phase: Phase) -> None:
    for name in mat0.COLORS:
        color = getattr(phase, name)
        swatch(name, (*color[:3], 1.0))
        imgui.same_line()
        text(f"{name}  {', '.join(f'{channel:.3g}' for channel in color)}")


def _draw_edited_colors(editing: RecordEditing, row: np.void, reading: Reading) -> None:
    """Draw each color with its picker, its bytes and its alpha."""
    for name in mat0.COLORS:
        for part in (name, f"{name}_alpha"):
            if part not in (row.dtype.names or ()):
                continue
            with identified(part):
                editing.draw(mat0.PHASE.field(part), row[part], reading.choices, None, width=BYTE_WIDTH)
            imgui.same_line(0, theme.em(0.8))
        text(name, theme.DIM)


def _is_unfolded(key: str) -> bool:
    return imgui.tree_node_ex(labeled(_("stored fields"), key), imgui.TreeNodeFlags_.no_tree_push_on_open)


def _draw_rest(count: int, most: int) -> None:
    if count > most:
        text(_("and {count} more, listed by the material's entry", count=count - most), theme.DIM)


def _draw_block(block: Block, show: Callable[[PhaseMoment], None] | None) -> None:
    """Draw the time span of each key; a click freezes the material there."""
    shown = segments(block)
    for segment in shown[:MOST_KEYS]:
        words = _(
            "phase {phase}, {start} to {end} ms",
            phase=block.keys[segment.key].phase,
            start=segment.start,
            end=segment.end,
        )
        if show is None:
            text(words)
        elif imgui.text_link(labeled(words, f"key{segment.key}")):
            show(PhaseMoment(segment.key))
    _draw_rest(len(shown), MOST_KEYS)
    if not block.keys:
        text(_("no keys"), theme.DIM)
