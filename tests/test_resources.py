"""Bundled files are found in a checkout and travel inside the wheel."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from trove_classifiers import classifiers

from viewer import resources
from viewer.resources import bundled_path

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that ``pip install .`` would install."""
    folder = tmp_path_factory.mktemp("wheel")
    return Path(next(WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])))


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names of the files in the source distribution, from its top."""
    folder = str(tmp_path_factory.mktemp("source"))
    with tarfile.open(
        next(SdistBuilder(str(ROOT)).build(directory=folder, versions=["standard"]))
    ) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


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


def test_the_wheel_works_where_nothing_is_beside_it(wheel: Path, tmp_path: Path) -> None:
    """Unpacked as ``pip`` installs it: the shaders, the sample and the processes of ``bench`` are found."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    sample = tmp_path / "site" / "viewer" / "assets" / "game" / "models.rlb"

    def use(*arguments: object) -> None:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
        command = [sys.executable, *map(str, arguments)]
        done = subprocess.run(
            command, cwd=elsewhere, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    use("-m", "viewer", "render", f"{sample}::drone.msh", "-o", "drone.png")
    assert (elsewhere / "drone.png").stat().st_size > 1000
    use("-c", "from viewer.cli.bench.timing import finish, start; finish(start('--version'))")


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


def test_the_source_holds_what_is_needed_to_work_on_it(source: set[str]) -> None:
    named = {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "Makefile", "requirements.lock"}
    assert {*named, "pyproject.toml", ".ci/run", "tests/conftest.py"} <= source


def test_the_package_says_what_it_is() -> None:
    """Its classifiers are ones that an index knows."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["urls"]
    assert "parkan" in project["keywords"]
    assert project["classifiers"]
    assert set(project["classifiers"]) <= classifiers


def test_the_readme_installs_into_an_environment() -> None:
    """Debian 12 refuses ``pip install`` outside one."""
    readme = (ROOT / "README.md").read_text("utf-8")
    commands = [line.split() for block in readme.split("```")[1::2] for line in block.splitlines()]
    programs = {words[0] for words in commands if words[1:3] == ["install", "."]}
    assert programs == {"pipx", "~/mshview/bin/pip"}
