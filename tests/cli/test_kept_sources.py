"""Files that are read to make another one are never written over by it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import mshview
from tests.cli.console import MODELS, Capture, failure, success

READ = "is a file that this is made of"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A copy of an archive, outside a game folder, where no backup is made of it."""
    return Path(shutil.copy(MODELS, tmp_path / "own.rlb"))


@pytest.mark.parametrize(
    "words",
    [
        ("export", "{}::walker.msh", "-o", "{}", "--format", "obj"),
        ("export", "{}::walker.msh", "-o", "{}", "--format", "json"),
        ("copy", "{}::walker.msh", "-o", "{}"),
        ("thumbnail", "{}::walker.msh", "-o", "{}"),
        ("patch", "make", "{}", "{}", "-o", "{}"),
        ("report", "{}::walker.msh", "--no-picture", "-o", "{}"),
    ],
)
def test_the_archive_that_is_read_stays(own: Path, capsys: Capture, words: tuple[str, ...]) -> None:
    before = own.read_bytes()
    assert READ in failure(capsys, *(it.format(own) for it in words))
    assert own.read_bytes() == before


def test_one_of_many_files_does_not_replace_their_archive(own: Path, capsys: Capture) -> None:
    archive = own.rename(own.with_name("walker.json"))
    before = archive.read_bytes()
    assert READ in failure(capsys, "export", f"{archive}::*.msh", "-o", archive.with_name("{stem}.json"))
    assert [*own.parent.iterdir()] == [archive], "nothing is written if one is refused"
    assert archive.read_bytes() == before


def test_another_name_of_it_is_refused_too(own: Path, capsys: Capture) -> None:
    link = own.with_name("link.rlb")
    link.hardlink_to(own)
    assert READ in failure(capsys, "thumbnail", f"{own}::walker.msh", "-o", str(link))


def test_a_library_export_is_refused(own: Path) -> None:
    scene = own.rename(own.with_suffix(".json"))
    before = scene.read_bytes()
    with mshview.open(f"{scene}::walker.msh") as model, pytest.raises(mshview.Error, match=READ):
        model.export(scene)
    assert scene.read_bytes() == before


def test_a_whole_file_may_be_copied_over_itself(own: Path, capsys: Capture) -> None:
    """The canonical form of an archive is still that archive."""
    success(capsys, "copy", str(own), "--repack", "-o", str(own))
    success(capsys, "ls", str(own))


def test_a_survey_replaces_an_earlier_report_but_no_archive(own: Path, capsys: Capture) -> None:
    before = own.read_bytes()
    assert READ in failure(capsys, "survey", str(own.parent), "-o", str(own))
    assert own.read_bytes() == before
    report = own.with_name("report.json")
    report.write_bytes(b"{}")
    success(capsys, "survey", str(own.parent), "-o", str(report))
    assert b"mshview-survey-1" in report.read_bytes()
