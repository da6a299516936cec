"""The whole window: menu bar, toolbar, panels, status bar, keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Final

from imgui_bundle import ImVec2, imgui
from msgspec.structs import replace

from viewer.model.store.place import Place
from viewer.session.keymap import KeyMap
from viewer.session.opened.opened_resource import OpenedResource
from viewer.session.program import CLOSED_AT_FIRST
from viewer.session.selection import NOTHING, Selection
from viewer.translation import Text, _, remembered
from viewer.ui.actions.action_table import ACTIONS
from viewer.ui.actions.actions import Action, KeyBindings, always, step_with_mouse
from viewer.ui.context import Panel, PerTab, UiContext
from viewer.ui.edits.console import ConsolePanel
from viewer.ui.edits.history import HistoryPanel
from viewer.ui.frame.bottom_bars import StatusBar, draw_footer
from viewer.ui.frame.floating_windows import FloatingWindows
from viewer.ui.frame.layout import SideSizes, TabOrder, TabsInFront, bar, first_layout, stage_class
from viewer.ui.frame.menus import KeptFocus, PanelSwitches, draw_menu_bar, panel_actions
from viewer.ui.frame.panel_roles import is_timed, panel_of, panels_about
from viewer.ui.frame.toolbar import CellPicker, Toolbar, draw_offer
from viewer.ui.panels.browser import BrowserPanel
from viewer.ui.panels.bytes import BytesPanel
from viewer.ui.panels.display import DisplayPanel
from viewer.ui.panels.inspector import InspectorPanel
from viewer.ui.panels.materials import MaterialsPanel
from viewer.ui.panels.outline import OutlinePanel
from viewer.ui.panels.problems import LogPanel, ProblemsPanel
from viewer.ui.panels.readings import ReadingsPanel
from viewer.ui.panels.search import SearchPanel
from viewer.ui.panels.tables import TablesPanel
from viewer.ui.panels.triangles import TrianglesPanel
from viewer.ui.stage.resource_view import ResourceView
from viewer.ui.stage.tab_bar import TabBar, draw_problem
from viewer.ui.table.statistics import StatisticsPanel
from viewer.ui.timeline.curves import CurvesPanel
from viewer.ui.timeline.dope_sheet import DopeSheetPanel
from viewer.ui.timeline.effects_panel import EffectsPanel
from viewer.ui.timeline.timeline import TimelinePanel
from viewer.ui.viewport.cells import CellsPanel
from viewer.ui.viewport.stage_view import StageView
from viewer.ui.viewport.viewport import Viewport
from viewer.ui.widgets import theme
from viewer.ui.widgets.guard import Guard
from viewer.ui.widgets.kept_windows import KeptWindows, begin_docked
from viewer.ui.widgets.widgets import identified, labeled, wrapped

DOCK_NAME: Final = "panels"
MENU_BAR: Final = "##MainMenuBar"
TOOLBAR: Final = "##toolbar"
FOOTER: Final = "##footer"
_ALONE: Final = "alone"
_ALONE_FLAGS = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_docking
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_bring_to_front_on_focus
)
_ROOM_FOR_FOOTER: Final = 30.0
"""Least height of the window that shows the footer, font heights."""


class Shell:
    """The user interface: menus, panels, windows; owner: the application.

    Attributes
    ----------
    follows_model
        Something over the image of the model moves with it: labels, the gizmo.

    Parameters
    ----------
    viewport
        The panel that shows the model; the others lie around it.
    guard
        Draws each part by itself.
    closed
        Ids of the panels that are not shown at first.
    order
        Ids of panels in the order of their tabs.
    """

    def __init__(
        self,
        viewport: Viewport,
        guard: Guard,
        closed: Iterable[str] = (),
        order: Iterable[str] = (),
    ) -> None:
        self.follows_model = False
        self._guard = guard
        self._kept = KeptWindows()
        self._viewport = viewport
        self._switches = PanelSwitches(closed)
        self._outline, self._search, self._bytes = OutlinePanel(), SearchPanel(), BytesPanel()
        self._tab_bar = TabBar()
        self._asked: Place | None = None
        self._chosen: tuple[object, Selection] = (None, NOTHING)
        self._found: dict[str, object] = {}
        self._sides: dict[str, tuple[Panel, ...]] = {
            "upper_left": (BrowserPanel(),),
            "lower_left": (self._outline, HistoryPanel()),
            "right": (InspectorPanel(), MaterialsPanel(), DisplayPanel(), EffectsPanel(), CellsPanel()),
            "bottom": (
                TimelinePanel(self._kept),
                DopeSheetPanel(),
                CurvesPanel(),
                TablesPanel(),
                TrianglesPanel(),
                self._bytes,
                ProblemsPanel(),
                self._search,
                ReadingsPanel(),
                LogPanel(),
                StatisticsPanel(),
                ConsolePanel(),
            ),
        }
        self._panels = tuple(chain.from_iterable(self._sides.values()))
        self._windows = FloatingWindows(self._guard)
        self._cells = CellPicker()
        self._toolbar, self._status_bar = Toolbar(self._cells, viewport), StatusBar()
        self._stage = StageView(viewport, lambda: self._switches.show(MaterialsPanel.id))
        self._resources = PerTab(partial(ResourceView, self._stage))
        self._usual_actions = (*ACTIONS, *self._own_actions(), *panel_actions(self._panels, self._switches))
        self._keymap: KeyMap | None = None
        self.actions: tuple[Action, ...] = self._usual_actions
        self._sizes = SideSizes()
        self._wants_layout = self._is_alone = False
        self._fronts: tuple[str, ...] = ()
        self._tabs_in_front, self._tab_order = TabsInFront(), TabOrder(order)
        self._kept_focus = KeptFocus(viewport.id)

    def _set_keys(self, keymap: KeyMap) -> None:
        self._keymap = keymap
        actions = [(it, keymap.keys_of(it.id, it.keys)) for it in self._usual_actions]
        self.actions = tuple(it if keys == it.keys else replace(it, keys=keys) for it, keys in actions)
        self._actions_by_id = {action.id: action for action in self.actions}
        self._bindings = KeyBindings(self.actions)

    def _own_actions(self) -> Iterator[Action]:
        """Yield the actions that need the parts of the shell."""
        bring, of_cell = partial(self._switches.bring, CellsPanel.id), partial(Action, menu="view.cell")
        yield of_cell("view.choose_cell", _("Choose…"), lambda _ignored: self._cells.ask(), "L")
        yield of_cell("view.cells", _("Pictures of all cells"), lambda _ignored: bring(), "C")
        yield Action("select.find", _("Find a part"), self._find_part, "Ctrl+F", begins_group=True)
        search, keys = self._search_everything, "Ctrl+Shift+F"
        yield always("select.search", _("Search…"), search, keys)
        yield from self._viewport.actions()
        yield from self._stage.gizmo.actions()
        yield from self._windows.actions()

    def _find_part(self, _ignored: UiContext) -> None:
        self._switches.show(self._outline.id)
        self._outline.find()

    def _search_everything(self, _ignored: UiContext) -> None:
        self._switches.show(self._search.id)
        self._search.ask()

    @property
    def closed_panels(self) -> tuple[str, ...]:
        """Ids of the panels that are not shown."""
        return self._switches.closed

    @property
    def panel_order(self) -> tuple[str, ...]:
        """Ids of the panels in the order of their tabs."""
        return self._tab_order.known

    def reset_layout(self) -> None:
        """Return every panel to its default place in the next frame."""
        self._switches.reset(CLOSED_AT_FIRST)
        self._tab_order.forget()
        self._wants_layout = True

    def toggle_viewport_only(self) -> bool:
        """Hide everything but the viewport, or show it again; tell whether it is hidden now."""
        self._is_alone = not self._is_alone
        return self._is_alone

    def show_settings(self) -> None:
        """Open the settings window, or close it."""
        self._windows.settings.toggle()

    def show_repair(self) -> None:
        """Open the window with what can be repaired."""
        self._windows.repair.is_open = True

    def show_parts(self) -> None:
        """Open the window in which parts are tried on a unit."""
        self._windows.parts.is_open = True

    def show_bytes(self, place: Place, *, is_brought: bool = True) -> None:
        """Mark the bytes of a place in the Bytes panel; with `is_brought` bring it to the front."""
        self._bytes.show(place)
        if is_brought:
            self.bring(self._bytes.id)

    def bring(self, panel: str) -> None:
        """Open a panel and bring it to the front."""
        self._switches.bring(panel)

    def show_picture_window(self, *, is_animated: bool = False) -> None:
        """Open the window for saving a picture or an animation, or close it."""
        (self._windows.film if is_animated else self._windows.picture).toggle()

    def draw(self, frame: UiContext, *, is_all: bool = True) -> None:
        """Draw one frame of the window and run the actions whose keys were pressed.

        Parameters
        ----------
        is_all
            Whether panels may differ that do not show the time of an animation.
        """
        if frame.state.settings.keymap is not self._keymap:
            self._set_keys(frame.state.settings.keymap)
        self.follows_model = False
        self._kept.follow(may_keep=not is_all)
        draw = self._draw_alone if self._is_alone else partial(self._draw_all, is_all=is_all)
        self._guard.draws(_("Window"), partial(draw, frame))
        step_with_mouse(frame)
        pixel = self._viewport.pixel_window
        self._guard.draws(pixel.title, partial(pixel.draw, frame))
        self._windows.draw(frame, self.actions, self._viewport.area.size)
        self._kept_focus.follow()
        # Last, so that a text field or a window drawn in this frame has taken its keys.
        if not self._windows.help.keys.takes_keys:
            self._guard.draws(_("Key"), partial(self._bindings.dispatch, frame))

    def _draw_alone(self, frame: UiContext) -> None:
        """Draw what is open over the whole window; the panels keep their places."""
        room, dock = imgui.get_main_viewport(), imgui.get_id(DOCK_NAME)
        imgui.set_next_window_pos(room.work_pos)
        imgui.set_next_window_size(room.work_size)
        imgui.push_style_var(imgui.StyleVar_.window_padding, ImVec2(0, 0))
        imgui.push_style_color(imgui.Col_.window_bg, 0)  # as in `begin_docked`
        imgui.begin(_ALONE, None, _ALONE_FLAGS)
        imgui.pop_style_color()
        imgui.pop_style_var()
        # A dock space that is not drawn in a frame would let go of its panels.
        imgui.dock_space(dock, flags=imgui.DockNodeFlags_.keep_alive_only)
        if frame.state.stage is not None:
            self._guard.draws(self._viewport.title, partial(self._stage.draw, frame))
        else:
            self._draw_open(frame)
        imgui.end()

    def _draw_all(self, frame: UiContext, *, is_all: bool) -> None:
        shown = panels_about(self._panels, frame)
        self._kept.keep_next(MENU_BAR)
        menu_bar = partial(draw_menu_bar, self.actions, shown, self._switches, frame)
        self._guard.draws(_("Menu bar"), menu_bar)
        self._kept.keep_next(TOOLBAR)
        with bar(TOOLBAR, imgui.Dir.up, self._toolbar.height + theme.em(0.7)) as is_shown:
            if is_shown:
                imgui.begin_disabled(frame.state.resource is not None and frame.state.stage is None)
                self._guard.draws(_("Toolbar"), partial(self._toolbar.draw, frame))
                imgui.end_disabled()
        if frame.state.offered is not None:
            with bar("##offer", imgui.Dir.up, imgui.get_frame_height() + theme.em(0.6)) as is_shown:
                if is_shown:
                    draw_offer(frame, frame.state.offered)
        with bar("##status", imgui.Dir.down, imgui.get_text_line_height() + theme.em(0.6)) as is_shown:
            if is_shown:
                status_bar = partial(self._status_bar.draw, frame, self._switches.show)
                self._guard.draws(_("Status bar"), status_bar)
        self._draw_footer(frame)
        self._draw_dock(is_all=is_all)
        self._draw_stage(frame)
        opened = [panel for panel in shown if self._switches.is_open(panel.id)]
        if is_all:
            self._tab_order.follow(tuple(panel.id for panel in opened))
        self._tabs_in_front.follow(is_model=frame.state.resource is None)
        for panel in opened:
            self._draw_panel(panel, frame)
        self._bring_to_front()
        self._bring_selection(frame)
        self._bring_place(frame)
        self._bring_found(frame)

    def _draw_footer(self, frame: UiContext) -> None:
        """Draw the line of keys above the status bar, unless the window is too low for it."""
        if imgui.get_main_viewport().size.y < theme.em(_ROOM_FOR_FOOTER):
            return
        height = imgui.get_text_line_height() + theme.em(0.5)
        self._kept.keep_next(FOOTER)
        with bar(FOOTER, imgui.Dir.down, height) as is_shown:
            if is_shown:
                is_measuring = self._viewport.measure.is_active(frame)
                draw_footer(frame, self._actions_by_id, is_measuring=is_measuring)

    def _draw_dock(self, *, is_all: bool) -> None:
        """Fill the space between the bars; without a saved layout the panels get their default places."""
        dock = imgui.get_id(DOCK_NAME)
        is_new = imgui.internal.dock_builder_get_node(dock) is None
        # Before the dock space is drawn, which takes over the new size.
        if is_all:
            self._sizes.follow(dock, [panel.id for panel in self._panels])
        imgui.push_style_color(imgui.Col_.window_bg, 0)  # what it fills is cleared to that color
        imgui.dock_space_over_viewport(dock)
        imgui.pop_style_color()
        if is_new or self._wants_layout:
            self._wants_layout = False
            layout = first_layout(self._viewport.id, self._sides)
            layout.build(dock)
            self._fronts = layout.fronts

    def _bring_to_front(self) -> None:
        """Select the first tab of each place once the panels exist."""
        for panel in self._fronts:
            imgui.set_window_focus(panel)
        self._fronts = ()

    def _bring_found(self, frame: UiContext) -> None:
        """Show the panel of a validation, of statistics or of a filter that was asked for."""
        state = frame.state
        asked = state.validation, state.corpus.asked, state.filtering
        for panel, found in zip((ProblemsPanel.id, StatisticsPanel.id, TablesPanel.id), asked, strict=True):
            if found is not self._found.get(panel):
                self._found[panel] = found
                self._switches.bring(panel)

    def _bring_selection(self, frame: UiContext) -> None:
        """Bring the inspector forward after a choice that was not made in the panel that hides it."""
        chosen = frame.state.tabs.active.key, frame.view.selection
        is_choice = chosen[0] == self._chosen[0] and chosen[1] not in (self._chosen[1], NOTHING)
        if is_choice and self._switches.is_behind_unfocused(InspectorPanel.id):
            self._switches.bring(InspectorPanel.id)
        self._chosen = chosen

    def _bring_place(self, frame: UiContext) -> None:
        """Bring the panel of a requested place to the front."""
        if frame.state.reveal is not self._asked and frame.state.reveal is not None:
            self._switches.bring(panel_of(frame, frame.state.reveal, self._viewport.id))
        self._asked = frame.state.reveal

    def _draw_stage(self, frame: UiContext) -> None:
        """Draw the middle of the window: the tabs, and a model or whatever else is open."""
        imgui.push_style_var(imgui.StyleVar_.window_padding, ImVec2(0, 0))
        imgui.set_next_window_class(stage_class())
        window = imgui.internal.find_window_by_name(self._viewport.id)
        title, flags = labeled(str(self._viewport.title), self._viewport.id), imgui.WindowFlags_.no_scrollbar
        is_shown, _ignored = begin_docked(window, title, flags, is_closable=False)
        imgui.pop_style_var()
        if is_shown:
            self._guard.draws(_("Tabs"), partial(self._tab_bar.draw, frame))
            draw_problem(frame)
            self._draw_open(frame)
        imgui.end()

    def _draw_open(self, frame: UiContext) -> None:
        """Draw the model or whatever else is open, unless that has failed."""
        shown: object = frame.document or frame.state.resource
        part = self._viewport.title
        self._guard.draws_until_it_fails(part, partial(self._draw_shown, frame), shown)
        if self._guard.is_stopped(part, shown):
            wrapped(_("What is open here cannot be shown, because of a fault of the program."))
            if imgui.button(labeled(_("Try again"), "try_again")):
                self._guard.let_go_on(part)

    def _draw_shown(self, frame: UiContext) -> None:
        """Draw the model or whatever else is open."""
        if frame.state.resource is not None:
            self._draw_resource(frame, frame.state.resource)
            self.follows_model = frame.state.resource.is_effect
            return
        self._stage.draw(frame)
        self.follows_model = self._stage.follows_model

    def _draw_resource(self, frame: UiContext, opened: OpenedResource) -> None:
        with identified(f"tab{frame.state.tabs.active.identity}"):
            imgui.push_style_var(imgui.StyleVar_.window_padding, ImVec2(theme.em(0.8), theme.em(0.5)))
            is_shown = imgui.begin_child("resource", ImVec2(), imgui.ChildFlags_.always_use_window_padding)
            imgui.pop_style_var()
            if is_shown:
                self._resources.of(frame.state.tabs).draw(frame, opened)
            imgui.end_child()

    def _draw_panel(self, panel: Panel, frame: UiContext) -> None:
        """Draw a panel; at first, and after a change of the panels, the remembered tabs stay in front."""
        quiet = imgui.WindowFlags_.no_focus_on_appearing
        flags = quiet if self._tabs_in_front.is_settling else imgui.WindowFlags_.none
        window = imgui.internal.find_window_by_name(panel.id)
        if window is None or not window.dock_id:
            self._dock_new(panel)
        is_drawn = True
        begun = self._kept.begin(window, _title(panel), flags, is_timed=is_timed(panel, frame))
        if begun.is_shown or begun.is_kept:
            self._tabs_in_front.note(panel.id)
        if begun.is_shown:
            is_drawn = self._guard.draws(panel.title, partial(panel.draw, frame))
        imgui.end()
        self._switches.set_open(panel.id, is_open=bool(begun.is_open) and is_drawn)

    def _dock_new(self, panel: Panel) -> None:
        """Put a panel that the saved layout does not know next to the first one of its side."""
        side = next(panels for panels in self._sides.values() if panel in panels)
        window = imgui.internal.find_window_by_name(side[0].id)
        if window is not None and window.dock_id:
            imgui.set_next_window_dock_id(window.dock_id, imgui.Cond_.first_use_ever)


def _title(panel: Panel) -> str:
    return _title_of(panel.title, panel.id)


@remembered
def _title_of(title: Text, panel: str) -> str:
    return labeled(str(title), panel)
