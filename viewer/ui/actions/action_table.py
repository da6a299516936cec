"""All actions in one table; those of the menus for files, edits and the selection are made here."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from viewer.dataclass import replace
from viewer.model.convert.exchange import SUFFIXES
from viewer.model.edit.change import Change
from viewer.model.edit.geometry.links import DerivedData, Recompute
from viewer.model.edit.geometry.vertex_tables import RemoveUnusedVertices
from viewer.model.effects.templates import TemplateName
from viewer.session.places import neighbor_of, triangle_record
from viewer.session.selection import Selection
from viewer.session.view.view_state import hide, isolate, show_all
from viewer.translation import _
from viewer.ui.actions.actions import Action, ActionEffect, changing, commanding, has_tab
from viewer.ui.actions.playback_actions import playback_actions
from viewer.ui.actions.view_actions import camera_actions, view_actions
from viewer.ui.context import UiContext


def edit_actions() -> Iterator[Action]:
    """Yield undo and redo."""
    undo, redo = commanding(lambda do: do.edits.step(-1)), commanding(lambda do: do.edits.step(1))
    for name, title, effect, keys, obstacle in (
        ("undo", _("Undo"), undo, "Ctrl+Z", _nothing_to_undo),
        ("redo", _("Redo"), redo, "Ctrl+Y Ctrl+Shift+Z", _nothing_to_redo),
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
        (DerivedData.ALL, _("All of these")),
        (DerivedData.BOUNDS, _("Bounds of slots")),
        (DerivedData.HEADER, _("Bounds in the header")),
        (DerivedData.FACE_NORMALS, _("Face normals")),
        (DerivedData.VERTEX_NORMALS, _("Vertex normals")),
        (DerivedData.LINKS, _("Neighbor links")),
        (DerivedData.VERTEX_COUNTS, _("Vertex counts of batches")),
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
        "edit.remove_unused", "edit", _("Remove vertices that nothing uses"), _editing(RemoveUnusedVertices())
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
        _("Save…"),
        commanding(lambda do: do.saving.save()),
        "Ctrl+S",
        needs_document=False,
        obstacle=_nothing_to_save,
        begins_group=True,
    )
    yield Action(
        "file.save_as",
        "file",
        _("Save as…"),
        commanding(lambda do: do.saving.save_as()),
        "Ctrl+Shift+S",
        needs=has_tab,
    )
    yield Action(
        "file.save_patch",
        "file",
        _("Save as patch…"),
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
        _("Export…"),
        commanding(lambda do: do.exporting.show()),
        "Ctrl+E",
        needs=has_tab,
        begins_group=True,
    )
    yield Action("file.import", "file", _("Import…"), _import, "Ctrl+I", needs_document=False)
    for kind in TemplateName:
        title, ask = _("New effect: {kind}…", kind=kind.value), partial(_ask_for_effect, kind=kind)
        yield Action(f"file.new_effect.{kind.value}", "file.new_effect", title, ask, needs_document=False)
    yield Action(
        "file.round_trip", "file", _("Check round trip"), commanding(lambda do: do.round_trips.check())
    )


def _ask_for_effect(frame: UiContext, kind: TemplateName) -> None:
    """Ask where a new effect is written; it needs no archive around it."""
    create = partial(frame.commands.files.new_effect, kind)
    frame.commands.dialogs.choose_new(_("New effect"), f"{kind.value}.fxid", create)


def _import(frame: UiContext) -> None:
    title = _("Import a glTF, OBJ or JSON file")
    frame.commands.dialogs.choose_file(title, frame.commands.importing.read, SUFFIXES)


def _file() -> Iterator[Action]:
    menu = "file"
    yield Action(
        "file.open",
        menu,
        _("Open…"),
        commanding(lambda do: do.dialogs.open_file()),
        "Ctrl+O",
        needs_document=False,
    )
    yield Action(
        "file.open_folder",
        menu,
        _("Open game folder…"),
        commanding(lambda do: do.dialogs.open_folder()),
        "Ctrl+Shift+O",
        needs_document=False,
    )
    yield Action(
        "file.open_sample",
        menu,
        _("Open the sample"),
        commanding(lambda do: do.opening.open_sample()),
        needs_document=False,
    )
    yield Action(
        "file.restore_session",
        menu,
        _("Open what was open last time"),
        commanding(lambda do: do.window.restore_session()),
        needs_document=False,
        obstacle=lambda frame: "" if frame.state.settings.session else _("nothing was open"),
    )
    yield from save_actions()
    yield from convert_actions()
    yield Action(
        "file.use_wear",
        "file.game",
        _("Use wear table…"),
        commanding(lambda do: do.dialogs.choose_wear()),
    )
    yield Action(
        "file.use_game", "file.game", _("Use game folder…"), commanding(lambda do: do.dialogs.choose_game())
    )
    yield Action(
        "file.validate",
        menu,
        _("Validate everything open"),
        commanding(lambda do: do.window.validate()),
        "Ctrl+Shift+V",
        needs_document=False,
        begins_group=True,
    )
    yield Action(
        "file.reload", menu, _("Reload"), commanding(lambda do: do.opening.reload()), "F5", needs=has_tab
    )
    yield from _tabs()
    yield from _neighbours()
    yield from _screenshots()
    yield Action(
        "file.settings",
        menu,
        _("Settings…"),
        commanding(lambda do: do.panels.show_settings()),
        "Ctrl+,",
        needs_document=False,
        begins_group=True,
    )
    yield Action(
        "file.quit",
        menu,
        _("Quit"),
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
        ("close_tab", _("Close tab"), close, "Ctrl+W"),
        ("next_tab", _("Next tab"), following, "Ctrl+Tab"),
        ("previous_tab", _("Previous tab"), previous, "Ctrl+Shift+Tab"),
    ):
        menu = "file" if name == "close_tab" else "file.tabs"
        yield Action(f"file.{name}", menu, title, effect, keys, needs=has_tab)


def _neighbours() -> Iterator[Action]:
    previous, following = (
        commanding(lambda do: do.opening.open_neighbour(-1)),
        commanding(lambda do: do.opening.open_neighbour(1)),
    )
    for name, title, effect, keys in (
        ("previous_entry", _("Previous entry of this kind"), previous, "Ctrl+Left"),
        ("next_entry", _("Next entry of this kind"), following, "Ctrl+Right"),
    ):
        is_first = "Left" in keys
        yield Action(f"file.{name}", "file.tabs", title, effect, keys, needs=has_tab, begins_group=is_first)


def _screenshots() -> Iterator[Action]:
    opaque, transparent = (
        commanding(lambda do: do.files.save_screenshot()),
        commanding(lambda do: do.files.save_screenshot(is_transparent=True)),
    )
    menu = "file.picture"
    yield Action("file.save_image", menu, _("Save screenshot"), opaque, "F12")
    title = _("Save transparent screenshot")
    yield Action("file.save_transparent_image", menu, title, transparent, "Ctrl+F12")
    title = _("Save picture…")
    yield Action(
        "file.save_picture",
        menu,
        title,
        commanding(lambda do: do.panels.show_picture_window()),
        "Shift+F12",
    )
    yield Action(
        "file.save_animation",
        menu,
        _("Save animation…"),
        commanding(lambda do: do.panels.show_picture_window(is_animated=True)),
        "Ctrl+Shift+F12",
    )
    yield Action(
        "file.copy_image",
        menu,
        _("Copy picture"),
        commanding(lambda do: do.files.copy_screenshot()),
        "Ctrl+Shift+C",
    )


def _select() -> Iterator[Action]:
    menu = "select"
    yield Action(
        "select.none",
        menu,
        _("Deselect all"),
        changing(lambda view: replace(view, selection=Selection())),
        "Esc",
    )
    yield Action(
        "select.hide", menu, _("Hide selection"), changing(lambda view: hide(view, view.selection.nodes)), "H"
    )
    yield Action(
        "select.isolate",
        menu,
        _("Isolate selection"),
        changing(lambda view: isolate(view, view.selection.nodes)),
        "/",
    )
    yield Action(
        "select.statistics",
        menu,
        _("Statistics of fields"),
        commanding(lambda do: do.statistics.show()),
        needs_document=False,
    )
    yield Action("select.show_all", menu, _("Show all"), changing(show_all), "Alt+H")
    for edge, title in enumerate((_("Over edge 0"), _("Over edge 1"), _("Over edge 2"))):
        yield Action(
            f"select.neighbor{edge}",
            "select.neighbor",
            title,
            partial(_to_neighbor, edge=edge),
            f"Alt+{edge + 1}",
            obstacle=partial(_without_neighbor, edge=edge),
        )
    back, forward = commanding(lambda do: do.history.step(-1)), commanding(lambda do: do.history.step(1))
    for name, title, effect, step, keys in (
        ("back", _("Back"), back, -1, "Alt+Left"),
        ("forward", _("Forward"), forward, 1, "Alt+Right"),
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


def _to_neighbor(frame: UiContext, edge: int) -> None:
    """Select the triangle at the other side of an edge of the selected one."""
    document = frame.document
    place = None if document is None else neighbor_of(document, frame.view.selection, edge)
    if place is not None:
        frame.commands.opening.go_to(place)
        frame.change(lambda view: replace(view, lab=replace(view.lab, has_links=True)))


def _without_neighbor(frame: UiContext, edge: int) -> str:
    document, selection = frame.document, frame.view.selection
    if document is None or triangle_record(document, selection) is None:
        return _("no triangle with a descriptor is selected")
    return "" if neighbor_of(document, selection, edge) else _("the edge is open")


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
