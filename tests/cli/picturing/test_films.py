"""``render`` into one animated file: how many images, how long, which, and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image, ImageSequence

from tests.builders import Key, ModelBuilder, Node, box
from tests.cli.console import WALKER, Capture
from viewer.cli.main import main
from viewer.errors import UsageError
from viewer.model.convert.pictures import films
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.opened.document import Document
from viewer.session.play import filming
from viewer.session.play.playback import FrameRange
from viewer.session.view.view_state import Loop, ViewState

SMALL = ("--yaw", "0", "--pitch", "0", "--size", "64x48")
LAST, RATE = 15, 10
"""The last frame of the model: a second, so that one loop has `RATE` images."""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A box that flies up."""
    flight = Key(), Key(time=LAST, position=(0, 0, 20))
    path = tmp_path / "flight.msh"
    nodes = [Node("root"), Node("box", parent=0, shapes={(0, 0): [box()]}, keys=flight)]
    path.write_bytes(ModelBuilder.of(nodes).build())
    return path


def images_of(path: Path) -> tuple[list[npt.NDArray[np.uint8]], list[float]]:
    """The images of a film, and how long each is shown, milliseconds."""
    if path.suffix in films.VIDEO_SUFFIXES:
        with av.open(str(path)) as opened:
            frames = [*opened.decode(video=0)]
        ends = [float(frame.time * 1000) for frame in frames if frame.time is not None]
        shown = [np.asarray(frame.to_ndarray(format="rgba"), np.uint8) for frame in frames]
        return shown, [*np.diff(ends), *np.diff(ends)[-1:]]
    with Image.open(path) as animated:
        found = [
            (np.asarray(it.convert("RGBA")), it.info["duration"]) for it in ImageSequence.Iterator(animated)
        ]
    return [image for image, _duration in found], [duration for _image, duration in found]


@pytest.mark.parametrize("suffix", films.FILM_SUFFIXES)
def test_a_film_shows_one_loop_in_even_steps(model: Path, suffix: str) -> None:
    out = model.with_suffix(suffix)
    assert main(["render", str(model), "-o", str(out), *SMALL, "--animate", "--rate", str(RATE)]) == 0
    images, durations = images_of(out)
    assert len(images) == RATE
    assert durations == pytest.approx([1000 / RATE] * RATE, abs=1)
    series = ["--frames", f"0:{LAST}:{LAST / RATE}"]
    assert main(["render", str(model), "-o", str(model.with_name("one.png")), *SMALL, *series]) == 0
    for number, image in enumerate(images):
        with Image.open(model.with_name(f"one_{number:04}.png")) as opened:
            expected = np.asarray(opened.convert("RGBA")).astype(int)
        error = np.abs(image.astype(int) - expected).mean()
        assert error == 0 if suffix == ".png" else error < 4
    first, last = (np.argwhere(np.ptp(image[..., :3], axis=2) > 8)[:, 0] for image in (images[0], images[-1]))
    assert first.size == last.size == 0 or first.mean() > last.mean() + 5, "the box flies up"


@pytest.mark.parametrize("suffix", [".webp", ".png", ".gif"])
def test_a_film_without_a_background(model: Path, suffix: str) -> None:
    out = model.with_suffix(suffix)
    animate = ["--animate", "--rate", str(RATE), "--transparent"]
    assert main(["render", str(model), "-o", str(out), *SMALL, *animate]) == 0
    images, _durations = images_of(out)
    shown = [np.argwhere(image[..., 3] > 0)[:, 0] for image in images]
    assert [len(image) for image in images] == [48] * RATE
    assert all(rows.size for rows in shown)
    assert shown[0].mean() > shown[-1].mean() + 5, "no image leaves anything of the one before"
    assert all(image[0, 0, 3] == 0 for image in images)


def test_a_turntable_is_one_film_and_as_png_numbered_files(model: Path) -> None:
    out = model.with_name("turn.webp")
    assert main(["render", str(model), "-o", str(out), *SMALL, "--turntable", "6"]) == 0
    assert len(images_of(out)[0]) == 6
    assert main(["render", str(model), "-o", str(out.with_suffix(".png")), *SMALL, "--turntable", "6"]) == 0
    assert len([*model.parent.glob("turn_*.png")]) == 6


def test_a_clip_by_its_name_and_the_one_that_shows_the_model_best(tmp_path: Path) -> None:
    outs = [tmp_path / name for name in ("best.gif", "walk.gif", "clip.gif")]
    named = (["--animate"], ["--animate", "walk"], ["--animate", "--clip", "walk"])
    for out, arguments in zip(outs, named, strict=True):
        assert main(["render", WALKER, "-o", str(out), "--size", "32x24", *arguments, "--rate", "5"]) == 0
    assert outs[0].read_bytes() == outs[1].read_bytes() == outs[2].read_bytes()


def test_a_clip_that_fades_to_another(tmp_path: Path) -> None:
    """With a weight of 0 it is the clip alone; a run is another walk."""
    out = tmp_path / "a.gif"

    def film(*options: str) -> bytes:
        size = "--size", "32x24", "--rate", "5"
        assert main(["render", WALKER, "-o", str(out), *size, "--animate", "walk", *options]) == 0
        return out.read_bytes()

    walk = film()
    assert film("--clip-b", "run", "--blend", "0") == walk
    assert film("--clip-b", "run", "--blend", "0.7") != walk


def test_one_film_for_each_model(model: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.msh"
    other.write_bytes(model.read_bytes())
    out = tmp_path / "{entry}.gif"
    assert main(["render", str(model), str(other), "-o", str(out), *SMALL, "--animate", "--rate", "5"]) == 0
    assert sorted(path.name for path in tmp_path.glob("*.gif")) == ["flight.msh.gif", "other.msh.gif"]


@pytest.mark.parametrize(
    ("out", "arguments", "why"),
    [
        ("a.mp4", ["--turntable", "4", "--transparent"], "transparency"),
        ("a.mp4", ["--turntable", "4", "--size", "33x20"], "even"),
        ("a.gif", ["--animate", "--rate", "51"], "1 to 50"),
        ("a.webp", ["--animate", "--rate", "0"], "1 to 60"),
        ("a.webp", ["--turntable", "9999", "--size", "800x600"], "too much"),
        ("a.webp", ["--turntable", "99999", "--size", "800x600"], "not 1 to 10000"),
        ("a.bmp", ["--animate"], "ends in"),
        ("-", ["--animate"], "ends in"),
        ("a.png", ["--rate", "5"], "--rate is for a film"),
        ("a.webp", [], "does not end in .png"),
        ("a.webp", ["--animate", "--ids"], "--ids"),
        ("a.webp", ["--animate", "--time", "3"], "--time"),
        ("a.webp", ["--animate", "walk", "--clip", "walk"], "both"),
        ("a.webp", ["--animate", "--clip-b", "run"], "--clip-b needs --blend"),
        ("a.png", ["--clip-b", "run", "--blend", "0.5"], "--clip-b needs --clip"),
        ("a.webp", ["--animate", "run"], ": clip run: the model has no controller"),
    ],
)
def test_what_a_film_cannot_be_is_refused(
    model: Path, out: str, arguments: list[str], why: str, capsys: Capture
) -> None:
    target = out if out == "-" else str(model.with_name(out))
    assert main(["render", str(model), "-o", target, *SMALL, *arguments]) == 2
    assert why in capsys.readouterr().err
    assert [path.name for path in model.parent.iterdir()] == [model.name]


def test_nothing_that_moves_is_no_film(tmp_path: Path, capsys: Capture) -> None:
    still = tmp_path / "still.msh"
    still.write_bytes(ModelBuilder.of([Node("box", shapes={(0, 0): [box()]})]).build())
    assert main(["render", str(still), "-o", str(tmp_path / "a.webp"), *SMALL, "--animate"]) == 2
    assert "nothing moves" in capsys.readouterr().err


def test_without_pyav_a_video_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(UsageError, match="pip install av"):
        films.check(".mp4", (64, 64), 2, 25, is_transparent=False)


def test_to_and_fro_and_marked_ranges(model: Path) -> None:
    document = Document.open(FileStore(), Source(Address.given(str(model))))
    once = filming.loop_of(document, ViewState(), RATE)
    assert once == pytest.approx([LAST * number / RATE for number in range(RATE)])
    both_ways = filming.loop_of(document, ViewState(loop=Loop.PING_PONG), RATE)
    assert both_ways == pytest.approx([*once, LAST, *once[:0:-1]])
    part = filming.loop_of(document, ViewState(frames=FrameRange(3, 6)), RATE)
    assert part == pytest.approx([3, 4.5])
