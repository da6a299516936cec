"""The viewport: the rendered image as a panel, and the mouse in it.

All input comes from ImGui, so tests use the same path as users.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import hypot
from typing import Final, Protocol

from imgui_bundle import ImVec2, imgui
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec.structs import replace

from viewer.formats.msh.batches import BATCH
from viewer.model.material.materials import MATERIALS
from viewer.model.store.place import Place
from viewer.model.tables.table_names import VERTICES
from viewer.session.field_text import counted
from viewer.session.measuring import SurfacePoint
from viewer.session.opened.document import Document
from viewer.session.pixel.explained import ExplainedPixel
from viewer.session.places import triangle_record
from viewer.session.play.stage import UnitStage, documents_of
from viewer.session.selection import Selection
from viewer.session.view.camera import Size
from viewer.session.view.view_state import hide, isolate, show_all
from viewer.translation import _
from viewer.ui.actions.actions import Action, of_stage
from viewer.ui.context import UiContext
from viewer.ui.editing.model_menu import ModelMenu
from viewer.ui.viewport.measuring import MeasureTool
from viewer.ui.viewport.mouse import ANY_BUTTON, CLICK_LIMIT, PixelArea, is_click, move_camera
from viewer.ui.widgets import key_focus, theme
from viewer.ui.widgets.widgets import icon_button, labeled, text
from viewer.ui.windows.pixel_window import PixelWindow

ITEM: Final = "viewport"
MENU: Final = "viewport_menu"
WHY_KEY: Final = "Y"
"""Explains the pixel under the pointer."""


class ViewportImage(Protocol):
    """The image of the viewport, which the application draws."""

    def texture(self, size: Size) -> int:
        """The GL name of an image of `size` pixels, bottom row first, filled before the frame is shown.

        0 as long as there is none.
        """

    def hits(self, size: Size, x: int, y: int) -> list[Selection]:
        """The objects at a pixel counted from the top left, the nearest first."""

    def vertex(self, size: Size, x: int, y: int) -> int | None:
        """The vertex of the triangle at a pixel that is nearest to it."""

    def point(self, size: Size, x: int, y: int) -> SurfacePoint | None:
        """The point of a model at a pixel; None without one."""


Explaining = Callable[[Size, int, int], ExplainedPixel | None]
"""Explains a pixel of an image of some size, counted from the top left; None if it cannot."""


class Viewport:
    """The panel in the middle.

    Attributes
    ----------
    area
        Where the image is on screen.
    is_covered
        The mouse is on something that is drawn over the image, and takes it.
    pixel_window
        Shows why a pixel looks as it does.
    measure
        Measures between points that are clicked.
    explains
        The next click explains a pixel.
    """

    id = "viewport"
    title = _("Viewport")

    def __init__(self, surface: ViewportImage, explain: Explaining) -> None:
        self._surface, self._explain = surface, explain
        self._menu = ModelMenu()
        self.pixel_window = PixelWindow()
        self.measure = MeasureTool(self._point_at)
        self._pointed = (0, 0)
        self._last_click: ImVec2 | None = None
        self._covering: Selection | None = None
        self._is_on_model = False
        self.explains = self._is_pointed = False
        self._vertex: int | None = None
        self.area = PixelArea(0, 0, 1, 1, 1)
        self.is_covered = False

    def _point_at(self, size: Size, x: int, y: int) -> SurfacePoint | None:
        return self._surface.point(size, x, y)

    @property
    def aspect(self) -> float:
        """Width over height when it was last drawn."""
        return self.area.aspect

    def actions(self) -> Iterator[Action]:
        """Yield what explains a pixel without Alt, with which many window managers move windows."""
        title, icon = _("Why this pixel"), fa.ICON_FA_EYE_DROPPER
        is_on = lambda _ignored: self.explains  # noqa: E731
        yield of_stage("select.why_pixel", title, self._ask_why, WHY_KEY, is_on=is_on, icon=icon)
        yield from self.measure.actions()

    def draw_tool_buttons(self, frame: UiContext) -> None:
        """Draw the buttons of the toolbar after which a click explains a pixel, and clicks measure."""
        self.measure.draw_button(frame)
        imgui.same_line(0, theme.em(0.15))
        hint = _("Why this pixel: click it then") + f"\n{WHY_KEY}"
        is_enabled = frame.state.stage is not None
        if icon_button(fa.ICON_FA_EYE_DROPPER, "why_pixel", hint, is_on=self.explains, is_enabled=is_enabled):
            self.explains = not self.explains

    def _ask_why(self, frame: UiContext) -> None:
        """Explain the pixel under the pointer; if it is elsewhere, the one that is clicked next."""
        if self._is_pointed and not self.explains:
            self._explain_pixel(frame, self.area.pixel(imgui.get_mouse_pos()))
        else:
            self.explains = not self.explains

    def draw(self, frame: UiContext) -> None:
        """Draw the image and handle the mouse."""
        self.area = area = PixelArea.of_room()
        corner = imgui.get_cursor_pos()
        if name := self._surface.texture(area.size):
            texture = imgui.ImTextureRef(name)
            # OpenGL stores the bottom row first, so v runs from 1 at the top to 0.
            imgui.image(texture, ImVec2(area.width, area.height), ImVec2(0, 1), ImVec2(1, 0))
        if frame.state.is_arriving:
            return
        imgui.set_cursor_pos(corner)
        if not self.is_covered:
            # Cards and the view cube lie over the image and get the mouse first.
            imgui.set_next_item_allow_overlap()
            imgui.invisible_button(ITEM, ImVec2(area.width, area.height), ANY_BUTTON)
        self._is_pointed = False
        if frame.state.stage is not None:
            if not self.is_covered:
                self._is_pointed = imgui.is_item_hovered()
                move_camera(frame, area)
                if imgui.is_item_deactivated():
                    self._release(frame, imgui.get_io())
            self._draw_explaining()
            self.measure.follow(frame, area, is_pointed=self._is_pointed and not self.explains)
            self._draw_menu(frame)

    def _draw_explaining(self) -> None:
        """Say what the next click does, at the pointer; Esc takes it back."""
        if self.explains and key_focus.takes_escape():
            self.explains = False
        if self.explains and self._is_pointed:
            imgui.set_mouse_cursor(imgui.MouseCursor_.hand)
            imgui.begin_tooltip()
            text(_("Click: why this pixel"), theme.SELECTION)
            text(_("Esc: leave"), theme.DIM)
            imgui.end_tooltip()

    def _release(self, frame: UiContext, io: imgui.IO) -> None:
        """Handle a click: left selects, right opens the menu."""
        if is_click(imgui.MouseButton_.right):
            self._point_menu(frame, io)
        elif is_click(imgui.MouseButton_.left):
            if io.key_alt or self.explains:
                self._explain_pixel(frame, self.area.pixel(io.mouse_pos))
            elif self.measure.is_active(frame):
                self.measure.add(frame, self.area, io.mouse_pos)
            elif io.mouse_clicked_last_count[imgui.MouseButton_.left] > 1:
                # The first click of the two has selected what lies beneath: what it covered is framed.
                covering, self._covering = self._covering, None
                if covering is not None:
                    frame.change(lambda view: replace(view, selection=covering))
                frame.later(frame.control.camera.frame_selection)
            else:
                self._select(frame, io, is_added=io.key_ctrl)

    def _explain_pixel(self, frame: UiContext, pixel: tuple[int, int]) -> None:
        """Show why a pixel looks as it does, and select what it shows."""
        self.explains = False
        found = self._explain(self.area.size, *pixel)
        if found is None:
            return
        self.pixel_window.show(found, self.area)
        # What plays stops, or another pixel would be under the card at once.
        frame.change(lambda view: replace(view, is_playing=False))
        if found.selection != Selection():
            frame.change(lambda view: replace(view, selection=found.selection))

    def _point_menu(self, frame: UiContext, io: imgui.IO) -> None:
        """Open the menu of what is under the cursor, which is selected first.

        One of several selected nodes keeps all of them selected, and so does what was just selected here
        beneath something else.
        """
        hits, nodes = self._hits(io), frame.view.selection.nodes
        self._is_on_model, self._pointed = bool(hits), self.area.pixel(io.mouse_pos)
        self._vertex = self._surface.vertex(self.area.size, *self.area.pixel(io.mouse_pos))
        is_chosen = self._is_again(io) and nodes[-1:] and nodes[-1] in [hit.node for hit in hits]
        is_one_of_many = len(nodes) > 1 and bool(hits) and hits[0].node in nodes
        if hits and not (is_chosen or is_one_of_many):
            self._last_click = ImVec2(io.mouse_pos.x, io.mouse_pos.y)
            frame.change(lambda view: replace(view, selection=hits[0]))
        imgui.open_popup(MENU)

    def _select(self, frame: UiContext, io: imgui.IO, *, is_added: bool) -> None:
        """Select the nearest object; at the point clicked before, the next object behind."""
        hits, selection = self._hits(io), frame.view.selection
        is_again = self._is_again(io)
        is_beneath = is_again and not is_added and selection.node in [hit.node for hit in hits]
        self._covering = selection if is_beneath else None
        self._last_click = ImVec2(io.mouse_pos.x, io.mouse_pos.y)
        if is_added:
            chosen = selection.added(hits[0] if hits else Selection())
        else:
            chosen = beneath(hits, selection.node if is_again else None)
        frame.change(lambda view: replace(view, selection=chosen))

    def _is_again(self, io: imgui.IO) -> bool:
        """Whether the last click was at the same place."""
        return self._last_click is not None and _distance(self._last_click, io.mouse_pos) < CLICK_LIMIT

    def _hits(self, io: imgui.IO) -> list[Selection]:
        return self._surface.hits(self.area.size, *self.area.pixel(io.mouse_pos))

    def _draw_menu(self, frame: UiContext) -> None:
        """The context menu of what was pointed at if the click was on the model, and of the whole view."""
        if not imgui.begin_popup(MENU):
            return
        nodes, document, stage = frame.view.selection.nodes, frame.document, frame.state.stage
        if nodes and self._is_on_model and document is not None:
            self._draw_part_items(frame, document, nodes)
            imgui.separator_text(_("Change"))
            self._menu.draw_selected(frame, document)
            imgui.separator()
        elif nodes and self._is_on_model and isinstance(stage, UnitStage):
            _draw_component_items(frame, stage, nodes)
            imgui.separator()
        if imgui.menu_item_simple(labeled(_("Why this pixel"), "why_pixel"), WHY_KEY):
            self._explain_pixel(frame, self._pointed)
        if documents_of(stage):
            _item(labeled(_("Show all"), "show_all"), lambda: frame.change(show_all))
        _item(labeled(_("Frame all"), "frame_all"), frame.later.calling(frame.control.camera.frame_all))
        imgui.end_popup()

    def _draw_part_items(self, frame: UiContext, document: Document, nodes: tuple[int, ...]) -> None:
        imgui.separator_text(_title(document, nodes))
        _draw_chosen_items(frame, nodes)
        _item(
            labeled(_("Copy names"), "copy_names"),
            lambda: frame.later(
                frame.control.window.copy_text, "\n".join(document.label(node) for node in nodes)
            ),
        )
        for name, words, place in _targets(document, frame.view.selection, self._vertex):
            _item(labeled(words, name), frame.later.calling(frame.control.opening.go_to, place))
        data = triangle_record(document, frame.view.selection)
        if data is not None:
            words = _("Go to the bytes of triangle {row}", row=data.row)
            show = frame.later.calling(frame.control.panels.show_bytes, data)
            _item(labeled(words, "go_to_bytes"), show)


def _draw_chosen_items(frame: UiContext, nodes: tuple[int, ...]) -> None:
    """The menu items for nodes, or for components of a unit."""
    _item(labeled(_("Frame"), "frame"), frame.later.calling(frame.control.camera.frame_selection))
    _item(labeled(_("Isolate"), "isolate"), lambda: frame.change(lambda view: isolate(view, nodes)))
    _item(labeled(_("Hide"), "hide"), lambda: frame.change(lambda view: hide(view, nodes)))


def _draw_component_items(frame: UiContext, stage: UnitStage, components: tuple[int, ...]) -> None:
    """The menu items for components of a unit."""
    names = [stage.shown.component_name(it) for it in components]
    imgui.separator_text(", ".join(names))
    _draw_chosen_items(frame, components)
    for component, name in zip(components, names, strict=True):
        document = stage.unit.documents.get(component)
        if document is not None:
            words = _("Open the model of {name}", name=name)
            place = Place(document.address)
            to_model = frame.later.calling(frame.control.opening.go_to, place, in_new_tab=True)
            _item(labeled(words, f"open_model{component}"), to_model)


def _targets(
    document: Document, selection: Selection, vertex: int | None
) -> Iterator[tuple[str, str, Place]]:
    """Yield id, words and place of what the menu goes to: batch, material, its textures, vertex."""
    address, batch = document.address, selection.batch
    label = document.labels.label
    if batch is not None:
        words = _("Go to batch {row}", row=label(BATCH.name, batch))
        yield "go_to_batch", words, Place(address, BATCH.name, batch)
        material = document.materials.of_batch[batch : batch + 1].tolist()
        for row in material:
            words = _("Go to material {row}", row=label(MATERIALS, row))
            yield "go_to_material", words, Place(address, MATERIALS, row)
            textures = {it.address: it.name for it in document.materials.rows[row].textures if it is not None}
            for number, (texture, name) in enumerate(textures.items()):
                yield f"go_to_texture{number}", _("Go to texture {name}", name=name), Place(texture)
    if vertex is not None:
        yield "select_vertex", _("Select vertex {row}", row=vertex), Place(address, VERTICES, vertex)


def beneath(hits: list[Selection], node: int | None) -> Selection:
    """The hit that follows the one on `node`, cyclically; an empty selection if there are no hits."""
    nodes = [hit.node for hit in hits]
    place = nodes.index(node) + 1 if node in nodes else 0
    return hits[place % len(hits)] if hits else Selection()


def _distance(a: ImVec2, b: ImVec2) -> float:
    return hypot(a.x - b.x, a.y - b.y)


def _item(label: str, run: Callable[[], None]) -> None:
    if imgui.menu_item_simple(label):
        run()


def _title(document: Document, nodes: tuple[int, ...]) -> str:
    if len(nodes) == 1:
        return document.label(nodes[0])
    return counted(len(nodes), "{count} node", "{count} nodes")
