"""The bookmarks of a payload: a button with a list, in which they are named and removed."""

from __future__ import annotations

from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.model.store.address import Address
from viewer.session.opened.payload_bytes import Bookmark
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.widgets import theme
from viewer.ui.widgets.widgets import ghost_button, icon_button, identified, labeled

POPUP: Final = "bookmarks"
_NAME: Final = 14.0
"""Width of the name of a bookmark, font heights."""


class BookmarkList:
    """Draws the bookmarks; owner: a view."""

    def add(self, frame: UiContext, address: Address, offset: int, name: str) -> None:
        """Add a bookmark, or give the one at its offset another name."""
        others = (it for it in frame.state.settings.bookmarks_of(address) if it.offset != offset)
        frame.commands.window.keep_bookmarks(address, tuple(sorted((*others, Bookmark(offset, name)))))

    def draw(self, frame: UiContext, address: Address, cursor: int, size: int) -> int | None:
        """Draw the button and its list; return the offset to go to."""
        if icon_button(fa.ICON_FA_BOOKMARK, "bookmarks", _("Bookmarks")):
            imgui.open_popup(POPUP)
        if not imgui.begin_popup(POPUP):
            return None
        if imgui.menu_item_simple(labeled(_("Add bookmark at 0x{offset:X}", offset=cursor), "add")):
            self.add(frame, address, cursor, "")
        asked = None
        for bookmark in frame.state.settings.bookmarks_of(address):
            with identified(f"{bookmark.offset}"):
                if self._draw_one(frame, address, bookmark) and bookmark.offset < size:
                    asked = bookmark.offset
                    imgui.close_current_popup()
        imgui.end_popup()
        return asked

    def _draw_one(self, frame: UiContext, address: Address, bookmark: Bookmark) -> bool:
        """Draw the line of a bookmark; tell whether it is to be shown."""
        is_asked = bool(imgui.text_link(labeled(f"0x{bookmark.offset:X}", "to")))
        imgui.same_line(theme.em(6))
        imgui.set_next_item_width(theme.em(_NAME))
        _changed, name = imgui.input_text("##name", bookmark.name)
        if imgui.is_item_deactivated_after_edit():
            self.add(frame, address, bookmark.offset, name)
        imgui.same_line()
        if ghost_button(fa.ICON_FA_XMARK, "remove", _("Remove"), theme.DIM):
            kept = frame.state.settings.bookmarks_of(address)
            frame.commands.window.keep_bookmarks(address, tuple(it for it in kept if it != bookmark))
        return is_asked
