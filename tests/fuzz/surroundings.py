"""What lies around a command: a configuration, files of other programs, closed outputs, links of other users.

The models are sound here. What a command does not name stays as it was, and what it did is done.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from contextlib import chdir
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.fuzz.console import STRANGE, run
from tests.fuzz.kept import ODD
from tests.fuzz.mutants import mutant
from tests.fuzz.objects import source
from tests.fuzz.saving import GAME, console, forked
from tests.fuzz.seeds import Seed
from viewer.cli.usage.configuration import ALLOWED, NAME
from viewer.cli.usage.verbs import VERBS

Files = dict[str, bytes]
MODEL: Final = "model.msh"
DANGEROUS: Final = (
    "output",
    "to",
    "textures",
    "in-place",
    "force",
    "into",
    "template",
    "set",
    "remove-entry",
)
"""Options that decide what is written, changed or replaced."""


def files_of(folder: Path) -> Files:
    """The files of a folder and of those below it; links are not followed."""
    found = (it for it in folder.rglob("*") if it.is_file() and not it.is_symlink())
    return {it.relative_to(folder).as_posix(): it.read_bytes() for it in found}


def _succeed(*arguments: object) -> None:
    assert run([*map(str, arguments)]) in {0, 1}


@cache
def _inputs() -> TemporaryDirectory[str]:
    """A small model and its exports; removed with the process."""
    kept = TemporaryDirectory()
    folder = Path(kept.name)
    (folder / MODEL).write_bytes(bytes(source().data))
    _succeed("export", folder / MODEL, "-o", folder / "sign.glb")
    _succeed("export", folder / MODEL, "-o", folder / "sign.obj")
    shutil.copy(GAME / "Textures.lib", folder)
    return kept


def _prepare(folder: Path) -> Path:
    """A folder with the inputs."""
    work = folder / "work"
    shutil.copytree(_inputs().name, work)
    return work


def _value(random: Random, planted: Path) -> str:
    """A value as TOML has it, or something like it."""
    if random.random() < 0.3:
        return json.dumps(str(planted))
    texts = ("model.msh", "../out", "0", "nodes[0].flags=1", *STRANGE[:9])
    return random.choice(
        (json.dumps(random.choice(texts)), json.dumps([random.choice(texts)] * 2), "true", "false", "1", "-1",
         "1e999", "nan", "1979-05-27", "{a = 1}", "[]", random.choice(ODD)[:2000])
    )  # fmt: skip


COMMANDS: Final = (
    ("inspect", MODEL, "--json"),
    ("ls", "Textures.lib"),
    ("validate", MODEL),
    ("export", MODEL, "-o", "out.glb"),
    ("import", "sign.glb", "-o", "out.msh"),
    ("import", "sign.obj", "--template", MODEL, "-o", "out.msh"),
    ("edit", MODEL, "--rename-node", "0", "b", "-o", "out.msh"),
    ("repair", MODEL, "-o", "out.msh"),
    ("copy", MODEL, "-o", "out.msh"),
    ("texture", "Textures.lib::#0", "-o", "out.png"),
    ("pack", ".", "-o", "out.rlb"),
    ("patch", "make", MODEL, MODEL, "-o", "out.patch"),
)
"""Commands that write no other files than ``out`` with their suffixes."""


WITHOUT_OUTPUT: Final = (
    ("export", MODEL),
    ("edit", MODEL, "--rename-node", "0", "b"),
    ("copy", MODEL),
    ("texture", "Textures.lib::#0"),
)
"""Commands that lack what says where they write, which no file may say instead."""


def toml(seed: Seed, number: int, folder: Path) -> None:
    """Run a command in a folder with a configuration that came with it."""
    random, work, planted = Random(number), _prepare(folder), folder / "planted"
    command = random.choice((*COMMANDS, *WITHOUT_OUTPUT))
    lines = [f"[{command[0]}]"] if random.random() < 0.7 else []
    for _ in range(random.choice((1, 2, 5, 20))):
        option = random.choice((*sorted(ALLOWED), *DANGEROUS, *DANGEROUS, "x", '"a b"'))
        other = f"[{random.choice([*VERBS])}]"
        lines.append(other if random.random() < 0.1 else f"{option} = {_value(random, planted)}")
    text = "\n".join(lines).encode("utf-8", "replace")
    if random.random() < 0.2:
        text = mutant(text, seed.data, number)
    random.choice((work, folder)).joinpath(NAME).write_bytes(text)
    before = files_of(folder)
    with chdir(work):
        run([*command])
    _check(before, files_of(folder))


def _check(before: Files, after: Files) -> None:
    """Nothing changed but what ``out`` names."""
    others = {name: data for name, data in after.items() if not name.startswith("work/out")}
    assert others.keys() == before.keys(), sorted(others.keys() ^ before.keys())
    assert others == before, [name for name in before if others[name] != before[name]]


FOREIGN: Final = ("sign.obj.json", "sign.mtl", "gallery.json", "index.html", "model.msh.bak", "mshview.lock")


def foreign(seed: Seed, number: int, folder: Path) -> None:
    """Run a command next to files of other programs that have names of ours; none is renamed or changed."""
    random, work = Random(number), _prepare(folder)
    (work / "site").mkdir()
    # Often few: a folder in which much is foreign is refused for the first of them.
    for name in random.sample(FOREIGN, random.choice((1, 1, 2, len(FOREIGN)))):
        for place in (work, work / "site"):
            odd = random.choice((b"{}", b"[]", b'{"format": "other"}', b"", seed.data[:4096], b"\xff\xfe"))
            if name != "sign.mtl" or place != work:
                (place / name).write_bytes(odd)
    before = files_of(folder)
    is_dry = random.random() < 0.5
    commands = (
        *COMMANDS,
        ("import", "sign.obj", "-o", "out.msh"),
        ("import", "sign.obj", "--template", MODEL, "-o", "out.msh"),
        ("gallery", MODEL, "-o", "site", "--turntable", "0", "--jobs", "1"),
        ("gallery", MODEL, "-o", "out", "--reference", "site", "--turntable", "0", "--jobs", "1"),
    )
    command = random.choice(commands[-4:] if random.random() < 0.5 else commands)
    with chdir(work):
        run([*command, *(("--dry-run",) if is_dry and command[0] in ("import", "edit", "repair") else ())])
    after = files_of(folder)
    _check(before, after)
    if is_dry and command[0] in ("import", "edit", "repair"):
        assert after == before, sorted(after.keys() - before.keys())


def _closed() -> None:
    os.close(1)


def _full() -> None:
    os.dup2(os.open("/dev/full", os.O_WRONLY), 1)


def _left() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    os.dup2(writer, 1)


LEFT: Final = 141
"""The status of a command whose reader has left, as the shell has it."""
OUTPUTS: Final[tuple[Callable[[], None], ...]] = (_closed, _full, _left)
"""What becomes of standard output: it is closed, full, or its reader has left."""
WRITING: Final = (
    ("edit", MODEL, "--rename-node", "0", "b", "--in-place"),
    ("edit", MODEL, "--rename-node", "0", "b", "-o", "out.msh"),
    ("export", MODEL, "-o", "out.gltf"),
    ("import", "sign.glb", "-o", "out.msh"),
    ("copy", MODEL, "-o", "out.msh"),
    ("texture", "Textures.lib", "-o", "{entry}.png"),
    ("extract", "Textures.lib", "-o", "out"),
    ("repair", MODEL, "--in-place"),
)


def outputs(_: Seed, number: int, folder: Path) -> None:
    """Run a command whose standard output takes nothing: it writes all files that it would write."""
    if not hasattr(os, "fork") or not Path("/dev/full").exists():
        return
    random = Random(number)
    command, break_output = random.choice(WRITING), random.choice(OUTPUTS)
    found: list[tuple[Files, int]] = []
    for name, prepare in (("good", None), ("bad", break_output)):
        work = _prepare(folder / name)
        before = files_of(work)
        with (folder / f"{name}.log").open("wb") as log:
            status = os.waitstatus_to_exitcode(os.waitpid(forked(_in(work, command, log, prepare)), 0)[1])
        found.append((files_of(work), status))
        assert "Traceback" not in (folder / f"{name}.log").read_text()
    (good, well), (bad, ill) = found
    moment = (command, break_output.__name__, well, ill)
    assert bad == good, (moment, sorted(good.keys() ^ bad.keys()))
    # What printed an answer and wrote nothing has not done what was asked for.
    assert ill == well or (good == before and ill in {2, LEFT}), moment


def _in(
    folder: Path, command: tuple[str, ...], log: Any, prepare: Callable[[], None] | None
) -> Callable[[], int]:
    """The program in a folder, with another standard output; what it says goes to a file."""
    start = console(command, log, prepare or (lambda: None))

    def run_there() -> int:
        os.chdir(folder)
        return start()

    return run_there


OTHER: Final = 12345
"""The number of another user."""


def links(_: Seed, number: int, folder: Path) -> None:
    """Write to a link: one's own is followed, that of another user in a shared folder is refused."""
    if not hasattr(os, "lchown") or os.getuid():
        return  # only root may give files away
    random, work = Random(number), _prepare(folder)
    victim, shared = folder / "victim", folder / "shared"
    victim.write_bytes(b"mine")
    for it in (shared, shared / "deep"):
        it.mkdir()
        it.chmod(0o1777)
    suffix = random.choice(("msh", "glb", "png"))
    link = shared / random.choice(("", "deep")) / f"out.{suffix}"
    target = random.choice((victim, Path(os.path.relpath(victim, link.parent))))
    is_planted, is_folder = random.random() < 0.6, random.random() < 0.3
    if is_folder:
        planted = shared / "folder"
        planted.symlink_to(folder)
        link = planted / "victim"
    else:
        planted = link
        link.symlink_to(target)
    if is_planted:
        os.lchown(planted, OTHER, OTHER)
    verb = {
        "msh": ("copy", str(work / MODEL)),
        "glb": ("export", str(work / MODEL)),
        "png": ("texture", str(work / "Textures.lib") + "::#0"),
    }[suffix]
    before = files_of(folder)
    status = run([*verb, "-o", str(link)])
    assert planted.is_symlink(), "a link was replaced"
    if is_planted:
        assert status == 2
        assert files_of(folder) == before
    elif status == 0:
        assert victim.read_bytes() != b"mine"
