"""``bench`` measures what its names say; how long anything takes is not tested."""

from __future__ import annotations

import gc
import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from io import StringIO
from math import inf
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.cli.console import Capture
from tests.systems import IS_WINDOWS
from viewer.cli.bench import cases, edits, overviews, timing, windows
from viewer.cli.bench.install import InstallSize
from viewer.cli.bench.subjects import ModelSize, Sizes, make_archive, make_model
from viewer.cli.bench.timing import Result, Work, milliseconds
from viewer.cli.main import main
from viewer.errors import Severity
from viewer.formats.archive import nres
from viewer.json_types import members
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import Reason
from viewer.model.store.address import CURRENT
from viewer.render import portions, renderer
from viewer.session.opened.document import Document
from viewer.session.view.view_state import ViewState

TINY = Sizes(
    archive_count=3,
    archived=ModelSize(2, 1, 1, frame_count=3),
    medium=ModelSize(2, 2, 2),
    moving=ModelSize(2, 2, 2, frame_count=3),
    large=ModelSize(5, 1, 2, frame_count=4),
    dense=ModelSize(2, 3, 4, frame_count=4),
    animated=ModelSize(3, 1, 1, frame_count=5, key_count=3),
    keyed=ModelSize(3, 1, 1, frame_count=5, key_count=3),
    large_count=2,
    install=InstallSize(2, 30),
    table_rows=50,
    frame=(32, 24),
    window=(320, 240),
    runs=1,
)
PROMISED = {
    "start_help", "start_numpy", "start_ls", "start_inspect", "start_render",
    "parse_400", "list_400", "open_60k", "upload_60k", "pose_10k", "pose_200x200", "curves_200x2000",
    "cull_draw_list_10k", "submit_10k", "frame_10k", "frame_60k", "frame_6m", "pick_10k", "peak_memory_mb",
    "materials_20_over_1", "texm_8888_mb_s", "texm_565_mb_s", "lzss_mb_s", "table_sort_300k",
    "edit_field_60k", "undo_1000", "edit_save_25mb", "edits_memory_mb",
    "export_60k", "import_60k", "import_edited", "export_400_jobs2", "render_400", "gallery_50",
    "search_install", "list_install", "stats_400", "overview", "survey", "diff_install",
    "window_playing", "window_built", "start_window", "dope_sheet_200", "hex_25mb", "table_scroll_300k",
    "overview_first_screen", "overview_longest_frame",
}  # fmt: skip


def unit(name: str) -> str:
    if name.endswith("_mb_s") or name == "search_install":
        return "MB/s"
    if name == "materials_20_over_1":
        return "x"
    return "MB" if name.endswith("memory_mb") else "ms"


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Cases of small files, each run once, without searches for the garbage of all other tests."""
    monkeypatch.setattr("gc.collect", lambda: 0)
    monkeypatch.setattr(cases, "milliseconds", lambda work, _: milliseconds(replace(work, warm_up=0), 1))
    monkeypatch.setattr("viewer.cli.bench.bench.FULL", TINY)
    # What plays and takes longer is not drawn whole, which the cases wait for: where other programs are busy,
    # never.
    for module in (renderer, portions):
        monkeypatch.setattr(module, "LONGEST", inf)
    start = windows._START.replace("SampleWindow(START_SIZE)", f"SampleWindow({TINY.window})")
    monkeypatch.setattr(windows, "_START", start)
    for module, name, small in (
        (edits, "STEPS", 5),
        (edits, "UNPACKED", 1 << 12),
        (edits, "SIDE", 64),
        (windows, "RATE", 4),
        (windows, "BUILT", 2),
        (windows, "HEX_SIZE", 1 << 16),
        (overviews, "PAGES", 3),
    ):
        monkeypatch.setattr(module, name, small)
    yield
    gc.freeze()  # as it was before: the bench has let go of what it froze


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The verbs of whole processes, which are called instead; not on Windows, where only one thread draws."""
    verbs: list[str] = []
    start = timing.start

    def run(*arguments: str) -> subprocess.Popen[bytes]:
        verbs.append(arguments[0])
        return start(*arguments)

    def call(*arguments: str) -> None:
        verbs.append(arguments[0])
        alone = ["--jobs", "1"] if "--jobs" in arguments else []
        # The context of OpenGL of this thread stays current.
        with redirect_stdout(StringIO()), ThreadPoolExecutor(1) as thread:
            assert thread.submit(main, [*arguments, *alone]).result() == 0

    monkeypatch.setattr(timing, "start", run if IS_WINDOWS else call)
    if not IS_WINDOWS:
        monkeypatch.setattr(timing, "finish", lambda _: None)
    return verbs


@pytest.mark.usefixtures("tiny")
def test_every_case(capsys: Capture, calls: list[str]) -> None:
    assert main(["bench", "--json"]) == 0
    assert calls == ["--help", "ls", "inspect", "render", "ls", "survey", "render", "gallery", "export"]
    document = json.loads(capsys.readouterr().out)
    results = {result["name"]: result for result in document["results"]}
    assert set(results) >= PROMISED
    for result in results.values():
        assert 0 < result["min"] <= result["median"] <= result["max"]
        assert result["runs"] >= 1
        assert result["unit"] == unit(result["name"])
    assert "Python" in document["machine"]
    assert "OpenGL" in document["gl"]


@pytest.mark.usefixtures("tiny")
def test_some_cases(capsys: Capture) -> None:
    assert main(["bench", "--only", "parse_400, pose_10k", "--json"]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    assert [(result["name"], result["runs"]) for result in results] == [("parse_400", 1), ("pose_10k", 1)]


@pytest.mark.usefixtures("tiny")
def test_files_of_the_user(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "model.msh"
    path.write_bytes(make_model(TINY.medium))
    assert main(["bench", str(path)]) == 0
    assert f"\n{path}" in capsys.readouterr().out
    assert main(["bench", str(tmp_path / "missing.msh")]) == 2


@pytest.mark.usefixtures("tiny")
def test_unknown_case(capsys: Capture) -> None:
    assert main(["bench", "--only", "pose_10k,fly"]) == 2
    assert "'fly'" in capsys.readouterr().err


@pytest.mark.usefixtures("tiny")
def test_starts_are_multiples_of_the_start_of_numpy(capsys: Capture) -> None:
    assert main(["bench", "--only", "start_numpy,start_help,pose_10k", "--json"]) == 0
    numpy, start, pose = json.loads(capsys.readouterr().out)["results"]
    assert numpy["numpy_starts"] == 1
    assert start["numpy_starts"] == pytest.approx(start["median"] / numpy["median"])
    assert "numpy_starts" not in pose


@pytest.mark.usefixtures("tiny")
def test_a_process_that_fails_has_no_time(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("viewer.cli.bench.cases.bundled_path", lambda _: tmp_path / "missing.rlb")
    assert main(["bench", "--only", "start_ls"]) == 2
    assert "status 2" in capsys.readouterr().err


def test_preparation_is_not_timed_and_warm_up_forgotten() -> None:
    done: list[str] = []
    work = Work(
        lambda: done.append("run"), lambda: done.append("before"), lambda: done.append("after"), warm_up=1
    )
    assert len(milliseconds(work, 2)) == 2
    assert done == ["before", "run", "after"] * 3


def test_median() -> None:
    row = Result("x", "ms", (3.0, 1.0, 10.0)).row({})
    assert members(row) == {"name": "x", "unit": "ms", "median": 3.0, "min": 1.0, "max": 10.0, "runs": 3}


PLANS = [
    ModelSize(1, 1, 1),
    ModelSize(9, 2, 3),
    ModelSize(20, 1, 4, frame_count=6),
    ModelSize(5, 1, 1, frame_count=30, key_count=7),
]


@pytest.mark.parametrize("plan", PLANS)
def test_model_is_as_planned(plan: ModelSize) -> None:
    document = Document.of(CURRENT, Model.read(make_model(plan)))
    assert [finding for finding in document.diagnostics if finding.severity is Severity.ERROR] == []
    assert document.model.node_count == plan.node_count
    assert len(document.model.batches) == plan.node_count
    assert document.triangle_counts[0, 0] == plan.triangle_count == document.triangle_counts.sum()
    assert document.animation.frame_count == plan.frame_count
    assert len(document.model.tri_descriptors) == plan.triangle_count


@pytest.mark.parametrize("plan", PLANS[2:])
def test_every_node_moves(plan: ModelSize) -> None:
    document = Document.of(CURRENT, Model.read(make_model(plan)))
    assert document.animation.pose(1.25).sample.is_interpolated.all()
    assert document.choice.reason is Reason.BOX
    assert document.choice.reading.quaternion_order == "xyzw"


def test_header_holds_the_posed_box() -> None:
    document = Document.of(CURRENT, Model.read(make_model(PLANS[2])))
    bounds = document.bounds(document.animation.pose(0.0), ViewState())
    assert bounds is not None
    assert document.model.header is not None
    assert np.allclose(document.model.header["hull"], bounds.corners, rtol=1e-6)


def test_descriptors_are_left_out_where_slots_cannot_number_them() -> None:
    model = Model.read(make_model(ModelSize(300, 11, 10)))
    assert len(model.tri_descriptors) == 0
    assert not model.slots["tri_count"].any()


def test_archive_holds_models() -> None:
    archive = nres.Archive.read(make_archive(3, PLANS[0]))
    assert [entry.name for entry in archive.entries] == [b"model_%05d.msh" % number for number in range(3)]
    assert all(Model.read(archive.payload(entry.index)).node_count == 1 for entry in archive.entries)
