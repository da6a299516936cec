"""Reports on files and on what is inside them; the corpora, sound and damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.broken import archives, games, libraries, models, resources, terrains
from tests.broken.case import check_leads
from tests.builders import archive_of
from tests.corpora import our_paths
from tests.session.opened import retail
from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.formats.archive import nres
from viewer.formats.archive.nres import NewEntry
from viewer.formats.msh.tables import TABLES
from viewer.formats.texture import texm
from viewer.model.kinds.registry import promised_kind
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.model.validation.batch_validation import BatchValidator, ValidationTask, plan
from viewer.model.validation.validate import MAX_DEPTH, Report, check_item

STRICT_ERRORS = ("eof_plus_one.lib", "tail_tex.lib")
"""Files of the corpora that a strict reading refuses."""

WEAR = games.WEAR


def item(data: bytes, name: str) -> Item:
    return Item(Address(Path(name)), memoryview(data))


def sources(reports: list[Report]) -> list[tuple[str, str]]:
    return [(str(report.source), report.kind) for report in reports]


def test_every_entry_of_an_archive_has_a_report() -> None:
    model = models.still().build()
    data = archive_of({"a.msh": model, "a.wea": b"1\r\n0 M.0\r\n", "A.MSH": model, "x": b"?"})
    assert sources(check_item(item(data, "x.rlb"))) == [
        ("x.rlb", "nres"),
        ("x.rlb::a.msh", "msh"),
        ("x.rlb::a.wea", "wear"),
        ("x.rlb::#2", "msh"),
    ]


@pytest.mark.parametrize("name", ["", "#1", "a::b", "::"])
def test_entries_whose_name_is_no_address_go_by_number(name: str) -> None:
    data = nres.build([NewEntry(WEAR, b"?", name.encode())])
    assert str(check_item(item(data, "x.rlb"))[1].source) == "x.rlb::#0"


def test_part_of_an_archive() -> None:
    data = archive_of(dict.fromkeys(("a.wea", "b.wea", "c.wea", "d.wea"), b"?"))
    whole = check_item(item(data, "x.rlb"))
    parts = [check_item(item(data, "x.rlb"), part=part) for part in (range(3), range(3, 4))]
    assert [len(part) for part in parts] == [4, 1]
    assert parts[0] + parts[1] == whole


def test_archives_inside_archives() -> None:
    data = archive_of({"x.msh": models.still().build()})
    for _ in range(MAX_DEPTH + 3):
        data = nres.build([NewEntry(0, data, b"in.rlb")])
    reports = check_item(item(data, "x.rlb"))
    assert len(reports) == MAX_DEPTH + 1
    assert str(reports[-1].source) == "x.rlb" + "::in.rlb" * MAX_DEPTH


def test_entries_over_each_other_are_looked_at_once() -> None:
    data = bytearray(nres.build(NewEntry(WEAR, b"12345678", name) for name in (b"a", b"b", b"c")))
    nres.ENTRY.view(data, offset=len(data) - 3 * nres.ENTRY.size)["data_offset"][1] = 16
    reports = check_item(item(bytes(data), "x.rlb"))
    assert [str(report.source) for report in reports] == ["x.rlb", "x.rlb::a", "x.rlb::c"]
    assert [finding.rule for finding in reports[0].errors] == ["N10"]


def test_members_of_a_packed_library() -> None:
    wear = libraries.deflated(resources.WEAR)
    reports = check_item(
        item(bytes(libraries.library([(b"A.WEA", 0x100, len(resources.WEAR), wear)])), "x.lib")
    )
    assert sources(reports) == [("x.lib", "rsli"), ("x.lib::A.WEA", "wear")]
    assert all(not report.diagnostics for report in reports)


def test_a_file_that_cannot_be_read() -> None:
    (report,) = check_item(item(b"Texm", "x.texm"))
    assert not report.is_readable
    assert [(finding.rule, finding.severity) for finding in report.diagnostics] == [("T01", Severity.ERROR)]
    assert report.tolerated == report


def test_what_can_be_worked_around_is_tolerated() -> None:
    report = check_item(item(bytes(resources.texture()) + b"?", "x.texm"))[0]
    assert [finding.rule for finding in report.errors] == ["T05"]
    assert report.tolerated.errors == []
    assert [finding.rule for finding in report.tolerated.diagnostics] == ["T05"]


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.msh", b"", "msh"),
        ("A.MSH", nres.build([]), "msh"),
        ("a.rlb", nres.build([]), "nres"),
        ("a.rlb", bytes(64), "nres"),
        ("a.lib", b"NL\0\2", "rsli"),
        ("a.lib", b"NL\0\1", "rsli"),
        ("a.lib", texm.MAGIC, "texm"),
        ("a.wea", b"", "wear"),
        ("a.dat", b"", "0"),
        ("a.dat", b"\xf1\xf0\0\0", "units"),
        ("a.txt", b"Parkan", "0"),
        ("a.txt", nres.build([]), "nres"),
    ],
)
def test_files_are_what_they_begin_as_or_else_what_they_are_called(name: str, data: bytes, kind: str) -> None:
    assert promised_kind(item(data, name)).id == kind


def reports_of(folder: Path) -> list[Report]:
    validator = BatchValidator()
    tasks = plan([Address(folder)], is_divided=False)
    return [report for task in tasks for report in validator.check(task)]


def test_the_corpora_are_sound(samples: Path) -> None:
    for reading in ["seed", "field"]:
        reports = reports_of(samples / reading)
        assert len(reports) > 200
        assert all(report.is_readable for report in reports)
        wrong = {report.source.path.name for report in reports if report.errors}
        assert wrong == set(STRICT_ERRORS) & {path.name for path in (samples / reading / "odd").iterdir()}


def test_the_bundled_game_is_sound() -> None:
    reports = reports_of(Path(__file__).parents[3] / "assets" / "game")
    assert len(reports) > 20
    findings = [finding for report in reports for finding in report.diagnostics]
    assert [str(finding) for finding in findings if finding.severity is not Severity.INFO] == []


def mutants(files: Path) -> list[dict[str, Any]]:
    manifest: dict[str, Any] = json.loads((files / "damaged" / "manifest.json").read_text())
    return list(manifest["mutants"])


def check_mutant(files: Path, mutant: dict[str, Any]) -> list[Report]:
    address = Address(files / "damaged" / mutant["file"])
    if "version" not in mutant:
        return BatchValidator().check(ValidationTask(address, 0))
    entry = nres.Entry(0, games.MAT0, 0, mutant["version"], mutant["size"], 0, b"MATERIAL\0", 0, 0)
    return check_item(Item(address, FileStore().file(address.path), entry))


def is_at(finding: Diagnostic, mutant: dict[str, Any], data: memoryview) -> bool:
    """Whether a finding is at the place of the damage, or in the directory row of the table that has it."""
    tables = our_paths(mutant["tables"])
    if (finding.table, [finding.index]) == (*mutant["tables"], mutant["indices"]):
        return True
    if finding.table == "directory" and finding.index is not None and mutant["kind"] == "msh":
        type_id = nres.Archive.read(data).entry(finding.index).type_id
        return mutant["indices"] is None and TABLES[type_id].name in tables
    return finding.table in tables and (mutant["indices"] is None or finding.index in mutant["indices"])


def test_every_damaged_file_gets_its_verdict_at_its_place(files: Path) -> None:
    for mutant in mutants(files):
        reports = check_mutant(files, mutant)
        errors = [finding for report in reports for finding in report.errors]
        if mutant["strict"] == "error":
            data = FileStore().file(Address(files / "damaged" / mutant["file"]).path)
            assert any(is_at(finding, mutant, data) for finding in errors), mutant["name"]
        elif mutant["strict"] == "ok":
            assert errors == [], mutant["name"]


def test_every_finding_in_a_damaged_file_leads_into_its_parts(files: Path) -> None:
    count = 0
    for mutant in mutants(files):
        report = check_mutant(files, mutant)[0]
        if not report.is_readable:
            continue
        version = mutant.get("version")
        entry = None if version is None else nres.Entry(0, games.MAT0, 0, version, 0, 0, b"", 0, 0)
        data = FileStore().file(files / "damaged" / mutant["file"])
        check_leads(report.kind, data, entry, report.diagnostics)
        count += len(report.diagnostics)
    assert count > 90


def test_every_damaged_file_is_tolerated_as_far_as_it_should_be(files: Path) -> None:
    for mutant in mutants(files):
        reports = [report.tolerated for report in check_mutant(files, mutant)]
        if mutant["tolerant"] == "shows":
            assert all(report.is_readable and not report.errors for report in reports), mutant["name"]
        elif mutant["tolerant"] == "error":
            assert not reports[0].is_readable, mutant["name"]


ARCHIVES = [
    bytes(archives.sound()),
    bytes(libraries.library()),
    archive_of({"a.msh": models.sound().build(), "a.wea": resources.WEAR, "b.msh": terrains.sound()}),
    *(data for name, data in games.sound().items() if name.endswith(("lib", "rlb"))),
]


@given(
    st.sampled_from(ARCHIVES),
    st.lists(st.tuples(st.floats(0, 1), st.binary(min_size=1, max_size=4)), min_size=1, max_size=6),
)
def test_any_damage_is_a_finding_with_a_rule(data: bytes, changes: list[tuple[float, bytes]]) -> None:
    damaged = bytearray(data)
    for place, changed in changes:
        start = int(place * (len(data) - 1))
        damaged[start : start + len(changed)] = changed
    for report in check_item(item(bytes(damaged[: len(data)]), "x.rlb")):
        assert all(finding.rule and finding.message for finding in report.diagnostics)
        assert report.is_readable or len(report.errors) == 1


def test_only_names_that_lead_nowhere_are_warnings_in_retail_files() -> None:
    found = games.check(retail.files())
    of = {
        severity: {
            (source, it.rule)
            for source, diagnostics in found.items()
            for it in diagnostics
            if it.severity is severity
        }
        for severity in Severity
    }
    assert of[Severity.ERROR] == set()
    assert of[Severity.WARNING] == {
        ("objects.rlb::fr_l_mast", "O04"),
        ("objects.rlb::fr_l_tele", "O04"),
        ("UNITS/UNITS/BATTLE/robot.dat", "UNIT02"),
    }
    assert of[Severity.INFO] == {("bases.rlb::robot.msh", "A13"), ("fortif.rlb::hall.msh", "A13")}
