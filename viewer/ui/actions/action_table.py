"""All actions in one table; those of the menus for files, edits and the selection are made here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from viewer.model.convert.exchange import SUFFIXES
from viewer.model.edit.change import Change
from viewer.model.edit.geometry.links import DerivedData, Recompute
from viewer.model.edit.geometry.vertex_tables import RemoveUnusedVertices
from viewer.session.selection import Selection
from viewer.session.view.view_state import hide, isolate, show_all
from viewer.translation import Message, _
from viewer.ui.actions.actions import Action, ActionEffect, changing, commanding, has_tab
from viewer.ui.actions.playback_actions import playback_actions
from viewer.ui.actions.view_actions import camera_actions, view_actions
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
        (DerivedData.ALL, Message("All of these")),
        (DerivedData.BOUNDS, Message("Bounds of slots")),
        (DerivedData.HEADER, Message("Bounds in the header")),
        (DerivedData.FACE_NORMALS, Message("Face normals")),
        (DerivedData.VERTEX_NORMALS, Message("Vertex normals")),
        (DerivedData.LINKS, Message("Neighbor links")),
        (DerivedData.VERTEX_COUNTS, Message("Vertex counts of batches")),
    ):
        begins_group = what is DerivedData.BOUNDS
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


def convert_actions() -> Iterator[Action]:
    """Yield export and import, and the check of the round trip."""
    yield Action(
        "file.export",
        "file",
        Message("Export…"),
        commanding(lambda do: do.exporting.show()),
        "Ctrl+E",
        needs=has_tab,
        begins_group=True,
    )
    yield Action("file.import", "file", Message("Import…"), _import, "Ctrl+I", needs_document=False)
    yield Action(
        "file.round_trip",
        "file",
        Message("Check round trip"),
        commanding(lambda do: do.round_trips.check()),
    )


def _import(frame: UiContext) -> None:
    title = Message("Import a glTF, OBJ or JSON file")
    frame.commands.dialogs.choose_file(title, frame.commands.importing.read, SUFFIXES)


def _file() -> Iterator[Action]:
    menu = "file"
    yield Action(
        "file.open",
        menu,
        Message("Open…"),
        commanding(lambda do: do.dialogs.open_file()),
        "Ctrl+O",
        needs_document=False,
    )
    yield Action(
        "file.open_folder",
        menu,
        Message("Open game folder…"),
        commanding(lambda do: do.dialogs.open_folder()),
        "Ctrl+Shift+O",
        needs_document=False,
    )
    yield Action(
        "file.open_sample",
        menu,
        Message("Open the sample"),
        commanding(lambda do: do.opening.open_sample()),
        needs_document=False,
    )
    yield from save_actions()
    yield from convert_actions()
    yield Action(
        "file.use_wear",
        menu,
        Message("Use wear table…"),
        commanding(lambda do: do.dialogs.choose_wear()),
        begins_group=True,
    )
    yield Action(
        "file.use_game",
        menu,
        Message("Use game folder…"),
        commanding(lambda do: do.dialogs.choose_game()),
    )
    yield Action(
        "file.validate",
        menu,
        Message("Validate everything open"),
        commanding(lambda do: do.window.validate()),
        "Ctrl+Shift+V",
        needs_document=False,
        begins_group=True,
    )
    yield Action(
        "file.reload",
        menu,
        Message("Reload"),
        commanding(lambda do: do.opening.reload()),
        "F5",
        needs=has_tab,
    )
    yield from _tabs()
    yield from _neighbours()
    yield from _screenshots()
    yield Action(
        "file.settings",
        menu,
        Message("Settings…"),
        commanding(lambda do: do.panels.show_settings()),
        "Ctrl+,",
        needs_document=False,
        begins_group=True,
    )
    yield Action(
        "file.quit",
        menu,
        Message("Quit"),
        commanding(lambda do: do.closing.quit()),
        "Ctrl+Q",
        needs_document=False,
        begins_group=True,
    )


def _tabs() -> Iterator[Action]:
    close = commanding(lambda do: do.closing.close_tab())
    following = commanding(lambda do: do.opening.step_tab(1))
    previous = commanding(lambda do: do.opening.step_tab(-1))
    for name, title, effect, keys in (
        ("close_tab", Message("Close tab"), close, "Ctrl+W"),
        ("next_tab", Message("Next tab"), following, "Ctrl+Tab"),
        ("previous_tab", Message("Previous tab"), previous, "Ctrl+Shift+Tab"),
    ):
        yield Action(f"file.{name}", "file", title, effect, keys, needs=has_tab, begins_group="W" in keys)


def _neighbours() -> Iterator[Action]:
    previous, following = (
        commanding(lambda do: do.opening.open_neighbour(-1)),
        commanding(lambda do: do.opening.open_neighbour(1)),
    )
    for name, title, effect, keys in (
        ("previous_entry", Message("Previous entry of this kind"), previous, "Ctrl+Left"),
        ("next_entry", Message("Next entry of this kind"), following, "Ctrl+Right"),
    ):
        yield Action(f"file.{name}", "file", title, effect, keys, needs=has_tab, begins_group="Left" in keys)


def _screenshots() -> Iterator[Action]:
    opaque, transparent = (
        commanding(lambda do: do.files.save_screenshot()),
        commanding(lambda do: do.files.save_screenshot(is_transparent=True)),
    )
    yield Action("file.save_image", "file", Message("Save screenshot"), opaque, "F12", begins_group=True)
    title = Message("Save transparent screenshot")
    yield Action("file.save_transparent_image", "file", title, transparent, "Ctrl+F12")
    title = Message("Save picture…")
    yield Action(
        "file.save_picture",
        "file",
        title,
        commanding(lambda do: do.panels.show_picture_window()),
        "Shift+F12",
    )
    yield Action(
        "file.copy_image",
        "file",
        Message("Copy picture"),
        commanding(lambda do: do.files.copy_screenshot()),
        "Ctrl+Shift+C",
    )


def _select() -> Iterator[Action]:
    menu = "select"
    yield Action(
        "select.none",
        menu,
        Message("Deselect all"),
        changing(lambda view: replace(view, selection=Selection())),
        "Esc",
    )
    yield Action(
        "select.hide",
        menu,
        Message("Hide selection"),
        changing(lambda view: hide(view, view.selection.nodes)),
        "H",
    )
    yield Action(
        "select.isolate",
        menu,
        Message("Isolate selection"),
        changing(lambda view: isolate(view, view.selection.nodes)),
        "/",
    )
    yield Action("select.show_all", menu, Message("Show all"), changing(show_all), "Alt+H")
    back, forward = commanding(lambda do: do.history.step(-1)), commanding(lambda do: do.history.step(1))
    for name, title, effect, step, keys in (
        ("back", Message("Back"), back, -1, "Alt+Left"),
        ("forward", Message("Forward"), forward, 1, "Alt+Right"),
    ):
        yield Action(
            f"select.{name}",
            menu,
            title,
            effect,
            keys,
            repeats=True,
            needs=partial(_can_step, step=step),
            begins_group=step < 0,
        )


def _can_step(frame: UiContext, step: int) -> bool:
    return frame.state.history.can_step(step) or frame.state.tabs.active.trail.next(step) is not None


ACTIONS: Final = (
    *_file(),
    *edit_actions(),
    *geometry_actions(),
    *_select(),
    *camera_actions(),
    *view_actions(),
    *playback_actions(),
)
