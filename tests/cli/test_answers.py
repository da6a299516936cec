"""Several inputs of a verb, standard input, and folders in ``ls``."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.broken import models
from tests.builders import archive_of
from tests.cli.console import ROOT, Capture, failure, success
from viewer.cli import inputs, terminal
from viewer.cli.main import main
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.kinds import plain
from viewer.model.store.file_store import FileStore

MODEL = models.still().build()
FILES = {"one.msh": MODEL, "two.bin": b"22"}
TEXTURE = texm.build(np.arange(64, dtype=np.uint8).reshape(4, 4, 4), PixelFormat.ARGB8888)
ON_MODELS = [
    ["inspect"],
    ["inspect", "--table", "nodes"],
    ["draws"],
    ["materials"],
    ["clips"],
    ["pose", "--time", "0"],
]

BESIDE = {"wear", "batches", "materials"}
"""Fields that depend on the files beside a model."""

Feed = Callable[[bytes], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.rlb").write_bytes(archive_of(FILES))
    (tmp_path / "b.msh").write_bytes(MODEL)
    (tmp_path / "c.txt").write_bytes(b"text")
    (tmp_path / "d").mkdir()
    return tmp_path


@pytest.fixture
def feed(monkeypatch: pytest.MonkeyPatch) -> Feed:
    def give(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return give


def answered(capsys: Capture, status: int, *arguments: object) -> tuple[Any, list[str]]:
    """The JSON document of a run that ends with a status, and the lines on standard error."""
    assert main([*map(str, arguments), "--json"]) == status
    out, err = capsys.readouterr()
    return json.loads(out), err.splitlines()


@pytest.mark.parametrize("verb", [["ls"], *ON_MODELS])
def test_several_inputs_are_one_document(folder: Path, capsys: Capture, verb: list[str]) -> None:
    lost, model, entry = folder / "lost.msh", folder / "b.msh", f"{folder / 'a.rlb'}::one.msh"
    document, errors = answered(capsys, 2, *verb, model, lost, entry)
    assert [*document] == ["schema", "results"]
    found, failed, inside = document["results"]
    assert [result["source"] for result in document["results"]] == [str(model), str(lost), entry]
    assert errors == [f"mshview: error: {failed['error']}"]
    assert [*failed] == ["source", "error"]
    for result, source in ((found, model), (inside, entry)):
        single, _ = answered(capsys, 0, *verb, source)
        assert result == {"source": str(source)} | {key: single[key] for key in single if key != "schema"}


@pytest.mark.parametrize("verb", [["ls"], *ON_MODELS])
def test_several_inputs_are_texts_with_headings(folder: Path, capsys: Capture, verb: list[str]) -> None:
    model, lost = folder / "b.msh", folder / "lost.msh"
    text, _ = success(capsys, *verb, model)
    assert main([*verb, str(model), str(lost), str(model)]) == 2
    out, err = capsys.readouterr()
    assert out == f"{model}:\n{text}\n{model}:\n{text}"
    assert err.startswith(f"mshview: error: {lost}: ")
    assert err.count("\n") == 1


def test_all_inputs_may_fail(folder: Path, capsys: Capture) -> None:
    document, errors = answered(capsys, 2, "ls", folder / "x", folder / "c.txt")
    assert [[*result] for result in document["results"]] == [["source", "error"]] * 2
    assert len(errors) == 2


def test_validation_goes_on_after_what_cannot_be_read(folder: Path, capsys: Capture) -> None:
    lost, model = folder / "lost.msh", folder / "b.msh"
    document, errors = answered(capsys, 2, "validate", lost, model)
    assert [(row["source"], row["status"]) for row in document["files"]] == [
        (str(lost), "unreadable"),
        (str(model), "ok"),
    ]
    assert document["summary"]["unreadable"] == 1
    assert len(errors) == 1
    assert errors[0].startswith(f"mshview: error: {lost}: ")
    single, errors = answered(capsys, 2, "validate", lost)
    assert [row["status"] for row in single["files"]] == ["unreadable"]
    assert len(errors) == 1


def test_a_folder_is_listed(folder: Path, capsys: Capture) -> None:
    document, _ = answered(capsys, 0, "ls", folder)
    size = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    assert {name: document[name] for name in ("source", "kind", "size")} == {
        "source": str(folder),
        "kind": "folder",
        "size": size,
    }
    rows = document["entries"]
    assert [(row["index"], row["name"], row["type_name"], row["size"]) for row in rows] == [
        (0, "a.rlb", "nres", (folder / "a.rlb").stat().st_size),
        (1, "b.msh", "msh", len(MODEL)),
        (2, "c.txt", None, 4),
        (3, "d", "folder", None),
    ]
    archive, _ = answered(capsys, 0, "ls", folder / "a.rlb")
    assert all([*row] == [*archive["entries"][0]] for row in rows)
    assert all(row["attr1"] is row["offset"] is row["method"] is None for row in rows)
    lines = success(capsys, "ls", folder)[0].splitlines()
    assert lines[0].split() == ["index", "name", "type_name", "size"]
    assert lines[4].split() == ["3", "d", "folder", "-"]


def test_of_a_large_file_that_is_no_archive_the_start_is_read(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "e.dat").write_bytes(b"Texm" + bytes(1000))
    monkeypatch.setattr(plain, "LARGEST_READ", 100)
    sizes = []
    read = FileStore._read

    def counted(store: FileStore, path: Path, size: int) -> memoryview:
        sizes.append((path.name, size))
        return read(store, path, size)

    monkeypatch.setattr(FileStore, "_read", counted)
    document, _ = answered(capsys, 0, "ls", folder)
    assert document["entries"][4]["type_name"] == "texm"
    assert [size for name, size in sizes if name == "e.dat"] == [plain.HEAD]


def test_members_of_a_packed_library_have_no_attributes(files: Path, capsys: Capture) -> None:
    document, _ = answered(capsys, 0, "ls", files / "seed/game/sprites.lib")
    assert document["kind"] == "rsli"
    for row in document["entries"]:
        assert row["type"] == 0
        assert row["attr1"] is row["attr2"] is row["attr3"] is None
    inspected, _ = answered(capsys, 0, "inspect", files / "seed/game/sprites.lib")
    assert all(row["attr1"] is None for row in inspected["entries"])


@pytest.mark.parametrize("verb", [["ls"], *ON_MODELS])
@pytest.mark.parametrize("entry", ["", "::one.msh"])
def test_standard_input_is_an_input(
    folder: Path, capsys: Capture, feed: Feed, verb: list[str], entry: str
) -> None:
    source = folder / ("a.rlb" if entry else "b.msh")
    feed(source.read_bytes())
    document, _ = answered(capsys, 0, *verb, f"-{entry}")
    expected, _ = answered(capsys, 0, *verb, f"{source}{entry}")
    assert without_names(document, str(source), "-") == without_names(expected, str(source), "-")
    assert document.get("source", f"-{entry}") == f"-{entry}"


def without_names(document: dict[str, Any], *paths: str) -> str:
    """A document as text, without the paths, and without materials, whose table is beside a file."""
    text = json.dumps({name: value for name, value in document.items() if name not in BESIDE})
    for path in paths:
        text = text.replace(json.dumps(path)[1:-1], "")
    return text


def test_standard_input_is_checked(folder: Path, capsys: Capture, feed: Feed) -> None:
    feed((folder / "a.rlb").read_bytes())
    document, _ = answered(capsys, 0, "validate", "-", folder / "b.msh", "--jobs", "2")
    assert [row["source"] for row in document["files"]] == ["-", "-::one.msh", str(folder / "b.msh")]


def test_standard_input_is_read_once(folder: Path, capsys: Capture, feed: Feed) -> None:
    feed((folder / "a.rlb").read_bytes())
    success(capsys, "diff", "-::#0", "-::one.msh")


def test_bytes_go_through_a_pipe(
    folder: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], feed: Feed
) -> None:
    feed(MODEL)
    assert main(["copy", "-", "-o", "-"]) == 0
    assert capfdbinary.readouterr() == (MODEL, b"")
    feed(archive_of(FILES))
    assert main(["extract", "-", "two.bin", "-o", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "two.bin").read_bytes() == b"22"
    capfdbinary.readouterr()
    feed(TEXTURE)
    assert main(["texture", "-", "-o", "-"]) == 0
    image, err = capfdbinary.readouterr()
    assert (image[:4], err) == (b"\x89PNG", b"")
    feed(image)
    assert main(["texture", "-", "-o", "-", "--format", "8888"]) == 0
    assert capfdbinary.readouterr().out == TEXTURE


def test_an_image_on_standard_output(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    model = str(folder / "b.msh")
    assert main(["render", model, "-o", "-", "--size", "16x16"]) == 0
    assert capfdbinary.readouterr().out.startswith(b"\x89PNG")
    assert main(["render", model, "-o", "-", "--turntable", "2"]) == 2
    assert main(["render", model, "-o", "-", "--ids"]) == 2
    assert capfdbinary.readouterr().out == b""


@pytest.mark.parametrize(
    "arguments", [["copy", "b.msh"], ["texture", "t.texm"], ["render", "b.msh", "--size", "8x8"]]
)
def test_nothing_is_replaced_if_asked_so(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(folder)
    (folder / "t.texm").write_bytes(TEXTURE)
    out = folder / "out.png"
    success(capsys, *arguments, "-o", out, "--no-clobber")
    out.write_bytes(b"mine")
    assert f"{out}: " in failure(capsys, *arguments, "-o", out, "--no-clobber")
    assert out.read_bytes() == b"mine"
    success(capsys, *arguments, "-o", out)
    assert out.read_bytes() != b"mine"


def test_what_standard_input_cannot_be(capsys: Capture, feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    feed(b"")
    failure(capsys, "ls", "-")
    monkeypatch.setattr(inputs, "SIZE_LIMIT", 10)
    feed(bytes(11))
    assert "standard input" in failure(capsys, "ls", "-")
    monkeypatch.setattr(sys, "stdin", None)
    assert "standard input" in failure(capsys, "ls", "-")


@pytest.mark.parametrize("kind", ["xterm", "dumb"])
def test_bytes_are_not_sent_to_a_terminal(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("TERM", kind)
    monkeypatch.setattr(sys.stdout, "fileno", lambda: 1)
    monkeypatch.setattr(terminal, "_console", lambda _: False)  # of Windows, an old one
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert "terminal" in failure(capsys, "copy", folder / "b.msh", "-o", "-")


TRUNCATED = """
import sys
from viewer.cli.main import main
from viewer.model.store.file_store import FileStore

read = FileStore._read

def read_and_truncate(self, path, size):
    data = read(self, path, size)
    if size:
        open(path, "wb").close()
    return data

FileStore._read = read_and_truncate
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("verb", [["ls"], ["inspect"], ["validate", "--jobs", "1"]])
def test_a_file_that_somebody_truncates_ends_no_process(folder: Path, verb: list[str]) -> None:
    arguments = [*verb, str(folder / "a.rlb"), "--json"]
    whole = document_of("-m", "viewer", *arguments)
    assert document_of("-c", TRUNCATED, *arguments) == whole
    assert (folder / "a.rlb").read_bytes() == b""


def document_of(*arguments: str) -> Any:
    """The JSON document of a process that ends well."""
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    return {name: value for name, value in json.loads(done.stdout).items() if name != "summary"}
