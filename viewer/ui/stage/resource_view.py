"""A resource that is not a model in the middle of the window: its view, fields and bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from imgui_bundle import imgui

from viewer.model.kinds.registry import ARCHIVE, ARCHIVES, EXPLOSION, MATERIAL, PACKED, SKY, WEAR
from viewer.model.store.place import Place
from viewer.session.field_text import size_text
from viewer.session.opened.opened_resource import OpenedResource
from viewer.translation import _, translated
from viewer.ui.context import UiContext
from viewer.ui.fields.resource_links import draw_link
from viewer.ui.stage.archive_view import ArchiveView, OverviewPage
from viewer.ui.stage.controller_view import ControllerView
from viewer.ui.stage.effect_view import EffectView, ExplosionView
from viewer.ui.stage.material_view import MaterialView, WearView
from viewer.ui.stage.page import BytesPage, FieldsPage, ImagePage, Page, PalettePage, UsersPage
from viewer.ui.stage.sky_view import SkyView
from viewer.ui.stage.text_view import TextView
from viewer.ui.stage.units.unit_sheet_page import UnitSheetPage
from viewer.ui.stage.units.unit_view import ObjectView, UnitView
from viewer.ui.viewport.stage_view import StageView
from viewer.ui.widgets import theme
from viewer.ui.widgets.icons import icon_of
from viewer.ui.widgets.widgets import copy_menu, labeled, readable, text, tooltip, wrapped

_BY_KIND: Final[Mapping[str, Callable[[StageView], Page]]] = {
    ARCHIVE.id: lambda _ignored: ArchiveView(),
    PACKED.id: lambda _ignored: ArchiveView(),
    MATERIAL.id: lambda _ignored: MaterialView(),
    WEAR.id: lambda _ignored: WearView(),
    "fxid": EffectView,
    "control": lambda _ignored: ControllerView(),
    EXPLOSION.id: ExplosionView,
    "objects": lambda _ignored: ObjectView(),
    "units": UnitView,
    SKY.id: lambda _ignored: SkyView(),
}
"""The page that a kind has before those that any payload may have."""


class ResourceView:
    """A payload with pages under tabs.

    Parameters
    ----------
    stage
        Draws what is shown in space.
    """

    def __init__(self, stage: StageView) -> None:
        self._stage = stage
        self._opened: OpenedResource | None = None
        self._pages: tuple[Page, ...] = ()
        self._asked: Place | None = None

    def draw(self, frame: UiContext, opened: OpenedResource) -> None:
        """Draw the name and the selected page."""
        if opened is not self._opened:
            self._pages, self._opened = self._kept(_pages(opened, self._stage)), opened
        _draw_heading(frame, opened)
        if opened.problem:
            wrapped(translated(opened.problem), theme.ERROR)
        for note in opened.notes:
            wrapped(translated(note), theme.DIM)
        chosen = self._revealing(frame, opened)
        if opened.is_folder:
            self._pages[0].draw(frame, opened)
            return
        name = "##sides" if opened.texture else f"##sides_{self._pages[0].id}"
        if not imgui.begin_tab_bar(name, imgui.TabBarFlags_.draw_selected_overline):
            return
        for page in self._pages:
            flags = imgui.TabItemFlags_.set_selected if page is chosen else imgui.TabItemFlags_.none
            if imgui.begin_tab_item(labeled(str(page.title), page.id), None, flags)[0]:
                page.draw(frame, opened)
                imgui.end_tab_item()
        imgui.end_tab_bar()

    def _kept(self, pages: Iterator[Page]) -> tuple[Page, ...]:
        """The pages, those kept that there were before: the payload was read again."""
        known = {page.id: page for page in self._pages}
        return tuple(known.get(page.id, page) for page in pages)

    def _revealing(self, frame: UiContext, opened: OpenedResource) -> Page | None:
        """The page that shows a place that was just requested, None if there is none."""
        place, is_news = frame.state.reveal, frame.state.reveal is not self._asked
        self._asked = place
        if place is None or not is_news or place.address != opened.address or not place.table:
            return None
        return next((page for page in self._pages if page.reveal(opened, place)), None)


def _pages(opened: OpenedResource, stage: StageView) -> Iterator[Page]:
    """Yield the pages of a payload, the first one shown first; a folder has one."""
    if opened.is_folder:
        yield OverviewPage()
        return
    if opened.texture is not None:
        yield ImagePage()
        if opened.texture.texture.palette is not None:
            yield PalettePage()
    if opened.value is not None and opened.kind in _BY_KIND:
        yield _BY_KIND[opened.kind](stage)
        if opened.kind in ARCHIVES:
            yield OverviewPage()
    if opened.sheet is not None:
        yield UnitSheetPage()
    if opened.parts is not None:
        yield FieldsPage()
    if opened.text is not None:
        yield TextView()
    yield BytesPage()
    yield UsersPage()


def _draw_heading(frame: UiContext, opened: OpenedResource) -> None:
    """Draw the name, the kind and the size, and a link to the model that it belongs to."""
    text(f"{icon_of(opened.kind)}  {readable(opened.address.name)}")
    tooltip(str(opened.address))
    copy_menu("copy_address", str(opened.address))
    imgui.same_line()
    text(subtitle(opened), theme.DIM)
    if opened.links.model:
        imgui.same_line()
        text(_("of"), theme.DIM)
        imgui.same_line()
        draw_link(frame, "model", opened.links.model.name, Place(opened.links.model))


def subtitle(opened: OpenedResource) -> str:
    """The kind of the resource, and the size; a folder has none, and its place instead."""
    if opened.is_folder:
        return readable(str(opened.address.path.parent))
    return f"{opened.kind_title}, {size_text(len(opened.data))}"
