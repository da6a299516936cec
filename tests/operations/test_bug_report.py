"""Reports of faults: what is in them, and what never is."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tests.broken.fuzz import CHANGES, Changes, damaged
from tests.corpora import SAMPLES
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.checking import bug_report
from viewer.operations.checking.bug_report import MOST_BYTES, SHARE, WHAT, BugReport, ReportSources
from viewer.operations.checking.private_names import PrivateNames
from viewer.resources import bundled_path

Folders = pytest.TempPathFactory
SAMPLE = bundled_path("assets/game") / "models.rlb"
HOME, USERS = "home", "Users"
"""Parts of paths, which no file of the project has whole."""
ANN = PrivateNames((f"/{HOME}/ann", f"C:\\{USERS}\\Ann Lee"), ("Ann Lee", "ann"))


def report_of(path: Path, **others: Any) -> BugReport:
    return bug_report.made(FileStore(), ReportSources(Address(path), **others), ANN)


def records(report: BugReport) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(report.files["records.json"])
    return found


def test_every_file_is_listed_in_the_first_one() -> None:
    report = report_of(SAMPLE, link="mshview:open?file=x.msh", picture=b"PNG", versions="1", log=["a", "b"])
    assert [*report.files] == [*WHAT]
    text = report.files["README.txt"].decode()
    for name, size, what in report.contents:
        if name != "README.txt":
            assert any(name in it and f"{size:,}" in it and what in it for it in text.splitlines())
    assert report.files["log.txt"] == b"a\nb\n"


def test_what_is_not_there_is_left_out() -> None:
    report = bug_report.made(FileStore(), ReportSources(versions="1"), ANN)
    assert [*report.files] == ["README.txt", "versions.txt"]


def test_the_zip_is_the_same_for_the_same_files() -> None:
    report = report_of(SAMPLE, versions="1")
    with zipfile.ZipFile(BytesIO(report.zipped)) as archive:
        assert {it: archive.read(it) for it in archive.namelist()} == report.files
        assert {it.date_time[0] for it in archive.infolist()} == {1980}
    assert report.zipped == report_of(SAMPLE, versions="1").zipped


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        (f"/{HOME}/ann/game/x.msh: bad", "~/game/x.msh: bad"),
        ("/HOME/Ann/x", "~/x"),
        (f"/{HOME}/anna/x", f"/{HOME}/USER/x"),
        (f"/{HOME}/bob", f"/{HOME}/USER"),
        (f"C:\\{USERS}\\Ann Lee\\x and C:/{USERS}/Ann Lee/y", "~\\x and ~/y"),
        (f'"C:\\\\{USERS}\\\\Ann Lee\\\\x"', '"~\\\\x"'),
        (f"D:\\{USERS}\\ANNLEE~1\\Temp", f"D:\\{USERS}\\USER\\Temp"),
        ("by Ann Lee, ann", "by USER, USER"),
        ("plan, Hannah", "plan, Hannah"),
        (f"file=/{HOME}/ann/a%20b&x", "file=~/a%20b&x"),
        (f"C%3A%5C{USERS}%5CAnn%20Lee%5Cx", "~%5Cx"),
        (f"/{USERS}/Zoe/x", f"/{USERS}/USER/x"),
    ],
)
def test_names_of_users_are_removed(text: str, cleaned: str) -> None:
    assert ANN.cleaned(text) == cleaned
    assert ANN.cleaned({"ann": [text]}) == {"ann": [cleaned]}


def test_short_names_are_removed_from_paths_alone() -> None:
    assert PrivateNames((), ("x",)).cleaned("/data/x/y: x is 3") == "/data/USER/y: x is 3"


def test_the_user_of_this_process_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/somewhere/maria")
    monkeypatch.setenv("USERPROFILE", "/somewhere/maria")
    monkeypatch.setenv("LOGNAME", "mary")
    found = PrivateNames.of_user()
    assert found.cleaned("/somewhere/maria/x of mary, maria") == "~/x of USER, USER"


@pytest.mark.parametrize(
    ("link", "shorter"),
    [
        ("mshview:open?file=/a/b/w.rlb&entry=x/y&lod=1", "mshview:open?file=w.rlb&entry=x/y&lod=1"),
        ("mshview:open?file=C:%5Ca%5Cw.rlb&sky=/g/s.ske", "mshview:open?file=w.rlb&sky=s.ske"),
        ("mshview:open?file=w.rlb", "mshview:open?file=w.rlb"),
    ],
)
def test_a_link_names_no_folder(link: str, shorter: str) -> None:
    assert bug_report.without_folders(link) == shorter


def test_a_file_that_is_right_has_no_records() -> None:
    report = bug_report.made(FileStore(), ReportSources(Address(SAMPLE, ("walker.msh",))))
    (payload,) = records(report)["payloads"]
    assert payload["findings"] == payload["records"] == []
    assert len(payload["sha256"]) == 64


def test_rows_with_findings_have_values_and_bytes(tmp_path: Path) -> None:
    path = tmp_path / "home" / "ann" / "two.msh"
    path.parent.mkdir(parents=True)
    item = FileStore().open(Address(SAMPLE, ("walker.msh",)))
    archive, model = item.read_model().archive, bytearray(item.data)
    start = next(it.offset for it in map(archive.entry, range(len(archive.rows))) if it.type_id == 13)
    # The first index of batch 2, far beyond the indices.
    model[start + 2 * 20 + 10 : start + 2 * 20 + 14] = b"\xff\xff\xff\x7f"
    path.write_bytes(model)
    (payload,) = records(report_of(path))["payloads"]
    row = next(it for it in payload["records"] if it["place"] == "batches[2]")
    assert row["value"]["index_start"] == 0x7FFFFFFF
    assert bytes.fromhex(row["bytes"]) == model[start + 40 : start + 60]
    assert (row["size"], row["offset"]) == (20, start + 40)
    assert payload["address"] == "two.msh"


@pytest.mark.parametrize("name", ["fxid", "mat0", "msh", "nres", "texm", "wear", "rsli"])
def test_no_report_holds_a_whole_file(name: str) -> None:
    folder = SAMPLES / "damaged" / name
    if not folder.exists():
        pytest.skip("the samples are not here")
    for path in sorted(folder.iterdir())[:12]:
        check_bounds(path)


@given(CHANGES)
def test_any_damage_is_reported_within_bounds(
    tmp_path_factory: pytest.TempPathFactory, changes: Changes
) -> None:
    path = tmp_path_factory.mktemp("d") / "x.wea"
    path.write_bytes(damaged(bytes(FileStore().open(Address(SAMPLE, ("walker.wea",))).data), changes))
    check_bounds(path)


def check_bounds(path: Path) -> None:
    for payload in records(report_of(path))["payloads"]:
        held = sum(len(it["bytes"]) // 2 for it in payload["records"])
        assert held <= min(MOST_BYTES, payload["size"] // SHARE)


def test_what_is_gone_is_said(tmp_path: Path) -> None:
    report = report_of(tmp_path / "gone.msh")
    assert records(report)["error"]
    assert str(tmp_path) not in report.files["records.json"].decode()
