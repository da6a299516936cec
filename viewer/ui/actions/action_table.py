"""All actions in one table; those of the menus for files, edits and the selection are made here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from msgspec.structs import replace

from viewer.model.convert import scene_images
from viewer.model.convert.scene_file import JSON, SUFFIXES, is_of_scene
from viewer.model.edit.change import Change
from viewer.model.edit.geometry.links import DerivedData, Recompute
from viewer.model.edit.geometry.vertex_tables import RemoveUnusedVertices
from viewer.model.effects.templates import TemplateName
from viewer.model.kinds.registry import ARCHIVES
from viewer.model.store.address import Address
from viewer.session.importing import first_library
from viewer.session.jobs import TEXTURES
from viewer.session.opened.comparison import ComparedSide
from viewer.session.places import neighbor_of, triangle_record
from viewer.session.selection import Selection
from viewer.session.view.view_state import hide, isolate, show_all
from viewer.translation import _
from viewer.ui.actions.actions import (
    Action,
    ActionEffect,
    always,
    calling,
    can_step,
    changing,
    of_file,
    of_models,
    of_stage,
    of_tab,
)
from viewer.ui.actions.playback_actions import playback_actions
from viewer.ui.actions.view_actions import camera_actions, view_actions
from viewer.ui.context import UiContext
from viewer.ui.panels.entry_menu import (
    ask_for_new_folder,
    ask_for_picture,
    ask_for_pictures,
    has_textures,
)
from viewer.ui.viewport.obstacles import a_tab, opened


def edit_actions() -> Iterator[Action]:
    """Yield undo and redo."""
    undo, redo = calling(lambda it: partial(it.edits.step, -1)), calling(lambda it: partial(it.edits.step, 1))
    for name, title, effect, keys, obstacle in (
        ("undo", _("Undo"), undo, "Ctrl+Z", _nothing_to_undo),
        ("redo", _("Redo"), redo, "Ctrl+Y Ctrl+Shift+Z", _nothing_to_redo),
    ):
        yield always(f"edit.{name}", title, effect, keys, repeats=True, obstacle=obstacle)


def geometry_actions() -> Iterator[Action]:
    """Yield what computes parts of the open model again, and removes what nothing uses."""
    menu = "edit.recompute"
    for what, title in (
        (DerivedData.ALL, _("All of these")),
        (DerivedData.BOUNDS, _("Bounds of slots")),
        (DerivedData.HEADER, _("Bounds in the header")),
        (DerivedData.FACE_NORMALS, _("Face normals")),
        (DerivedData.VERTEX_NORMALS, _("Vertex normals")),
        (DerivedData.LINKS, _("Neighbor links")),
        (DerivedData.VERTEX_COUNTS, _("Vertex counts of batches")),
    ):
        effect, begins_group = _editing(Recompute(what)), what is DerivedData.BOUNDS
        yield Action(f"edit.recompute_{what}", title, effect, menu=menu, begins_group=begins_group)
    remove = _editing(RemoveUnusedVertices())
    yield Action("edit.remove_unused", _("Remove vertices that nothing uses"), remove)


def picture_actions() -> Iterator[Action]:
    """Yield the actions that change the open texture."""
    title = _("Replace the picture…")
    yield always(
        "edit.replace_picture", title, _replace_picture, obstacle=_without_texture, begins_group=True
    )


def _replace_picture(frame: UiContext) -> None:
    if frame.state.resource is not None:
        ask_for_picture(frame.state.resource.address, frame)


def _without_texture(frame: UiContext) -> str:
    resource = frame.state.resource
    return "" if resource is not None and resource.kind in TEXTURES else _("no texture is open")


def _editing(change: Change) -> ActionEffect:
    """Make an effect of a change of the open model."""

    def run(frame: UiContext) -> None:
        if frame.document is not None:
            frame.later(frame.control.edits.edit, frame.document.address, (change,))

    return run


def save_actions() -> Iterator[Action]:
    """Yield the actions that write the changes."""
    save, save_patch = calling(lambda it: it.saving.save), calling(lambda it: it.saving.save_patch)
    yield always("file.save", _("Save…"), save, "Ctrl+S", obstacle=_is_saved, begins_group=True)
    save_all = calling(lambda it: it.saving.save_all)
    yield always("file.save_all", _("Save all…"), save_all, "Ctrl+Alt+S", obstacle=_nothing_changed)
    yield of_file("file.save_as", _("Save as…"), calling(lambda it: it.saving.save_as), "Ctrl+Shift+S")
    yield always("file.save_patch", _("Save as patch…"), save_patch, obstacle=_nothing_to_save)
    yield of_file("file.apply_patch", _("Apply a patch…"), _apply_patch)


def _nothing_to_undo(frame: UiContext) -> str:
    file = frame.state.edits.next_undo(frame.state.tabs.active.address)
    return "" if file.can_undo else _("nothing to undo")


def _nothing_to_redo(frame: UiContext) -> str:
    file = frame.state.edits.next_redo(frame.state.tabs.active.address)
    return "" if file.can_redo else _("nothing to redo")


def _nothing_changed(frame: UiContext) -> str:
    return "" if frame.state.edits.changed else _("nothing has changed")


def _is_saved(frame: UiContext) -> str:
    address = frame.state.tabs.active.address
    is_looked_at = address is not None and is_of_scene(address.path)
    return "" if is_looked_at else _nothing_changed(frame)


def _nothing_to_save(frame: UiContext) -> str:
    file = frame.state.edits.next_save(frame.state.tabs.active.address)
    return "" if file.is_changed else _("nothing has changed")


def convert_actions() -> Iterator[Action]:
    """Yield export and import, and the check of the round trip."""
    export = calling(lambda it: it.exporting.show)
    yield of_file("file.export", _("Export…"), export, "Ctrl+E", begins_group=True)
    yield always("file.import", _("Import…"), _import, "Ctrl+I")
    for name, title, run in (
        ("textures_to_folder", _("Textures to a folder…"), ask_for_new_folder),
        ("textures_from_folder", _("Textures from a folder…"), ask_for_pictures),
    ):
        effect = partial(_with_library, run=run)
        yield always(f"file.{name}", title, effect, obstacle=_without_library)
    for kind in TemplateName:
        title, ask = _("New effect: {kind}…", kind=kind.value), partial(_ask_for_effect, kind=kind)
        yield always(f"file.new_effect.{kind.value}", title, ask)
    yield of_file("file.compare", _("Compare with…"), _compare)
    title = _("Compare with the file on the disk")
    yield Action("file.compare_saved", title, _compare_saved, needs=_without_changes)
    yield Action("file.round_trip", _("Check round trip"), calling(lambda it: it.round_trips.check))


def _texture_library(frame: UiContext) -> Address | None:
    """The open library of textures, that of the open texture, or of the first one of the open model."""
    resource = frame.state.resource
    if resource is None or resource.unit is not None:
        return first_library(frame.state.tabs.active)
    if resource.kind in ARCHIVES:
        return resource.address if has_textures(resource.address, frame) else None
    is_inside = resource.kind in TEXTURES and resource.address.entries
    return resource.address.parent if is_inside else None


def _without_library(frame: UiContext) -> str:
    return "" if _texture_library(frame) else _("no library of textures is open")


def _with_library(frame: UiContext, run: Callable[[Address, UiContext], None]) -> None:
    library = _texture_library(frame)
    if library is not None:
        run(library, frame)


def _compare(frame: UiContext) -> None:
    """Ask for a file or an entry, and compare it with what the active tab shows."""
    if address := frame.state.tabs.active.address:
        frame.later(
            frame.control.dialogs.choose_entry,
            _("Choose what to compare with"),
            lambda other: frame.control.comparing.compare(ComparedSide(other), ComparedSide(address)),
        )


def _compare_saved(frame: UiContext) -> None:
    """Compare what the active tab shows with what is saved of it."""
    if address := frame.state.tabs.active.address:
        frame.later(
            frame.control.comparing.compare, ComparedSide(address, is_saved=True), ComparedSide(address)
        )


def _without_changes(frame: UiContext) -> str:
    address = frame.state.tabs.active.address
    is_changed = address is not None and frame.lookups.is_unsaved(address)
    return a_tab(frame) or ("" if is_changed else _("it has no unsaved changes"))


def _ask_for_effect(frame: UiContext, kind: TemplateName) -> None:
    """Ask where a new effect is written; it needs no archive around it."""
    frame.later(
        frame.control.dialogs.choose_new,
        _("New effect"),
        f"{kind.value}.fxid",
        partial(frame.control.files.new_effect, kind),
    )


def _apply_patch(frame: UiContext) -> None:
    title = _("Choose a patch of the open file")
    frame.later(frame.control.dialogs.choose_file, title, frame.control.importing.read, (JSON,))


def _import(frame: UiContext) -> None:
    title, suffixes = _("Import a picture or a JSON file"), [*scene_images.SUFFIXES, JSON]
    if _without_texture(frame):
        title, suffixes = _("Import a glTF, OBJ or JSON file"), [*SUFFIXES]
    frame.later(frame.control.dialogs.choose_file, title, frame.control.importing.begin, suffixes)


def _file() -> Iterator[Action]:
    yield always("file.open", _("Open…"), calling(lambda it: it.dialogs.open_file), "Ctrl+O")
    open_folder = calling(lambda it: it.dialogs.open_folder)
    yield always("file.open_folder", _("Open game folder…"), open_folder, "Ctrl+Shift+O")
    yield always("file.open_sample", _("Open the sample"), calling(lambda it: it.opening.open_sample))
    restore, title = calling(lambda it: it.sessions.restore), _("Open what was open last time")
    yield always("file.restore_session", title, restore, obstacle=_nothing_to_restore)
    yield from save_actions()
    yield from convert_actions()
    of_game = partial(Action, menu="file.game")
    yield of_game("file.use_wear", _("Use wear table…"), calling(lambda it: it.dialogs.choose_wear))
    yield of_game("file.use_game", _("Use game folder…"), calling(lambda it: it.dialogs.choose_game))
    yield of_game("file.use_overlay", _("Use your own fields…"), _use_overlay)
    drop = calling(lambda it: partial(it.settings.use_overlay, None))
    yield of_game("file.drop_overlay", _("Drop your own fields"), drop, obstacle=_no_overlay)
    validate, title = calling(lambda it: it.validation.start), _("Validate everything open")
    yield always("file.validate", title, validate, "Ctrl+Shift+V", begins_group=True)
    yield of_tab("file.reload", _("Reload"), calling(lambda it: it.opening.reload), "F5")
    yield from _tabs()
    yield from _screenshots()
    settings = calling(lambda it: it.panels.show_settings)
    yield always("file.settings", _("Settings…"), settings, "Ctrl+,", begins_group=True)
    yield always("file.quit", _("Quit"), calling(lambda it: it.closing.quit), "Ctrl+Q", begins_group=True)


def _use_overlay(frame: UiContext) -> None:
    """Ask for an overlay file, and show its fields."""
    title = _("Choose a file with your own fields")
    frame.later(frame.control.dialogs.choose_file, title, frame.control.settings.use_overlay, [JSON])


def _no_overlay(frame: UiContext) -> str:
    return "" if frame.state.settings.overlay else _("no own fields are used")


def _nothing_to_restore(frame: UiContext) -> str:
    return "" if frame.state.settings.session else _("nothing was open")


def _tabs() -> Iterator[Action]:
    """Yield what closes the active tab, and goes from it to another one."""
    yield of_tab("file.close_tab", _("Close tab"), calling(lambda it: it.closing.close_tab), "Ctrl+W")
    following, previous = (
        calling(lambda it: partial(it.opening.step_tab, 1)),
        calling(lambda it: partial(it.opening.step_tab, -1)),
    )
    for name, title, effect, keys in (
        ("next_tab", _("Next tab"), following, "Ctrl+Tab"),
        ("previous_tab", _("Previous tab"), previous, "Ctrl+Shift+Tab"),
    ):
        yield of_tab(f"file.{name}", title, effect, keys, "file.tabs")


def _screenshots() -> Iterator[Action]:
    opaque, copy = (
        calling(lambda it: it.pictures.save_screenshot),
        calling(lambda it: it.pictures.copy_screenshot),
    )
    transparent = calling(lambda it: partial(it.pictures.save_screenshot, is_transparent=True))
    picture = calling(lambda it: it.panels.show_picture_window)
    film = calling(lambda it: partial(it.panels.show_picture_window, is_animated=True))
    for name, title, effect, keys in (
        ("save_image", _("Save screenshot"), opaque, "F12"),
        ("save_transparent_image", _("Save transparent screenshot"), transparent, "Ctrl+F12"),
        ("save_picture", _("Save picture…"), picture, "Shift+F12"),
        ("save_animation", _("Save animation…"), film, "Ctrl+Shift+F12"),
        ("copy_image", _("Copy picture"), copy, "Ctrl+Shift+C"),
    ):
        yield of_stage(f"file.{name}", title, effect, keys, "file.picture")


def _select() -> Iterator[Action]:
    deselect = changing(lambda view: replace(view, selection=Selection()))
    hide_selected = changing(lambda view: hide(view, view.selection.nodes))
    isolate_selected = changing(lambda view: isolate(view, view.selection.nodes))
    yield of_stage("select.none", _("Deselect all"), deselect, "Esc")
    yield of_models("select.hide", _("Hide selection"), hide_selected, "H")
    yield of_models("select.isolate", _("Isolate selection"), isolate_selected, "/")
    statistics = calling(lambda it: it.statistics.show)
    yield always("select.statistics", _("Statistics of fields"), statistics)
    yield of_models("select.show_all", _("Show all"), changing(show_all), "Alt+H")
    for edge, title in enumerate((_("Over edge 0"), _("Over edge 1"), _("Over edge 2"))):
        name, menu, keys = f"select.neighbor{edge}", "select.neighbor", f"Alt+{edge + 1}"
        step, obstacle = partial(_to_neighbor, edge=edge), partial(_without_neighbor, edge=edge)
        yield Action(name, title, step, keys, menu, obstacle=obstacle)


def _to_neighbor(frame: UiContext, edge: int) -> None:
    """Select the triangle at the other side of an edge of the selected one."""
    document = frame.document
    place = None if document is None else neighbor_of(document, frame.view.selection, edge)
    if place is not None:
        frame.later(frame.control.opening.go_to, place)
        frame.change(lambda view: replace(view, lab=replace(view.lab, has_links=True)))


def _without_neighbor(frame: UiContext, edge: int) -> str:
    document, selection = frame.document, frame.view.selection
    if document is None or triangle_record(document, selection) is None:
        return _("no triangle with a descriptor is selected")
    return "" if neighbor_of(document, selection, edge) else _("the edge is open")


def _go() -> Iterator[Action]:
    """Yield what goes back and forward, and to the entries next to what is open."""
    for name, title, way, keys in (
        ("back", _("Go back"), -1, "Alt+Left"),
        ("forward", _("Go forward"), 1, "Alt+Right"),
    ):
        effect, needs = partial(_go_back, step=way), opened(partial(can_step, step=way))
        yield Action(f"select.{name}", title, effect, keys, "go", repeats=True, needs=needs)
    after, before = (
        calling(lambda it: partial(it.opening.open_neighbour, 1)),
        calling(lambda it: partial(it.opening.open_neighbour, -1)),
    )
    for name, title, to_entry, keys in (
        ("previous_entry", _("Previous entry of this kind"), before, "Ctrl+Left"),
        ("next_entry", _("Next entry of this kind"), after, "Ctrl+Right"),
    ):
        yield of_tab(f"file.{name}", title, to_entry, keys, "go", begins_group=to_entry is before)


def _go_back(frame: UiContext, step: int) -> None:
    frame.later(frame.control.history.step, step)


ACTIONS: Final = (
    *_file(),
    *edit_actions(),
    *geometry_actions(),
    *picture_actions(),
    *_select(),
    *_go(),
    *camera_actions(),
    *view_actions(),
    *playback_actions(),
)
