"""Mutants in the window: opened, drawn in every shading, with every panel in front."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from random import Random
from typing import Final

from imgui_bundle import ImVec2, imgui
from msgspec.structs import replace

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.fuzz.mutants import mutant
from tests.fuzz.seeds import Seed, seeds
from tests.gui.engine import headless_window
from viewer.app.application import Application
from viewer.control.settings.settings import Settings
from viewer.errors import MshviewError
from viewer.formats.archive.nres import Archive
from viewer.model.edit.nodes.rename_node import RenameNode
from viewer.model.store.address import Address
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading

STEP: Final = 1 / 60
FRAMES: Final = 4000
"""Frames after which a job that did not end counts as hanging."""


@cache
def _application() -> Application:
    """The window of this process, with nothing open; it is never closed."""
    return Application(headless_window(), Settings(has_seen_hint=True, has_thumbnails=False))


@contextmanager
def _window() -> Iterator[Application]:
    """The window of this process; one that has failed is closed, and the next mutant gets another one."""
    app = _application()
    try:
        # The verb `gallery` leaves no context current in its process: textures could not be created.
        with app.images.scene.renderer._ctx:
            yield app
    except BaseException:
        with suppress(Exception):
            imgui.end_frame()
        app.gui.close()
        _application.cache_clear()
        raise


def attack(seed: Seed, number: int, folder: Path) -> None:
    """Open a mutant, look at it from all sides, and go on with the next."""
    with _window() as app:
        _look(app, seed, number, folder)


def undo(seed: Seed, number: int, folder: Path) -> None:
    """Edit, undo and redo while another program writes the file: nothing fails, and the file is its own."""
    with _window() as app:
        _undo(app, seed, number, folder)


def _undo(app: Application, seed: Seed, number: int, folder: Path) -> None:
    random = Random(number)
    path = folder / f"edited{number}.rlb"
    small = ModelBuilder.of(
        [Node("base", shapes={(0, 0): [box()]}), Node("arm", 0, {(0, 0): [box()]})]
    ).build()
    whole = archive_of({"a.msh": small, "b.msh": small})
    others = (whole, archive_of({"b.msh": small}), archive_of({"a.msh": seed.data}), whole[:99], b"", None)
    path.write_bytes(whole)
    address = Address(path, ("a.msh",))
    written: bytes | None = whole
    app.opener.open(address)
    _settle(app)
    for _ in range(12):
        step = random.choice(("edit", "edit", "undo", "redo", "write", "look", "reload"))
        if step == "edit":
            change = RenameNode(random.choice((0, 1)), f"n{random.randrange(99)}")
            app.later(app.control.edits.edit, address, (change,))
        elif step in ("undo", "redo"):
            app.later(app.control.edits.step, -1 if step == "undo" else 1)
        elif step == "write":
            data = random.choice(others)
            path.unlink(missing_ok=True)
            if data is not None:
                path.write_bytes(data)
            written = data
        elif step == "look":
            app.editing.watch.look()
            app.editing.watch.look()
        else:
            app.later(app.control.opening.reload)
        _settle(app)
        assert app.state.failure is None, app.state.failure.details
        assert (path.read_bytes() if path.exists() else None) == written, "the file was written"
        app.state.message = ""
        file = app.state.edits.of(path)
        shown = app.state.document
        if step == "reload" and not file.is_changed and shown is not None and shown.address == address:
            held = archive_in(written)
            assert held is None or shown.model.archive.data == held, "what is shown is not on the disk"
    app.state.question = None
    path.unlink(missing_ok=True)


def archive_in(data: bytes | None) -> bytes | None:
    """The model ``a.msh`` in an archive; None if there is none."""
    with suppress(MshviewError):
        found = Archive.read(memoryview(data or b""))
        index = found.find(b"a.msh")
        return None if index is None else bytes(found.payload(index))
    return None


def _look(app: Application, seed: Seed, number: int, folder: Path) -> None:
    random = Random(number)
    others = seeds()
    path = folder / f"mutant{number}{seed.suffix}"
    path.write_bytes(mutant(seed.data, others[number % len(others)].data, number))
    app.opener.open(Address(path))
    _settle(app)
    for panel in random.sample(app.shell._panels, 4):
        app.shell._switches.bring(panel.id)
        app.state.view = replace(
            app.state.view,
            shading=random.choice([*Shading]),
            overlays=frozenset(random.sample([*Overlay], 4)),
            time=random.random() * 20,
        )
        app.later(app.control.camera.frame_all)
        _frame(app)
        _frame(app)
    assert app.state.failure is None, app.state.failure.details
    app.state.message = ""
    path.unlink()


def _settle(app: Application) -> None:
    """Draw frames until everything is read."""
    for drawn in count():
        _frame(app)
        if drawn > 2 and not app.jobs.is_busy:
            return
        assert drawn < FRAMES, f"{app.jobs.title} does not end"


def _frame(app: Application) -> None:
    imgui.get_io().mouse_pos = ImVec2(300, 300)
    app.draw(STEP)
    app.images.scene.renderer._ctx.finish()


ATTACKS: Final = {"windows": attack, "undo": undo}
