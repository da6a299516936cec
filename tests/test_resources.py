"""Bundled files are found in a checkout and travel inside the wheel."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from viewer import resources
from viewer.resources import bundled_path

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that ``pip install .`` would install."""
    folder = tmp_path_factory.mktemp("wheel")
    return Path(next(WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])))


@pytest.fixture(scope="module")
def inside(wheel: Path) -> set[str]:
    """Names of the files in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def below(folder: str) -> set[str]:
    """Files of the checkout below a folder, as paths from the top."""
    found = (path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file())
    return {path.as_posix() for path in found if "__pycache__" not in path.parts}


@pytest.mark.parametrize("folder", ["shaders", "assets"])
def test_resource_finds_the_folders_beside_the_package(folder: str) -> None:
    assert bundled_path(folder) == ROOT / folder


def test_resource_prefers_what_is_inside_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "viewer"
    (package / "shaders").mkdir(parents=True)
    (tmp_path / "shaders").mkdir()
    monkeypatch.setattr(resources, "PACKAGE", package)
    assert bundled_path("shaders") == package / "shaders"


def test_resource_says_what_is_missing() -> None:
    with pytest.raises(FileNotFoundError, match="no/such/thing"):
        bundled_path("no/such/thing")


def test_wheel_holds_every_module(inside: set[str]) -> None:
    assert {name for name in below("viewer") if name.endswith(".py")} <= inside


@pytest.mark.parametrize("folder", ["shaders", "assets"])
def test_wheel_holds_bundled_files_inside_the_package(folder: str, inside: set[str]) -> None:
    bundled = {name for name in below(folder) if not name.endswith((".py", "window.png"))}
    assert bundled
    assert {f"viewer/{name}" for name in bundled} <= inside


def test_wheel_puts_nothing_beside_the_package(inside: set[str]) -> None:
    assert {name.split("/")[0].split("-")[0] for name in inside} == {"viewer", "mshview"}


def test_wheel_gives_the_console_script(wheel: Path, inside: set[str]) -> None:
    name = next(name for name in inside if name.endswith("entry_points.txt"))
    with zipfile.ZipFile(wheel) as archive:
        assert b"mshview = viewer.__main__:console" in archive.read(name)
