"""The files of a desktop: what they say, where they are written, and pictures for file managers."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.broken.models import still
from tests.builders import archive_of
from tests.cli.console import GAME, MODELS, ROOT, WALKER, Capture, failure, success
from tests.systems import needs_desktop
from viewer.cli.usage import windows_menu, windows_registry
from viewer.formats import mat0
from viewer.formats.archive import nres
from viewer.formats.texture import palette, texm

SHARE = ROOT / "packaging" / "share"
MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"


def desktop_file(path: Path, section: str) -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(path, encoding="utf-8")
    return parser[section]


@needs_desktop
def test_everything_is_written_and_removed(tmp_path: Path, capsys: Capture) -> None:
    out, _ = success(capsys, "install-desktop", "--to", tmp_path)
    names = {it.relative_to(tmp_path).as_posix() for it in tmp_path.rglob("*") if it.is_file()}
    expected = {it.relative_to(SHARE).as_posix() for it in SHARE.rglob("*") if it.is_file()}
    expected |= {
        "bash-completion/completions/mshview",
        "fish/vendor_completions.d/mshview.fish",
        "zsh/site-functions/_mshview",
        "man/man1/mshview.1",
        "man/ru/man1/mshview.1",
    }
    assert expected <= names
    assert out == f"wrote {len(expected)} files in {tmp_path}\n"
    assert (tmp_path / "man/man1/mshview.1").read_text() == success(capsys, "man")[0]
    assert '.SH "ИМЯ"' in (tmp_path / "man/ru/man1/mshview.1").read_text("utf-8")
    success(capsys, "install-desktop", "--to", tmp_path, "--remove")
    assert not any((tmp_path / name).exists() for name in expected)


@needs_desktop
def test_a_package_has_no_caches(tmp_path: Path, capsys: Capture) -> None:
    """The system makes them of the files of all packages."""
    said = success(capsys, "install-desktop", "--package", "--to", tmp_path)[0]
    files = [it for it in tmp_path.rglob("*") if it.is_file()]
    assert said.startswith(f"wrote {len(files)} files")


@needs_desktop
def test_the_programs_are_named_with_their_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    programs = tmp_path / "my $programs"
    programs.mkdir()
    for name in ("python", "mshview", "mshview-thumbnailer"):
        (programs / name).touch()
    monkeypatch.setattr(sys, "executable", str(programs / "python"))
    success(capsys, "install-desktop", "--to", tmp_path / "share")
    entry = desktop_file(tmp_path / "share/applications/mshview.desktop", "Desktop Entry")
    assert entry["Exec"] == f'"{tmp_path}/my \\\\$programs/mshview" %F'
    assert entry["TryExec"] == f"{programs}/mshview"
    thumbnailer = desktop_file(tmp_path / "share/thumbnailers/mshview.thumbnailer", "Thumbnailer Entry")
    assert thumbnailer["Exec"].endswith('mshview-thumbnailer" %i %o %s')


def test_the_files_name_the_same_types_and_programs() -> None:
    declared = {
        str(it.get("type")) for it in ET.parse(SHARE / "mime/packages/mshview.xml").iter(f"{MIME}mime-type")
    }
    entry = desktop_file(SHARE / "applications/mshview.desktop", "Desktop Entry")
    thumbnailer = desktop_file(SHARE / "thumbnailers/mshview.thumbnailer", "Thumbnailer Entry")
    metainfo = ET.parse(SHARE / "metainfo/org.example.mshview.metainfo.xml")
    assert {*entry["MimeType"].rstrip(";").split(";")} == declared
    assert {it.text for it in metainfo.iter("mediatype")} == declared
    assert {*thumbnailer["MimeType"].rstrip(";").split(";")} < declared
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert {entry["TryExec"], thumbnailer["TryExec"]} == {*scripts}


@pytest.mark.parametrize(
    ("command", "path"),
    [
        (["desktop-file-validate"], "applications/mshview.desktop"),
        (["appstreamcli", "validate", "--no-net"], "metainfo/org.example.mshview.metainfo.xml"),
    ],
)
def test_the_judges_of_desktops_find_nothing(command: list[str], path: str) -> None:
    if not shutil.which(command[0]):
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run([*command, str(SHARE / path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not shutil.which("gio") or not shutil.which("update-mime-database"), reason="no desktop")
def test_files_are_known_by_their_content(tmp_path: Path) -> None:
    shutil.copytree(SHARE / "mime", tmp_path / "share" / "mime")
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "share")}
    subprocess.run(["update-mime-database", tmp_path / "share" / "mime"], check=True, capture_output=True)
    files = {
        "a.unknown": (archive_of({}), "application/x-nres"),
        "a.msh": (still().build(), "application/x-nres-model"),
        "texture": (b"Texm" + bytes(28), "image/x-texm"),
        "unit": (b"\xf1\xf0\0\0" + bytes(28), "application/x-parkan-unit"),
        "a.lib": (b"NL\0\1" + bytes(28), "application/x-rsli"),
    }
    for name, (data, kind) in files.items():
        (tmp_path / name).write_bytes(data)
        command = ["gio", "info", "-a", "standard::content-type", str(tmp_path / name)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.split()[-1] == kind, name


def test_icons_have_the_size_of_their_folder() -> None:
    icons = [*(SHARE / "icons").rglob("*.png")]
    assert len(icons) == 9
    for path in icons:
        with Image.open(path) as image:
            assert f"{image.width}x{image.height}" == path.parents[1].name
            assert image.convert("RGBA").getpixel((0, 0))[3] < 40  # type: ignore[index]


@pytest.mark.parametrize(
    "address",
    [
        *(
            MODELS,
            WALKER,
            GAME / "Textures.lib",
            GAME / "UNITS/UNITS/SAMPLE/walker.dat",
            GAME / "Material.lib",
        ),
        *(f"{MODELS}::walker.wea", GAME / "effects.rlb", GAME / "objects.rlb", f"{GAME}/objects.rlb::drone"),
    ],
    ids=str,
)
def test_a_thumbnail_shows_something(address: object, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "picture of any name"
    success(capsys, "thumbnail", address, "-o", out, "--size", "64")
    with Image.open(out) as image:
        assert max(image.size) == 64
        assert image.format == "PNG"
        assert len(image.convert("RGBA").getcolors(1 << 16) or []) > 50


def test_materials_and_palettes_are_squares_of_their_colors(tmp_path: Path, capsys: Capture) -> None:
    colors = np.zeros((256, 4), np.uint8)
    colors[:, 0], colors[255] = np.arange(256), (0, 0, 255, 255)
    (tmp_path / "a.pal").write_bytes(palette.build(colors))
    (tmp_path / "a.mat0").write_bytes(mat0.build([mat0.PhaseRecord(diffuse=(255, 0, 0))]))
    for name, place, color in (("a.pal", (31, 31), (0, 0, 255)), ("a.mat0", (9, 9), (255, 0, 0))):
        success(capsys, "thumbnail", tmp_path / name, "-o", tmp_path / "t.png", "--size", "32")
        with Image.open(tmp_path / "t.png") as image:
            assert image.convert("RGB").getpixel(place) == color


def test_the_thumbnailer_of_file_managers(tmp_path: Path) -> None:
    program = "from viewer.__main__ import thumbnailer; thumbnailer()"
    command = [sys.executable, "-c", program, str(MODELS), str(tmp_path / "out.png"), "48"]
    environment = {name: it for name, it in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert Image.open(tmp_path / "out.png").size == (48, 48)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([GAME / "objects.rlb", "-o", "x.png", "--size", "0"], "is not 1 to 2048"),
        ([f"{MODELS}::walker.cpt", "-o", "x.png"], "there is no picture of a file of this kind"),
    ],
)
def test_what_has_no_thumbnail_is_an_error(arguments: list[object], words: str, capsys: Capture) -> None:
    assert words in failure(capsys, "thumbnail", *arguments)


def test_a_texture_without_a_whole_level_is_an_error(tmp_path: Path, capsys: Capture) -> None:
    whole = nres.Archive.read((GAME / "Textures.lib").read_bytes())
    cut = tmp_path / "cut.texm"
    entry = next(it for it in whole.entries if it.name == b"ARMOUR.0")
    cut.write_bytes(bytes(whole.payload(entry.index))[: texm.HEADER.size + 9])
    said = failure(capsys, "thumbnail", cut, "-o", tmp_path / "t.png")
    assert f"{cut}: levels[0]: the level is truncated" in said


@pytest.mark.skipif(os.name != "posix", reason="limits of files are those of POSIX")
def test_all_files_are_written_or_none_and_what_was_there_is_kept(tmp_path: Path, capsys: Capture) -> None:
    own = tmp_path / "applications/mshview.desktop"
    own.parent.mkdir()
    own.write_text("[Desktop Entry]\nName=Mine\n")
    program = ["sh", "-c", 'ulimit -f 4; exec "$@"', "sh", sys.executable, "-m", "viewer"]
    found = subprocess.run(
        [*program, "install-desktop", "--to", tmp_path],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 2
    assert found.stderr.count("\n") == 1
    assert [it for it in tmp_path.rglob("*") if it.is_file()] == [own]
    success(capsys, "install-desktop", "--to", tmp_path)
    assert own.with_name("mshview.desktop.bak").read_text() == "[Desktop Entry]\nName=Mine\n"
    assert [it.name for it in tmp_path.rglob("*.bak*")] == ["mshview.desktop.bak"]


def test_windows_offers_the_program_for_the_files_of_the_game_and_takes_none_from_others() -> None:
    command = '"C:\\mshview\\mshview-window.exe" "%1"'
    assert windows_registry.values(command) == {
        ("mshview.resource", ""): "Parkan: Iron Strategy",
        ("mshview.resource\\shell\\open\\command", ""): command,
        (".msh\\OpenWithProgids", "mshview.resource"): "",
        (".rlb\\OpenWithProgids", "mshview.resource"): "",
        (".texm\\OpenWithProgids", "mshview.resource"): "",
    }
    types = ET.parse(SHARE / "mime/packages/mshview.xml")
    globs = {it.get("pattern") for it in types.iter(f"{MIME}glob")}
    assert {f"*{suffix}" for suffix in windows_registry.SUFFIXES} == globs


@pytest.mark.skipif(sys.platform != "win32", reason="the registry of Windows")
def test_the_registry_and_the_start_menu_are_as_before_afterwards(capsys: Capture) -> None:
    if sys.platform == "win32":  # mypy knows no marker, and has no registry on other systems
        import winreg  # noqa: PLC0415 Windows only

        path = windows_registry.CLASSES + "\\mshview.resource\\shell\\open\\command"
        other = windows_registry.CLASSES + "\\.rlb\\OpenWithProgids"
        success(capsys, "install-desktop")
        with winreg.CreateKey(winreg.HKEY_CURRENT_USER, other) as key:
            winreg.SetValueEx(key, "another.program", 0, winreg.REG_SZ, "")
        assert winreg.QueryValue(winreg.HKEY_CURRENT_USER, path) == windows_registry.opening_command()
        assert windows_menu.link_path().read_bytes()[:4] == b"L\0\0\0", "the size of the header of a link"
        success(capsys, "install-desktop", "--remove")
        assert not windows_menu.link_path().exists()
        with pytest.raises(FileNotFoundError):
            winreg.QueryValue(winreg.HKEY_CURRENT_USER, path)
        with pytest.raises(FileNotFoundError):
            winreg.QueryValue(winreg.HKEY_CURRENT_USER, windows_registry.CLASSES + "\\.msh")
        with winreg.OpenKey(winreg.HKEY_CURRENT_USER, other) as key:
            assert winreg.EnumValue(key, 0)[0] == "another.program"
        winreg.DeleteKey(winreg.HKEY_CURRENT_USER, other)
