"""Damaged input through the command line: an answer or one error line, never a traceback."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import damaged_files
from tests.broken.libraries import TEXT, deflated, library
from tests.builders import ModelBuilder, Node, archive_of, box
from tests.cli.console import Capture, error_line, failure, success
from viewer.cli.main import main
from viewer.errors import MshviewError
from viewer.formats.archive import rsli
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.render.offscreen import OffscreenRenderer
from viewer.session.opened.document import Document
from viewer.session.view.view_state import ViewState

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
def models(mutants: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The models among them."""
    return [mutant for mutant in mutants if mutant["kind"] == "msh"]


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


def test_every_damaged_file_is_inspected_or_refused(
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


def test_damaged_containers_are_listed_or_refused(
    capsys: Capture,
    subtests: pytest.Subtests,
    location: Path,
    mutants: list[dict[str, Any]],
) -> None:
    for mutant in mutants:
        if mutant["kind"] in CONTAINERS:
            with subtests.test(mutant["name"]):
                path = location / mutant["file"]
                status, _ = answer(capsys, "ls", path)
                assert answer(capsys, "ls", path, "--strict")[0] >= status


def test_damaged_models_are_answered_and_keep_their_intact_triangles(
    capsys: Capture,
    subtests: pytest.Subtests,
    location: Path,
    models: list[dict[str, Any]],
) -> None:
    for mutant in models:
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
    subtests: pytest.Subtests, location: Path, models: list[dict[str, Any]]
) -> None:
    """By one renderer, as only the first needs the time that shaders take; the verb is tested below."""
    renderer: OffscreenRenderer | None = None
    for mutant in models:
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
    models: list[dict[str, Any]],
    kept: int | None,
    expected: int,
) -> None:
    path, folder = tmp_path / "cut.msh", tmp_path / "images"
    shown = next(mutant for mutant in models if mutant["tolerant"] == "shows")
    path.write_bytes((location / shown["file"]).read_bytes()[:kept])
    folder.mkdir()
    status = main(["render", str(path), "-o", str(folder / "image.png"), "--size", "64x48", "--ids"])
    errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("mshview: error: ")]
    assert (status, len(errors)) == (expected, int(status == 2))
    written = ["image.npy", "image.png"] if status == 0 else []
    assert sorted(file.name for file in folder.iterdir()) == written


SMALL = archive_of(
    {"a.msh": ModelBuilder([Node("a", shapes={(0, 0): [box()]})]).build(), "a.wea": b"1\r\n0 M\r\n"}
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
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
