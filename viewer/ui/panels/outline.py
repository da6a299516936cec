"""Outline panel: the node tree with visibility and selection, and its edits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np
from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui
from msgspec import Struct
from msgspec.structs import replace

from viewer.geometry.transforms import Mask
from viewer.model.edit.change import Change
from viewer.model.edit.nodes.node_count import AddNode, RemoveNode, SetParent
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.session.edits.row_commands import free_name, node_choice
from viewer.session.exporting import ExportScope
from viewer.session.field_text import cell_name
from viewer.session.opened.document import Document
from viewer.session.selection import Selection
from viewer.session.view.view_state import hide, isolate, show, show_all
from viewer.translation import _
from viewer.ui.context import PerTab, UiContext, ViewChange
from viewer.ui.panels.node_tree import NodeKind, NodeTree
from viewer.ui.widgets import controls, theme
from viewer.ui.widgets.cached import Cached
from viewer.ui.widgets.input.filter_field import FilterField
from viewer.ui.widgets.table_grid import TreeRow, TreeTable, ghost_buttons, rows_on_screen
from viewer.ui.widgets.theme import Color
from viewer.ui.widgets.widgets import colored, empty, text, tooltip, wrapped

_ICONS: Final = {
    NodeKind.PART: fa.ICON_FA_CUBE,
    NodeKind.INTERNAL: fa.ICON_FA_CUBES,
    NodeKind.EMPTY: fa.ICON_FA_CIRCLE_NODES,
    NodeKind.SOCKET: fa.ICON_FA_PLUG,
    NodeKind.COCKPIT: fa.ICON_FA_EYE,
}
_FOLD_HINT: Final = _("Shift: all levels below too")
_ISOLATE_HINT: Final = (_("Isolate with all children"), _("Click again: show all. Shift: this node only"))
_SHOW_HINT: Final = (_("Show with all children"), _("Shift: this node only"))
_HIDE_HINT: Final = (_("Hide with all children"), _("Shift: this node only"))
_PARTS: Final = (
    (fa.ICON_FA_EYE, "eye"),
    (fa.ICON_FA_EYE_SLASH, "eye"),
    (fa.ICON_FA_CROSSHAIRS, "isolate"),
    (fa.ICON_FA_CARET_RIGHT, "fold"),
    (fa.ICON_FA_CARET_DOWN, "fold"),
    ("", "menu"),
)
"""Icons and ids of the buttons of a row, and the id of its menu."""
_AROUND: Final = 2.5
"""Width of the fold and of the padding next to a name, font heights."""
_FLAGS: Final = imgui.TableFlags_.scroll_y | imgui.TableFlags_.row_bg | imgui.TableFlags_.no_saved_settings
# As a number: see `widgets`.
_WHOLE_ROW: Final = int(
    imgui.SelectableFlags_.span_all_columns
    | imgui.SelectableFlags_.allow_overlap
    | imgui.SelectableFlags_.allow_double_click
)


class _NodeLine(Struct, frozen=True):
    """A row of the outline: color, indent and width of the text, item, buttons, id of the menu."""

    color: Color
    indent: float
    width: float
    words: str
    item: str
    shown: str
    hidden: str
    isolate: str
    folded: str
    unfolded: str
    menu: str


class OutlinePanel:
    """Rows of nodes with buttons to hide and isolate; follows the selection and sets it."""

    id = "outline"
    title = _("Outline")

    def __init__(self) -> None:
        self._table, self._edits = TreeTable(), OutlineEdits()
        self._document: Document | None = None
        self._tree: NodeTree | None = None
        self._filter = FilterField("outline_filter", _("Filter nodes"))
        self._folds: PerTab[set[int]] = PerTab(set)
        self._closed: set[int] = set()
        self._rows: list[TreeRow[int]] | None = None
        self._seen: tuple[int, ...] = ()
        self._kept: Mask = np.zeros(0, np.bool_)
        self._lines, self._chosen_of = Cached[dict[int, _NodeLine]](dict), Cached[frozenset[int]](frozenset)
        self._chosen: frozenset[int] = frozenset()

    def draw(self, frame: UiContext) -> None:
        """Draw the filter and the rows on screen."""
        self._closed = self._folds.of(frame.state.tabs)
        tree = self._tree_of(frame.document)
        if tree is None or frame.document is None:
            empty(_("The nodes of the open model appear here."))
            return
        self._kept = frame.document.shown(frame.view).kept
        selection = frame.view.selection
        self._chosen = self._chosen_of.of((selection.nodes,), selection.nodes)
        if frame.document.called:
            wrapped(frame.document.called, theme.DIM)
            tooltip(_("What the game calls this part"))
        if self._filter.draw():
            self._rows = None
        scroll_to = self._follow(tree, selection)
        if self._rows is None:
            self._rows = tree.rows(self._filter.names, self._closed)
        if self._rows:
            _step_with_arrows(self._rows, frame)
            self._edits.handle_keys(tree, frame)
            self._draw_table(self._rows, tree, frame, scroll_to)
        elif self._filter.is_empty:
            empty(_("This model has no nodes."))
        else:
            empty(_("No node matches the filter."))

    def find(self) -> None:
        """Focus the filter in the next frame."""
        self._filter.ask()

    def _tree_of(self, document: Document | None) -> NodeTree | None:
        if document is not self._document:
            before, self._document, self._rows, self._tree = self._document, document, None, None
            is_other = document is None or before is None or document.identity != before.identity
            if document is not None:
                self._tree = NodeTree(document.model, document.skeleton, document.names, document.socket_tags)
            if is_other:
                self._seen = ()
                if self._tree is not None and not self._tree.rows(self._filter.names, self._closed):
                    self._filter.clear()
        return self._tree

    def _follow(self, tree: NodeTree, selection: Selection) -> int | None:
        """Expand the ancestors of a node selected elsewhere; return the node to scroll to."""
        # In its first frame the panel cannot scroll yet: the selection counts as news in the next one.
        if selection.nodes == self._seen or imgui.is_window_appearing():
            return None
        self._seen = selection.nodes
        if selection.node is None:
            return None
        if self._closed & tree.above(selection.node):
            self._closed -= tree.above(selection.node)
            self._rows = None
        return selection.node

    def _draw_table(
        self, rows: list[TreeRow[int]], tree: NodeTree, frame: UiContext, scroll_to: int | None
    ) -> None:
        switches = 2 * (theme.em(1.4) + 2 * imgui.get_style().cell_padding.x)
        if not self._table.begin("##nodes", 3, _FLAGS, rows, switches):
            return
        self._filter.scroll_to_top()
        imgui.table_setup_scroll_freeze(2, 0)
        imgui.table_setup_column("eye", imgui.TableColumnFlags_.width_fixed, theme.em(1.4))
        imgui.table_setup_column("isolate", imgui.TableColumnFlags_.width_fixed, theme.em(1.4))
        imgui.table_setup_column("name", imgui.TableColumnFlags_.width_stretch)
        place = None if scroll_to is None else _place(rows, scroll_to)
        shown = tree, frame.view.overrides, frame.view.playback.own, theme.em(), self._table.deepest
        lines, gap = self._lines.of(shown), theme.em(0.2)
        with ghost_buttons() as buttons:
            for number in rows_on_screen(len(rows), place):
                row = rows[number]
                line = lines.get(row.key) or self._line(row, lines, tree, frame)
                self._table.widen(line.width)
                self._draw_row(row, line, buttons, gap, tree, frame)
        imgui.end_table()

    def _draw_row(
        self,
        row: TreeRow[int],
        line: _NodeLine,
        buttons: ghost_buttons,
        gap: float,
        tree: NodeTree,
        frame: UiContext,
    ) -> None:
        node, view = row.key, frame.view
        imgui.table_next_row()
        imgui.table_next_column()
        if node in view.hidden:
            if buttons.draw(line.hidden, _SHOW_HINT, theme.FAINT):
                frame.change(partial(show, nodes=_meant(node, tree)))
        elif buttons.draw(line.shown, _HIDE_HINT, theme.DIM):
            frame.change(partial(hide, nodes=_meant(node, tree)))
        imgui.table_next_column()
        is_isolated = view.isolated is not None and node in view.isolated
        if buttons.draw(line.isolate, _ISOLATE_HINT, theme.SELECTION if is_isolated else theme.FAINT):
            frame.change(partial(isolate, nodes=() if is_isolated else _meant(node, tree)))
        imgui.table_next_column()
        if line.indent:
            imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + line.indent)
        arrow = line.unfolded if row.is_open else line.folded
        if buttons.fold(arrow, _FOLD_HINT, has_children=row.has_children):
            self._toggle(row)
        imgui.same_line(0, gap)
        self._draw_name(row, line, tree, frame)

    def _line(
        self, row: TreeRow[int], lines: dict[int, _NodeLine], tree: NodeTree, frame: UiContext
    ) -> _NodeLine:
        """Add a row to `lines`, which are made once for the nodes that are shown in one way."""
        node = row.key
        label, own = tree.label(node), _own_cell(node, frame)
        tag = tree.socket_tags[node] and "   " + _("tag {label}", label=tree.socket_tags[node])
        words = f"{self._table.level_mark(row.depth)}{_ICONS[tree.kinds[node]]}  {label}{tag}{own}"
        width = self._table.width(row.depth, words, theme.em(_AROUND))
        color = theme.TEXT if tree.is_drawn(node) else theme.DIM
        ids = (f"{icon}###{name}{node}" for icon, name in _PARTS)
        shift = self._table.indent(row.depth)
        line = lines[node] = _NodeLine(color, shift, width, words, f"{words}###node{node}", *ids)
        return line

    def _toggle(self, row: TreeRow[int]) -> None:
        changed = {row.key}
        if imgui.get_io().key_shift and self._tree is not None:
            # Also the rows that are not shown now.
            changed |= self._tree.below(row.key)
        if row.is_open:
            self._closed |= changed
        else:
            self._closed -= changed
        self._rows = None

    def _draw_name(self, row: TreeRow[int], line: _NodeLine, tree: NodeTree, frame: UiContext) -> None:
        node = row.key
        if self._edits.draw_field(node, tree, frame):
            return
        with colored(line.color if self._kept[node] else theme.FAINT):
            is_clicked = imgui.selectable(line.item, node in self._chosen, _WHOLE_ROW)[0]
        self._edits.drag(node, tree, frame)
        tooltip(lambda: tree.hints(node), is_beside=True)
        if is_clicked:
            self._select(node, frame)
        self._draw_menu(node, line.menu, tree, frame)

    def _draw_menu(self, node: int, name: str, tree: NodeTree, frame: UiContext) -> None:
        """The context menu of a row, which is selected first; of all selected nodes if it is one of them."""
        if not imgui.begin_popup_context_item(name):
            return
        nodes = frame.view.selection.nodes
        if imgui.is_window_appearing() and node not in nodes:
            # A row chosen here is on screen: the table stays where it is.
            self._seen = (node,)
            frame.change(_selecting(node))
        nodes = nodes if node in nodes else (node,)
        _draw_items(nodes, tree, frame)
        self._edits.draw_items(nodes, tree, frame)
        imgui.end_popup()

    def _select(self, node: int, frame: UiContext) -> None:
        chosen = Selection((node,))
        if imgui.is_mouse_double_clicked(imgui.MouseButton_.left):
            frame.later(frame.control.camera.frame_selection)
        elif imgui.get_io().key_ctrl:
            frame.change(lambda view: replace(view, selection=view.selection.added(chosen)))
        else:
            frame.change(_selecting(node))
            self._seen = chosen.nodes


def _step_with_arrows(rows: list[TreeRow[int]], frame: UiContext) -> None:
    """While the panel has the focus, Up and Down select the row before and after."""
    flags = int(imgui.InputFlags_.route_focused) | int(imgui.InputFlags_.repeat)
    for key, step in ((imgui.Key.up_arrow, -1), (imgui.Key.down_arrow, 1)):
        if imgui.shortcut(int(key), flags):
            node = frame.view.selection.node
            place = None if node is None else _place(rows, node)
            following = 0 if place is None else min(max(place + step, 0), len(rows) - 1)
            frame.change(_selecting(rows[following].key))


def _selecting(node: int) -> ViewChange:
    return lambda view: replace(view, selection=Selection((node,)))


def _place(rows: list[TreeRow[int]], node: int) -> int | None:
    """Return the index of the row of a node, or None."""
    return next((place for place, row in enumerate(rows) if row.key == node), None)


def _own_cell(node: int, frame: UiContext) -> str:
    """Return the cell override and the own time of a node as text, empty if it has none."""
    cell, own = frame.view.overrides.get(node), frame.view.playback.own.get(node)
    words = "" if cell is None else f"   {cell_name(frame.document, *cell)}"
    if own is not None:
        late = _("{frames:+g} frames", frames=own.frames)
        words += "   " + (late if own.is_offset else _("at frame {frame:g}", frame=own.frames))
    return words


def _meant(node: int, tree: NodeTree) -> frozenset[int]:
    return frozenset({node}) if imgui.get_io().key_shift else tree.below(node)


def _draw_items(nodes: tuple[int, ...], tree: NodeTree, frame: UiContext) -> None:
    """Items for nodes, each with all its children."""
    below = frozenset().union(*map(tree.below, nodes))
    if controls.menu_item(_("Frame"), "frame"):
        frame.later(frame.control.camera.frame_selection)
    if controls.menu_item(_("Isolate"), "isolate"):
        frame.change(lambda view: isolate(view, below))
    if controls.menu_item(_("Hide"), "hide"):
        frame.change(lambda view: hide(view, below))
    if controls.menu_item(_("Show all"), "show_all"):
        frame.change(show_all)
    imgui.separator()
    if controls.menu_item(_("Select with all children"), "select_below"):
        chosen = Selection((*sorted(below - {*nodes}), *nodes))
        frame.change(lambda view: replace(view, selection=chosen))
    if controls.menu_item(_("Export…"), "export"):
        frame.later(frame.control.exporting.show, scope=ExportScope.SELECTION)
    if controls.menu_item(_("Copy names"), "copy_names"):
        frame.later(frame.control.window.copy_text, "\n".join(map(tree.label, nodes)))


PAYLOAD: Final = "node"


class OutlineEdits:
    """The edit in the outline of one window, the name of `renamed`; owner: the panel."""

    def __init__(self) -> None:
        self.renamed: int | None = None
        self._name = ""
        self._wants_focus = False

    def handle_keys(self, tree: NodeTree, frame: UiContext) -> None:
        """While the panel has the focus, F2 renames the active node, and Delete removes the selected ones."""
        node, flags = frame.view.selection.node, int(imgui.InputFlags_.route_focused)
        if imgui.shortcut(int(imgui.Key.f2), flags) and node is not None:
            self.rename(node, tree)
        if imgui.shortcut(int(imgui.Key.delete), flags) and node is not None:
            _request(frame, *removals(frame.view.selection.nodes, tree.names, with_children=False))

    def rename(self, node: int, tree: NodeTree) -> None:
        """Show a text field in place of the name of a node."""
        if 0 <= node < len(tree.names):
            self.renamed, self._name, self._wants_focus = node, tree.names[node], True

    def draw_field(self, node: int, tree: NodeTree, frame: UiContext) -> bool:
        """Draw the text field if it belongs to a node; Enter renames it, Escape leaves its name."""
        if node != self.renamed:
            return False
        if self._wants_focus:
            imgui.set_keyboard_focus_here()
            self._wants_focus = False
        imgui.set_next_item_width(-1)
        flags = imgui.InputTextFlags_.auto_select_all | imgui.InputTextFlags_.enter_returns_true
        imgui.push_style_var(
            imgui.StyleVar_.frame_padding, imgui.ImVec2(imgui.get_style().frame_padding.x, 0)
        )
        is_entered, self._name = imgui.input_text("###rename", self._name, flags)
        imgui.pop_style_var()
        if is_entered:
            _request(frame, RenameNode(node_choice(tree.names, node), self._name))
        if is_entered or imgui.is_item_deactivated():
            self.renamed = None
        return True

    def drag(self, node: int, tree: NodeTree, frame: UiContext) -> None:
        """Let the last item be dragged, and nodes be dropped on it."""
        if imgui.begin_drag_drop_source():
            imgui.set_drag_drop_payload_py_id(PAYLOAD, node)
            text(_("{node}: move under another part", node=tree.label(node)))
            text(_("It stays where it is. Ctrl: it keeps its keys and moves along."))
            imgui.end_drag_drop_source()
        if imgui.begin_drag_drop_target():
            dropped = imgui.accept_drag_drop_payload_py_id(PAYLOAD)
            if dropped is not None:
                _request(frame, *moves(dropped.data_id, node, tree.names))
            imgui.end_drag_drop_target()

    def draw_items(self, nodes: tuple[int, ...], tree: NodeTree, frame: UiContext) -> None:
        """Draw the items of the context menu that change nodes."""
        node = nodes[-1]
        imgui.separator()
        if controls.menu_item(_("Rename"), "rename", "F2", icon=fa.ICON_FA_PEN):
            self.rename(node, tree)
        if controls.menu_item(_("Add a part under it"), "add_node", icon=fa.ICON_FA_PLUS):
            _request(frame, AddNode(free_name(tree.names), node_choice(tree.names, node)))
        is_root = tree.parent(node) is None
        if controls.menu_item(
            _("Move to the top"), "make_root", icon=fa.ICON_FA_ANCHOR, is_enabled=not is_root
        ):
            _request(frame, SetParent(node_choice(tree.names, node), None, keeps_pose=True, reorders=True))
        if controls.menu_item(_("Remove"), "remove", "Del", icon=fa.ICON_FA_TRASH):
            _request(frame, *removals(nodes, tree.names, with_children=False))
        if controls.menu_item(_("Remove with all children"), "remove_below"):
            _request(frame, *removals(nodes, tree.names, with_children=True))


def _request(frame: UiContext, *changes: Change) -> None:
    if frame.document is not None and changes:
        frame.later(frame.control.edits.edit, frame.document.address, changes)


def moves(dragged: int, parent: int, names: Sequence[str]) -> tuple[Change, ...]:
    """Return the change that moves the dragged node under a parent; with Ctrl its keys stay as they are."""
    if dragged == parent:
        return ()
    node, above = node_choice(names, dragged), node_choice(names, parent)
    return (SetParent(node, above, keeps_pose=not imgui.get_io().key_ctrl, reorders=True),)


def removals(nodes: Sequence[int], names: Sequence[str], *, with_children: bool) -> tuple[Change, ...]:
    """Return the changes that remove nodes, the last first, as the numbers of those before it stay."""
    return tuple(
        RemoveNode(node_choice(names, node), with_children=with_children)
        for node in sorted(nodes, reverse=True)
    )
