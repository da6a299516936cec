"""Ctrl+C ends the program quietly with 130 at any moment, and so does a reader that leaves."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.cli.console import ROOT
from tests.conftest import Start
from viewer.model.convert.pictures import images

ARCHIVE = ROOT / "assets" / "game" / "models.rlb"
MODEL = f"{ARCHIVE}::walker.msh"
PATIENCE = 120

pytestmark = pytest.mark.skipif(os.name != "posix", reason="other systems have no SIGINT to send")

AT_AN_IMPORT = """
import os
import signal
import sys

from viewer.__main__ import console

left = int(sys.argv.pop(1))


def interrupt(event, _):
    global left
    if event == "import":
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGINT)


sys.addaudithook(interrupt)
console()
"""

AT_AN_IMAGE = """
import os
import sys

from viewer.__main__ import console

left, number = (int(sys.argv.pop(1)) for _ in range(2))


def interrupt(event, arguments):
    global left
    if event == "os.rename" and str(arguments[1]).endswith(".png"):
        left -= 1
        if not left:
            os.kill(os.getpid(), number)


sys.addaudithook(interrupt)
console()
"""

IN_ALL_PROCESSES = """
import os
import signal
import sys
from functools import partial

from viewer.__main__ import console
from viewer.cli import output, processes

left = int(sys.argv.pop(1))
end = partial(os.killpg, 0, signal.SIGINT)
if not left:
    processes._start = end


class Progress(output.ProgressLine):
    def advance(self, count=1):
        global left
        left -= 1
        if not left:
            end()


output.ProgressLine = Progress
console()
"""

IN_A_NEW_PROCESS = """
import os
import sys
from multiprocessing.process import BaseProcess

from viewer.__main__ import console

number = int(sys.argv.pop(1))
begin = BaseProcess.run


def interrupted(process):
    os.kill(os.getpid(), number)
    begin(process)


BaseProcess.run = interrupted
console()
"""

IN_A_CALLBACK = """
import os
import signal
import sys

from viewer.__main__ import console
from viewer.cli import output


class Noisy:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass


def write_lines(_):
    Noisy()


output.write_lines = write_lines
console()
"""

IN_A_MODULE = """
import sys

from viewer.__main__ import console
from viewer.cli import output

output.write_lines = lambda _: __import__("module_that_is_interrupted")
console()
"""
MODULE = """
import os
import signal

try:
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000):
        pass
except BaseException:
    os._exit(7)
"""


Started = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def started(start: Start) -> Started:
    """Start a program whose errors are read."""

    def begin(
        command: Sequence[object], *, stdout: int = subprocess.DEVNULL, has_group: bool = False
    ) -> subprocess.Popen[bytes]:
        return start(
            [*map(str, command)], cwd=ROOT, stdout=stdout, stderr=subprocess.PIPE, start_new_session=has_group
        )

    return begin


@pytest.mark.long("dozens of processes")
@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("ls", [ARCHIVE]),
        ("inspect", [MODEL]),
        ("render", [MODEL, "-o", "{tmp}/x.png", "--size", "32x32"]),
        ("validate", [ARCHIVE, "--jobs", "2"]),
        ("help", []),
    ],
)
def test_an_interruption_while_modules_load_is_quiet(
    started: Started, verb: str, arguments: list[object], tmp_path: Path
) -> None:
    filled = [str(argument).replace("{tmp}", str(tmp_path)) for argument in arguments]
    ended = []
    for number in (1, 2, 5, 20, 60, 150, 300):
        process = started([sys.executable, "-c", AT_AN_IMPORT, number, verb, *filled])
        error = process.communicate(timeout=PATIENCE)[1]
        assert error == b""
        ended.append(process.returncode)
    assert set(ended) <= {130, 0}
    assert ended[:3] == [130] * 3
    assert ended == sorted(ended, reverse=True), "later ones come after the end of the verb"


def console_script(folder: Path) -> Path:
    """The script that an installer makes of the entry point."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    module, _, function = project["scripts"]["mshview"].partition(":")
    script = folder / "mshview"
    script.write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom {module} import {function}\n"
        f"if __name__ == '__main__':\n    sys.exit({function}())\n"
    )
    return script


@pytest.mark.long("dozens of processes")
@pytest.mark.parametrize("is_script", [False, True])
def test_an_interruption_at_any_moment_is_quiet(started: Started, tmp_path: Path, *, is_script: bool) -> None:
    """Python itself prints a traceback when it is interrupted before it reaches the program."""
    program = [sys.executable, *([console_script(tmp_path)] if is_script else ["-m", "viewer"])]
    command = [*program, "inspect", MODEL]
    before = monotonic()
    assert started(command).wait(timeout=PATIENCE) == 0
    needed = monotonic() - before
    ended = []
    for share in range(10):  # of the time that it needs here, whatever else the computer does
        process = started(command)
        sleep(needed * share / 10)
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=PATIENCE)[1]
        is_inside = not error or f"viewer{os.sep}cli".encode() in error
        assert not error or not is_inside, error
        if is_inside:
            ended.append(process.returncode)
    assert set(ended) <= {130, 0, -signal.SIGINT}
    assert 130 in ended


def test_an_interruption_in_a_callback_is_quiet(started: Started) -> None:
    process = started([sys.executable, "-c", IN_A_CALLBACK, "--version"])
    assert process.communicate(timeout=PATIENCE)[1] == b""
    assert process.returncode == 130


def test_no_exception_is_raised_in_a_module_that_loads(started: Started, tmp_path: Path) -> None:
    """A library in C++ that meets one while it loads aborts the process."""
    (tmp_path / "module_that_is_interrupted.py").write_text(MODULE)
    program = f"import sys\nsys.path.append({str(tmp_path)!r})\n{IN_A_MODULE}"
    process = started([sys.executable, "-c", program, "--version"])
    assert process.communicate(timeout=PATIENCE)[1] == b""
    assert process.returncode == 130


@pytest.mark.parametrize("checked", [0, 1, 30, 100])
def test_an_interruption_ends_all_processes_quietly(started: Started, tmp_path: Path, checked: int) -> None:
    """A terminal sends the signal to all of them: while they start, and after so many files."""
    copy = Path(shutil.copy(ROOT / "assets" / "game" / "guns.rlb", tmp_path / "all.rlb"))
    for number in range(100):
        (tmp_path / f"{number}.rlb").hardlink_to(copy)
    arguments = [checked, "validate", tmp_path, "--jobs", "3"]
    process = started([sys.executable, "-c", IN_ALL_PROCESSES, *arguments], has_group=True)
    assert process.communicate(timeout=PATIENCE)[1] == b""
    assert process.returncode == 130
    end = monotonic() + PATIENCE
    with suppress(ProcessLookupError):
        while monotonic() < end:
            os.killpg(process.pid, 0)
            sleep(0.01)
        pytest.fail("a process is left")


@pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux alone")
@pytest.mark.parametrize(("number", "status", "lines"), [(signal.SIGINT, 0, 0), (signal.SIGTERM, 2, 1)])
def test_a_process_is_quiet_from_its_first_instruction(
    started: Started, number: int, status: int, lines: int
) -> None:
    """Ctrl+C is left to the parent; termination ends the process, of which the parent says one line."""
    folder = ROOT / "assets" / "game"
    arguments = [int(number), "validate", folder, "--jobs", "3", "--quiet"]
    process = started([sys.executable, "-c", IN_A_NEW_PROCESS, *arguments])
    error = process.communicate(timeout=PATIENCE)[1]
    assert error.count(b"\n") == lines, error
    assert process.returncode == status


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_an_interruption_keeps_the_finished_images_and_nothing_else(
    started: Started, tmp_path: Path, number: int, status: int
) -> None:
    out = ["-o", tmp_path / "turn.png", "--turntable", "8", "--size", "48x48", "-v"]
    process = started([sys.executable, "-c", AT_AN_IMAGE, 5, int(number), "render", MODEL, *out])
    process.communicate(timeout=PATIENCE)
    assert process.returncode == status
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == [f"turn_{number:04}.png" for number in range(4)]
    assert all(images.read_image(file.read_bytes()).shape == (48, 48, 4) for file in files)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["help", "render"],
        ["ls", ARCHIVE],
        ["ls", ARCHIVE, "--json"],
        ["inspect", MODEL],
        ["inspect", MODEL, "--table", "vertices", "--json"],
        ["validate", ARCHIVE, "--info"],
        ["pose", MODEL, "--time", "0"],
        ["ls", "missing"],
    ],
    ids=lambda arguments: " ".join(map(str, arguments[:1])),
)
@pytest.mark.parametrize("is_read", [False, True])
def test_a_reader_that_leaves_ends_it_quietly(
    started: Started, program: tuple[str, ...], arguments: list[object], *, is_read: bool
) -> None:
    """``| head`` reads a line and leaves, with or without the errors."""
    read, write = os.pipe()
    if not is_read:
        os.close(read)
    process = started([*program, *arguments], stdout=write)
    os.close(write)
    if is_read:
        os.read(read, 1)
        os.close(read)
    error = process.communicate(timeout=PATIENCE)[1]
    if arguments == ["ls", "missing"]:
        assert process.returncode == 2
        assert error.count(b"\n") == 1
    else:
        assert process.returncode in ((141, 0) if is_read else (141,))
        assert error == b""


def test_errors_that_nobody_reads_are_no_second_error() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "viewer", "ls", "missing"]
    done = subprocess.run(command, cwd=ROOT, stdout=write, stderr=write, check=False)
    os.close(write)
    assert done.returncode == 2
