"""Actions that undo, redo and save what was changed."""

from __future__ import annotations

from collections.abc import Iterator

from viewer.model.edit.change import Change
from viewer.model.edit.geometry.recompute import Recompute, What
from viewer.model.edit.geometry.vertex_tables import RemoveUnusedVertices
from viewer.translation import Message, _
from viewer.ui.actions.actions import Action, ActionEffect, commanding, has_tab
from viewer.ui.context import UiContext


def edit_actions() -> Iterator[Action]:
    """Yield undo and redo."""
    undo, redo = commanding(lambda do: do.edits.step(-1)), commanding(lambda do: do.edits.step(1))
    for name, title, effect, keys, obstacle in (
        ("undo", Message("Undo"), undo, "Ctrl+Z", _nothing_to_undo),
        ("redo", Message("Redo"), redo, "Ctrl+Y Ctrl+Shift+Z", _nothing_to_redo),
    ):
        yield Action(
            f"edit.{name}",
            "edit",
            title,
            effect,
            keys,
            repeats=True,
            needs_document=False,
            obstacle=obstacle,
        )


def geometry_actions() -> Iterator[Action]:
    """Yield what computes parts of the open model again, and removes what nothing uses."""
    for what, title in (
        (What.ALL, Message("All of these")),
        (What.BOUNDS, Message("Bounds of slots")),
        (What.HEADER, Message("Bounds in the header")),
        (What.FACE_NORMALS, Message("Face normals")),
        (What.VERTEX_NORMALS, Message("Vertex normals")),
        (What.LINKS, Message("Neighbor links")),
        (What.VERTEX_COUNTS, Message("Vertex counts of batches")),
    ):
        begins_group = what is What.BOUNDS
        yield Action(
            f"edit.recompute_{what}",
            "edit.recompute",
            title,
            _editing(Recompute(what)),
            begins_group=begins_group,
        )
    yield Action(
        "edit.remove_unused",
        "edit",
        Message("Remove vertices that nothing uses"),
        _editing(RemoveUnusedVertices()),
    )


def _editing(change: Change) -> ActionEffect:
    """Make an effect of a change of the open model."""

    def run(frame: UiContext) -> None:
        if frame.document is not None:
            frame.commands.edits.edit(frame.document.address, (change,))

    return run


def save_actions() -> Iterator[Action]:
    """Yield what writes the changes."""
    yield Action(
        "file.save",
        "file",
        Message("Save…"),
        commanding(lambda do: do.saving.save()),
        "Ctrl+S",
        needs_document=False,
        obstacle=_nothing_to_save,
        begins_group=True,
    )
    yield Action(
        "file.save_as",
        "file",
        Message("Save as…"),
        commanding(lambda do: do.saving.save_as()),
        "Ctrl+Shift+S",
        needs=has_tab,
    )
    yield Action(
        "file.save_patch",
        "file",
        Message("Save as patch…"),
        commanding(lambda do: do.saving.save_patch()),
        needs_document=False,
        obstacle=_nothing_to_save,
    )


def _nothing_to_undo(frame: UiContext) -> str:
    return (
        "" if frame.state.edits.next_undo(frame.state.tabs.active.address).can_undo else _("nothing to undo")
    )


def _nothing_to_redo(frame: UiContext) -> str:
    return (
        "" if frame.state.edits.next_redo(frame.state.tabs.active.address).can_redo else _("nothing to redo")
    )


def _nothing_to_save(frame: UiContext) -> str:
    return (
        ""
        if frame.state.edits.next_save(frame.state.tabs.active.address).is_changed
        else _("nothing has changed")
    )
