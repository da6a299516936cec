"""All actions in one table: everything that a key or a menu can do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from viewer.session.selection import Selection
from viewer.session.view.view_state import hide, isolate, show_all
from viewer.translation import Message
from viewer.ui.actions.actions import Action, changing, commanding, has_tab
from viewer.ui.actions.convert_actions import convert_actions
from viewer.ui.actions.edit_actions import edit_actions, geometry_actions, save_actions
from viewer.ui.actions.playback_actions import playback_actions
from viewer.ui.actions.view_actions import camera_actions, view_actions
from viewer.ui.context import UiContext


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
