"""Verbs that write, stopped by a signal at any call that changes a file, and several at one file."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from random import Random
from typing import IO, Any, Final, NamedTuple

import viewer.__main__ as program
from tests.builders import ModelBuilder, Node, archive_of
from tests.fuzz.seeds import Seed
from tests.model.store import system_calls
from viewer.cli.main import main
from viewer.model.store import recovery
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

GAME: Final = Path(__file__).parents[2] / "assets" / "game"
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM))
EDIT: Final = ("--set", "nodes[1].flags=3", "--force")
Files = dict[str, bytes]


class Scenario(NamedTuple):
    """A command that replaces files of a folder.

    Attributes
    ----------
    before
        What writes the folder that it finds.
    command
        The command itself.
    is_set
        Whether it replaces several files, which only the next command may find whole.
    """

    before: tuple[tuple[str, ...], ...]
    command: tuple[str, ...]
    is_set: bool = False


_COPY: Final = ("copy", "{in}/models.rlb", "-o", "{out}/models.rlb")
_WALKER: Final = tuple(
    ("copy", f"{{in}}/models.rlb::walker.{it}", "-o", f"{{out}}/walker.{it}") for it in ("msh", "wea")
)
_MODEL: Final = "{in}/models.rlb::walker.msh"
SCENARIOS: Final = {
    "save": Scenario((_COPY,), ("edit", "{out}/models.rlb::walker.msh", *EDIT, "--in-place")),
    "import": Scenario(_WALKER, ("import", "{in}/walker.glb", "-o", "{out}/walker.msh", "--replace"), True),
    "gltf": Scenario(
        (("export", _MODEL, "-o", "{out}/a.gltf", "--no-textures"),),
        ("export", _MODEL, "-o", "{out}/a.gltf"),
        True,
    ),
    "obj": Scenario(
        (("export", _MODEL, "--lod", "1", "-o", "{out}/a.obj"),),
        ("export", _MODEL, "-o", "{out}/a.obj"),
        True,
    ),
    "gallery": Scenario(
        (("gallery", "{in}/empty.rlb", "-o", "{out}/site", "--jobs", "1"),),
        ("gallery", "{in}/empty.rlb", "-o", "{out}/site", "--jobs", "1", "--title", "new"),
    ),
    "pack": Scenario((_COPY,), ("pack", "{in}/unpacked", "-o", "{out}/models.rlb")),
    "patch": Scenario((_COPY,), ("patch", "apply", "{in}/patch.json", "{out}/models.rlb", "--in-place")),
}


@cache
def _inputs() -> tempfile.TemporaryDirectory[str]:
    """What the commands read; removed with the process."""
    kept = tempfile.TemporaryDirectory()
    folder = Path(kept.name)
    shutil.copy(GAME / "models.rlb", folder)
    models, edited = folder / "models.rlb", folder / "edited.rlb"
    (folder / "empty.rlb").write_bytes(archive_of({"empty.msh": ModelBuilder.of([Node("empty")]).build()}))
    _succeed("edit", f"{models}::walker.msh", *EDIT, "-o", str(edited))
    _succeed("patch", "make", str(models), str(edited), "-o", str(folder / "patch.json"))
    _succeed("export", f"{models}::walker.msh", "-o", str(folder / "walker.glb"))
    _succeed("extract", str(edited), "-o", str(folder / "unpacked"))
    return kept


def _succeed(*command: str) -> None:
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as error:
        assert main(command) in (0, 1), error.getvalue()


def _filled(words: tuple[str, ...], out: Path) -> tuple[str, ...]:
    return tuple(word.format(**{"in": _inputs().name, "out": out}) for word in words)


def console(
    command: tuple[str, ...], log: IO[bytes], prepare: Callable[[], object] = lambda: None
) -> Callable[[], int]:
    """The program as the shell starts it, in a copy of this process.

    Parameters
    ----------
    prepare
        Called before the program opens its streams, which both lead to the log.
    """

    def run() -> int:
        for stream in (1, 2):
            os.dup2(log.fileno(), stream)
        prepare()
        sys.stdout, sys.stderr = map(_stream, (1, 2))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, program._end)
        recovery.sweep.cache_clear()
        sys.argv = ["mshview", *command]
        program.console()
        return 98

    return run


def _stream(number: int) -> Any:
    """What Python makes of a descriptor at its start: nothing if it is closed."""
    try:
        return open(number, "w", closefd=False)
    except OSError:
        return None


def _content(folder: Path) -> Files:
    """The files of a folder, without those that the program has only for itself."""
    found = (it for it in folder.rglob("*") if it.is_file())
    names = {it: it.relative_to(folder).as_posix() for it in found}
    return {name: it.read_bytes() for it, name in names.items() if not name.startswith(".mshview-")}


@cache
def _prepared(name: str) -> Path:
    """The folder that the command of a scenario finds."""
    folder = Path(_inputs().name) / "prepared" / name
    folder.mkdir(parents=True)
    for command in SCENARIOS[name].before:
        _succeed(*_filled(command, folder))
    return folder


def _prepare(name: str, out: Path) -> Files:
    """Make a folder what the command of a scenario finds."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(_prepared(name), out)
    return _content(out)


@cache
def _outcome(name: str) -> tuple[Files, Files, tuple[str, ...]]:
    """The files of a scenario before and after, and the calls that change files."""
    # As deep as the folders of attacks: what is written may have paths from one folder to another.
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        before = _prepare(name, out)
        command = _filled(SCENARIOS[name].command, out)
        _succeed(*command)  # loads what is loaded late
        _prepare(name, out)
        with (Path(folder) / "log").open("ab") as log:
            calls = system_calls.run(console(command, log)).calls
        return before, _content(out), calls


def signals(_: Seed, number: int, folder: Path) -> None:
    """A signal at a file-changing call: old or new, the backup with the new, and nothing left by the next."""
    if not system_calls.IS_POSSIBLE:
        return
    random = Random(number)
    name, sent, is_before = random.choice([*SCENARIOS]), random.choice(SIGNALS), random.random() < 0.5
    scenario, out, log = SCENARIOS[name], folder / "out", folder / "log"
    before, after, calls = _outcome(name)
    at = random.randrange(len(calls))
    _prepare(name, out)
    with log.open("wb") as file:
        command = console(_filled(scenario.command, out), file)
        ended = system_calls.run(command, sent, at, is_before=is_before)
    moment = (
        f"{name}: {sent.name} {'before' if is_before else 'after'} {calls[at]}, call {at} of {len(calls)}"
    )
    assert ended.was_hit, moment
    assert ended.status in ({130, 0, 1} if sent == signal.SIGINT else {-sent}), (moment, ended.status)
    assert "Traceback" not in log.read_text(), (moment, log.read_text())
    if not scenario.is_set:
        _check(_content(out), before, after, moment)
    recovery.sweep.cache_clear()
    _succeed("copy", str(GAME / "Material.lib"), "-o", str(out / "next.lib"))
    assert not [*out.glob(".mshview-*")], moment
    (out / "next.lib").unlink()
    _check(_content(out), before, after, moment)
    shutil.rmtree(out)


def _check(now: Files, before: Files, after: Files, moment: str) -> None:
    """All files are old, or all new with the backups of the old ones."""
    backups = {name: data for name, data in now.items() if name.endswith(".bak")}
    assert all(before[name.removesuffix(".bak")] == data for name, data in backups.items()), moment
    assert now == after or {name: now[name] for name in now.keys() - backups} == before, (moment, [*now])


def writers(_: Seed, number: int, folder: Path) -> None:
    """Several programs change one file: each change that was said to be made is in it, and one backup."""
    if not hasattr(os, "fork"):
        return
    random = Random(number)
    file, log = folder / "models.rlb", folder / "log"
    for path in (file, log, file.with_name("models.rlb.bak")):
        path.unlink(missing_ok=True)
    shutil.copy(GAME / "models.rlb", file)
    before = file.read_bytes()
    _succeed("edit", f"{file}::walker.msh", *EDIT, "--dry-run")  # loads what is loaded late
    processes = []
    with log.open("ab") as lines:
        for writer in range(random.choice((2, 2, 5))):
            change = ("--set", f"nodes[{writer + 1}].flags={4660 + writer}", "--force")
            processes.append(forked(console(("edit", f"{file}::walker.msh", *change, "--in-place"), lines)))
    states = [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in processes]
    said = log.read_text()
    assert {*states} <= {0, 2}, (states, said)
    assert 0 in states, said
    assert "Traceback" not in said, said
    assert said.count("by another program") == sum(state == 2 for state in states), said
    flags = FileStore().open(Address(file, ("walker.msh",))).read_model().nodes["flags"]
    made = [int(flags[writer + 1]) == 4660 + writer for writer in range(len(states))]
    assert made == [state == 0 for state in states], (states, said)
    assert file.with_name("models.rlb.bak").read_bytes() == before
    backup = file.with_name("models.rlb.bak")  # the folder may hold files of other attacks
    assert {*folder.glob("*models.rlb*"), *folder.glob(".mshview-*")} == {file, backup}
    for path in (file, backup, log):
        path.unlink()


def forked(run: Callable[[], int]) -> int:
    """A copy of this process that runs something, and ends."""
    process = os.fork()
    if not process:
        try:
            run()
        finally:
            os._exit(99)
    return process
