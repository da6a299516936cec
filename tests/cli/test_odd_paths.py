"""Every verb with every kind of path that leads nowhere: a line that says why, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from tests.broken import models
from tests.builders import archive_of
from tests.cli.bench.test_bench import TINY
from tests.cli.console import MODELS, ROOT, Capture, json_of, success
from tests.share import some
from viewer.cli.main import main
from viewer.cli.usage.verbs import VERBS
from viewer.control.opening import loading
from viewer.errors import MshviewError
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes, loops of links and names of other systems")

PATH: Final = "PATH"
OUT: Final = "OUT"
FILES: Final = {"good.msh": models.still().build(), "good.rlb": archive_of({"a.msh": models.still().build()})}
COMMANDS: Final[dict[str, list[list[str]]]] = {
    "open": [[PATH], ["open", PATH], ["open", "good.msh", "--game", PATH]],
    "ls": [["ls", PATH], ["ls", PATH, "good.rlb", "--json"]],
    "inspect": [
        ["inspect", PATH],
        ["inspect", "good.msh", "--wear", PATH],
        ["inspect", PATH, "--at", "0x10"],
        ["inspect", "good.msh", "--overlay", PATH],
    ],
    "draws": [["draws", PATH], ["draws", PATH, "good.msh"]],
    "materials": [["materials", PATH], ["materials", "good.msh", "--game", PATH]],
    "clips": [
        ["clips", PATH],
        ["clips", "good.msh", "--control", PATH],
        ["clips", "good.msh", "--game", PATH],
    ],
    "pose": [["pose", PATH, "--time", "0"]],
    "effect": [["effect", PATH, "--time", "0"]],
    "render": [["render", PATH, "-o", "x.png"], ["render", "good.msh", "-o", f"{PATH}.png", "--size", "8x8"]],
    "validate": [
        ["validate", PATH],
        ["validate", PATH, "good.rlb", "--json"],
        ["validate", "good.msh", "--game", PATH],
    ],
    "copy": [["copy", PATH, "-o", OUT], ["copy", "good.msh", "-o", PATH]],
    "edit": [
        ["edit", PATH, "--set", "nodes[0].flags=1", "-o", OUT],
        ["edit", "good.msh", "--set", "nodes[0].flags=1", "-o", PATH],
        ["edit", "good.msh", "--script", PATH, "-o", OUT],
    ],
    "export": [
        ["export", PATH, "--format", "json", "-o", OUT],
        ["export", PATH, "--format", "gltf", "-o", OUT],
        ["export", PATH, "good.rlb", "-o", "many/{entry}.json"],
        ["export", "good.msh", "--format", "json", "-o", PATH],
        ["export", "good.msh", "--format", "glb", "-o", PATH],
    ],
    "import": [
        ["import", PATH, "--format", "json", "-o", OUT],
        ["import", "good.json", "--into", PATH, "-o", OUT],
        ["import", "good.json", "--template", PATH, "-o", OUT],
        ["import", "good.json", "-o", PATH],
    ],
    "repair": [["repair", PATH], ["repair", PATH, "-o", OUT], ["repair", "good.msh", "-o", PATH]],
    "patch": [
        ["patch", "make", PATH, "good.msh", "-o", OUT],
        ["patch", "apply", PATH, "good.msh", "-o", OUT],
        ["patch", "show", PATH],
        ["patch", "make", "good.msh", "good.rlb", "-o", PATH],
    ],
    "mod": [
        ["mod", "make", PATH, "folder", "--name", "x", "-o", OUT],
        ["mod", "make", "folder", PATH, "--name", "x", "-o", OUT],
        ["mod", "make", "folder", "other", "--name", "x", "-o", PATH],
        ["mod", "list", PATH],
        ["mod", "check", PATH, PATH, "--json"],
        ["mod", "check", "folder", PATH],
        ["mod", "apply", "folder", PATH, "-o", OUT],
        ["mod", "apply", PATH, PATH],
        ["mod", "revert", PATH],
    ],
    "extract": [["extract", PATH, "-o", OUT], ["extract", "good.rlb", "-o", PATH]],
    "pack": [["pack", PATH, "-o", OUT], ["pack", "folder", "--base", PATH, "-o", OUT]],
    "diff": [["diff", PATH, "good.msh"], ["diff", "good.msh", PATH]],
    "texture": [
        ["texture", PATH, "-o", "x.png"],
        ["texture", "good.png", "--like", PATH, "-o", OUT],
        ["texture", PATH, "--all", "-o", OUT],
        ["texture", PATH, "--all", "--into", "good.rlb", "-o", OUT],
        ["texture", "folder", "--all", "--into", PATH, "-o", OUT],
    ],
    "gallery": [
        ["gallery", PATH, "-o", OUT, "--jobs", "1"],
        ["gallery", "good.msh", "-o", OUT, "--reference", PATH],
        ["gallery", "lost.msh", "-o", PATH],
    ],
    "bench": [["bench", PATH, "--only", "parse_400"]],
    "help": [["help", PATH]],
    "complete": [["complete", PATH, ""]],
    "completion": [["completion", PATH]],
    "run": [["run", PATH], ["run", PATH, "good.msh"]],
    "schema": [["schema", PATH]],
    "man": [["man", PATH]],
    "find": [["find", PATH, "x"], ["find", PATH, "users:x"], ["find", PATH, "row=0", "--json"]],
    "stats": [
        ["stats", PATH],
        ["stats", PATH, "--field", "nodes.flags", "--json"],
        ["stats", "good.msh", "--overlay", PATH],
    ],
    "readings": [["readings", PATH], ["readings", PATH, "--json"]],
    "survey": [["survey", PATH, "--explain"], ["survey", "--compare", PATH, PATH, "--json"]],
    "selfcheck": [["selfcheck", PATH]],
    "report": [
        ["report", PATH, "-o", OUT, "--no-picture"],
        ["report", PATH, "-o", OUT, "--game", "folder"],
        ["report", "good.msh", "-o", PATH, "--no-picture"],
    ],
    "triangles": [["triangles", PATH]],
    "thumbnail": [["thumbnail", PATH, "-o", OUT], ["thumbnail", "good.msh", "-o", PATH]],
    "install-desktop": [["install-desktop", PATH]],
    "why": [["why", PATH, "--at", "1,1"]],
}
"""For each verb command lines with a path in each of their arguments that take one."""
WRITTEN_TO: Final = {"copy", "edit", "export", "import", "patch", "repair", "extract", "render", "thumbnail"}
NOWHERE: Final = {
    "missing": "lost.msh",
    "empty": "",
    "too long": "x" * 300,
    "too long a way": "x/" * 3000,
    "inside a file": "good.msh/x",
    "link to itself": "loop",
    "inside a link to itself": "loop/x",
    "pipe": "pipe",
    "index beyond": "good.rlb::#7",
    "index of many digits": "good.rlb::#" + "9" * 5000,
    "entry that is missing": "good.rlb::" + "x" * 5000,
    "entry of an entry": "good.rlb::a.msh::#0::#0::#0",
    "entry of a folder": "folder::x",
    "control characters": "\x1b[31m\r\n",
    "NUL": "nul\0",
    "half a character": "\udcff",
    "end of an address": "good.rlb::",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with something of everything."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr("viewer.cli.bench.bench.FULL", TINY)
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "good.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "folder").mkdir()
    index = {"version": 1, "kind": "nres", "size": 16, "rest": None, "entries": []}
    (tmp_path / "folder" / "index.json").write_text(json.dumps(index))
    os.mkfifo(tmp_path / "pipe")
    text = {"format": "mshview-resource", "version": 1, "kind": "unknown", "bytes": "00"}
    (tmp_path / "good.json").write_text(json.dumps(text))
    return tmp_path


def with_path(command: list[str], path: str) -> list[str]:
    return [word.replace(PATH, path).replace(OUT, "out") for word in command]


def check(lines: list[str], status: int) -> None:
    """Check what a run has printed on standard error."""
    errors = [line for line in lines if line.startswith("mshview: error: ")]
    assert (status == 2) == bool(errors)
    assert all(line.startswith(("mshview: error: ", "mshview: warning: ")) for line in lines), lines


def test_every_verb_is_tried() -> None:
    assert set(COMMANDS) == set(VERBS)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("verb", COMMANDS)
def test_paths_that_lead_nowhere(capsys: Capture, subtests: pytest.Subtests, verb: str) -> None:
    """Each path in each argument."""
    for kind, command in some(product(NOWHERE, COMMANDS[verb])):
        if command[-1] == PATH and verb in WRITTEN_TO and kind == "pipe":
            continue  # it would be written to
        with subtests.test(kind):
            status = main(with_path(command, NOWHERE[kind]))
            check(capsys.readouterr().err.splitlines(), status)
            if not ("-o" in command and command[command.index("-o") + 1].startswith(PATH)):
                assert status == 2, command


def test_the_window_says_why_it_shows_nothing(folder: Path) -> None:
    for path in NOWHERE.values():
        with pytest.raises(MshviewError):
            loading.read(FileStore(), Address.parse(path), {})


@pytest.mark.parametrize(
    "arguments",
    [
        ["inspect", "good.msh", "--at", "9" * 5000],
        ["inspect", "good.msh", "--at", "0x" + "f" * 5000],
        ["inspect", "good.msh", "--at", f"nodes[{'9' * 5000}].parent"],
        ["inspect", "good.msh", "--table", "9" * 5000],
        ["render", "good.msh", "-o", "x.png", "--size", f"{'9' * 5000}x8"],
        ["render", "good.msh", "-o", "x.png", "--turntable", "9" * 5000],
        ["draws", "good.msh", "--lod", "9" * 5000],
        ["validate", "good.msh", "--jobs", "9" * 5000],
        ["extract", "good.rlb", "#" + "9" * 5000, "-o", "out"],
    ],
)
def test_numbers_of_many_digits(folder: Path, capsys: Capture, arguments: list[str]) -> None:
    assert main(arguments) == 2
    check(capsys.readouterr().err.splitlines(), 2)


def test_an_offset_may_begin_with_zeros(folder: Path, capsys: Capture) -> None:
    assert main(["inspect", "good.msh", "--at", "010", "--json"]) == 0
    with_zeros = capsys.readouterr().out
    assert main(["inspect", "good.msh", "--at", "10", "--json"]) == 0
    assert capsys.readouterr().out == with_zeros


CHILD: Final = """
import contextlib, ctypes, io, json, os, sys
from viewer.cli.main import main

def drop_rights():
    # Without these capabilities not even root may enter what the permissions close.
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    data = (ctypes.c_uint32 * 6)()
    libc = ctypes.CDLL(None, use_errno=True)
    if os.getuid() == 0 and libc.capset(header, data):
        sys.exit("cannot give up rights")

drop_rights()
results = []
for command in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(command)
    results.append([status, err.getvalue(), out.getvalue()])
json.dump(results, sys.stdout)
"""


def run_without_rights(commands: list[list[str]]) -> Iterator[tuple[list[str], int, str, str]]:
    """Run command lines in one process for which closed folders are closed."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD], input=json.dumps(commands), capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for command, (status, err, out) in zip(commands, json.loads(done.stdout), strict=True):
        yield command, status, err, out


@pytest.fixture
def closed(folder: Path) -> Iterator[Path]:
    """A folder that may not be entered, one that may not be listed, and one that may only be listed."""
    for name, rights in (("closed", 0), ("unlisted", 0o300), ("listed", 0o600)):
        (folder / name).mkdir()
        (folder / name / "a.msh").write_bytes(FILES["good.msh"])
        (folder / name).chmod(rights)
    (folder / "secret.msh").write_bytes(FILES["good.msh"])
    (folder / "secret.msh").chmod(0)
    yield folder
    for name in ("closed", "unlisted", "listed"):
        (folder / name).chmod(0o700)


@pytest.mark.skipif(sys.platform != "linux", reason="needs capabilities")
def test_what_may_not_be_entered(closed: Path) -> None:
    paths = ["closed", "closed/a.msh", "closed/a.msh::x", "closed/below/x", "listed/a.msh", "secret.msh"]
    lines = [line for verb, lines in COMMANDS.items() for line in lines if verb != "bench"]
    commands = [with_path(line, path) for line in lines for path in paths]
    for command, status, err, _ in run_without_rights(commands):
        check(err.splitlines(), status)
        assert "Traceback" not in err
        if command[0] in {"ls", "inspect", "draws", "diff", "copy", "extract"} and "good" not in command[1]:
            assert status == 2, command


@pytest.mark.skipif(sys.platform != "linux", reason="needs capabilities")
def test_what_may_not_be_entered_is_unreadable_and_the_rest_is_checked(closed: Path) -> None:
    ((_, status, err, out),) = run_without_rights([["validate", ".", "--json"]])
    rows = {row["source"]: row["status"] for row in json.loads(out)["files"]}
    assert (status, err) == (2, "")
    assert rows["good.msh"] == "ok"
    assert {path for path, status in rows.items() if status == "unreadable"} >= {
        "closed",
        "unlisted",
        "listed/a.msh",
        "secret.msh",
    }


def test_a_name_in_cp1251_is_shown_in_letters_and_goes_through_every_format(
    tmp_path: Path, capsys: Capture
) -> None:
    """A Russian archive that was unpacked on Linux: names of files are bytes of CP1251, not UTF-8."""
    name = os.fsdecode("танк".encode("cp1251"))
    path = tmp_path / f"{name}.rlb"
    path.write_bytes(MODELS.read_bytes())
    model = f"{path}::drone.msh"
    assert f"{tmp_path / 'танк.rlb'}::drone.msh" in success(capsys, "inspect", model)[0]
    assert json.loads(success(capsys, "inspect", model, "--json")[0])["source"] == model
    for suffix in ("obj", "gltf", "glb", "json"):
        out = tmp_path / f"{name}.{suffix}"
        assert f"wrote {tmp_path / f'танк.{suffix}'}" in success(capsys, "export", model, "-o", out)[0]
        if suffix != "json":
            said = json_of(capsys, "import", out, "--template", model, "-o", tmp_path / f"{name}.msh")
            assert (said["changes"], said["lossy"]) == ([], [])
    assert (tmp_path / "танк.mtl").exists(), "what a text names is named in UTF-8"


def test_every_message_has_a_name_in_cp1251_in_letters(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode("танк".encode("cp1251"))
    Path(f"{name}.rlb").write_bytes(archive_of({"a.msh": models.still().build(), "b.ndp": b""}))
    commands = [
        ["export", f"{name}.rlb::a.msh", "-o", f"{name}.stl"],
        ["export", f"{name}.rlb::{name}", "-o", "x.glb"],
        ["import", f"{name}.stl", "-o", "y.msh"],
        ["import", "x.glb", "--into", f"{name}.rlb::c.msh", "-o", "y.rlb", "--textures", f"{name}.lib"],
        ["texture", f"{name}.rlb", "-o", f"{name}.tga"],
        ["help", name],
        ["find", ".", name],
        ["inspect", f"{name}.rlb::a.msh", "--table", name],
        ["stats", f"{name}.rlb", "--field", name],
        ["patch", "show", f"{name}.rlb"],
        ["edit", f"{name}.rlb::a.msh", "--rename-node", name, "x", "-o", "y.rlb"],
        ["edit", f"{name}.rlb::a.msh", "--set", f"{name}=1", "-o", "y.rlb"],
    ]
    success(capsys, "export", f"{name}.rlb::a.msh", "-o", "x.glb")
    for command in commands:
        main(command)
        shown = capsys.readouterr()
        assert "\\udc" not in shown.out + shown.err, command
        assert "танк" in shown.out + shown.err, command


def test_a_gallery_has_names_in_letters(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / os.fsdecode("папка".encode("cp1251"))
    folder.mkdir()
    path = folder / os.fsdecode("танк.rlb".encode("cp1251"))
    path.write_bytes(archive_of({"a.msh": models.still().build()}))
    site = tmp_path / "site"
    main(["gallery", str(folder), "-o", str(site), "--turntable", "0", "--jobs", "1"])
    told = json.loads((site / "gallery.json").read_text())
    assert (told["title"], [it["source"] for it in told["models"]]) == ("папка", ["танк.rlb::a.msh"])
    assert "\\udc" not in (site / "index.html").read_text() + (site / "gallery.json").read_text()
    assert main(
        ["gallery", str(path), "-o", str(tmp_path / "b"), "--reference", str(site), "--turntable", "0"]
    ) in (0, 1)


def test_a_script_prints_names_in_letters(tmp_path: Path) -> None:
    """Also of errors and of `repr`, whatever prints them."""
    name = os.fsdecode("танк.rlb".encode("cp1251"))
    (tmp_path / name).write_bytes(archive_of({"a.msh": models.still().build()}))
    script = tmp_path / "a.py"
    script.write_text("for it in inputs: print(it.name, it.address, it)\ninputs[0]['\\udcf2']\n")
    done = subprocess.run(
        [sys.executable, "-m", "viewer", "run", script, tmp_path / name],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert done.stdout.decode() == f"танк.rlb {tmp_path}/танк.rlb <Archive {tmp_path}/танк.rlb>\n"
    assert done.stderr.decode() == f"mshview: error: {tmp_path}/танк.rlb: has no entry 'т'\n"


def test_a_shell_completes_a_name_in_cp1251_with_the_bytes_that_were_typed(tmp_path: Path) -> None:
    """Letters in their place would name a file that does not exist."""
    before = os.fsencode(tmp_path) + b"/" + "танк.rlb".encode("cp1251")
    Path(os.fsdecode(before)).write_bytes(
        archive_of({"танк.msh": models.still().build(), "b.msh": models.still().build()})
    )
    command = [sys.executable, "-m", "viewer", "complete", "address"]
    done = subprocess.run([*command, before + b"::"], cwd=ROOT, capture_output=True, check=True)
    assert done.stdout.splitlines() == [before + "::танк.msh".encode(), before + b"::b.msh"]


def test_a_name_in_cp1251_names_an_entry(tmp_path: Path, capsys: Capture) -> None:
    name = os.fsdecode("танк".encode("cp1251"))
    path = tmp_path / "a.rlb"
    path.write_bytes(archive_of({"танк.msh": models.still().build()}))
    assert "танк.msh" in success(capsys, "inspect", f"{path}::{name}.msh")[0]
