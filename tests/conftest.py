"""What every test may use."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import settings

from tests.corpora import ABSENT, ROOT, SAMPLES
from tests.share import IS_WHOLE, examples
from viewer.__main__ import GARBAGE_THRESHOLD

Start = Callable[..., subprocess.Popen[Any]]
"""What `start` gives a test."""

if "PYTEST_XDIST_WORKER" in os.environ:
    # There is a worker per core: threads of the software rasterizer would only wait for each other.
    os.environ.setdefault("LP_NUM_THREADS", "0")

# The shell speaks the language of the system; tests read English.
os.environ["LANGUAGE"] = "en"

# Hundreds of processes of the program start: what Python compiles is kept, whatever the environment says.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Most of the objects of a test are trees that live as long as it does: searching them over and over for
# garbage is a tenth of the work of the suite. The program sets the same.
gc.set_threshold(GARBAGE_THRESHOLD)

# The same examples each time: a failure tells of the change. `--hypothesis-profile=long` tries others.
settings.register_profile("house", deadline=None, max_examples=examples(50), derandomize=True)
settings.register_profile("long", deadline=None, max_examples=3000)
settings.load_profile("house")


FILES = ["corpora"] if SAMPLES.is_dir() and not IS_WHOLE else ["small", "corpora"][: 1 + SAMPLES.is_dir()]


@pytest.fixture(scope="session")
def samples() -> Path:
    """The corpora of an independent writer; skips if they are absent."""
    if not SAMPLES.is_dir():
        pytest.skip(ABSENT)
    return SAMPLES


@pytest.fixture(scope="session", params=FILES)
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpora, or a folder like them where they are not; a whole run has both."""
    # It imports modules of tests, whose examples take the profile that is loaded by then.
    from tests import small_files  # noqa: PLC0415

    return SAMPLES if request.param == "corpora" else small_files.write(tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="session", autouse=True)
def _usual_signals() -> Iterator[None]:
    """Signals act as in a terminal: a script that starts tests with ``&`` or ``nohup`` has them ignored.

    Programs that tests start inherit what is ignored.
    """
    usual: dict[int, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    if hasattr(signal, "SIGHUP"):
        usual[signal.SIGHUP] = signal.SIG_DFL
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_the_disk() -> Iterator[None]:
    """What tests write is read by other processes, but never after a power cut."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        patch.setattr(os, "sync", lambda: None, raising=False)  # Windows has none
        yield


@pytest.fixture
def start() -> Iterator[Start]:
    """``subprocess.Popen``, whose programs end with the test, also if it fails."""
    with ExitStack() as ending:

        def started(*command: Any, **options: Any) -> subprocess.Popen[Any]:
            process = ending.enter_context(subprocess.Popen(*command, **options))
            ending.callback(process.kill)
            return process

        yield started


@pytest.fixture(scope="session")
def program() -> Iterator[tuple[str, ...]]:
    """The command that runs the program as ``python -m viewer`` does, in a copy of one that has loaded it.

    For tests of what a process does to files, streams and its caller, not of how it starts.
    """
    if sys.platform != "linux":  # others do not copy processes, or not reliably
        yield sys.executable, "-m", "viewer"
        return
    script = str(Path(__file__).with_name("call_program.py"))
    with TemporaryDirectory() as folder:  # a socket's path has at most 107 bytes
        path = f"{folder}/socket"
        command = [sys.executable, "-m", "tests.program", path]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            yield sys.executable, "-ISE", script, path
            process.communicate()


@pytest.fixture(autouse=True)
def _no_installs(monkeypatch: pytest.MonkeyPatch) -> None:
    """No game on this computer changes what is printed."""
    monkeypatch.setattr("viewer.model.game.installs.find_installs", lambda: ())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs the corpora, so that ``-m corpora`` runs just that; what is long has its reason."""
    for item in items:
        if {"samples", "files"} & {*getattr(item, "fixturenames", ())}:
            item.add_marker(pytest.mark.corpora)
        if (mark := item.get_closest_marker("long")) and not mark.args:
            raise pytest.UsageError(f"{item.nodeid}: the mark `long` needs a reason")


def pytest_collection_finish() -> None:
    """Take what was imported and collected out of later searches for garbage, which some tests do often."""
    gc.collect()
    gc.freeze()
