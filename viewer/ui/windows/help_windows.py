"""What the menu Help opens: the manual, the list of all keys, the about box."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.model.query.names import NameFilter
from viewer.session.program import Component
from viewer.translation import _
from viewer.ui.actions.actions import Action
from viewer.ui.context import UiContext
from viewer.ui.frame.menus import path_text
from viewer.ui.widgets import theme
from viewer.ui.widgets.filter_field import FilterField
from viewer.ui.widgets.floating import Floating
from viewer.ui.widgets.widgets import labeled, text, tooltip, wrapped
from viewer.ui.windows.manual_window import ManualWindow

MOUSE: Final = (
    (_("Left or middle drag"), _("Orbit")),
    (_("Shift + left or middle drag, right drag"), _("Pan")),
    (_("Wheel"), _("Zoom towards the cursor")),
    (_("Click"), _("Select (click again: next object behind; Ctrl: add to selection)")),
    (_("Double click"), _("Frame the object under the cursor")),
    (_("Alt + click"), _("Why this pixel: triangle, material, light, pose and bytes")),
    (_("Right click"), _("Context menu of what is under the cursor")),
    (_("Back and forward buttons"), _("Previous and next selection")),
    (_("Click on a key of the timeline"), _("Select it")),
    (_("Ctrl + click, Shift + click on a row"), _("Select several rows, a range of rows")),
    (_("Up / Down in the browser"), _("Open the previous or next entry of the same kind")),
    (_("Up / Down in the outline"), _("Select the previous or next part")),
    (_("F2, Delete in the outline"), _("Rename, remove the selected part")),
    (_("Arrows, F2, Esc in the tables"), _("Move the cell cursor, edit its value, leave it")),
    (_("Ctrl + click, double click on a link in the tables"), _("Go to the row that it names")),
    (_("Drag in the outline"), _("Move a part under another (Ctrl: with its keys as they are)")),
    (_("Drag the selected key of the timeline"), _("Move it in time")),
    (_("Right click on the timeline"), _("Add and remove keys, stretch frames")),
    (_("Shift + click on a slot"), _("Show that cell for this node only")),
)


class KeyList(Floating):
    """The actions with their keys, and the mouse gestures."""

    id = "keys"
    title = _("Command palette and keys")
    size = 34, 36

    def __init__(self) -> None:
        super().__init__()
        self._filter = FilterField("key_filter", _("Search keys and actions"))

    def draw(self, actions: Sequence[Action], frame: UiContext) -> None:
        """Draw the window if it is open."""
        with self.window() as is_shown:
            if is_shown:
                if imgui.is_window_appearing():
                    self._filter.clear()
                    self._filter.ask()
                self._filter.draw()
                self._run_first(actions, frame)
                self._draw_table(actions, frame)

    def _run_first(self, actions: Sequence[Action], frame: UiContext) -> None:
        """Run the first action listed when Enter is pressed in the filter."""
        chosen = [] if self._filter.is_empty else found(actions, self._filter.names, frame)
        if chosen and self._filter.is_entered:
            self._run(chosen[0], frame)

    def _run(self, action: Action, frame: UiContext) -> None:
        if action.is_enabled(frame):
            action.run(frame)
            self.is_open = False

    def _draw_table(self, actions: Sequence[Action], frame: UiContext) -> None:
        flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.scroll_y | imgui.TableFlags_.no_saved_settings
        if not imgui.begin_table("##keys", 3, flags, imgui.get_content_region_avail()):
            return
        imgui.table_setup_column("action", imgui.TableColumnFlags_.width_stretch, 1.3)
        imgui.table_setup_column("keys", imgui.TableColumnFlags_.width_stretch, 1.0)
        imgui.table_setup_column("menu", imgui.TableColumnFlags_.width_stretch, 0.7)
        for action in found(actions, self._filter.names, frame):
            self._draw_action(action, frame)
        for keys, what in MOUSE:
            mouse = _("Mouse")
            if self._filter.names.matches(f"{keys} {what} {mouse}"):
                _draw_row(str(what), str(keys), mouse)
        imgui.end_table()

    def _draw_action(self, action: Action, frame: UiContext) -> None:
        """Draw the row of an action; a click runs it."""
        imgui.table_next_row()
        imgui.table_next_column()
        flags = imgui.SelectableFlags_.span_all_columns
        reason = action.reason(frame)
        imgui.begin_disabled(bool(reason))
        if imgui.selectable(labeled(action.text(frame), action.id), False, flags)[0]:
            self._run(action, frame)
        imgui.end_disabled()
        if reason:
            tooltip(reason)
        imgui.table_next_column()
        if action.keys:
            text(keys_text(action), theme.ACCENT)
        else:
            text(reason, theme.FAINT)
        imgui.table_next_column()
        text(path_text(action.menu), theme.FAINT)


def found(actions: Sequence[Action], requested: NameFilter, frame: UiContext | None = None) -> list[Action]:
    """Return the actions whose name, menu or keys pass the filter; those with keys come first."""
    passing = [
        action
        for action in actions
        if requested.matches(f"{action.text(frame)} {path_text(action.menu)} {keys_text(action)}")
    ]
    return sorted(passing, key=lambda action: not action.keys)


def keys_text(action: Action) -> str:
    """Return the keys of an action."""
    return "  ".join(chord.text for chord in action.chords)


def _draw_row(*cells: str) -> None:
    imgui.table_next_row()
    for words, color in zip(cells, (theme.TEXT, theme.ACCENT, theme.FAINT), strict=True):
        imgui.table_next_column()
        wrapped(words, color)


class AboutWindow(Floating):
    """What the program is made of and runs on."""

    id = "about"
    title = _("About mshview")
    size = 38, 34

    def draw(self, frame: UiContext) -> None:
        """Draw the window if it is open."""
        with self.window() as is_shown:
            if is_shown:
                _draw_content(frame)


def _draw_content(frame: UiContext) -> None:
    about = frame.state.about
    wrapped(_("Viewer and inspector for models and archives of Parkan: Iron Strategy (1998)."), theme.DIM)
    imgui.spacing()
    if imgui.button(labeled(f"{fa.ICON_FA_COPY}  {_('Copy for a bug report')}", "copy_about")):
        frame.commands.window.copy_text(about.text)
    imgui.separator_text(_("Program"))
    _draw_components("program", about.shipped)
    imgui.separator_text(_("System"))
    _draw_rows("system", about.system)
    imgui.separator_text(_("Uses"))
    _draw_components("used", about.used)


def _draw_components(name: str, components: Iterable[Component]) -> None:
    _draw_rows(name, ((it.name, it.version, it.license) for it in components))


def _draw_rows(name: str, rows: Iterable[tuple[str, ...]]) -> None:
    """Draw rows of texts, the first column dimmed."""
    rows = list(rows)
    columns = max(map(len, rows), default=0)
    if not columns or not imgui.begin_table(f"##{name}", columns, imgui.TableFlags_.no_saved_settings):
        return
    imgui.table_setup_column("name", imgui.TableColumnFlags_.width_fixed, theme.em(11))
    for row in rows:
        imgui.table_next_row()
        for color, cell in zip((theme.DIM, theme.TEXT, theme.TEXT), row, strict=False):
            imgui.table_next_column()
            wrapped(cell, color)
    imgui.end_table()


class HelpWindows:
    """The windows of the menu Help; owner: the shell."""

    def __init__(self) -> None:
        self.manual, self.keys, self.about = ManualWindow(), KeyList(), AboutWindow()

    def actions(self) -> Iterator[Action]:
        """Yield what opens them."""
        for name, title, window, keys in (
            ("help.manual", _("Manual"), self.manual, "Shift+F1"),
            ("help.keys", _("Command palette and keys"), self.keys, "F1 Ctrl+P"),
            ("help.about", _("About…"), self.about, ""),
        ):
            yield Action(name, "help", title, partial(_toggle, window), keys, needs_document=False)

    def draw(self, actions: Sequence[Action], frame: UiContext) -> None:
        """Draw those that are open."""
        self.manual.draw()
        self.keys.draw(actions, frame)
        self.about.draw(frame)


def _toggle(window: Floating, _frame: UiContext) -> None:
    window.toggle()
