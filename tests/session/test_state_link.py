"""State links: what is copied reopens, and a bad link is one clear error."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.console import GAME, MODELS, WALKER, Capture, failure
from viewer.errors import UsageError
from viewer.model.mesh.reading import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.opened.document import Document
from viewer.session.selection import Selection
from viewer.session.view.camera import Camera
from viewer.session.view.lighting import Look
from viewer.session.view.state_link import START, StateLink
from viewer.session.view.view_state import Background, Shading, ViewState


@pytest.fixture(scope="module")
def walker() -> Document:
    return Document.open(FileStore(), Source(Address.parse(WALKER), ReadingChoice.FIELD))


def test_a_link_holds_all_of_the_view(walker: Document) -> None:
    view = ViewState(
        lod=1,
        group=2,
        selection=Selection((4, 7), slot=3, batch=9),
        time=12.25,
        camera=Camera((1.5, -2.0, 0.1), 7.25, 0.5, -0.25, 0.7, is_orthographic=True),
        shading=Shading.NORMALS,
        background=Background.LIGHT,
        guesses={"stream15": "shorts", "stream16": "vectors"},
    )
    view = replace(
        view,
        playback=replace(view.playback, clip=1, seconds=0.375),
        lighting=replace(view.lighting, look=Look.PLAIN),
    )
    link = StateLink.parse(str(StateLink.of(walker, view)))
    assert link.address == Address.parse(WALKER)
    assert link.reading is ReadingChoice.FIELD
    assert link.has_camera
    assert link.applied(ViewState()) == view
    assert str(StateLink.parse(str(link))) == str(link)


@pytest.mark.parametrize("name", ["a b.rlb", "ключ&=%.rlb", "x::y.rlb", "#1?.rlb", "caf\udce9.rlb"])
def test_names_of_files_and_entries_survive(name: str) -> None:
    link = StateLink(Address(Path("/games") / name, ("in ner&.lib", "#3", "танк.msh")))
    text = str(link)
    assert text.isascii()
    assert " " not in text
    assert StateLink.parse(text).address == link.address


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "mshview:open?"),
        ("http://example.com/", "mshview:open?"),
        (START, "file"),
        (f"{START}entry=a.msh", "file"),
        (f"{START}file=a.rlb&file=b.rlb", "file"),
        (f"{START}file=a.rlb&lod=3", "lod"),
        (f"{START}file=a.rlb&lod=0&lod=1", "lod"),
        (f"{START}file=a.rlb&time=nan", "time"),
        (f"{START}file=a.rlb&target=1,2", "target"),
        (f"{START}file=a.rlb&pitch=4", "pitch"),
        (f"{START}file=a.rlb&nodes=1,-2", "nodes"),
        (f"{START}file=a.rlb&shading=x", "shading"),
        (f"{START}file=a.rlb&guesses=stream16.floats", "guesses"),
        (f"{START}file=a.rlb&save=b.rlb", "save"),
        (f"{START}file=a.rlb&reading=tea", "reading"),
        (START + "file=" + "a" * 9000, "mshview:open?"),
    ],
)
def test_bad_links_are_refused(text: str, word: str) -> None:
    with pytest.raises(UsageError, match=word.replace("?", r"\?")):
        StateLink.parse(text)


def test_the_shell_refuses_a_bad_link_in_one_line(capsys: Capture) -> None:
    assert "lod" in failure(capsys, "open", "--state", f"{START}file={MODELS}&lod=7")


def test_a_link_can_be_about_a_copy_of_its_file() -> None:
    link = StateLink.parse(f"{START}file=/there/a.rlb&entry=walker.msh&lod=1")
    assert link.within(Address(Path("b.rlb"))).address == Address(Path("b.rlb"), ("walker.msh",))
    other = Address(Path("b.rlb"), ("drone.msh",))
    assert link.within(other).address == other


def test_without_a_display_a_link_gives_its_picture(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from viewer.cli.main import main  # noqa: PLC0415

    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    pictures = []
    for yaw in ("0", "2"):
        out = tmp_path / f"{yaw}.png"
        monkeypatch.setenv("MSHVIEW_PREVIEW", str(out))
        camera = f"target=0,0,2&distance=12&yaw={yaw}&pitch=0.3"
        assert main(["open", "--state", f"{START}file={GAME}/models.rlb&entry=walker.msh&{camera}"]) == 0
        pictures.append(out.read_bytes())
    assert pictures[0] != pictures[1]
    assert "rendered" in capsys.readouterr().out
