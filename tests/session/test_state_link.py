"""State links: what is copied reopens, and a bad link is one clear error."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests import skies
from tests.cli.console import GAME, MODELS, WALKER, Capture, failure
from tests.systems import IS_WINDOWS, needs_egl
from viewer.errors import UsageError
from viewer.model.mesh.reading_choices import GroundReading, ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.operations.reading_options import ReadingOptions
from viewer.session.opened.document import Document
from viewer.session.selection import Selection
from viewer.session.view.camera import Camera
from viewer.session.view.options.background import Background
from viewer.session.view.options.lighting import Lighting, LightKind, Look
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.session.view.skies import linked_view, read_sky
from viewer.session.view.state_link import START, StateLink
from viewer.session.view.view_state import ViewState


@pytest.fixture(scope="module")
def walker() -> Document:
    return Document.open(FileStore(), Source(Address.parse(WALKER), ReadingOptions(ReadingChoice.FIELD)))


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
        overlays=frozenset({Overlay.BONES, Overlay.SLOT_BOUNDS}),
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


def test_a_link_says_that_nothing_is_shown_over_a_model(walker: Document) -> None:
    link = StateLink.parse(str(StateLink.of(walker, ViewState(overlays=frozenset()))))
    assert not link.applied(ViewState()).overlays
    other = StateLink(Address.parse(WALKER))
    assert other.applied(ViewState()).overlays == ViewState().overlays


def test_a_link_says_how_a_terrain_is_read() -> None:
    terrain = Address(GAME / "DATA" / "MAPS" / "SAMPLE" / "Land.msh")
    crossed = Source(terrain, ReadingOptions(ground=GroundReading.CROSSED))
    document = Document.open(FileStore(), crossed)
    link = StateLink.parse(str(StateLink.of(document, ViewState())))
    assert link.given == {"ground": GroundReading.CROSSED}
    assert link.is_of(document)
    assert not link.is_of(Document.open(FileStore(), Source(terrain)))


def test_a_link_of_today_is_read() -> None:
    """Each name and form that links had before they followed from the options."""
    text = (
        f"{START}file=/games/a.rlb&entry=b.msh&reading=seed&lod=2&group=3&nodes=4,7&slot=3&batch=9&time=12.25"
        "&clip=1&seconds=0.375&target=1.5,-2.0,0.1&distance=7.25&yaw=0.5&pitch=-0.25&fov=0.7&ortho=1"
        "&shading=uv-checker&look=plain&lights=0&light=head&scene=0.5&fog=1&dome=1&background=light"
        "&guesses=stream15.shorts,stream16.vectors"
    )
    view = StateLink.parse(text).applied(ViewState(is_playing=True))
    assert (view.lod, view.group, view.time, view.is_playing) == (2, 3, 12.25, False)
    assert view.selection == Selection((4, 7), slot=3, batch=9)
    assert (view.playback.clip, view.playback.seconds) == (1, 0.375)
    assert view.camera == Camera((1.5, -2.0, 0.1), 7.25, 0.5, -0.25, 0.7, is_orthographic=True)
    assert (view.shading, view.background) == (Shading.UV_CHECKER, Background.LIGHT)
    lights = Lighting(Look.PLAIN, 0.5, kind=LightKind.HEAD, has_lights=False, has_fog=True, has_dome=True)
    assert view.lighting == lights
    assert view.guesses == {"stream15": "shorts", "stream16": "vectors"}
    auto = StateLink.parse(f"{START}file=/games/a.rlb&scene=auto").applied(view)
    assert auto.lighting == replace(lights, scene=None)


def game_folder(folder: Path) -> tuple[FileStore, Document]:
    """A model in a game folder with a mission that has a sky, whose clock starts at 6:30."""
    mission = folder / "MISSIONS" / "M 1"
    mission.mkdir(parents=True)
    (mission / "sky.ske").write_bytes(skies.SKY)
    (folder / "Material.lib").write_bytes((Path(GAME) / "Material.lib").read_bytes())
    (folder / "models.rlb").write_bytes(Path(MODELS).read_bytes())
    store = FileStore()
    return store, Document.open(store, Source(Address(folder / "models.rlb", ("walker.msh",))))


def test_a_link_holds_the_light(tmp_path: Path) -> None:
    """Its sky is named within the game folder, so that the link works with a copy of that."""
    store, document = game_folder(tmp_path / "game")
    sky = read_sky(store, Address(tmp_path / "game/MISSIONS/M 1/sky.ske"), 14.25)
    lights = (
        Lighting(kind=LightKind.SKY, sky=sky),
        Lighting(kind=LightKind.SKY, sky=sky, scene=0.5, has_lights=False, has_fog=True, has_dome=True),
        Lighting(kind=LightKind.HEAD, scene=0.0),
        Lighting(),
    )
    for lighting in lights:
        link = StateLink.parse(str(StateLink.of(document, replace(ViewState(), lighting=lighting))))
        before = replace(ViewState(), lighting=Lighting(Look.PLAIN, 0.75, kind=LightKind.HEAD))
        view, problem = linked_view(store, link, before, None, document)
        assert problem == ""
        found = view.lighting
        assert (found.look, found.scene, found.has_lights) == (Look.GAME, lighting.scene, lighting.has_lights)
        assert found.kind is lighting.kind
        assert (found.has_fog, found.has_dome) == (lighting.has_fog, lighting.has_dome)
        if lighting.sky is not None:
            assert found.sky is not None
            assert (found.sky.name, found.sky.hour, found.sky.light) == (sky.name, 14.25, sky.light)
            assert link.sky == "MISSIONS/M 1/sky.ske"
    (tmp_path / "copy").mkdir()
    store, copy = game_folder(tmp_path / "copy")
    link = StateLink.of(document, replace(ViewState(), lighting=lights[0])).within(copy.address)
    found = linked_view(store, link, ViewState(), None, copy).view.lighting
    assert found.sky is not None
    assert Path(found.sky.name) == tmp_path / "copy/MISSIONS/M 1/sky.ske"


def test_a_sky_that_is_gone_is_said_and_the_light_is_that_of_the_game(tmp_path: Path) -> None:
    store, document = game_folder(tmp_path)
    link = StateLink.parse(f"{START}file={MODELS}&light=sky&sky=MISSIONS/M2/sky.ske&hour=3")
    view, problem = linked_view(store, link, ViewState(), None, document)
    assert view.lighting == Lighting()
    assert "the sky of the link cannot be used" in problem
    assert "M2" in problem


@pytest.mark.parametrize(
    "name",
    ["a b.rlb", "ключ&=%.rlb", "#1?.rlb", "caf\udce9.rlb"]
    + ["x::y.rlb"] * (not IS_WINDOWS),  # there x: is a drive
)
def test_names_of_files_and_entries_survive(name: str) -> None:
    link = StateLink(Address(Path("/games").absolute() / name, ("in ner&.lib", "#3", "танк.msh")))
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
        (f"{START}file=a.rlb&time=1e10", "time"),
        (f"{START}file=a.rlb&target=1,2,inf", "target"),
        (f"{START}file=a.rlb&fog=2", "fog"),
        (f"{START}file=a.rlb&lod=-1", "lod"),
        (f"{START}file=a.rlb&target=1,2", "target"),
        (f"{START}file=a.rlb&pitch=4", "pitch"),
        (f"{START}file=a.rlb&nodes=1,-2", "nodes"),
        (f"{START}file=a.rlb&shading=x", "shading"),
        (f"{START}file=a.rlb&guesses=stream16.floats", "guesses"),
        (f"{START}file=a.rlb&show=grid,bells", "show"),
        (f"{START}file=a.rlb&light=moon", "light"),
        (f"{START}file=a.rlb&scene=2", "scene"),
        (f"{START}file=a.rlb&hour=25", "hour"),
        (f"{START}file=a.rlb&sky=/etc/passwd", "sky"),
        (f"{START}file=a.rlb&sky=../sky.ske", "sky"),
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


@needs_egl
def test_without_a_display_a_link_gives_its_picture(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from viewer.cli.main import main  # noqa: PLC0415

    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr("sys.platform", "linux")  # others always have one
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
