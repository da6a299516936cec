"""Editing in the outline: nodes renamed, moved under others by dragging, added and removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from imgui_bundle import icons_fontawesome_6 as fa
from imgui_bundle import imgui

from viewer.model.edit.change import Change
from viewer.model.edit.nodes.node_count import AddNode, RemoveNode
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.model.edit.nodes.set_parent import SetParent
from viewer.session.edits.naming import free_name, node_choice
from viewer.translation import _
from viewer.ui.context import UiContext
from viewer.ui.panels.node_tree import NodeTree
from viewer.ui.widgets.widgets import labeled, text

PAYLOAD: Final = "node"


class OutlineEdits:
    """What is being edited in the outline of one window; owner: its panel."""

    def __init__(self) -> None:
        self._renamed: int | None = None
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
            self._renamed, self._name, self._wants_focus = node, tree.names[node], True

    def draw_field(self, node: int, tree: NodeTree, frame: UiContext) -> bool:
        """Draw the text field if it belongs to a node; Enter renames it, Escape leaves its name."""
        if node != self._renamed:
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
            self._renamed = None
        return True

    def drag(self, node: int, tree: NodeTree, frame: UiContext) -> None:
        """Let the last item be dragged, and nodes be dropped on it."""
        if imgui.begin_drag_drop_source():
            imgui.set_drag_drop_payload_py_id(PAYLOAD, node)
            text(_("{node}: move under another part").format(node=tree.label(node)))
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
        if imgui.menu_item_simple(labeled(f"{fa.ICON_FA_PEN}  {_('Rename')}", "rename"), "F2"):
            self.rename(node, tree)
        if imgui.menu_item_simple(labeled(f"{fa.ICON_FA_PLUS}  {_('Add a part under it')}", "add_node")):
            _request(frame, AddNode(free_name(tree.names), node_choice(tree.names, node)))
        is_root = tree.parent(node) is None
        words = labeled(f"{fa.ICON_FA_ANCHOR}  {_('Move to the top')}", "make_root")
        if imgui.menu_item_simple(words, enabled=not is_root):
            _request(frame, SetParent(node_choice(tree.names, node), None, keeps_pose=True, reorders=True))
        if imgui.menu_item_simple(labeled(f"{fa.ICON_FA_TRASH}  {_('Remove')}", "remove"), "Del"):
            _request(frame, *removals(nodes, tree.names, with_children=False))
        if imgui.menu_item_simple(labeled(_("Remove with all children"), "remove_below")):
            _request(frame, *removals(nodes, tree.names, with_children=True))


def _request(frame: UiContext, *changes: Change) -> None:
    if frame.document is not None and changes:
        frame.commands.edits.edit(frame.document.address, changes)


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
