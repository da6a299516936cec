"""The application in a window that nobody sees."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from moderngl_window.context.headless.window import Window

from tests.builders import Key, ModelBuilder, Node, archive_of, box, turn
from tests.gui.engine import headless_window, release_lock_in_frames
from tests.gui.harness import GuiTester
from viewer.control.editing import renewal
from viewer.control.opening.loading import NO_START_OPTIONS, StartOptions
from viewer.control.settings.settings import Settings
from viewer.render.targets import free_dropped
from viewer.session.program import CLOSED_AT_FIRST
from viewer.session.view.view_state import ViewState
from viewer.ui.viewport.world_labels import PlacedText, WorldLabels


@pytest.fixture(scope="module", autouse=True)
def _earlier_objects() -> None:
    """Leave what earlier tests have kept out of the searches for garbage, which end every test."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def given() -> StartOptions:
    """What the command line says: nothing."""
    return NO_START_OPTIONS


@pytest.fixture(scope="session")
def window() -> Iterator[Window]:
    """A window that nobody sees; OpenGL compiles what it needs of its own for every one."""
    window = headless_window()
    yield window
    window.destroy()


@pytest.fixture
def gui(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    given: StartOptions,
    window: Window,
) -> Iterator[GuiTester]:
    """The application with nothing open, and without thumbnails, which would come at any moment.

    Panels that tests are marked with are closed: building them is most of the work of a frame.

    What is renewed once nothing was edited for a moment is renewed in the next frame.

    Settings go to ``settings.json`` in the test's own folder.
    """
    release_lock_in_frames(monkeypatch)
    monkeypatch.setattr(renewal, "REST", 0.0)
    window.title, window.is_closing, window.fullscreen = "", False, False
    unused = [panel for mark in request.node.iter_markers("closed") for panel in mark.args]
    # With four samples a pixel, which tests of `render` draw, a picture takes three times as long.
    view = ViewState(samples=1)
    closed = (*CLOSED_AT_FIRST, *unused)
    settings = Settings(has_seen_hint=True, has_thumbnails=False, closed_panels=closed, view=view)
    with window.ctx:
        tester = GuiTester(window, settings, tmp_path / "settings.json", given)
        tester.frames(2)
        yield tester
        assert window.ctx.error == "GL_NO_ERROR"
        failure = tester.state.failure
        tester.close()
        assert failure is None, failure.details
        del tester
        gc.collect()
        free_dropped(window.ctx)


def crane() -> ModelBuilder:
    """A base with a mast that turns, an arm on it with two LODs, and a hook in group 1 alone."""
    return ModelBuilder.of(
        [
            Node("base", shapes={(0, 0): [box((4, 4, 1))], (1, 0): [box((4, 4, 1))]}),
            Node(
                "mast",
                parent=0,
                shapes={(0, 0): [box((1, 1, 6), center=(0, 0, 3))]},
                keys=[Key(time, quaternion=turn((0, 0, 1), time * 9)) for time in (0, 10, 20)],
            ),
            Node(
                "arm",
                parent=1,
                shapes={(0, 0): [box((5, 1, 1), material=1)], (1, 0): [box((5, 1, 1), material=1)]},
                keys=[Key(position=(2, 0, 6))],
            ),
            Node("hook", parent=2, shapes={(0, 1): [box((1, 1, 1))]}, keys=[Key(position=(2, 0, -2))]),
        ]
    )


def rock() -> ModelBuilder:
    """One box that does not move."""
    return ModelBuilder.of([Node("rock", shapes={(0, 0): [box((3, 2, 1))]})])


ARCHIVE = "models.rlb"


@cache
def archive_bytes() -> bytes:
    """What `archive` holds."""
    return archive_of(
        {
            "crane.msh": crane().build(),
            "crane.wea": b"2\r\n0 YELLOW\r\n1 STEEL\r\n",
            "rock.msh": rock().build(),
            "broken.msh": crane().build()[:200],
        }
    )


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """``models.rlb`` with ``crane.msh``, ``rock.msh``, a wear table and an entry that is no model."""
    path = tmp_path / ARCHIVE
    path.write_bytes(archive_bytes())
    return path


@pytest.fixture(name="crane")
def opened_crane(gui: GuiTester, archive: Path) -> GuiTester:
    """The crane, paused at time 0; modules bring in front what they use."""
    gui.open(archive, is_paused=True)
    return gui


@pytest.fixture
def walker(gui: GuiTester) -> GuiTester:
    """The bundled sample, paused."""
    gui.commands.opening.open_sample()
    gui.until(lambda: gui.state.document is not None)
    gui.pause()
    return gui


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[float, float]]:
    """The texts of the last frame, and where they begin."""
    shown: dict[str, tuple[float, float]] = {}
    texts = WorldLabels.texts

    def note(labels: WorldLabels) -> Iterator[PlacedText]:
        shown.clear()
        for text in texts(labels):
            shown[text.words] = text.corner.x, text.corner.y
            yield text

    monkeypatch.setattr(WorldLabels, "texts", note)
    return shown
