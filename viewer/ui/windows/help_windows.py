"""The windows of the menu Help: the manual, the list of all keys, the about box."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from typing import Final, NamedTuple

from imgui_bundle import ImVec2, imgui, rich_md
from imgui_bundle import icons_fontawesome_6 as fa
from msgspec.structs import replace

from viewer.model.query.names import NameFilter
from viewer.resources import bundled_path
from viewer.session.keymap import KeyMap, KeyPreset, conflicts
from viewer.session.manual import ManualSection, linked, read_manual, shown_text
from viewer.session.program import Component
from viewer.translation import _, key_names
from viewer.ui.actions.actions import Action, always, pressed_chord
from viewer.ui.actions.synonyms import SYNONYMS
from viewer.ui.context import UiContext
from viewer.ui.frame.menus import path_text
from viewer.ui.widgets import controls, key_focus, theme
from viewer.ui.widgets.floating import Floating
from viewer.ui.widgets.input.filter_field import FilterField
from viewer.ui.widgets.names import name_of
from viewer.ui.widgets.table_grid import set_up_columns, table_rows
from viewer.ui.widgets.widgets import empty, ghost_button, icon_button, labeled, text, tooltip, wrapped
from viewer.ui.windows.report_window import ReportWindow


class AboutWindow(Floating):
    """The parts of the program and the system that it runs on."""

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
    if controls.button(f"{fa.ICON_FA_COPY}  {_('Copy for a bug report')}", "copy_about"):
        frame.later(frame.control.window.copy_text, about.text)
    imgui.separator_text(_("Program"))
    _draw_components("program", about.shipped)
    imgui.separator_text(_("System"))
    _draw_rows("system", {"name": 11, "value": 0}, about.system)
    imgui.separator_text(_("Uses"))
    _draw_components("used", about.used)


def _draw_components(name: str, components: Iterable[Component]) -> None:
    rows = ((it.name, it.version, it.license) for it in components)
    _draw_rows(name, {"name": 11, "version": 0, "license": 0}, rows)


def _draw_rows(name: str, columns: Mapping[str, float], rows: Iterable[tuple[str, ...]]) -> None:
    """Draw rows of texts, the first column dimmed."""
    for first, *others in table_rows(f"##{name}", columns, rows, imgui.TableFlags_.no_saved_settings):
        wrapped(first, theme.DIM)
        for words in others:
            imgui.table_next_column()
            wrapped(words)


class HelpWindows:
    """The windows of the menu Help; owner: the shell."""

    def __init__(self) -> None:
        self.manual, self.keys, self.about = ManualWindow(), KeyList(), AboutWindow()
        self.report = ReportWindow()

    def actions(self) -> Iterator[Action]:
        """Yield the actions that open the windows."""
        for name, title, window, keys in (
            ("help.manual", _("Manual"), self.manual, "Shift+F1"),
            ("help.keys", _("Command palette and keys"), self.keys, "F1 Ctrl+P"),
            ("help.report", _("Copy report…"), self.report, ""),
            ("help.about", _("About…"), self.about, ""),
        ):
            yield always(name, title, window.toggle, keys)

    def draw(self, actions: Sequence[Action], frame: UiContext) -> None:
        """Draw the open windows."""
        self.manual.draw()
        self.keys.draw(actions, frame)
        self.report.draw(frame)
        self.about.draw(frame)


MOUSE: Final = (
    (_("Left or middle drag"), _("Orbit")),
    (_("Shift + left or middle drag, right drag"), _("Pan")),
    (_("Wheel"), _("Zoom towards the cursor")),
    (_("Click"), _("Select (click again: next object behind; Ctrl: add to selection)")),
    (_("Double click"), _("Frame the object under the cursor")),
    (_("Y, Alt + click"), _("Why the pixel under the pointer: triangle, material, light, pose and bytes")),
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
    (_("Drag keys of the dope sheet, with Alt or its Scale button"), _("Scale them about the cursor")),
    (_("Drag a value; with Shift, with Ctrl or Alt"), _("Change it; ten times as fast, as slow")),
    (_("Right click on the timeline"), _("Add and remove keys, stretch frames")),
    (_("Shift + click on a slot"), _("Show that cell for this node only")),
)


CARD_START: Final = """\
<title>mshview</title><style>
body { columns: 21em; font-size: 9pt; font-family: sans-serif }
table { break-inside: avoid; margin-bottom: 1em; width: 100% }
caption { font-weight: bold; text-align: left } th { text-align: left; width: 45%; font-weight: normal;
font-family: monospace; vertical-align: top }</style>"""
_FLAGS: Final = imgui.TableFlags_.row_bg | imgui.TableFlags_.scroll_y | imgui.TableFlags_.no_saved_settings


class _Asked(NamedTuple):
    """The action whose keys the user is about to press, and whether those are to be added."""

    action: str
    is_added: bool = False


class KeyList(Floating):
    """The actions with their keys, and the mouse gestures; owner: the shell.

    Attributes
    ----------
    takes_keys
        Whether the keys of this frame are to be those of an action, and run none.
    """

    id = "keys"
    title = _("Command palette and keys")
    size = 42, 40

    def __init__(self) -> None:
        super().__init__()
        self._filter = FilterField("key_filter", _("Search keys and actions"))
        self._asked: _Asked | None = None
        self._only_conflicts = False
        self._refused = "", ""
        self.takes_keys = False

    def draw(self, actions: Sequence[Action], frame: UiContext) -> None:
        """Draw the window if it is open."""
        self.takes_keys = self.is_open and self._asked is not None
        with self.window() as is_shown:
            if is_shown:
                if imgui.is_window_appearing():
                    self._filter.clear()
                    self._filter.ask()
                    self._asked, self._only_conflicts = None, False
                if self._asked:
                    self._take_keys(self._asked, actions, frame)
                shared = conflicts((it.id, it.keys) for it in actions)
                self._filter.draw()
                self._draw_choices(actions, shared, frame)
                self._run_first(actions, frame)
                self._draw_table(actions, shared, frame)

    def _take_keys(self, asked: _Asked, actions: Iterable[Action], frame: UiContext) -> None:
        """Give an action the keys that are pressed; Esc leaves it as it is."""
        chord = pressed_chord()
        if not chord:
            return
        self._asked = None
        if chord == "Esc":
            key_focus.lock_escape()
            return
        before = next(it.keys for it in actions if it.id == asked.action) if asked.is_added else ""
        keys = " ".join(dict.fromkeys((*before.split(), chord)))
        frame.later(
            frame.control.settings.set_keys, frame.state.settings.keymap.with_keys(asked.action, keys)
        )

    def _draw_choices(
        self, actions: Iterable[Action], shared: Mapping[str, Iterable[str]], frame: UiContext
    ) -> None:
        """Draw whose keys are used, the user's own, how many are used twice, and a copy for the printer."""
        keymap = frame.state.settings.keymap
        controls.label(_("Keys of"))
        preset = controls.choose("##preset", {it.value: name_of(it) for it in KeyPreset}, keymap.preset, 9)
        if preset != keymap.preset:
            frame.later(frame.control.settings.set_keys, replace(keymap, preset=preset))
        imgui.same_line()
        if icon_button(fa.ICON_FA_COPY, "copy_keys", _("Copy the list as text")):
            frame.later(frame.control.window.copy_text, as_text(actions))
        imgui.same_line()
        if icon_button(fa.ICON_FA_PRINT, "key_card", _("Save a card of the keys, to be printed")):
            frame.later(
                frame.control.dialogs.choose_new,
                _("Save a card of the keys"),
                "mshview-keys.html",
                partial(frame.control.files.save_text, card(actions)),
            )
        imgui.same_line()
        hint = _("Take back the keys that you have set")
        if icon_button(fa.ICON_FA_ROTATE_LEFT, "usual_keys", hint, is_enabled=bool(keymap.own)):
            frame.later(frame.control.settings.set_keys, KeyMap(keymap.preset))
        self._only_conflicts = self._only_conflicts and bool(shared)
        if shared:
            imgui.same_line()
            words = _("used twice: {chords}", chords=", ".join(map(key_names, shared)))
            self._only_conflicts ^= controls.checkbox(words, "only_conflicts", is_on=self._only_conflicts)

    def _run_first(self, actions: Sequence[Action], frame: UiContext) -> None:
        """Run the first action listed when Enter is pressed in the filter, or say why it cannot be run."""
        chosen = [] if self._filter.is_empty else found(actions, self._filter.names, frame)
        if self._filter.is_entered:
            self._filter.ask()  # what is typed next is typed there again
            if chosen:
                self._run(chosen[0], frame)
        typed, words = self._refused
        if words and typed == self._filter.text:
            wrapped(words, theme.WARNING)

    def _run(self, action: Action, frame: UiContext) -> None:
        if action.is_enabled(frame):
            action.run(frame)
            self.is_open = False
        else:
            self._refused = self._filter.text, f"{action.text(frame)}: {action.reason(frame)}"

    def _draw_table(
        self, actions: Sequence[Action], shared: Mapping[str, Sequence[str]], frame: UiContext
    ) -> None:
        if not imgui.begin_table("##keys", 3, _FLAGS):
            return
        self._filter.scroll_to_top()
        set_up_columns({"action": -1.3, "keys": -1.0, "menu": -0.7})
        names, count = {it.id: it.text(frame) for it in actions}, 0
        for action in found(actions, self._filter.names, frame):
            others = [it for chord in action.keys.split() for it in shared.get(chord, ()) if it != action.id]
            if others or not self._only_conflicts:
                self._draw_action(action, [names[it] for it in others], frame)
                count += 1
        for keys, what in () if self._only_conflicts else MOUSE:
            mouse = _("Mouse")
            if self._filter.names.matches(f"{keys} {what} {mouse}"):
                count += 1
                imgui.table_next_row()
                for words, color in ((what, theme.TEXT), (keys, theme.ACCENT), (mouse, theme.FAINT)):
                    imgui.table_next_column()
                    wrapped(str(words), color)
        if not count:
            imgui.table_next_row()
            imgui.table_next_column()
            empty(_("No action, key or mouse gesture has these words."))
        imgui.end_table()

    def _draw_action(self, action: Action, others: Sequence[str], frame: UiContext) -> None:
        """Draw the row of an action; a click runs it."""
        imgui.table_next_row()
        imgui.table_next_column()
        flags = imgui.SelectableFlags_.span_all_columns | imgui.SelectableFlags_.allow_overlap
        reason = action.reason(frame)
        imgui.begin_disabled(bool(reason))
        if imgui.selectable(labeled(action.text(frame), action.id), False, flags)[0]:
            self._run(action, frame)
        imgui.end_disabled()
        if reason:
            tooltip(reason)
        self._draw_menu(action, frame)
        imgui.table_next_column()
        if ghost_button(fa.ICON_FA_PEN, f"set_{action.id}", _("Change its keys"), theme.FAINT):
            self._asked = _Asked(action.id)
        imgui.same_line()
        self._draw_keys(action, others, frame)
        imgui.table_next_column()
        text(path_text(action.menu), theme.FAINT)

    def _draw_keys(self, action: Action, others: Sequence[str], frame: UiContext) -> None:
        if self._asked and self._asked.action == action.id:
            text(_("press keys, or Esc"), theme.GOOD)
        elif action.keys:
            is_own = action.id in frame.state.settings.keymap.own
            text(keys_text(action), theme.ERROR if others else theme.GOOD if is_own else theme.ACCENT)
            if others:
                tooltip(_("also for: {others}", others=", ".join(others)))

    def _draw_menu(self, action: Action, frame: UiContext) -> None:
        if not imgui.begin_popup_context_item(f"keys_of_{action.id}"):
            return
        keymap = frame.state.settings.keymap
        if controls.menu_item(_("Change keys"), "change"):
            self._asked = _Asked(action.id)
        if controls.menu_item(_("Add keys"), "add", is_enabled=bool(action.keys)):
            self._asked = _Asked(action.id, is_added=True)
        if controls.menu_item(_("No keys"), "none", is_enabled=bool(action.keys)):
            frame.later(frame.control.settings.set_keys, keymap.with_keys(action.id, ""))
        if controls.menu_item(_("Usual keys"), "usual", is_enabled=action.id in keymap.own):
            frame.later(frame.control.settings.set_keys, keymap.without(action.id))
        imgui.end_popup()


def found(actions: Sequence[Action], requested: NameFilter, frame: UiContext | None = None) -> list[Action]:
    """Return the actions whose name, menu, keys or other words pass the filter.

    Those that pass by their name come first, of these and of the others those with keys.
    """

    def is_named(action: Action) -> bool:
        return requested.matches(f"{action.text(frame)} {path_text(action.menu)} {keys_text(action)}")

    def words_of(action: Action) -> str:
        other = SYNONYMS.get(action.id)
        # English words are known in every language.
        words = (action.title.template, other.template, str(other)) if other else (action.title.template,)
        return f"{action.text(frame)} {path_text(action.menu)} {keys_text(action)} {' '.join(words)}"

    passing = [action for action in actions if requested.matches(words_of(action))]
    return sorted(passing, key=lambda action: (not is_named(action), not action.keys))


def keys_text(action: Action) -> str:
    """Return the keys of an action."""
    return "  ".join(map(key_names, action.keys.split()))


def as_text(actions: Iterable[Action]) -> str:
    """Return the actions that have keys, and the mouse, as lines of text by menu."""
    blocks = ([title, *(f"{keys:40} {what}" for keys, what in rows)] for title, rows in _by_menu(actions))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def card(actions: Iterable[Action]) -> str:
    """Return the keys and the mouse as an HTML page for the printer: a table for each menu, in columns."""
    lines = [CARD_START]
    for title, rows in _by_menu(actions):
        lines.append(f"<table><caption>{escape(title)}</caption>")
        lines += (f"<tr><th>{escape(keys)}<td>{escape(what)}" for keys, what in rows)
        lines.append("</table>")
    # Letters as numbers, so that browsers need not be told the encoding.
    return "\n".join(lines).encode("ascii", "xmlcharrefreplace").decode() + "\n"


def _by_menu(actions: Iterable[Action]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield what the mouse and the keys do: titles, and rows of keys and what they do."""
    yield str(_("Mouse")), [(str(keys), str(what)) for keys, what in MOUSE]
    for menu in dict.fromkeys(action.menu for action in actions):
        rows = [(keys_text(it), it.text()) for it in actions if it.menu == menu and it.keys]
        if rows:
            yield path_text(menu), rows


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
                if self._turned:
                    imgui.set_scroll_y(0.0)
                    self._turned = False
                if self._context:
                    rich_md.set_current_context(self._context)
                    rich_md.render(self._text)
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
        self._search.scroll_to_top()
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

    def _follow(self, link: str) -> None:
        section = linked(link, self._sections)
        if section:
            self._turn_to(section)
