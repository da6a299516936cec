"""Everything that can be done with a key or from a menu, in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from imgui_bundle import imgui

from viewer.session import timeline
from viewer.session.camera import Side
from viewer.session.selection import Selection
from viewer.session.texture_switches import ByteOrder, TextureSwitches, toggle_byte_order
from viewer.session.view_state import (
    GROUP_COUNT,
    LOD_COUNT,
    Background,
    Loop,
    Overlay,
    Shading,
    ViewState,
    hide,
    isolate,
    next_shading,
    show_all,
    toggle_overlay,
    with_cell,
)
from viewer.ui.context import UiContext
from viewer.ui.frame.keys import Chord
from viewer.ui.requests import (
    FrameAll,
    FrameSelection,
    LookFrom,
    OpenDialog,
    OpenNeighbour,
    OpenSample,
    Quit,
    Reload,
    Request,
    RestoreCamera,
    SaveImage,
    ShowSettings,
    ToggleFullScreen,
    UseGame,
    UseWear,
)
from viewer.ui.widgets.ruler import key_times, next_time

ActionEffect = Callable[[UiContext], None]


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do: where it stands in the menus, which keys do it, what it does.

    Parameters
    ----------
    menu
        Path of the menu it is in: ``File``, ``View/Camera``.
    keys
        Chords separated by spaces, any of which does it; the first is shown in the menu.
    repeats
        Whether holding the key goes on doing it.
    is_on
        For a switch: whether it is on.
    needs_document
        Whether it is greyed while nothing is open.
    begins_group
        Whether a line is drawn above it in the menu.
    """

    menu: str
    text: str
    run: ActionEffect
    keys: str = ""
    repeats: bool = False
    is_on: Callable[[UiContext], bool] | None = None
    needs_document: bool = True
    begins_group: bool = False

    @property
    def chords(self) -> tuple[Chord, ...]:
        """The chords that do it."""
        return tuple(Chord(text) for text in self.keys.split())

    def is_enabled(self, frame: UiContext) -> bool:
        """Tell whether it makes sense now."""
        return frame.document is not None or not self.needs_document


def dispatch(actions: tuple[Action, ...], frame: UiContext) -> None:
    """Do what the keys pressed this frame ask for, unless somebody is typing or has to answer first."""
    if imgui.get_io().want_text_input or imgui.internal.get_top_most_popup_modal() is not None:
        return
    if imgui.is_key_pressed(imgui.Key.escape, repeat=False) and _close_popup():
        return
    for action in actions:
        pressed = [chord.is_pressed(repeats=action.repeats) for chord in action.chords]
        if any(pressed) and action.is_enabled(frame):
            action.run(frame)


def _close_popup() -> bool:
    """Close the uppermost menu and tell whether there was one; ImGui does not without keyboard navigation."""
    count = imgui.get_current_context().open_popup_stack.size()
    if count:
        imgui.internal.close_popup_to_level(count - 1, True)
    return bool(count)


def _asks(request: Request) -> ActionEffect:
    return lambda frame: frame.request(request)


def _changes(change: Callable[[ViewState], ViewState]) -> ActionEffect:
    return lambda frame: frame.change(change)


def _moves(change: Callable[[ViewState, float], ViewState]) -> ActionEffect:
    """Make an effect of a change that has to know the last frame of the document."""

    def run(frame: UiContext) -> None:
        if frame.document is not None:
            last = frame.document.last_frame
            frame.change(lambda view: change(view, last))

    return run


def _to_key(step: int) -> ActionEffect:
    """Make an effect that goes to the next or previous of the keys that the timeline marks."""

    def run(frame: UiContext) -> None:
        if frame.document is not None:
            last = frame.document.last_frame
            time = next_time(key_times(frame.document, frame.view), frame.view.time, step)
            frame.change(lambda view: timeline.seek(replace(view, is_playing=False), time, last))

    return run


_SHADING: Final = {
    Shading.LIGHTMAP: "Lightmap only",
    Shading.UV_CHECKER: "UV checker",
    Shading.STREAM18: "Stream 18 (Res18)",
    Shading.NODE: "Colour by node",
    Shading.BATCH: "Colour by batch",
    Shading.MATERIAL: "Colour by material",
}
"""What ways of shading are called where their word alone does not tell."""


def shading_title(mode: Shading) -> str:
    """Return what a way of shading is called on screen."""
    return _SHADING.get(mode, mode.value.capitalize())


def _shading(mode: Shading) -> Action:
    return Action(
        "View/Shading",
        shading_title(mode),
        _changes(lambda view: replace(view, shading=mode)),
        is_on=lambda frame: frame.view.shading is mode,
    )


def _lod(lod: int) -> Action:
    return Action(
        "View/LOD and group",
        f"LOD {lod}",
        _changes(lambda view: with_cell(view, lod, view.group)),
        is_on=lambda frame: frame.view.lod == lod,
    )


def _group(group: int) -> Action:
    return Action(
        "View/LOD and group",
        f"Group {group}",
        _changes(lambda view: with_cell(view, view.lod, group)),
        is_on=lambda frame: frame.view.group == group,
        begins_group=group == 0,
    )


def _background(background: Background) -> Action:
    return Action(
        "View/Background",
        background.value.capitalize(),
        _changes(lambda view: replace(view, background=background)),
        is_on=lambda frame: frame.view.background is background,
    )


def _overlay(overlay: Overlay, keys: str = "") -> Action:
    return Action(
        "View/Overlays",
        overlay.value.capitalize(),
        _changes(lambda view: toggle_overlay(view, overlay)),
        keys,
        is_on=lambda frame: overlay in frame.view.overlays,
    )


def _texture_switch(
    words: str,
    toggle: Callable[[TextureSwitches], TextureSwitches],
    is_on: Callable[[TextureSwitches], bool],
    *,
    begins_group: bool = False,
) -> Action:
    return Action(
        "View/Textures",
        words,
        _changes(lambda view: replace(view, textures=toggle(view.textures))),
        is_on=lambda frame: is_on(frame.view.textures),
        begins_group=begins_group,
    )


def _byte_order(order: ByteOrder) -> Action:
    return _texture_switch(
        f"Read {order}",
        lambda switches: toggle_byte_order(switches, order),
        lambda switches: order in switches.byte_orders,
        begins_group=order is next(iter(ByteOrder)),
    )


def _textures() -> Iterator[Action]:
    yield _texture_switch(
        "Mip maps", lambda on: replace(on, has_mip_maps=not on.has_mip_maps), lambda on: on.has_mip_maps
    )
    yield _texture_switch(
        "Filtering", lambda on: replace(on, is_filtered=not on.is_filtered), lambda on: on.is_filtered
    )
    yield _texture_switch(
        "Lightmaps", lambda on: replace(on, has_lightmaps=not on.has_lightmaps), lambda on: on.has_lightmaps
    )
    yield _texture_switch(
        "16-bit colours", lambda on: replace(on, is_16_bit=not on.is_16_bit), lambda on: on.is_16_bit
    )
    yield _texture_switch(
        "Ignore alpha",
        lambda on: replace(on, ignores_alpha=not on.ignores_alpha),
        lambda on: on.ignores_alpha,
    )
    yield _texture_switch(
        "Leave back faces out",
        lambda on: replace(on, culls_back_faces=not on.culls_back_faces),
        lambda on: on.culls_back_faces,
    )
    yield from (_byte_order(order) for order in ByteOrder)


def _loop(loop: Loop) -> Action:
    return Action(
        "Playback",
        {Loop.LOOP: "Loop", Loop.ONCE: "Play once", Loop.PING_PONG: "Ping-pong"}[loop],
        _changes(lambda view: replace(view, loop=loop)),
        is_on=lambda frame: frame.view.loop is loop,
        begins_group=loop is Loop.LOOP,
    )


def _toggle_ping_pong(view: ViewState) -> ViewState:
    return replace(view, loop=Loop.LOOP if view.loop is Loop.PING_PONG else Loop.PING_PONG)


def _toggle_orthographic(view: ViewState) -> ViewState:
    return replace(view, camera=replace(view.camera, is_orthographic=not view.camera.is_orthographic))


def _cell(lod: int, group: int) -> ActionEffect:
    return _changes(lambda view: with_cell(view, view.lod + lod, view.group + group))


def _file() -> Iterator[Action]:
    yield Action("File", "Open…", _asks(OpenDialog()), "Ctrl+O", needs_document=False)
    yield Action(
        "File", "Open game folder…", _asks(OpenDialog(is_folder=True)), "Ctrl+Shift+O", needs_document=False
    )
    yield Action("File", "Open the sample", _asks(OpenSample()), needs_document=False)
    yield Action(
        "File", "Use wear table…", _asks(OpenDialog(is_entry=True, wanted=UseWear)), begins_group=True
    )
    yield Action("File", "Use game folder…", _asks(OpenDialog(is_folder=True, wanted=UseGame)))
    yield Action("File", "Reload", _asks(Reload()), "F5", begins_group=True)
    yield Action("File", "Previous model", _asks(OpenNeighbour(-1)), "Ctrl+Left", begins_group=True)
    yield Action("File", "Next model", _asks(OpenNeighbour(1)), "Ctrl+Right")
    yield Action("File", "Save picture", _asks(SaveImage()), "F12", begins_group=True)
    yield Action("File", "Save transparent picture", _asks(SaveImage(is_transparent=True)), "Ctrl+F12")
    yield Action(
        "File", "Settings…", _asks(ShowSettings()), "Ctrl+,", needs_document=False, begins_group=True
    )
    yield Action("File", "Quit", _asks(Quit()), "Ctrl+Q", needs_document=False, begins_group=True)


def _select() -> Iterator[Action]:
    menu = "Select"
    yield Action(menu, "Select nothing", _changes(lambda view: replace(view, selection=Selection())), "Esc")
    yield Action(menu, "Hide selection", _changes(lambda view: hide(view, view.selection.nodes)), "H")
    yield Action(menu, "Isolate selection", _changes(lambda view: isolate(view, view.selection.nodes)), "/")
    yield Action(menu, "Show all", _changes(show_all), "Alt+H")


def _view() -> Iterator[Action]:
    yield Action("View/Shading", "Next shading", _changes(next_shading), "M")
    yield Action("View/Shading", "Previous shading", _changes(lambda view: next_shading(view, -1)), "Shift+M")
    yield from (_shading(mode) for mode in Shading)
    yield from _textures()
    yield _overlay(Overlay.GRID, "G")
    yield _overlay(Overlay.AXES, "X")
    yield _overlay(Overlay.SLOT_BOUNDS, "B")
    yield _overlay(Overlay.HEADER_BOUNDS, "Shift+B")
    yield _overlay(Overlay.NORMALS, "N")
    yield _overlay(Overlay.EDGES, "E")
    yield _overlay(Overlay.NODE_AXES, "Shift+X")
    yield _overlay(Overlay.BONES, "O")
    for lod in range(LOD_COUNT):
        yield _lod(lod)
    for group in range(GROUP_COUNT):
        yield _group(group)
    yield Action("View/LOD and group", "Lower LOD number", _cell(-1, 0), "[", begins_group=True)
    yield Action("View/LOD and group", "Higher LOD number", _cell(1, 0), "]")
    yield Action("View/LOD and group", "Lower group number", _cell(0, -1), "Shift+[")
    yield Action("View/LOD and group", "Higher group number", _cell(0, 1), "Shift+]")
    for background in Background:
        yield _background(background)
    yield Action("View", "Full screen", _asks(ToggleFullScreen()), "F11", needs_document=False)


def _camera() -> Iterator[Action]:
    menu = "View/Camera"
    yield Action(menu, "Frame selection", _asks(FrameSelection()), "F")
    yield Action(menu, "Frame all", _asks(FrameAll()), "Home")
    for number, side, opposite in (
        ("1", Side.FRONT, Side.BACK),
        ("3", Side.RIGHT, Side.LEFT),
        ("7", Side.TOP, Side.BOTTOM),
    ):
        yield Action(menu, side.value.capitalize(), _asks(LookFrom(side)), number)
        yield Action(menu, opposite.value.capitalize(), _asks(LookFrom(opposite)), f"Ctrl+{number}")
    yield Action(
        menu,
        "Orthographic",
        _changes(_toggle_orthographic),
        "5",
        is_on=lambda frame: frame.view.camera.is_orthographic,
    )
    yield Action(menu, "Restore", _asks(RestoreCamera()), "0")


def _playback() -> Iterator[Action]:
    menu = "Playback"
    yield Action(menu, "Play", _moves(timeline.play), "Space", is_on=lambda frame: frame.view.is_playing)
    for text, frames, keys in (
        ("One frame back", -1, "Left ,"),
        ("One frame on", 1, "Right ."),
        ("Ten frames back", -10, "Down"),
        ("Ten frames on", 10, "Up"),
    ):
        yield Action(menu, text, _step(frames), keys, repeats=True)
    yield Action(menu, "Previous key", _to_key(-1), "J", repeats=True, begins_group=True)
    yield Action(menu, "Next key", _to_key(1), "K", repeats=True)
    yield Action(menu, "First frame", _moves(lambda view, last: timeline.seek(view, 0, last)), "Shift+Home")
    yield Action(menu, "Last frame", _moves(lambda view, last: timeline.seek(view, last, last)), "Shift+End")
    yield from (_loop(loop) for loop in Loop)
    yield Action(menu, "Ping-pong or loop", _changes(_toggle_ping_pong), "P")
    yield Action(
        menu,
        "Slower",
        _changes(lambda view: timeline.faster(view, 0.8)),
        "-",
        repeats=True,
        begins_group=True,
    )
    yield Action(menu, "Faster", _changes(lambda view: timeline.faster(view, 1.25)), "+", repeats=True)


def _step(frames: int) -> ActionEffect:
    return _moves(lambda view, last: timeline.step(view, frames, last))


ACTIONS: Final = (*_file(), *_select(), *_camera(), *_view(), *_playback())
