"""The manual on screen: a list of its sections, by search, and one of them."""

from __future__ import annotations

from imgui_bundle import ImVec2, imgui, rich_md

from viewer.resources import bundled_path
from viewer.session.manual import ManualSection, linked, read_manual, shown_text
from viewer.translation import _
from viewer.ui.widgets import theme
from viewer.ui.widgets.filter_field import FilterField
from viewer.ui.widgets.floating import Floating
from viewer.ui.widgets.widgets import empty, labeled


class ManualWindow(Floating):
    """A list of the sections on the left, the chosen one on the right; owner: the shell."""

    id = "manual"
    title = _("Manual")
    size = 76, 44

    def __init__(self) -> None:
        super().__init__()
        self._search = FilterField("manual_search", _("Search the manual"), _("All words, in any order."))
        self._sections: tuple[ManualSection, ...] = ()
        self._shown: ManualSection | None = None
        self._text, self._turned = "", False
        self._context: rich_md.Context | None = None

    def draw(self) -> None:
        """Draw the window if it is open."""
        with self.window() as is_shown:
            if is_shown:
                self._read()
                width = min(theme.em(20), imgui.get_content_region_avail().x * 0.35)
                imgui.begin_child("##sections", ImVec2(width, 0))
                self._search.draw()
                imgui.spacing()
                self._draw_list()
                imgui.end_child()
                imgui.same_line()
                imgui.begin_child("##section")
                self._draw_section()
                imgui.end_child()

    def _read(self) -> None:
        """Read the pages when the window is first opened."""
        if not self._sections:
            options = rich_md.MarkdownOptions()
            options.callbacks.on_open_link = self._follow
            self._context = rich_md.create_context(options)
            self._sections = read_manual(bundled_path("docs"))
            self._turn_to(self._sections[0])

    def _draw_list(self) -> None:
        """Draw the pages, of the shown one its sections, or what the search finds."""
        words = self._search.text.strip()
        imgui.begin_child("##list")
        found = [it for it in self._sections if it.has(words)] if words else self._outline()
        if not found:
            empty(_("No section has these words."))
        for section in found:
            imgui.indent(theme.em(section.level))
            label = labeled(section.title, f"section{self._sections.index(section)}")
            if imgui.selectable(label, section is self._shown)[0]:
                self._turn_to(section)
            imgui.unindent(theme.em(section.level))
        imgui.end_child()

    def _outline(self) -> list[ManualSection]:
        page = self._shown.page if self._shown else ""
        return [it for it in self._sections if it.level == 1 or it.page == page]

    def _turn_to(self, section: ManualSection) -> None:
        self._shown, self._turned = section, True
        self._text = shown_text(section, self._sections)

    def _draw_section(self) -> None:
        if self._turned:
            imgui.set_scroll_y(0.0)
            self._turned = False
        if self._context:
            rich_md.set_current_context(self._context)
            rich_md.render(self._text)

    def _follow(self, link: str) -> None:
        section = linked(link, self._sections)
        if section:
            self._turn_to(section)
