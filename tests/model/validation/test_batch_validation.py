"""Which files of a folder are checked, in what pieces, and in whose game."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.broken import games, models, resources
from tests.builders import ModelBuilder, Node, archive_of, box
from tests.messages import states
from tests.model.controllers import Drive, State, build, game, model
from viewer.formats import wear
from viewer.formats.archive import nres
from viewer.formats.archive.nres import NewEntry
from viewer.formats.neighbors import control
from viewer.model.store.address import Address
from viewer.model.store.disk import UnsavedFiles
from viewer.model.validation.batch_validation import PART_SIZE, BatchValidator, ValidationTask, plan
from viewer.model.validation.validate import Report


def check(*paths: Path | str, game: Path | None = None, is_divided: bool = False) -> list[Report]:
    validator = BatchValidator(game)
    tasks = plan([Address.parse(str(path)) for path in paths], is_divided=is_divided)
    return [report for task in tasks for report in validator.check(task)]


def rules(reports: list[Report]) -> list[str]:
    return [finding.rule for report in reports for finding in report.diagnostics]


def test_files_of_a_folder_come_in_order(tmp_path: Path) -> None:
    for name in ("b/2.wea", "b/1.wea", "b/1.wea.bak", "a/x/y.wea", "c.wea"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(wear.build([b"M.0"]))
    names = [Path(str(report.source)).relative_to(tmp_path).as_posix() for report in check(tmp_path)]
    assert names == ["c.wea", "a/x/y.wea", "b/1.wea", "b/2.wea"]


def test_only_files_that_somebody_asked_for_have_to_be_known(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"Parkan")
    assert check(tmp_path) == []
    (report,) = check(path)
    assert not report.is_readable
    assert rules([report]) == ["FILE02"]
    assert states(report.diagnostics[0].message, "Park")


def test_files_are_known_by_what_they_begin_with(tmp_path: Path) -> None:
    (tmp_path / "picture.bin").write_bytes(resources.texture())
    assert [report.kind for report in check(tmp_path)] == ["texm"]


def test_a_path_that_is_not_there() -> None:
    (task,) = plan([Address(Path("lost.msh"))], is_divided=False)
    (report,) = BatchValidator().check(task)
    assert (str(report.source), report.is_readable) == ("lost.msh", False)


def test_a_file_that_cannot_be_opened_is_unreadable(tmp_path: Path) -> None:
    (report,) = BatchValidator().check(ValidationTask(Address(tmp_path / "gone.msh"), 0))
    assert not report.is_readable
    assert rules([report]) == ["FILE01"]


def test_an_empty_file_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "empty.msh").touch()
    assert rules(check(tmp_path)) == ["N01"]


def test_large_archives_are_divided_and_say_the_same(tmp_path: Path) -> None:
    entry = NewEntry(games.WEAR, bytes(PART_SIZE // 3 + 1), b"a")
    texture = NewEntry(games.TEXM, bytes(resources.texture()) + b"?", b"t")
    (tmp_path / "large.lib").write_bytes(nres.build([entry] * 4 + [texture] + [entry] * 5))
    tasks = plan([Address(tmp_path)], is_divided=True)
    assert [task.part for task in tasks] == [range(3), range(3, 7), range(7, 10)]
    assert sum(task.size for task in tasks) == 9 * len(entry.payload) + len(texture.payload)
    divided = check(tmp_path, is_divided=True)
    assert divided == check(tmp_path)
    assert [report.kind for report in divided] == ["nres", *["wear"] * 4, "texm", *["wear"] * 5]


@pytest.mark.parametrize("data", [b"NRes", nres.build([]), b"?" * (PART_SIZE + 1)])
def test_what_cannot_be_divided_is_one_task(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.rlb"
    path.write_bytes(data.ljust(PART_SIZE + 1, b"\0"))
    assert len(plan([Address(path)], is_divided=True)) == 1


def test_entries_by_address_know_their_archive(tmp_path: Path) -> None:
    builder = models.sound()
    builder.batches["material"], builder.batches["opaque4"] = 1, 0x0101
    path = tmp_path / "a.rlb"
    path.write_bytes(archive_of({"a.msh": builder.build(), "a.wea": b"1\r\n0 M.0\r\n"}))
    assert rules(check(f"{path}::a.msh")) == ["V26"] * 4


def test_loose_models_know_the_wear_table_beside_them(tmp_path: Path) -> None:
    builder = models.sound()
    builder.batches["material"], builder.batches["opaque4"] = 1, 0x0101
    (tmp_path / "a.msh").write_bytes(builder.build())
    assert rules(check(tmp_path)) == []
    (tmp_path / "A.WEA").write_bytes(wear.build([b"M.0"]))
    assert rules(check(tmp_path)) == ["V26"] * 4


def test_names_are_looked_up_in_the_nearest_game(tmp_path: Path) -> None:
    table, empty = wear.build([b"STONE.0"]), games.archive(games.MAT0, {})
    for folder in ("game/maps", "outside"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.wea").write_bytes(table)
    (tmp_path / "game" / "MATERIAL.lib").write_bytes(empty)
    assert rules(check(tmp_path / "outside")) == []
    assert rules(check(tmp_path / "game" / "maps")) == ["W06"]
    assert rules(check(tmp_path / "outside", game=tmp_path / "game")) == ["W06"]


def test_unsaved_files_are_checked_in_place_of_those_on_the_disk(tmp_path: Path) -> None:
    (tmp_path / "a.wea").write_bytes(wear.build([b"M.0"]))
    unsaved = UnsavedFiles()
    unsaved.overlay(tmp_path / "a.wea", b"7\r\n0 A\r\n")
    unsaved.overlay(tmp_path / "b.wea", wear.build([b"M.0"]))
    tasks = plan([Address(tmp_path)], is_divided=True, unsaved=unsaved)
    assert (tasks[0].address.name, tasks[0].size) == ("a.wea", 8)
    validator = BatchValidator(unsaved=unsaved)
    found = [
        (Path(str(report.source)).name, bool(report.errors))
        for task in tasks
        for report in validator.check(task)
    ]
    assert found == [("a.wea", True), ("b.wea", False)]


SHORT, LONG = (control.encode(build([State((0, last))], [Drive(1, (0, 4))])) for last in (10, 11))


@pytest.mark.parametrize(
    ("references", "expected"),
    [
        (["bots.rlb::long.msh", "guns.rlb::other.ctl"], []),
        (["bots.rlb::short.msh", "guns.rlb::other.ctl"], ["K02", "K03"]),
        (["bots.rlb::lost.msh", "guns.rlb::other.ctl"], []),
        ([], []),
    ],
)
def test_a_controller_is_judged_by_the_model_that_the_registry_names_with_it(
    tmp_path: Path, references: list[str], expected: list[str]
) -> None:
    archives = {"bots.rlb": {"long.msh": model(), "short.msh": one_node()}, "guns.rlb": {"other.ctl": SHORT}}
    folder = game(tmp_path, archives, {"a": references})
    assert controller_rules(folder / "guns.rlb") == expected


def test_without_a_registry_a_controller_is_judged_by_the_model_of_its_stem(tmp_path: Path) -> None:
    archives = {"bots.rlb": {"a.msh": model(), "a.ctl": LONG, "b.msh": model(), "b.ctl": SHORT}}
    assert controller_rules(game(tmp_path / "bare", archives, None) / "bots.rlb") == ["K02"]
    named = game(tmp_path / "named", archives, {"a": ["bots.rlb::a.msh", "bots.rlb::b.ctl"]})
    assert controller_rules(named / "bots.rlb") == []


def one_node() -> bytes:
    return ModelBuilder.of([Node(shapes={(0, 0): [box()]})]).build()


def controller_rules(path: Path) -> list[str]:
    """Rules of controllers that are broken in an archive."""
    return [rule for rule in rules(check(path)) if rule.startswith("K")]
