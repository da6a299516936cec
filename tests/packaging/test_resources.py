"""Bundled files are found in a checkout and travel inside the wheel.

Errors say source, place and what is wrong, in this order, and only what is known.

Work reports how far it is, and learns that it was cancelled.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from trove_classifiers import classifiers

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.messages import states
from viewer import resources
from viewer.diagnostics import NAMED_ROWS, Diagnostic, row_findings
from viewer.errors import (
    AddressError,
    FormatError,
    MshviewError,
    OutputError,
    Severity,
    UsageError,
    location,
    reading_from,
)
from viewer.formats.archive import deflate, lzhuf, lzss
from viewer.model.store.address import Address
from viewer.model.store.file_store import AT_ONCE, PIECE, FileStore
from viewer.model.validation import batch_validation
from viewer.model.validation.validate import check_item
from viewer.operations.opening import Source
from viewer.progress import Cancelled, Progress, checkpoint, current, working
from viewer.resources import bundled_path
from viewer.session.opened import listing
from viewer.session.opened.document import Document

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that ``pip install .`` would install."""
    folder = tmp_path_factory.mktemp("wheel")
    return Path(next(WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])))


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names of the files in the source distribution, from its top."""
    folder = str(tmp_path_factory.mktemp("source"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gzip, "GzipFile", partial(gzip.GzipFile, compresslevel=0))  # most of the time
        built = next(SdistBuilder(str(ROOT)).build(directory=folder, versions=["standard"]))
    with tarfile.open(built) as archive:
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


@pytest.mark.parametrize("folder", ["shaders", "assets", "docs"])
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


@pytest.mark.parametrize("folder", ["shaders", "assets", "docs"])
def test_wheel_holds_bundled_files_inside_the_package(folder: str, inside: set[str]) -> None:
    bundled = {name for name in below(folder) if not name.endswith((".py", ".po")) and "pictures" not in name}
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


@pytest.mark.parametrize(
    ("table", "index", "field", "expected"),
    [
        ("batches", 12, "index_start", "batches[12].index_start"),
        ("batches", 0, None, "batches[0]"),
        ("header", None, "hull", "header.hull"),
        ("tail", None, None, "tail"),
        ("", None, None, ""),
    ],
)
def test_a_place_is_spelled_as_far_as_known(
    table: str, index: int | None, field: str | None, expected: str
) -> None:
    assert location(table, index, field) == expected
    assert FormatError("x", table=table, index=index, field=field).where == expected
    assert Diagnostic("V01", Severity.ERROR, "x", table, index, field).where == expected


def test_a_format_error_names_source_place_and_message() -> None:
    error = FormatError("7 of 3 slots", table="nodes", index=4, field="slots", source="a.rlb::b.msh")
    assert str(error) == "a.rlb::b.msh: nodes[4].slots: 7 of 3 slots"


@pytest.mark.parametrize("kind", [MshviewError, AddressError, OutputError, UsageError])
def test_other_errors_have_no_place(kind: type[MshviewError]) -> None:
    assert str(kind("no such file", source="a.msh")) == "a.msh: no such file"
    assert str(kind("no such file")) == "no such file"


def test_a_diagnostic_names_its_place() -> None:
    assert str(Diagnostic("V12", Severity.ERROR, "clipped", "slots", 3, "batch_start")) == (
        "slots[3].batch_start: clipped"
    )
    assert str(Diagnostic("V12", Severity.ERROR, "clipped")) == "clipped"


def test_whoever_opens_a_file_names_it() -> None:
    with pytest.raises(FormatError) as caught, reading_from("a.msh"):
        raise FormatError("cut", table="nodes")
    assert str(caught.value) == "a.msh: nodes: cut"


def test_the_innermost_source_stays() -> None:
    with pytest.raises(MshviewError) as caught, reading_from("a.rlb"), reading_from("a.rlb::b.msh"):
        raise AddressError("cut")
    assert caught.value.source == "a.rlb::b.msh"


def test_other_exceptions_pass_untouched() -> None:
    with pytest.raises(KeyError), reading_from("a.msh"):
        raise KeyError("bug")


@pytest.mark.parametrize("count", [0, 1, NAMED_ROWS])
def test_each_wrong_row_is_named(count: int) -> None:
    rows = list(range(5, 5 + count))
    found = row_findings("V11", Severity.ERROR, "nodes", rows, lambda row: f"row {row}", "slots")
    assert [str(each) for each in found] == [f"nodes[{row}].slots: row {row}" for row in rows]


def test_a_flood_of_wrong_rows_is_counted() -> None:
    found = row_findings("V11", Severity.ERROR, "nodes", range(10**6), lambda row: f"row {row}")
    assert len(found) == NAMED_ROWS + 1
    assert states(found[-1].message, f"{10**6 - NAMED_ROWS}")
    assert found[-1].index == NAMED_ROWS


def test_parts_are_counted_when_they_are_finished() -> None:
    progress = Progress()
    seen = [(progress.done, progress.total, progress.what) for _ in progress.over(["a", "b"], str.upper)]
    assert seen == [(0, 2, "A"), (1, 2, "B")]
    assert progress.done == 2


def test_nothing_more_is_done_once_it_is_cancelled() -> None:
    progress, done = Progress(), list[int]()

    def work() -> None:
        for number in progress.over(range(5)):
            done.append(number)
            if number == 1:
                progress.cancel()

    with pytest.raises(Cancelled):
        work()
    assert done == [0, 1]


def test_it_is_not_taken_for_a_damaged_file() -> None:
    """Loops skip what cannot be read; they must not skip this."""
    assert not issubclass(Cancelled, MshviewError)


def test_a_checkpoint_ends_the_work_around_it() -> None:
    progress = Progress()
    progress.cancel()
    checkpoint()
    with working(progress):
        assert current() is progress
        with pytest.raises(Cancelled):
            checkpoint()
    checkpoint()


class Impatient(Progress):
    """Cancelled at its second check."""

    def __init__(self) -> None:
        super().__init__()
        self.checks = 0

    def check(self) -> None:
        """Let the first check pass."""
        self.checks += 1
        self.is_cancelled = self.checks > 1
        super().check()


def packed_with_lzhuf() -> bytes:
    return lzhuf.encode(bytes(range(100)))


def read_a_large_file(folder: Path) -> object:
    path = folder / "large.bin"
    path.write_bytes(bytes(AT_ONCE + PIECE))
    return FileStore().file(path)


def validate_an_archive(folder: Path) -> object:
    path = folder / "a.rlb"
    path.write_bytes(archive_of({"a.wea": b"0\r\n", "b.wea": b"0\r\n"}))
    return check_item(FileStore().open(Address(path)))


def plan_to_validate_a_folder(folder: Path) -> object:
    (folder / "inner").mkdir()
    return batch_validation.plan([Address(folder)], is_divided=False)


def list_an_archive(folder: Path) -> object:
    path = folder / "a.rlb"
    path.write_bytes(archive_of({"a.wea": b"0\r\n", "b.wea": b"0\r\n"}))
    return listing.entries_below(FileStore(), Address(path))


def read_a_model(folder: Path) -> object:
    path = folder / "box.msh"
    path.write_bytes(ModelBuilder.of([Node("box", shapes={(0, 0): [box((1, 1, 1))]})]).build())
    return Document.open(FileStore(), Source(Address(path)))


@pytest.mark.parametrize(
    "work",
    [
        lambda _: lzss.decode(b"\0" * 100, 5000),
        lambda _: lzhuf.decode(packed_with_lzhuf(), 100),
        lambda _: deflate.decode(zlib.compress(bytes(20000), 0, -zlib.MAX_WBITS), 20000),
        read_a_large_file,
        validate_an_archive,
        plan_to_validate_a_folder,
        list_an_archive,
        read_a_model,
    ],
)
def test_every_long_loop_ends_when_its_work_is_cancelled(
    work: Callable[[Path], object], tmp_path: Path
) -> None:
    progress = Impatient()
    with working(progress), pytest.raises(Cancelled):
        work(tmp_path)
    assert progress.checks == 2


def test_the_bytes_of_a_large_file_are_counted_while_it_is_read(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    class Watched(Progress):
        def check(self) -> None:
            seen.append((self.done, self.total))

    with working(Watched()):
        read_a_large_file(tmp_path)
    assert (PIECE, AT_ONCE + PIECE) in seen
