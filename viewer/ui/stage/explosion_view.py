"""An explosion: what it does, and the effect of each of its twelve slots, each played."""

from __future__ import annotations

from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.dataclass import replace
from viewer.formats.meaning import meaning
from viewer.formats.neighbors.explosion import HEADER, SLOT, SURFACES, Explosion
from viewer.formats.part import find
from viewer.formats.text import decode
from viewer.model.kinds.registry import EFFECT
from viewer.model.store.place import Place
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.play.model_effects import slot_of
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.fields.part_rows import field_of
from viewer.ui.fields.resource_links import ResourceLinks
from viewer.ui.fields.row_table import RowColumn, RowList, row_of
from viewer.ui.stage.effect_controls import set_stage
from viewer.ui.stage.effect_view import EffectView
from viewer.ui.widgets import theme
from viewer.ui.widgets.field_text import cell_text, float_text
from viewer.ui.widgets.widgets import ghost_button, text, tooltip, wrapped

HINT: Final = _("The size is the radius times that of the node; on a projectile the radius alone")


class ExplosionView:
    """One explosion, playing in one of its slots; below it all slots."""

    id = "slots"
    title = _("Explosion")

    def __init__(self) -> None:
        self._stage = EffectView()
        self._table = RowList("##slots")

    def reveal(self, opened: OpenedResource, place: Place) -> bool:
        """Show the row of a place; return whether it is one of a slot."""
        part = find(opened.parts, SLOT.name) if opened.parts else None
        if part is None or place.table != SLOT.name or place.row is None:
            return False
        self._table.reveal(part, place.row, place.field)
        return True

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw what it does, the effect of the chosen slot, and the slots."""
        explosion: Explosion = opened.value
        wrapped(header_text(explosion), theme.DIM)
        tooltip(str(HINT))
        loaded = slot_of(opened, frame.view)
        if loaded is None:
            text(_("none of its effects can be read"), theme.WARNING)
        else:
            shown = replace(
                opened,
                address=loaded.address,
                kind=EFFECT.id,
                value=loaded.effect,
                effect_materials=loaded.materials,
            )
            self._stage.draw_stage(frame, shown)
        part = find(opened.parts, SLOT.name) if opened.parts else None
        if part is not None:
            links = ResourceLinks(frame, opened.links, self._table.editor, kind=opened.kind)
            self._table.draw(part, self._columns(frame, opened, explosion, links), links)

    def _columns(
        self, frame: UiContext, opened: OpenedResource, explosion: Explosion, links: ResourceLinks
    ) -> tuple[RowColumn, ...]:
        part = find(opened.parts, SLOT.name) if opened.parts else None
        assert part is not None

        def draw_play(row: int) -> None:
            has_effect = row < len(opened.slots) and opened.slots[row] is not None
            imgui.begin_disabled(not has_effect)
            color = theme.ACCENT if row == frame.view.playback.stage.slot else theme.TEXT
            if ghost_button(fa.ICON_FA_PLAY, f"slot{row}", _("Play the effect of this slot"), color):
                set_stage(frame, slot=row)
            imgui.end_disabled()

        def draw_surface(row: int) -> None:
            text(str(_("default")) if not row else f"{row - 1}: {SURFACES[row - 1]}")

        def draw_field(row: int, field: str) -> None:
            name = explosion.names[row][("archive", "effect").index(field)]
            links.draw_field(field_of(row_of(part, row), field), decode(name), theme.TEXT)

        return (
            RowColumn("", 2, draw_play),
            RowColumn(_("Surface"), 6, draw_surface),
            RowColumn(_("Effect"), 1, lambda row: draw_field(row, "effect"), is_stretched=True),
            RowColumn(_("Archive"), 1, lambda row: draw_field(row, "archive"), is_stretched=True),
        )


def header_text(explosion: Explosion) -> str:
    """Return kind, damage, radius and placement of an explosion, as one line."""
    header = explosion.header
    kind, placement = HEADER.field("kind"), HEADER.field("placement")
    parts = (
        meaning(kind, header["kind"]) or cell_text(kind, header["kind"]),
        _("damage {damage}", damage=float_text(header["damage"])),
        _("radius {radius}", radius=float_text(header["radius"])),
        _("axis: {axis}", axis=meaning(placement, header["placement"])),
    )
    return "  ·  ".join(parts)
