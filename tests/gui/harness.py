"""Driving the real application like a user, without a display."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import count
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from imgui_bundle import imgui
from moderngl_window.context.headless.window import Window
from msgspec.structs import replace

from tests.builders import ModelBuilder
from tests.gui.engine import end_cool_down
from viewer.app.application import Application
from viewer.app.images.textures import LookImage
from viewer.control.controllers import Controllers
from viewer.control.later import Later
from viewer.control.opening.loading import NO_START_OPTIONS, StartOptions
from viewer.control.settings.settings import Settings
from viewer.control.state import State
from viewer.model.store.address import Address
from viewer.render import portions
from viewer.render.passes.base import FrameScene
from viewer.render.targets import RenderTarget
from viewer.session.edits import edited_file
from viewer.session.opened.document import Document
from viewer.session.selection import Selection
from viewer.session.view.camera import Side

Context = imgui.test_engine.TestContext
Script = Callable[[Context], object]
Step = Callable[[], None]

STEP: Final = 1 / 60
PATIENCE: Final = 120.0
"""Seconds until a script or a file that does not come to an end fails its test."""
REST: Final = 0.05
"""Seconds between frames while a job is worked on, unless it ends before."""
QUIET: Final = 1
"""Frames without work after which nothing moves any more."""
PAUSED: Final[dict[str, Any]] = {"is_playing": False, "past": 0.0}
"""Fields of the view of an animation that is stopped."""
LEFT: Final = "browser", "outline"
RIGHT: Final = "inspector", "materials", "display"
BOTTOM: Final = "timeline", "dope_sheet", "curves", "tables"
SIDES: Final = (*LEFT, *RIGHT, *BOTTOM)
"""Panels for the mark `closed`: those in front, and those that would come to the front and cost as much."""
AT_END: Final = imgui.test_engine.TestOpFlags_.move_to_edge_r
"""Points at the end of an item."""
_draw_look: Final = LookImage._draw
_OPENGL: Final = {
    "win32": "opengl32",
    "darwin": "/System/Library/Frameworks/OpenGL.framework/OpenGL",
}
_is_texture: Final = ctypes.CDLL(_OPENGL.get(sys.platform, "libGL.so.1")).glIsTexture


class Drawing(Enum):
    """How much of a frame is drawn."""

    PANELS = 0
    """The panels are placed, and take the input."""
    SCENE = 1
    """The scene is drawn into a single pixel."""
    ALL = 2


@dataclass(frozen=True)
class _Shown:
    """Calls methods of a controller as a panel does, and draws the frames that show it."""

    group: Any
    later: Later
    frames: Callable[[int], None]

    def __getattr__(self, name: str) -> Callable[..., None]:
        def call(*arguments: Any, **options: Any) -> None:
            self.later(getattr(self.group, name), *arguments, **options)
            self.frames(2)

        return call


class GuiTester:
    """The application and somebody who uses it; owner: the `gui` fixture.

    Attributes
    ----------
    app
        The application itself.
    window
        What it draws on.
    commands
        What panels call; every call is shown when it returns.
    """

    def __init__(
        self,
        window: Window,
        settings: Settings,
        settings_path: Path | None = None,
        given: StartOptions = NO_START_OPTIONS,
    ) -> None:
        self.window = window
        self._arrived = Event()
        self.app = Application(window, settings, settings_path, self._arrived.set, given)
        self._drawing = self._scene_drawing = Drawing.ALL
        self._is_image_behind = False
        renderer, screen = self.app.images.scene.renderer, self.app.images.scene.renderer._screen
        renderer._run = partial(self._run_scene, renderer._run)  # type: ignore[method-assign]
        screen.resolve = partial(self._resolve_scene, screen.resolve)  # type: ignore[method-assign]

        def draw(image: LookImage[Any], look: Any) -> None:
            self._draw_image(image, look)

        LookImage._draw = draw  # type: ignore[method-assign, assignment]  # of the class: some images are made later
        gui = self.app.gui
        gui._show_panels = partial(self._show_panels, gui._show_panels)  # type: ignore[method-assign]
        self._engine = imgui.test_engine.create_context()
        io = imgui.test_engine.get_io(self._engine)
        io.config_run_speed = imgui.test_engine.TestRunSpeed.fast
        io.config_log_to_tty = False
        imgui.test_engine.start(self._engine, imgui.get_current_context())
        self._kept: list[Any] = []
        self._step = STEP
        groups: dict[str, Any] = {
            name: _Shown(getattr(self.app.control, name), self.app.later, self.frames)
            for name in Controllers.__struct_fields__
        }
        self.commands = Controllers(**groups)

    @property
    def state(self) -> State:
        """What the application holds."""
        return self.app.state

    @property
    def document(self) -> Document:
        """What is open; fails where nothing is."""
        assert self.state.document is not None, "nothing is open"
        return self.state.document

    def change(self, **fields: Any) -> None:
        """Set fields of the view, and let a frame show them."""
        self.state.view = replace(self.state.view, **fields)
        self.frames(2)

    def pause(self, time: float = 0.0) -> None:
        """Stop the animation at a time."""
        self.change(**PAUSED, time=time)

    def select(self, *nodes: int) -> None:
        """Select nodes; the last is the active one."""
        self.change(selection=Selection(nodes))

    def look_from(self, side: Side) -> None:
        """Look from one of the six sides at all there is."""
        self.commands.camera.look_from(side)
        self.commands.camera.frame_all()

    def picture(self) -> npt.NDArray[np.uint8]:
        """What the viewport shows, (h, w, 4), top row first."""
        return self.app.images.scene.picture()

    def shown(self) -> npt.NDArray[np.uint8]:
        """What the whole window shows, (h, w, 4), top row first."""
        self.frames(1, 0.0, is_seen=True)
        data = np.frombuffer(self.window.fbo.read(components=4), np.uint8)
        return data.reshape(self.window.height, self.window.width, 4)[::-1]

    def colors(self, left: int = 0) -> set[tuple[int, ...]]:
        """Every color in the window, or to the right of a column of it, as red, green and blue."""
        data = np.ascontiguousarray(self.shown()).view("<u4")[..., 0]
        return {tuple(int(color).to_bytes(4, "little")[:3]) for color in np.unique(data[:, left:])}

    def wait(self, seconds: float) -> None:
        """Let the user wait, so that a click is not taken for half of a double click."""
        self.frames(4, seconds / 3)

    def frames(self, count: int = 1, seconds: float = STEP, *, is_seen: bool = False) -> None:
        """Draw some frames, `seconds` apart as far as an animation is concerned.

        Only one that is seen is rasterized, which is most of the work. The last draws the scene too.
        """
        for left in reversed(range(count)):
            unseen = Drawing.PANELS if left else Drawing.SCENE
            self._frame(seconds, Drawing.ALL if is_seen else unseen)

    def draw_panels(self) -> None:
        """Draw a frame for what the panels do in it alone: nothing is rasterized."""
        self._frame(STEP, Drawing.PANELS)

    def _frame(self, seconds: float, drawing: Drawing) -> None:
        """Draw a frame and finish it, as swapping would: what a driver only queues it keeps in memory."""
        self._drawing = drawing
        if drawing.value > self._scene_drawing.value:
            self.app.images.scene._drawn = ()
            self._scene_drawing = drawing
        if self._is_image_behind and drawing is not Drawing.PANELS:
            self._is_image_behind = False
            self.app.rebuild_panels()  # which ask for their images
        self.app.draw(seconds)
        if drawing is not Drawing.PANELS:
            self.window.ctx.finish()
        imgui.test_engine.post_swap(self._engine)

    def _show_panels(self, show: Step) -> None:
        """Draw the panels; clearing a window that nobody sees would be a tenth of a frame."""
        if self._drawing is Drawing.ALL:
            show()
            return
        commands = (command for part in imgui.get_draw_data().cmd_lists for command in part.cmd_buffer)
        shown = {it.get_tex_id() for it in commands if it.tex_ref._tex_data is None}
        assert all(map(_is_texture, shown)), "a panel shows a texture that was released"

    def _run_scene(
        self,
        run: Callable[[FrameScene, portions.Drawing], None],
        scene: FrameScene,
        picture: portions.Drawing,
    ) -> None:
        """Draw the scene; a picture that a test asks for is always drawn as it is."""
        if scene.is_image:
            run(scene, picture)
            return
        self._scene_drawing = self._drawing
        if self._drawing is not Drawing.PANELS:
            target = picture.target
            target.scene.scissor = target.resolved.scissor = self._area(target)
            run(scene, picture)

    def _draw_image(self, image: LookImage[Any], look: Any) -> None:
        """Draw a material, an effect or a unit; in frames of panels alone only one of which there is none."""
        if self._drawing is Drawing.PANELS and image._texture:
            self._is_image_behind = True
        else:
            _draw_look(image, look)

    def _area(self, target: RenderTarget) -> tuple[int, int, int, int]:
        """Left, bottom, width and height of what is rasterized of the scene."""
        width, height = target.scene.size if self._drawing is Drawing.ALL else (1, 1)
        return 0, 0, width, height

    def _resolve_scene(self, resolve: Step) -> None:
        if self._drawing is Drawing.ALL:
            resolve()
        else:
            self.app.images.scene.renderer._screen.resolved.use()

    def until(self, holds: Callable[[], bool]) -> None:
        """Draw frames until something holds; leave the processor to the jobs that it may depend on."""
        end = monotonic() + PATIENCE
        while not holds():
            assert monotonic() < end, "what was waited for did not happen"
            self._arrived.clear()
            self._frame(STEP, Drawing.PANELS)
            if self.app.jobs.is_busy:
                self._arrived.wait(REST)

    def open(self, address: Address | Path | str, *, is_paused: bool = False) -> None:
        """Open an address and wait until it is shown in its textures, or refused; stop it at its start."""
        self.app.opener.open(Address.given(str(address)))
        self.until(lambda: not self.app.jobs.title)
        if is_paused:
            self.state.view = replace(self.state.view, **PAUSED, time=0.0)
        self.settle()

    def settle(self) -> None:
        """Wait until nothing is being worked on, requested or about to be renewed, for some frames on end."""
        quiet = count()

        def has_rested() -> bool:
            nonlocal quiet
            if self.is_busy:
                quiet = count()
            return next(quiet) == QUIET

        self.until(has_rested)
        self.frames()

    @property
    def is_busy(self) -> bool:
        """Whether anything that is shown can still change without the user."""
        app = self.app
        return app.jobs.is_busy or app.editing.is_waiting or app._has_work or app.gui.has_input

    def run(self, script: Script) -> None:
        """Let a script use the mouse and the keys; what it asserts is raised here.

        The script runs in another thread: it must not touch OpenGL.
        """
        errors: list[BaseException] = []
        is_over = Event()

        def body(context: Context) -> None:
            try:
                script(context)
            except BaseException as error:
                errors.append(error)
                raise
            finally:
                is_over.set()

        test = imgui.test_engine.register_test(self._engine, "gui", f"script {len(self._kept)}")
        test.flags |= imgui.test_engine.TestFlags_.no_gui_warm_up
        test.test_func = body
        self._kept.append((test, body))
        imgui.test_engine.queue_test(self._engine, test)
        end = monotonic() + PATIENCE
        while not imgui.test_engine.is_test_queue_empty(self._engine):
            assert monotonic() < end, "a script does not come to an end"
            self.app.rebuild_panels()  # the engine works inside ImGui's frames
            self._frame(self._step, Drawing.PANELS)
            # What the last click called may bring a panel to the front, before the engine returns the focus.
            if is_over.is_set() and self.app._unsettled <= 1:
                end_cool_down()
        self.frames()
        if errors:
            raise errors[0]
        log = test.output.log.get_text()
        assert test.output.status == imgui.test_engine.TestStatus.success, log

    def rest(self, context: Context, seconds: float) -> None:
        """Let time pass in a script, in few long frames: tooltips and clicks count time, not frames."""
        self._step = seconds / 6
        context.yield_(6)
        self._step = STEP

    def close(self) -> None:
        """Stop the engine, then close the application."""
        imgui.test_engine.stop(self._engine)
        self.app.close()
        LookImage._draw = _draw_look  # type: ignore[method-assign]
        imgui.test_engine.destroy_context(self._engine)


def write_model(path: Path, builder: ModelBuilder) -> Path:
    """Write a model as a file of its own and return where it is."""
    path.write_bytes(builder.build())
    return path


def steps(gui: GuiTester) -> tuple[edited_file.Step, ...]:
    """The steps that are done in the only file."""
    return next((file.done for file in gui.state.edits.files.values()), ())


def current(gui: GuiTester, path: Path) -> bytes:
    """The bytes of a file with what was edited."""
    return bytes(gui.app.opener.library.file(path))


def bring_to_front(gui: GuiTester, title: str) -> None:
    """Choose the tab of a panel, which is opened if it is closed."""
    if title in gui.app.shell.closed_panels:
        gui.app.shell._switches.set_open(title, is_open=True)
        gui.settle()
    gui.run(lambda context: context.window_focus(f"//{title}"))


def exists(gui: GuiTester, item: str) -> bool:
    """Tell whether an item is on screen."""
    found: list[bool] = []
    gui.run(lambda context: found.append(context.item_exists(item)))
    return found[0]


def in_stage(item: str) -> str:
    """The full reference of an item below what the active tab shows; wildcards do not find combo boxes."""
    return in_child("viewport/resource", item)


def in_child(part: str, item: str) -> str:
    """The full reference of an item in the child window whose name has a part."""
    windows = imgui.get_current_context().windows
    name = next(found.name for found in windows if found.active and part in found.name)
    return f"//{name.replace('/', chr(92) + '/')}/{item}"


def enlarge(gui: GuiTester, panel: str) -> None:
    """Pull up the upper edge of a panel at the bottom."""
    node = imgui.internal.find_window_by_name(panel).dock_node
    edge = imgui.ImVec2(node.pos.x + node.size.x / 2, node.pos.y - 2)

    def pull(context: Context) -> None:
        context.mouse_move_to_pos(edge)
        context.mouse_drag_with_delta((0, -170))

    gui.run(pull)
