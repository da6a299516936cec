"""What verbs say of what cannot be done: a reason, a document, the name that was meant.

Damaged input through the command line: an answer or one error line, never a traceback.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import damaged_files
from tests.broken import models
from tests.broken.libraries import TEXT, deflated, library
from tests.builders import ModelBuilder, Node, archive_of, box
from tests.cli.console import MODELS, WALKER, Capture, error_line, failure, json_of, success, terminal_output
from tests.share import examples, some
from tests.systems import needs_any_name
from viewer.cli import output
from viewer.cli.main import main
from viewer.cli.picturing import process_renderer
from viewer.errors import MshviewError
from viewer.formats.archive import nres, rsli
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.render import offscreen
from viewer.render.offscreen import OffscreenRenderer
from viewer.session.opened.document import Document
from viewer.session.view.view_state import ViewState

MODEL = models.still().build()
COMMANDS = [
    ["ls"],
    ["inspect"],
    ["draws"],
    ["materials"],
    ["clips"],
    ["pose", "--time", "0"],
    ["diff", str(MODELS)],
    ["edit", "--set", "nodes[0].flags=1", "--dry-run"],
    ["repair"],
    ["import", "--template", WALKER, "--dry-run"],
    ["gallery", "-o", "site"],
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS, ids=lambda it: it[0])
def test_a_failure_has_a_document_too(folder: Path, capsys: Capture, command: list[str]) -> None:
    line = failure(capsys, *command, "lost.glb", "--json")
    assert "lost.glb" in line


def test_wrong_usage_has_a_document_if_the_verb_has_documents(capsys: Capture) -> None:
    failure(capsys, "pose", WALKER, "--json")
    failure(capsys, "copy", WALKER)
    assert main(["render", WALKER, "--json"]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "command", [["ls"], ["edit", "--set", "nodes[0].flags=1", "--dry-run"], ["repair"]], ids=lambda it: it[0]
)
def test_one_input_has_the_form_of_several_on_request(
    folder: Path, capsys: Capture, command: list[str]
) -> None:
    (folder / "a.rlb").write_bytes(archive_of({"a.msh": MODEL}))
    address = "a.rlb::a.msh" if command[0] != "ls" else "a.rlb"
    for name, has_error in ((address, False), ("lost.msh", True)):
        assert main([*command, name, "--json", "--results"]) in (0, 1, 2)
        (found,) = json.loads(capsys.readouterr().out)["results"]
        assert ("error" in found) == has_error


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        (["inspect", f"{MODELS}::walkr.msh"], "walker.msh"),
        (["inspect", f"{MODELS}::WALKR.MSH"], "walker.msh"),
        (["extract", str(MODELS), "walkr.msh", "-o", "x"], "walker.msh"),
        (["edit", WALKER, "--rename-node", "turet", "x", "--dry-run"], "turret"),
        (["pose", WALKER, "--time", "0", "--clip", "wlk"], "walk"),
        (["pose", WALKER, "--time", "0", "--channel", "turet=0.5"], "turret"),
    ],
)
def test_a_name_that_does_not_exist_is_answered_with_the_one_that_was_meant(
    folder: Path, capsys: Capture, command: list[str], meant: str
) -> None:
    assert failure(capsys, *command).endswith(f"did you mean {meant}?")


@pytest.mark.parametrize(
    "command", [["draws"], ["pose", "--time", "0"], ["render", "-o", "x.png"], ["clips"]]
)
def test_an_archive_in_place_of_a_model_says_so(folder: Path, capsys: Capture, command: list[str]) -> None:
    line = failure(capsys, *command, MODELS)
    assert "is an archive, not a model" in line
    assert f"{WALKER}: walker.msh, drone.msh" in line


def test_a_pixel_format_that_does_not_exist_is_answered_with_those_that_do(
    folder: Path, capsys: Capture
) -> None:
    assert "'foo' is not one of 0, " in failure(capsys, "texture", WALKER, "--format", "foo", "-o", "x.texm")


def test_a_folder_without_files_is_not_sound(folder: Path, capsys: Capture) -> None:
    assert main(["validate", str(folder), "--json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["summary"]["files"] == 0
    assert "there is no file to check" in err


def test_folders_of_outputs_are_made(folder: Path, capsys: Capture) -> None:
    shutil.copy(MODELS, "a.rlb")
    shutil.copy(MODELS, "b.rlb")
    change = ("--set", "entries[0].attr1=5")
    success(capsys, "edit", "a.rlb", "b.rlb", *change, "-o", "new/two")
    assert {path.name for path in Path("new/two").iterdir()} == {"a.rlb", "b.rlb"}
    success(capsys, "edit", "a.rlb", *change, "-o", "new/one/c.rlb")
    assert nres.Archive.read(memoryview(Path("new/one/c.rlb").read_bytes())).entry(0).attr1 == 5
    success(capsys, "extract", "a.rlb", "#0", "-o", "new/three/all")
    assert {path.name for path in Path("new/three/all").iterdir()} >= {"walker.msh"}


@needs_any_name
@pytest.mark.parametrize("name", ["a::b.rlb", "a::b::c.rlb", "back\\::slash.rlb", "::", "a:.rlb"])
def test_names_with_the_separator_of_addresses_can_be_opened(
    folder: Path, capsys: Capture, name: str
) -> None:
    Path(name).write_bytes(archive_of({"one.msh": models.still().build()}))
    for address in (name, f"{name}::one.msh"):
        document = json_of(capsys, "inspect", address)
        again = json_of(capsys, "inspect", document["source"])
        assert again == document
    assert "1 ok" in success(capsys, "validate", f"{name}::one.msh")[0]


def test_a_time_before_the_first_frame_shows_a_negative_frame(capsys: Capture) -> None:
    assert success(capsys, "pose", WALKER, "--time", "-5")[0].startswith("time -5, frame -6\n")
    assert json_of(capsys, "pose", WALKER, "--time", "-5")["frame"] == -6


def test_a_change_of_a_header_chooses_its_only_row(capsys: Capture) -> None:
    change = ("--set", "header[0].sphere_radius=5", "--dry-run")
    out, _ = success(capsys, "edit", WALKER, *change)
    assert "header[0].sphere_radius: 4.9" in out
    assert "is chosen" not in out
    out, _ = success(capsys, "edit", WALKER, "--set", "nodes[parent>300].flags=5", "--dry-run")
    assert "no row of nodes is chosen by parent>300" in out


def test_without_opengl_there_is_advice(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: object) -> None:
        raise RuntimeError("no devices")

    monkeypatch.setattr("moderngl.create_context", fail)
    monkeypatch.setattr(process_renderer, "_KEPT", [])  # that of an earlier test
    assert failure(capsys, "render", WALKER, "-o", "x.png").endswith(
        f"no devices; {offscreen.driver_advice()}"
    )


@pytest.mark.parametrize("width", [120, 90, 72, 60, 40])
def test_a_listing_fits_its_terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    whole, _ = success(capsys, "ls", MODELS)
    monkeypatch.setattr(output, "line_width", lambda: width)
    with terminal_output():
        out, _ = success(capsys, "ls", MODELS)
    lines = out.splitlines()
    names = lines[0].split()
    assert max(map(len, lines)) <= width
    assert names[:2] == ["index", "name"]
    left_out = [name for name in whole.splitlines()[0].split() if name not in names]
    # the last line of the table may be followed by names that are wrapped
    assert bool(left_out) == " ".join(lines).endswith(": " + ", ".join(left_out))


MODEL_VERBS: Mapping[str, tuple[str, ...]] = {"draws": (), "clips": (), "pose": ("--time", "1.5")}
CONTAINERS = {"nres", "rsli"}
JUDGED_ALONE = {"nres", "rsli", "msh", "texm", "wear", "fxid"}
"""Kinds whose damage shows without an archive's directory around them."""


@pytest.fixture
def location(files: Path) -> Path:
    """The folder of the damaged files."""
    return files / "damaged"


@pytest.fixture
def mutants(location: Path) -> list[dict[str, Any]]:
    """What its manifest says of every damaged file."""
    listed: list[dict[str, Any]] = json.loads((location / "manifest.json").read_text("utf-8"))["mutants"]
    assert len(listed) > 90
    return listed


@pytest.fixture
def damaged_models(mutants: list[dict[str, Any]], location: Path) -> list[dict[str, Any]]:
    """The models among them that are tried."""
    return some((mutant for mutant in mutants if mutant["kind"] == "msh"), location)


def answer(capsys: Capture, verb: str, address: object, *arguments: str) -> tuple[int, Any]:
    """Exit status and document of a run that keeps to the rules."""
    status = main([verb, str(address), *MODEL_VERBS.get(verb, ()), *arguments, "--json"])
    out, err = capsys.readouterr()
    complaints = [line for line in err.splitlines() if not line.startswith("mshview: warning: ")]
    if status == 0:
        assert complaints == []
        return status, json.loads(out)
    assert status == 2
    error_line(out, err, has_json=True)
    return status, None


def test_every_damaged_file_is_inspected_and_listed_or_refused(
    capsys: Capture,
    subtests: pytest.Subtests,
    location: Path,
    mutants: list[dict[str, Any]],
) -> None:
    for mutant in mutants:
        with subtests.test(mutant["name"]):
            path = location / mutant["file"]
            status, _ = answer(capsys, "inspect", path)
            strict, _ = answer(capsys, "inspect", path, "--strict")
            assert strict >= status
            if mutant["tolerant"] != "any":
                assert status == (0 if mutant["tolerant"] == "shows" else 2)
            if mutant["kind"] in JUDGED_ALONE and mutant["strict"] != "any":
                assert strict == (0 if mutant["strict"] == "ok" else 2)
            if mutant["kind"] in CONTAINERS:
                status, _ = answer(capsys, "ls", path)
                assert answer(capsys, "ls", path, "--strict")[0] >= status


@pytest.mark.usefixtures("_opened_once")
def test_damaged_models_are_answered_and_keep_their_intact_triangles(
    capsys: Capture,
    subtests: pytest.Subtests,
    location: Path,
    damaged_models: list[dict[str, Any]],
) -> None:
    for mutant in damaged_models:
        with subtests.test(mutant["name"]):
            path = location / mutant["file"]
            statuses = {verb: answer(capsys, verb, path)[0] for verb in MODEL_VERBS}
            assert answer(capsys, "pose", path, "--strict")[0] >= statuses["pose"]
            for cell, least in (mutant.get("min_tris") or {}).items():
                lod, group = cell.split("/")
                status, shown = answer(capsys, "draws", path, "--lod", lod, "--group", group)
                triangles = sum(draw["triangles"] for draw in shown["draws"]) if status == 0 else 0
                assert least <= triangles <= mutant["max_tris"].get(cell, triangles)


def test_damaged_models_are_drawn(
    subtests: pytest.Subtests, location: Path, damaged_models: list[dict[str, Any]]
) -> None:
    """By one renderer, as only the first needs the time that shaders take; the verb is tested below."""
    renderer: OffscreenRenderer | None = None
    for mutant in damaged_models:
        with subtests.test(mutant["name"]):
            try:
                document = Document.open(FileStore(), Source(Address(location / mutant["file"])))
            except MshviewError:
                continue
            renderer = renderer or OffscreenRenderer(document)
            renderer.show(document)
            assert renderer.image(ViewState(), (64, 48)).shape[:2] == (48, 64)
            assert renderer.ids(ViewState(), (64, 48)).shape == (48, 64, 3)


@pytest.mark.parametrize(("kept", "expected"), [(None, 0), (20, 2)])
def test_an_image_of_a_damaged_model_is_whole_or_absent(
    tmp_path: Path,
    capsys: Capture,
    location: Path,
    damaged_models: list[dict[str, Any]],
    kept: int | None,
    expected: int,
) -> None:
    path, folder = tmp_path / "cut.msh", tmp_path / "images"
    shown = next(mutant for mutant in damaged_models if mutant["tolerant"] == "shows")
    path.write_bytes((location / shown["file"]).read_bytes()[:kept])
    folder.mkdir()
    status = main(["render", str(path), "-o", str(folder / "image.png"), "--size", "64x48", "--ids"])
    errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("mshview: error: ")]
    assert (status, len(errors)) == (expected, int(status == 2))
    written = ["image.npy", "image.png"] if status == 0 else []
    assert sorted(file.name for file in folder.iterdir()) == written


SMALL = archive_of(
    {"a.msh": ModelBuilder.of([Node("a", shapes={(0, 0): [box()]})]).build(), "a.wea": b"1\r\n0 M\r\n"}
)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=examples(60)
)
@given(
    st.lists(
        st.tuples(st.integers(0, len(SMALL) - 4), st.binary(min_size=1, max_size=4)), min_size=1, max_size=6
    ),
    st.integers(0, 4) | st.integers(0, len(SMALL)),
)
def test_mutated_archive(tmp_path: Path, capsys: Capture, changes: list[tuple[int, bytes]], cut: int) -> None:
    data = bytearray(SMALL)
    for place, changed in changes:
        data[place : place + len(changed)] = changed
    path = tmp_path / "mutated.rlb"
    path.write_bytes(data[: len(data) - cut])
    for verb in ("inspect", *MODEL_VERBS):
        answer(capsys, verb, f"{path}::#0")
    answer(capsys, "ls", str(path))
    answer(capsys, "inspect", str(path), "--strict")


@pytest.mark.parametrize("verb", ["ls", "inspect"])
def test_a_strict_look_at_a_packed_library_unpacks_it(tmp_path: Path, capsys: Capture, verb: str) -> None:
    whole, cut = tmp_path / "whole.lib", tmp_path / "cut.lib"
    whole.write_bytes(library())
    cut.write_bytes(library([(b"A", rsli.DEFLATE, len(TEXT) + 1, deflated(TEXT))]))
    success(capsys, verb, whole, "--strict")
    success(capsys, verb, cut)
    assert "directory[0].unpacked_size" in failure(capsys, verb, cut, "--strict")


def test_a_strict_look_refuses_what_only_validation_finds(tmp_path: Path, capsys: Capture) -> None:
    damaged_files.write(tmp_path)
    for file, spot in (
        ("nres/N08_nres.rlb", "directory[1].sort_index"),
        ("nres/N10_nres.rlb", "directory[1].data_offset"),
        ("msh/V01_msh.msh", "directory"),
    ):
        for arguments in (["ls"], ["inspect"], ["inspect", "--at", "container"]):
            success(capsys, *arguments, tmp_path / file)
            assert f": {spot}: " in failure(capsys, *arguments, tmp_path / file, "--strict")
