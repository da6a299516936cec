"""Saving an animation from the window: what it shows, its preview, and what ends it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from imgui_bundle import imgui
from msgspec.structs import replace
from PIL import Image, ImageSequence

from tests.gui.hand import click, press, type_into
from tests.gui.harness import BOTTOM, RIGHT, Context, GuiTester
from viewer.app.dialogs import dialogs
from viewer.app.images import films
from viewer.app.scene_renderer import SceneRenderer
from viewer.errors import UsageError
from viewer.model.convert.pictures.films import VIDEO_SUFFIXES
from viewer.session.edits.questions import CloseChoice, WritingQuestion
from viewer.session.play.filming import Film, FilmOptions
from viewer.session.selection import Selection
from viewer.ui.windows import picture_window

pytestmark = pytest.mark.closed("browser", *BOTTOM, *RIGHT)

SMALL = (64, 48)
OPTIONS = FilmOptions(".gif", SMALL, 10)


@pytest.fixture
def playing(crane: GuiTester, archive: Path, monkeypatch: pytest.MonkeyPatch) -> GuiTester:
    """A model that plays; files are saved in the archive's folder with the program's own dialog."""
    monkeypatch.setattr(dialogs, "has_native_dialog", lambda: False)
    crane.state.settings = replace(crane.state.settings, save_folder=str(archive.parent))
    crane.change(is_playing=True)
    return crane


def images(path: Path) -> list[Any]:
    with Image.open(path) as opened:
        return [np.asarray(it.convert("RGBA")).astype(int) for it in ImageSequence.Iterator(opened)]


def test_what_is_chosen_in_the_window_is_saved(playing: GuiTester, archive: Path) -> None:
    film = Film(playing.document, playing.state.view, OPTIONS)
    playing.commands.panels.show_picture_window(is_animated=True)
    click(playing, "//film/##format", "//$FOCUSED/###.gif")
    click(playing, "//film/##rate", "//$FOCUSED/10")
    click(playing, "//film/##size", "//$FOCUSED/###(512, 512)")
    click(playing, "//film/###save")
    click(playing, "//open/###confirm")
    path = archive.parent / "crane.gif"
    playing.until(path.exists)
    found = images(path)
    assert len(found) == len(film)
    assert {image.shape for image in found} == {(512, 512, 4)}
    playing.until(lambda: "saved" in playing.state.notice)
    assert not playing.app.images.films.has_work


def test_a_turn_around_a_model_shows_it_from_all_sides_and_leaves_the_view(
    playing: GuiTester, tmp_path: Path
) -> None:
    playing.pause(time=5.0)
    before = playing.state.view
    turn = replace(OPTIONS, seconds_around=0.8, is_transparent=True)
    playing.app.images.films.save(tmp_path / "turn.gif", turn)
    playing.until((tmp_path / "turn.gif").exists)
    found = images(tmp_path / "turn.gif")
    assert len(found) == 8
    assert not any(np.array_equal(found[0], other) for other in found[1:])
    assert all(image[0, 0, 3] == 0 and image[..., 3].any() for image in found)
    assert playing.state.view == before


def test_images_of_a_film_are_the_pictures_at_its_times(playing: GuiTester, tmp_path: Path) -> None:
    path = tmp_path / "loop.png"
    options = replace(OPTIONS, suffix=".png")
    film = Film(playing.document, playing.state.view, options)
    playing.change(selection=Selection((0, 1)))  # without its outline
    playing.app.images.films.save(path, options)
    playing.until(path.exists)
    for number, image in enumerate(images(path)):
        assert np.array_equal(image, playing.app.images.scene.picture(SMALL, film.view(number)))


def test_the_preview_plays_the_film(playing: GuiTester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(films, "PREVIEW_PAUSE", 0.0)
    playing.pause()
    shown = set[int]()

    def has_moved() -> bool:
        shown.add(playing.app.images.films.preview(OPTIONS).number)
        return len(shown) > 2

    playing.until(has_moved)
    preview = playing.app.images.films.preview(OPTIONS)
    assert preview.texture
    assert preview.count == len(Film(playing.document, playing.state.view, OPTIONS))
    assert not preview.problem
    playing.frames(2)
    assert not playing.app.images.films.has_work, "nobody looks at it"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (replace(OPTIONS, rate=60), "1 to 50"),
        (replace(OPTIONS, suffix=".mp4", is_transparent=True), "transparency"),
    ],
)
def test_what_cannot_be_saved_is_said_in_the_window(
    playing: GuiTester, options: FilmOptions, why: str
) -> None:
    assert why in problem(playing, options)


def problem(gui: GuiTester, options: FilmOptions) -> str:
    gui.app.images.films.preview(options)
    gui.frames(2)
    return gui.app.images.films.preview(options).problem


def test_a_model_that_does_not_move_has_no_loop(playing: GuiTester, archive: Path) -> None:
    playing.open(f"{archive}::rock.msh")
    assert "nothing moves" in problem(playing, OPTIONS)
    assert not problem(playing, replace(OPTIONS, seconds_around=1.0))


def test_a_film_waits_for_textures_but_not_for_ever(
    playing: GuiTester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SceneRenderer, "is_loading", True)
    path = tmp_path / "late.gif"
    playing.app.images.films.save(path, OPTIONS)
    playing.frames(5)
    assert playing.app.images.films._written is not None
    assert playing.app.images.films._written.drawn == 0
    monkeypatch.setattr(films, "LONGEST", 0.0)
    playing.until(path.exists)


def test_a_cancelled_film_leaves_no_file(playing: GuiTester, tmp_path: Path) -> None:
    path = tmp_path / "long.gif"
    playing.app.images.films.save(path, replace(OPTIONS, seconds_around=60.0))
    playing.frames(3)
    playing.app.jobs.cancel("save_film")
    playing.until(lambda: "Cancelled" in playing.state.notice)
    assert not path.exists()
    assert not playing.app.images.films.has_work


def test_a_film_is_finished_although_another_model_is_shown(
    playing: GuiTester, archive: Path, tmp_path: Path
) -> None:
    whole, left = tmp_path / "whole.png", tmp_path / "left.png"
    turn = replace(OPTIONS, suffix=".png", seconds_around=2.0)
    playing.pause(time=5.0)
    playing.app.images.films.save(whole, turn)
    playing.until(whole.exists)
    playing.settle()
    playing.app.images.films.save(left, turn)
    playing.frames(2)
    playing.open(f"{archive}::rock.msh")
    shown = playing.picture()
    playing.until(left.exists)
    assert np.array_equal(images(left), images(whole))
    playing.settle()
    assert playing.document.address.name == "rock.msh"
    assert np.array_equal(playing.picture(), shown)


def test_a_second_film_waits_for_the_user_to_ask_again(playing: GuiTester, tmp_path: Path) -> None:
    playing.app.images.films.save(tmp_path / "first.gif", OPTIONS)
    with pytest.raises(UsageError, match=r"first\.gif is still being saved"):
        playing.app.images.films.save(tmp_path / "second.gif", OPTIONS)
    playing.until((tmp_path / "first.gif").exists)
    playing.settle()
    playing.app.images.films.save(tmp_path / "second.gif", OPTIONS)
    playing.until((tmp_path / "second.gif").exists)


@pytest.mark.parametrize(("typed", "name"), [("loop.png", "loop.png"), ("loop.v2", "loop.v2.webp")])
def test_the_ending_that_is_typed_decides_the_format(
    playing: GuiTester, archive: Path, typed: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As large as the viewport it would be drawn for seconds.
    monkeypatch.setattr(picture_window._Appearance, "draw", lambda *_ignored: SMALL)
    playing.commands.panels.show_picture_window(is_animated=True)
    press(playing, imgui.Key.enter)
    assert playing.app.dialog.is_open, "Enter saves"
    type_into(playing, "//open/##path", str(archive.parent / typed))
    path = archive.parent / name
    playing.until(path.exists)
    with Image.open(path) as found:
        assert found.format == {".png": "PNG", ".webp": "WEBP"}[path.suffix]


def test_only_a_video_has_even_sides(playing: GuiTester, archive: Path) -> None:
    def enter(context: Context) -> None:
        context.item_input_value("//film/##width", 51)
        context.item_input_value("//film/##height", 33)

    for name, size in (("odd.gif", (51, 33)), ("even.webm", (50, 32))):
        playing.commands.panels.show_picture_window(is_animated=True)
        click(playing, "//film/##size", "//$FOCUSED/###custom")
        playing.run(enter)
        assert not playing.app.dialog.is_open, "Enter in a field is of the field"
        click(playing, "//film/###save")
        type_into(playing, "//open/##path", str(archive.parent / name))
        path = archive.parent / name
        playing.until(path.exists)
        playing.settle()
        with av.open(str(path)) as opened:
            frame = next(opened.decode(video=0))
        assert (frame.width, frame.height) == size


@pytest.mark.parametrize("suffix", VIDEO_SUFFIXES)
def test_a_video_has_every_image(playing: GuiTester, tmp_path: Path, suffix: str) -> None:
    path, options = tmp_path / f"loop{suffix}", replace(OPTIONS, suffix=suffix)
    playing.app.images.films.save(path, options)
    playing.until(path.exists)
    with av.open(str(path)) as opened:
        frames = [*opened.decode(video=0)]
    assert len(frames) == len(Film(playing.document, playing.state.view, options))
    assert {(frame.width, frame.height) for frame in frames} == {SMALL}


def test_closing_the_window_asks_about_a_film_that_is_written(playing: GuiTester, tmp_path: Path) -> None:
    path = tmp_path / "turn.gif"
    playing.app.images.films.save(path, replace(OPTIONS, seconds_around=0.8))
    playing.window.is_closing = True
    playing.frames()
    assert playing.state.question == WritingQuestion(("Saving turn.gif…",))
    assert not playing.app.is_closing
    playing.until(lambda: playing.state.question is None)
    assert len(images(path)) == 8
    assert not playing.app.is_closing, "nobody answered"
    playing.commands.closing.quit()
    assert playing.app.is_closing


def test_a_window_may_close_without_its_film(playing: GuiTester, tmp_path: Path) -> None:
    playing.app.images.films.save(tmp_path / "turn.gif", replace(OPTIONS, seconds_around=8.0))
    playing.commands.closing.quit()
    playing.commands.closing.answer(CloseChoice.CANCEL)
    assert (playing.state.question, playing.app.is_closing) == (None, False)
    playing.commands.closing.quit()
    click(playing, "//writing/###close")
    assert playing.app.is_closing
    assert not (tmp_path / "turn.gif").exists()
