"""A texture before and after, and an open model with both: a line in each image is dragged between them."""

from __future__ import annotations

from functools import partial
from typing import Final

from imgui_bundle import ImVec2, imgui
from msgspec.structs import replace

from viewer.model.material.materials import TextureRef
from viewer.operations.textures.texture_folders import ReturnedTexture, ReturnPlan
from viewer.session.importing import RetexturedModel, TextureReturn, tabs_with, unit_of
from viewer.session.opened.tabs import Tab, TabKey
from viewer.session.play.unit_posing import UnitLook, framed, placed
from viewer.session.selection import Selection
from viewer.session.view.camera import Size
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.textures import TextureView, usual_channels
from viewer.session.view.view_state import ViewState
from viewer.translation import _, translated
from viewer.ui.context import UiContext, ViewChange
from viewer.ui.material.texture_viewport import draw_board
from viewer.ui.stage.orbit_image import draw_orbit_image
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.floating import Area
from viewer.ui.widgets.widgets import empty, readable, text, tooltip, wrapped
from viewer.ui.widgets.wipe import Wipe

PICTURE_SHARE: Final = 0.45
"""Share of the height that the texture takes above a model."""
SLOTS: Final = 3, 4
"""The images of units that are drawn before and after; those of a comparison are 1 and 2."""


class TextureWipes:
    """Draws both wipes, whose lines move together; owner: the window of the textures."""

    def __init__(self) -> None:
        self._wipe = Wipe()
        self._pictures, self._users = Cached(_pictures_of), Cached(_users_of)
        self._tab: int | None = None
        self._asked: tuple[object, object] | None = None
        self._view = ViewState()
        self._seen: TabKey = (0, None)

    def draw(self, frame: UiContext, asked: TextureReturn, chosen: ReturnedTexture) -> None:
        """Draw a texture, and below it a model that shows changed ones, in the room that is left."""
        plan = asked.plan
        users = () if plan is None else self._tabs(frame, plan)
        room, gap = imgui.get_content_region_avail(), imgui.get_style().item_spacing.y
        below = imgui.get_text_line_height_with_spacing() if not users else room.y * (1 - PICTURE_SHARE)
        size = ImVec2(room.x, max(room.y - below - gap, theme.em(4)))
        self._draw_picture(frame, chosen, size)
        if not users:
            text(_("Open a model that shows these textures to see them on it."), theme.DIM)
        elif plan is not None:
            self._draw_model(frame, asked, plan, users)

    def _draw_picture(self, frame: UiContext, chosen: ReturnedTexture, size: ImVec2) -> None:
        """Draw the largest level before and after, one over the other, as large as there is room."""
        before, after = self._pictures.of((chosen,), chosen)
        corner = imgui.get_cursor_screen_pos()
        level = chosen.after.levels[0]
        scale = min(size.x / level.width, size.y / level.height)
        width, height = level.width * scale, level.height * scale
        left, top = corner.x + (size.x - width) / 2, corner.y + (size.y - height) / 2
        area = Area(left, top, width, height)
        self._wipe.move("wipe_picture", area, is_anywhere=True)
        imgui.dummy(size)
        draw_board(imgui.get_window_draw_list(), *area.corners)
        # Both fill the same area, whatever their sizes: so they lie on a model.
        for part, draw in ((before, self._wipe.draw_first), (after, self._wipe.draw_second)):
            image = frame.lookups.texture(part)
            if image is not None:
                draw(image, area)
        self._wipe.draw_line(area)

    def _tabs(self, frame: UiContext, plan: ReturnPlan) -> tuple[Tab, ...]:
        """The tabs of now that show changed textures."""
        opened = frame.state.tabs.opened
        found = self._users.of((plan, *(it.document or it.resource for it in opened)), opened, plan)
        return tuple(tab for it in found if (tab := frame.state.tabs.find(it)) is not None)

    def _draw_model(
        self, frame: UiContext, asked: TextureReturn, plan: ReturnPlan, users: tuple[Tab, ...]
    ) -> None:
        """Draw the chosen model with the textures of now and with the others."""
        tab = self._choose(frame, users)
        shown, model = tab.document or unit_of(tab), asked.model
        if self._asked != (plan, shown):
            self._asked = plan, shown
            frame.later(frame.control.textures.compare, tab)
        if model is None or model.shown is not shown:
            empty(_("Reading {name}…", name=readable(_name_of(tab))))
        elif model.problem:
            wrapped(translated(model.problem), theme.ERROR)
        else:
            area = Area.of_room()
            self._look_at(tab.key, model, area)
            self._draw_images(frame, model, area)

    def _choose(self, frame: UiContext, users: tuple[Tab, ...]) -> Tab:
        """Draw the choice of a model if there are several; return the chosen one, at first that in front."""
        by_identity = {it.identity: it for it in users}
        front = frame.state.tabs.active.identity
        usual = front if front in by_identity else users[0].identity
        chosen = self._tab if self._tab in by_identity else usual
        names = {key: readable(_name_of(it)) for key, it in by_identity.items()}
        if len(users) > 1:
            controls.label(_("On the model"))
            self._tab = chosen = controls.choose("##model", names, chosen, -1, prefix="model")
        else:
            text(_("On the model {name}", name=names[usual]), theme.DIM)
            tooltip(readable(str(by_identity[usual].address)))
        return by_identity[chosen if chosen is not None else usual]

    def _look_at(self, key: TabKey, model: RetexturedModel, area: Area) -> None:
        """Begin with the view of the tab, once for each: all of it, textures alone, at rest."""
        if self._seen != key:
            self._seen = key
            self._view = replace(
                model.view,
                shading=Shading.TEXTURED,
                overlays=frozenset(),
                selection=Selection(),
                flash=frozenset(),
                is_playing=False,
            )
            self._frame(model, area)

    def _draw_images(self, frame: UiContext, model: RetexturedModel, area: Area) -> None:
        own = replace(frame, view=self._view, change=self._change)
        images: list[int] = []

        def image(pixels: Size) -> int:
            units = model.before, model.after
            looks = [UnitLook(unit, self._view, pixels) for unit in units]
            images.extend(map(frame.lookups.unit_image, looks, SLOTS))
            return images[0]

        # The line first: what lies over the image gets the mouse if it was there before.
        self._wipe.move("wipe_model", area)
        frame_all = partial(self._frame, model, area)
        draw_orbit_image(own, "model", ImVec2(area.width, area.height), image, frame_all)
        if images:
            self._wipe.draw_second(images[1], area, is_flipped=True)
            self._wipe.draw_line(area)

    def _frame(self, model: RetexturedModel, area: Area) -> None:
        parts, aspect = placed(model.before, self._view), area.width / max(area.height, 1.0)
        self._view = replace(self._view, camera=framed(parts, self._view.camera, aspect))

    def _change(self, change: ViewChange) -> None:
        self._view = change(self._view)


def _pictures_of(chosen: ReturnedTexture) -> tuple[TextureView, TextureView]:
    """The largest levels before and after, in the channels that show what the texture looks like."""
    channels = usual_channels(chosen.before)
    before, after = (
        TextureView(TextureRef(chosen.address, chosen.name, it), 0, channels)
        for it in (chosen.before, chosen.after)
    )
    return before, after


def _users_of(opened: tuple[Tab, ...], plan: ReturnPlan) -> tuple[int, ...]:
    return tuple(tab.identity for tab in tabs_with(opened, plan))


def _name_of(tab: Tab) -> str:
    return tab.address.name if tab.address else ""
