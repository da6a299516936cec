"""Saved views: the state links of a file, with names; kept in the settings, never in the file."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.errors import UsageError
from viewer.model.store.address import Address
from viewer.session.opened.document import Document
from viewer.session.view.state_link import SavedView, SavedViews, StateLink
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.floating import Floating
from viewer.ui.widgets.widgets import empty, ghost_button, identified, text, wrapped


class SavedViewsWindow(Floating):
    """The views of the file of the open model: save, name, go, copy, delete."""

    id = "saved_views"
    title = _("Saved views")
    size = 26, 20

    def draw(self, frame: UiContext) -> None:
        """Draw the window if it is open."""
        with self.window() as is_shown:
            if not is_shown:
                return
            if frame.document is None:
                empty(_("The saved views of the open model appear here."))
                return
            self._draw_views(frame, frame.document)

    def _draw_views(self, frame: UiContext, document: Document) -> None:
        file = str(document.address.path)
        views = frame.state.settings.views.get(file, ())
        hint = _("Selection, LOD, group, time, camera, shading and look, as a state link in the settings")
        if controls.button(f"{fa.ICON_FA_PLUS}  {_('Save this view')}", "save_view", hint):
            link = str(StateLink.of(document, frame.view))
            frame.later(frame.control.settings.keep_views, file, (*views, SavedView(_unused(views), link)))
        if not views:
            wrapped(_("No view of this file is saved."), theme.DIM)
        for number, view in enumerate(views):
            with identified(number):
                changed = self._draw_one(frame, file, view)
            if changed is not view:
                kept = () if changed is None else (changed,)
                frame.later(
                    frame.control.settings.keep_views, file, (*views[:number], *kept, *views[number + 1 :])
                )

    def _draw_one(self, frame: UiContext, file: str, view: SavedView) -> SavedView | None:
        """Draw the line of a view; return what it becomes, None if it is deleted."""
        if ghost_button(fa.ICON_FA_EYE, "go", _("Show this view"), theme.ACCENT):
            with suppress(UsageError):  # the settings may have been written by hand
                link = StateLink.parse(view.link)
                frame.later(frame.control.opening.open_link, link.within(Address(Path(file))))
        imgui.same_line()
        if ghost_button(fa.ICON_FA_COPY, "copy", _("Copy state link"), theme.DIM):
            frame.later(frame.control.window.copy_text, view.link)
        imgui.same_line()
        is_deleted = ghost_button(fa.ICON_FA_XMARK, "delete", _("Delete"), theme.DIM)
        imgui.same_line()
        imgui.set_next_item_width(theme.em(10))
        _changed, name = imgui.input_text("##name", view.name)
        is_named = imgui.is_item_deactivated_after_edit()
        imgui.same_line()
        text(_summary(view.link), theme.DIM)
        if is_deleted:
            return None
        return view._replace(name=name) if is_named else view


def _unused(views: SavedViews) -> str:
    """A name that no view has."""
    names = {view.name for view in views}
    numbers = range(1, len(views) + 2)
    return next(it for it in (_("view {number}", number=number) for number in numbers) if it not in names)


def _summary(link: str) -> str:
    """The entry, LOD and group of a link; empty if it cannot be read."""
    try:
        known = StateLink.parse(link)
    except UsageError as error:
        return str(error)
    cell = _("LOD {lod}, group {group}", lod=known.values.get("lod"), group=known.values.get("group"))
    return f"{known.address.name}: {cell}" if known.address.entries else cell
