"""Settings survive a restart, and damaged ones never stop the program."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from viewer.control.settings import settings_file
from viewer.control.settings.settings import RECENT_LIMIT, Settings, requested_reading
from viewer.control.settings.settings_damage import SettingsDamage
from viewer.control.settings.stored_fields import form, members
from viewer.errors import OutputError
from viewer.model.convert.options import Clips, Options
from viewer.model.mesh.reading_choices import GroundReading
from viewer.model.mesh.shown import CellRule
from viewer.model.store.address import Address
from viewer.operations.reading_options import ReadingOptions
from viewer.options import options_of
from viewer.session.exporting import ExportChoices
from viewer.session.games.overview_choices import OverviewChoices
from viewer.session.keymap import KeyMap
from viewer.session.opened.payload_bytes import Bookmark
from viewer.session.play.playback import FrameRange, Ghosts, Machinery, Playback, PlayedEffects, Root
from viewer.session.program import Theme
from viewer.session.view.camera import Camera
from viewer.session.view.options.background import Background
from viewer.session.view.options.drawn_parts import DrawnParts
from viewer.session.view.options.lighting import Lighting, LightKind, Look
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.options.shading import Shading
from viewer.session.view.options.textures import ByteOrder, TextureSwitches
from viewer.session.view.state_link import SavedView
from viewer.session.view.view_state import Loop, ViewState

FULL = Settings(
    recent=(Address.parse("игра/robots.rlb::walker.msh"),),
    readings={"robots.rlb": "field"},
    wears={"crane.msh": "game/robots.rlb::crane.wea"},
    bookmarks={"models.rlb::walker.msh": (Bookmark(0x1C0, "slots"), Bookmark(0x400))},
    views={"models.rlb": (SavedView("front", "mshview:open?file=/games/models.rlb&entry=walker.msh"),)},
    ranges={"robots.rlb::walker.msh": (FrameRange(5, 13, "шаг"), FrameRange(18, 34))},
    rates={"robots.rlb": 24.0},
    opening=ReadingOptions(ground=GroundReading.CROSSED),
    game="game",
    overlay="own.json",
    declined_installs=("games/other",),
    save_folder="games/saved",
    import_folder="games/made",
    export=ExportChoices("obj", Options((0, 0), True, False, fps=25.0, clips=Clips.NONE), False, True),
    overview=OverviewChoices(("kind", "size"), 1, 2, "archive", "kind", True, {"size": 12.0}, True, 200),
    session=("mshview:open?file=/games/models.rlb&entry=walker.msh", "robots.rlb::walker.wea"),
    session_front=1,
    restores_session=True,
    reuses_tabs=False,
    window_size=(800, 600),
    layout="[Window][outline]\n",
    closed_panels=("log",),
    panel_order=("problems", "timeline"),
    has_seen_hint=True,
    has_thumbnails=False,
    entry_order="name",
    keymap=KeyMap("blender", {"view.frame_all": "Ctrl+Shift+F7", "file.open": ""}),
    language="ru",
    theme=Theme.LIGHT,
    font="/fonts/Letters.ttf",
    font_size=18.0,
    interface_scale=1.5,
    texture_memory=512,
    view=ViewState(
        shading=Shading.NORMALS,
        drawn=DrawnParts(cells=CellRule.EXACT, has_auto_detail=True),
        lighting=Lighting(look=Look.PLAIN, scene=0.5, has_lights=False, kind=LightKind.HEAD),
        ghosts=Ghosts(0, 8, 12, (1.0, 0.5, 0.0), (0.0, 0.25, 1.0)),
        textures=TextureSwitches(False, is_16_bit=True, byte_orders=frozenset({ByteOrder.LA88})),
        overlays=frozenset({Overlay.EDGES, Overlay.GRID}),
        background=Background.LIGHT,
        background_color=(0.5, 0.25, 0.75),
        samples=8,
        speed=30.0,
        loop=Loop.ONCE,
        playback=Playback(
            root=Root.TRAVEL,
            has_sound=True,
            effects=PlayedEffects(is_with_clip=True),
            machinery=Machinery(is_on=False),
        ),
        has_view_cube=False,
        snaps_to_frames=False,
        camera=Camera(is_orthographic=True),
    ),
)


def with_samples(before: Settings, samples: int) -> Settings:
    return replace(before, view=replace(before.view, samples=samples))


def test_the_full_settings_have_no_default() -> None:
    usual = form(Settings())
    assert [name for name, value in form(FULL).items() if value == usual[name]] == []


def test_everything_survives_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "new" / "settings.json"
    settings_file.save(path, FULL)
    assert settings_file.load(path) == FULL
    assert [file.name for file in path.parent.iterdir()] == ["settings.json"]


def test_a_disk_that_refuses_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError):
        settings_file.save(tmp_path / "file" / "settings.json", FULL)


def test_a_missing_file_gives_the_defaults(tmp_path: Path) -> None:
    assert settings_file.load(tmp_path / "none.json") == Settings()


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{", b"[1]", b"null", b"[" * 100_000])
def test_a_damaged_file_gives_the_defaults_and_is_set_aside(tmp_path: Path, content: bytes) -> None:
    path, kept, said = tmp_path / "settings.json", tmp_path / "settings.json.damaged", list[SettingsDamage]()
    path.write_bytes(content)
    assert settings_file.load(path, said.append) == Settings()
    assert kept.read_bytes() == content
    assert settings_file.load(path, said.append) == Settings()
    assert said == [SettingsDamage(kept)], "it is said, and once"
    settings_file.save(path, FULL)
    path.write_bytes(content)
    settings_file.save(path, FULL, Settings())
    assert (tmp_path / "settings.json.1.damaged").read_bytes() == content


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes and devices in folders")
def test_what_is_no_file_gives_the_defaults_and_is_not_written(tmp_path: Path) -> None:
    """Nobody writes to the pipe, and the device never ends: both would be waited for."""
    pipe, endless = tmp_path / "pipe", tmp_path / "endless"
    os.mkfifo(pipe)
    endless.symlink_to("/dev/zero")
    for path in (pipe, endless, tmp_path):
        assert settings_file.load(path) == Settings()
        with pytest.raises(OutputError, match="regular"):
            settings_file.save(path, FULL)


def test_an_enormous_file_gives_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    settings_file.save(path, FULL)
    with path.open("ab") as file:
        file.write(b" " * settings_file.LARGEST_FILE)
    assert settings_file.load(path) == Settings()


def test_what_was_read_once_is_read_again(tmp_path: Path) -> None:
    """Letters beyond ASCII are six times as long when they are written."""
    path = tmp_path / "settings.json"
    path.write_text('{"layout": "' + "ш" * 1_500_000 + '", "speed": 30}', "utf-8")
    loaded = settings_file.load(path)
    assert loaded == Settings(view=ViewState(speed=30.0))
    settings_file.save(path, loaded)
    assert settings_file.load(path) == loaded


def test_one_unusable_field_leaves_the_others_and_the_file_is_set_aside(tmp_path: Path) -> None:
    path, said = tmp_path / "settings.json", list[SettingsDamage]()
    stored = {
        "speed": "fast",
        "window_size": [1, 1],
        "overlays": ["grid", "fireworks"],
        "readings": {"a": "?", "b": "seed"},
        "wears": {"a": 1, "b": "c.wea"},
        "ranges": {
            "a": [{"first": 2, "last": 5, "name": "walk"}, {"first": 5, "last": 2, "name": ""}, [1, 2]],
            "b": [{"first": -1, "last": 2, "name": ""}, {"first": 0, "last": 0.5, "name": ""}],
            "c": "2 to 5",
        },
        "loop": "once",
        "samples": 3,
        "texture_memory": True,
        "textures": {"is_filtered": False, "has_mip_maps": 0, "byte_orders": ["la88", "?"]},
    }
    path.write_text(json.dumps(stored), encoding="utf-8")
    loaded = settings_file.load(path, said.append)
    assert (loaded.view.speed, loaded.window_size) == (15.0, (1440, 900))
    assert (loaded.view.overlays, loaded.readings, loaded.view.loop) == (
        frozenset({Overlay.GRID}),
        {"b": "seed"},
        Loop.ONCE,
    )
    assert loaded.wears == {"b": "c.wea"}
    assert loaded.ranges == {"a": (FrameRange(2, 5, "walk"),)}
    assert (loaded.view.samples, loaded.texture_memory) == (4, 256)
    assert loaded.view.textures == TextureSwitches(is_filtered=False, byte_orders=frozenset({ByteOrder.LA88}))
    kept = tmp_path / "settings.json.damaged"
    assert said == [SettingsDamage(kept, tuple(name for name in stored if name != "loop"))]
    assert json.loads(kept.read_text("utf-8")) == stored
    assert settings_file.load(path, said.append) == loaded
    assert len(said) == 1, "it is said once, and the sound fields stay"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("speed", "1e999"),
        ("speed", "-20"),
        ("speed", "true"),
        ("keymap", '"blender"'),
        ("font_size", "200"),
        ("interface_scale", "NaN"),
        ("texture_memory", "64.0"),
        ("window_size", "[320.5, 400]"),
        ("export", '{"scene": {"fps": 1e999}}'),
        ("lighting", '{"scene": 2}'),
        ("lighting", "3"),
        ("recent", '["a", 1]'),
        ("panel_order", "{}"),
        ("newer", "[" * 20 + "]" * 20),
        ("newer", '"' + "x" * 200_000 + '"'),
        ("session", '["a"], "session": ["b"]'),
        ("speed", '1.0, "speed": 2.0'),
    ],
)
def test_what_cannot_be_used_is_named_and_kept(tmp_path: Path, name: str, text: str) -> None:
    path, said = tmp_path / "settings.json", list[SettingsDamage]()
    content = f'{{"loop": "once", "{name}": {text}}}'
    path.write_text(content, "utf-8")
    assert settings_file.load(path, said.append).view.loop == "once"
    kept = tmp_path / "settings.json.damaged"
    assert said == [SettingsDamage(kept, (name,))]
    assert name in said[0].message
    assert str(kept) in said[0].message
    assert kept.read_text("utf-8") == content


def test_fields_of_a_newer_version_are_no_fault_and_stay(tmp_path: Path) -> None:
    path, said = tmp_path / "settings.json", list[SettingsDamage]()
    newer = {"sound": {"volume": 0.5}, "textures": {"is_filtered": False, "fog": [1]}, "speed": 20}
    path.write_text(json.dumps(newer), "utf-8")
    loaded = settings_file.load(path, said.append)
    settings_file.save(path, with_samples(loaded, 8), loaded, said.append)
    settings_file.save(path, with_samples(loaded, 2))
    stored = json.loads(path.read_text("utf-8"))
    assert (stored["sound"], stored["textures"]["fog"], stored["samples"]) == ({"volume": 0.5}, [1], 2)
    assert settings_file.load(path, said.append).view.textures == TextureSwitches(is_filtered=False)
    assert said == []


def test_many_fields_of_a_newer_version_are_no_reason_to_grow(tmp_path: Path) -> None:
    path, said = tmp_path / "settings.json", list[SettingsDamage]()
    path.write_text(json.dumps({"speed": 20, **{f"newer{row}": "x" * 100_000 for row in range(20)}}), "utf-8")
    assert settings_file.load(path, said.append).view.speed == 20
    assert [len(it.fields) for it in said] == [20]
    assert path.stat().st_size < 10_000


def test_a_folder_that_nothing_is_written_in_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, said = tmp_path / "settings.json", list[SettingsDamage]()
    path.write_text('{"speed": -1, "loop": "once"}', "utf-8")
    monkeypatch.setattr(Path, "rename", Mock(side_effect=PermissionError))
    assert settings_file.load(path, said.append).view.loop == "once"
    assert said == [SettingsDamage(None, ("speed",))]
    assert path.read_text("utf-8") == '{"speed": -1, "loop": "once"}'


@pytest.mark.parametrize(("stored", "used"), [(15, 256), (16, 16), (4096, 4096), (4097, 256), (64.0, 256)])
def test_the_texture_memory_has_bounds(tmp_path: Path, stored: float, used: int) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"texture_memory": stored}), encoding="utf-8")
    assert settings_file.load(path).texture_memory == used


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(stored=st.dictionaries(st.sampled_from(sorted(form(Settings()))), VALUES))
def test_any_content_gives_a_view_to_start_with(
    tmp_path_factory: pytest.TempPathFactory, stored: dict[str, object]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text(json.dumps(stored), encoding="utf-8")
    assert isinstance(settings_file.load(path).first_view(), ViewState)


@given(stored=st.dictionaries(st.sampled_from(sorted(TextureSwitches.__struct_fields__)), VALUES))
def test_any_switches_give_textures_to_start_with(
    tmp_path_factory: pytest.TempPathFactory, stored: dict[str, object]
) -> None:
    path = tmp_path_factory.getbasetemp() / "switches.json"
    path.write_text(json.dumps({"textures": stored}), encoding="utf-8")
    loaded = asdict(settings_file.load(path).view.textures)
    assert {name: type(value) for name, value in loaded.items()} == {
        name: type(value) for name, value in asdict(TextureSwitches()).items()
    }


@pytest.mark.parametrize("name", [name for name, on in asdict(TextureSwitches()).items() if on in (0, 1)])
def test_every_switch_survives_a_restart(tmp_path: Path, name: str) -> None:
    flipped: dict[str, Any] = {name: not getattr(TextureSwitches(), name)}
    switches = replace(TextureSwitches(), **flipped)
    settings_file.save(tmp_path / "settings.json", Settings(view=ViewState(textures=switches)))
    assert settings_file.load(tmp_path / "settings.json").view.textures == switches


def test_the_lasting_part_of_a_view_comes_back() -> None:
    view = ViewState(
        shading=Shading.NODE,
        overlays=frozenset({Overlay.BONES}),
        background=Background.LIGHT,
        speed=24.0,
        loop=Loop.PING_PONG,
        samples=2,
        textures=TextureSwitches(hides_back_faces=True),
        time=5.0,
        playback=Playback(clip=1, root=Root.TRAVEL),
        drawn=DrawnParts(CellRule.EXACT, has_auto_detail=True, is_own_view=True, is_destroyed=True),
    )
    back = Settings().with_view(view).first_view()
    assert (back.shading, back.overlays, back.background) == (view.shading, view.overlays, view.background)
    assert (back.speed, back.loop, back.time) == (24.0, Loop.PING_PONG, 0.0)
    assert back.playback == Playback(root=Root.TRAVEL)
    assert back.drawn == DrawnParts(CellRule.EXACT, has_auto_detail=True)
    assert (back.samples, back.textures) == (2, TextureSwitches(hides_back_faces=True))


def test_a_reset_forgets_what_was_chosen_and_not_what_was_opened_or_marked() -> None:
    assert FULL.reset() == Settings(
        recent=FULL.recent,
        ranges=FULL.ranges,
        bookmarks=FULL.bookmarks,
        views=FULL.views,
        session=FULL.session,
        session_front=FULL.session_front,
        window_size=FULL.window_size,
        has_seen_hint=FULL.has_seen_hint,
    )


def test_two_windows_keep_what_each_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    base = Settings(recent=(Address.parse("old"),), view=ViewState(speed=20.0))
    settings_file.save(path, base)
    fog, dome = Lighting(has_fog=True), Lighting(has_dome=True)
    theirs = replace(base.view, samples=8, background=Background.LIGHT, lighting=fog)
    settings_file.save(path, replace(base, view=theirs).opened(Address.parse("theirs")), base)
    ours = replace(base, view=replace(base.view, samples=2, lighting=dome), game="game")
    ours = ours.opened(Address.parse("ours"))
    written = settings_file.save(path, ours, base)
    assert written == settings_file.load(path)
    assert (written.view.samples, written.view.background, written.game) == (2, "light", "game")
    assert written.view.lighting == Lighting(has_fog=True, has_dome=True)
    assert ([*map(str, written.recent)], written.view.speed) == (["ours", "old", "theirs"], 20.0)


def test_addresses_that_were_forgotten_stay_so(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    base = Settings(recent=(Address.parse("old"),))
    settings_file.save(path, base.opened(Address.parse("theirs")))
    assert settings_file.save(path, replace(base, recent=()), base).recent == (Address.parse("theirs"),)


@pytest.mark.parametrize("content", [None, b"", b"[1]", b"{}", b'{"samples": "many"}'])
def test_what_another_window_left_damaged_costs_nothing(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "settings.json"
    if content is not None:
        path.write_bytes(content)
    assert settings_file.save(path, FULL, FULL) == FULL
    assert settings_file.load(path) == FULL


def test_recent_addresses_are_few_and_newest_first() -> None:
    remembered = Settings()
    for number in range(20):
        remembered = remembered.opened(Address.parse(f"{number}.msh"))
    remembered = remembered.opened(Address.parse("15.msh"))
    assert [*map(str, remembered.recent[:3])] == ["15.msh", "19.msh", "18.msh"]
    assert len(remembered.recent) == RECENT_LIMIT


def test_of_each_file_only_the_last_entry_is_recent() -> None:
    remembered = Settings()
    for text in ("a.rlb::x.msh", "b.rlb", "a.rlb::y.msh"):
        remembered = remembered.opened(Address.parse(text))
    assert [*map(str, remembered.recent)] == ["a.rlb::y.msh", "b.rlb"]


def test_a_reading_is_remembered_per_archive_until_it_is_automatic_again() -> None:
    a, b = Address(Path("a.rlb")), Address(Path("b.rlb"))
    remembered = Settings().with_reading(a, "field").with_reading(b, "seed")
    assert remembered.with_reading(a, "auto").readings == {"b.rlb": "seed"}


def test_a_model_may_be_read_unlike_its_archive_until_that_is_chosen_again() -> None:
    archive, model = Address(Path("a.rlb")), Address(Path("a.rlb"), ("x.msh",))
    remembered = Settings().with_reading(archive, "field").with_reading(model, "auto")
    assert remembered.readings == {"a.rlb": "field", "a.rlb::x.msh": "auto"}
    assert requested_reading(remembered.readings, model) == "auto"
    assert requested_reading(remembered.readings, archive.child("y.msh")) == "field"
    assert requested_reading(remembered.readings, archive.child("z.rlb").child("y.msh")) == "field"
    assert remembered.with_reading(model, "field").readings == {"a.rlb": "field"}
    assert remembered.with_reading(archive, "seed").readings == {"a.rlb": "seed"}


def test_the_marked_ranges_of_a_model_are_forgotten_with_the_last() -> None:
    kept = Settings().with_ranges(Address.parse("a.msh"), (FrameRange(1, 2),))
    kept = kept.with_ranges(Address.parse("b.msh"), (FrameRange(3, 4),))
    assert kept.with_ranges(Address.parse("a.msh"), ()).ranges == {"b.msh": (FrameRange(3, 4),)}


def test_a_file_of_before_the_options_were_declared_is_read(tmp_path: Path) -> None:
    """Its members are those of today: flat, but for the light, the textures and the ghosts."""
    stored = {
        "shading": "normals",
        "lighting": {"look": "plain", "scene": 0.5, "has_lights": False, "kind": "head", "sky": None},
        "cells": "exact",
        "overlays": ["bones", "edges"],
        "root": "travel",
        "has_effects": True,
        "has_machinery": False,
        "is_orthographic": True,
    }
    path, said = tmp_path / "settings.json", list[SettingsDamage]()
    path.write_text(json.dumps(stored), "utf-8")
    view = settings_file.load(path, said.append).first_view()
    assert (said, view.shading, {*view.overlays}) == ([], Shading.NORMALS, {Overlay.BONES, Overlay.EDGES})
    assert view.lighting == Lighting(look=Look.PLAIN, scene=0.5, has_lights=False, kind=LightKind.HEAD)
    assert (view.drawn.cells, view.camera.is_orthographic) == (CellRule.EXACT, True)
    assert view.playback == replace(FULL.view.playback, has_sound=False)


def test_each_stored_option_is_one_member_of_the_file() -> None:
    """A new option with a name is written and read without a further word."""
    stored = [it.option.stored for it in options_of(ViewState) if it.option.stored]
    assert len(stored) == len({*stored} & {*members(Settings)})
    assert {it.partition(".")[0] for it in members(Settings)} == {*form(Settings())}
