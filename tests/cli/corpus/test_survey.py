"""``survey`` in the shell: the report, what is shown before it is written, and two reports side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.console import GAME, Capture, failure, json_of, success
from viewer.cli.main import main
from viewer.operations.survey.report import read_report


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the bundled game."""
    path = tmp_path_factory.mktemp("survey") / "report.json"
    assert main(["survey", str(GAME), "-o", str(path), "--quiet", "--jobs", "1"]) == 0
    return path


def test_a_report_is_written_with_all_questions(report: Path) -> None:
    found = read_report(report.read_bytes())
    assert [it.id for it in found.questions] == [f"S{number:02}" for number in range(1, 21)]
    files = [path for path in GAME.rglob("*") if path.is_file()]
    assert found.edition.archives == sum(path.read_bytes()[:4] == b"NRes" for path in files) - terrains(files)
    assert found.edition.bytes == sum(path.stat().st_size for path in files)


def terrains(files: list[Path]) -> int:
    """Files that are containers as archives are, but one resource."""
    return sum(path.suffix.lower() == ".msh" for path in files)


def test_two_processes_count_the_same_as_one(report: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    assert main(["survey", str(GAME), "-o", str(other), "--quiet", "--jobs", "2"]) == 0
    first, second = (json.loads(path.read_text("utf-8")) for path in (report, other))
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


def test_explain_shows_what_would_be_written_and_writes_nothing(
    capsys: Capture, report: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out, _ = success(capsys, "survey", GAME, "--explain", "--jobs", "1")
    found = read_report(report.read_bytes())
    for question in found.questions:
        assert question.asked in out
        assert all(reading.name in out for reading in question.readings)
    assert not [*tmp_path.iterdir()]


def test_answers_are_printed_without_a_report(
    capsys: Capture, report: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out, err = success(capsys, "survey", GAME, "--jobs", "1")
    lines = out.splitlines()
    for question in read_report(report.read_bytes()).questions:
        at = lines.index(f"{question.id} {question.asked}")
        assert lines[at + 1 : at + 3] == [f"  {question.answer or 'no answer'}", f"    {question.why}"]
    assert "-o OUT.json writes the report" in err
    found = json.loads(success(capsys, "survey", GAME, "--json", "--jobs", "1")[0])
    assert {**found, "seconds": 0} == {**json.loads(report.read_text("utf-8")), "seconds": 0}
    assert not [*tmp_path.iterdir()]


def test_it_says_what_it_needs(capsys: Capture, tmp_path: Path) -> None:
    assert "takes 1 paths, not 2" in failure(capsys, "survey", GAME, GAME, "--explain")
    assert "takes 2 paths, not 1" in failure(capsys, "survey", "--compare", GAME)


def test_an_empty_folder_is_an_error(capsys: Capture, tmp_path: Path) -> None:
    assert "nothing could be read" in failure(capsys, "survey", tmp_path, "-o", tmp_path / "r.json")
    assert not (tmp_path / "r.json").exists()


def test_a_folder_of_damaged_archives_alone_is_an_error(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "models.rlb").write_bytes(b"NRes" + bytes(40))
    assert main(["survey", str(tmp_path / "game"), "-o", str(tmp_path / "r.json"), "--jobs", "1"]) == 2
    assert "nothing could be read" in capsys.readouterr().err
    assert not (tmp_path / "r.json").exists()


def test_a_damaged_archive_is_named_in_the_shell_and_counted_in_the_report(
    capsys: Capture, tmp_path: Path
) -> None:
    game = tmp_path / "game"
    game.mkdir()
    (game / "models.rlb").write_bytes((GAME / "models.rlb").read_bytes())
    (game / "secret.lib").write_bytes(b"NRes" + bytes(40))
    assert main(["survey", str(game), "-o", str(tmp_path / "r.json"), "--jobs", "1"]) == 0
    assert "secret.lib" in capsys.readouterr().err
    text = (tmp_path / "r.json").read_text("utf-8")
    assert "secret" not in text
    damaged = {it.id: it.damaged for it in read_report(text.encode()).questions}
    assert damaged["S18"] == 1


def test_two_reports_side_by_side(capsys: Capture, report: Path, tmp_path: Path) -> None:
    found = json_of(capsys, "survey", "--compare", report, report)
    assert found["same"] is True
    assert found["schema"] != json.loads(report.read_text("utf-8"))["schema"]
    written = json.loads(report.read_text("utf-8"))
    changed = next(it for it in written["questions"] if it["id"] == "S08")
    changed["answer"] = "edges 12 20 01"
    other = tmp_path / "other.json"
    other.write_text(json.dumps(written), "utf-8")
    first = json_of(capsys, "survey", "--compare", report, other, status=1)["questions"][0]
    assert (first["id"], first["a"], first["b"]) == (
        "S08",
        "edges 01 12 20; upper bits zero",
        "edges 12 20 01",
    )
    out, _ = success(capsys, "survey", "--compare", report, other, status=1)
    assert out.startswith("S08 ")


def test_what_is_no_report_cannot_be_compared(capsys: Capture, report: Path) -> None:
    assert "not JSON" in failure(capsys, "survey", "--compare", report, GAME / "models.rlb")
