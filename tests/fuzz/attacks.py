"""What is done with a mutant. Whatever an attack raises is a defect of the program."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Final

from tests.formats.contract import check_payload
from tests.fuzz.console import STRANGE, run
from tests.fuzz.edits import edits
from tests.fuzz.kept import kept
from tests.fuzz.library import library, sounds
from tests.fuzz.mutants import mutant
from tests.fuzz.objects import damaged_exports, obj
from tests.fuzz.objects import source as exported_model
from tests.fuzz.saving import signals, writers
from tests.fuzz.scenes import gltf
from tests.fuzz.seeds import Seed, seeds
from tests.fuzz.surroundings import foreign, links, outputs, toml
from tests.game_folders import resource_at
from viewer.errors import FormatError, MshviewError
from viewer.model.checks.payload import Payload
from viewer.model.convert.text.reading import bytes_of
from viewer.model.convert.text.writing import text_of
from viewer.model.kinds import json_text
from viewer.model.kinds.registry import by_id, recognise
from viewer.model.mesh import draw_builder
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.session.opened.document import Document
from viewer.session.places import problems
from viewer.session.view.view_state import ViewState

PATIENCE: Final = 30
"""Seconds of work of a processor after which an attack counts as hanging."""

WAITS: Final = 20
"""An attack that waits hangs after so many times as long: on a busy machine it waits without a fault."""

TEXTS: Final = 8
"""Of so many mutants one is written as text and read back."""

Attack = Callable[[Seed, int, Path], None]


class HangError(Exception):
    """An attack did not end."""


def mutant_of(seed: Seed, number: int) -> bytes:
    """The mutant of a seed with a number; bytes of another kind may come from any other seed."""
    others = seeds()
    return mutant(seed.data, others[number % len(others)].data, number)


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Raise `HangError` in the main thread after some seconds of work, where the system has alarms."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(*_: object) -> None:
        raise HangError

    timers = {
        signal.SIGPROF: (signal.ITIMER_PROF, seconds),
        signal.SIGALRM: (signal.ITIMER_REAL, WAITS * seconds),
    }
    before = {number: signal.signal(number, ring) for number in timers}
    try:
        for timer, limit in timers.values():
            signal.setitimer(timer, limit)
        yield
    finally:
        for number, (timer, _) in timers.items():
            signal.setitimer(timer, 0)
            signal.signal(number, before[number])


def decode(seed: Seed, number: int, _: Path) -> None:
    """Decode, take apart, encode and check a mutant, as its own kind and as what it looks like."""
    data = mutant_of(seed, number)
    view = memoryview(data)
    looks_like = recognise(0, view, ("x" + seed.suffix).encode("cp1251", "replace"))
    for kind in {by_id(seed.kind), looks_like}:
        entry = seed.entry if kind.id == seed.kind else None
        if not kind.is_known:
            continue
        try:
            value = kind.decode(view, entry)
        except FormatError:
            continue
        found = list(getattr(value, "diagnostics", ()))
        check_payload(data, kind.encode(value), kind.parts(value), [] if kind.id == "msh" else found)
        json_text.encode(kind.facts(value, entry))
        if number % TEXTS == 0:
            assert bytes_of("".join(text_of(kind, view, entry)).encode()) == data, (
                "the text is of other bytes"
            )
        for finding in kind.check(Payload(view, entry, b"x")):
            assert finding.text


def document(seed: Seed, number: int, folder: Path) -> None:
    """Open a mutant as the window does, pose it, and name its problems."""
    path = _write(folder, seed, number)
    address = Address.parse(str(path))
    try:
        opened = Document.open(FileStore(), Source(address))
    except MshviewError:
        with suppress(MshviewError):
            assert resource_at(address).kind
        return
    pose = opened.animation.pose(number % 50 / 3)
    view = opened.first_view(ViewState())
    opened.bounds(pose, view)
    assert len(opened.draws) <= draw_builder.DRAW_ALLOWANCE + 4 * path.stat().st_size
    for problem in problems(opened):
        assert problem.finding.text


VERBS: Final[tuple[tuple[str, ...], ...]] = (
    ("ls", "{in}"),
    ("ls", "{in}", "--json"),
    ("inspect", "{in}"),
    ("inspect", "{in}", "--json"),
    ("inspect", "{in}::#0", "--json"),
    ("inspect", "{in}", "--table", "vertices", "--json"),
    ("inspect", "{in}", "--at", "0x40"),
    ("draws", "{in}", "--lod", "0", "--group", "0"),
    ("draws", "{in}", "--lod", "2", "--group", "4", "--json"),
    ("clips", "{in}", "--json"),
    ("pose", "{in}", "--time", "1.5", "--json"),
    ("materials", "{in}", "--json"),
    ("validate", "{in}"),
    ("validate", "{in}", "--json", "--tolerant"),
    ("copy", "{in}", "-o", "{out}"),
    ("copy", "{in}", "-o", "{out}", "--repack"),
    ("extract", "{in}", "-o", "{out}"),
    ("extract", "{in}", "#0", "-o", "{out}"),
    ("edit", "{in}", "--set", "nodes[*].flags=1", "-o", "{out}"),
    ("edit", "{in}", "--remove-entry", "#0", "--json", "-o", "{out}", "--force"),
    ("edit", "{in}::#0", "--script", "{in}", "--dry-run"),
    ("repair", "{in}", "--json"),
    ("repair", "{in}", "-o", "{out}"),
    ("patch", "make", "{in}", "{seed}", "-o", "{out}"),
    ("patch", "apply", "{in}", "{seed}", "-o", "{out}"),
    ("patch", "show", "{in}"),
    ("mod", "list", "{in}"),
    ("diff", "{in}", "{seed}"),
    ("diff", "{seed}", "{in}", "--json"),
    ("texture", "{in}", "-o", "{out}.png"),
    ("export", "{in}", "--format", "json", "-o", "{out}"),
    ("import", "{in}", "--format", "json", "-o", "{out}"),
    ("gallery", "{in}", "-o", "{out}", "--turntable", "0", "--jobs", "1"),
)


def verbs(seed: Seed, number: int, folder: Path) -> None:
    """Run a verb over a mutant: an answer or one line, no control characters, nothing half written."""
    path, sound, out = _write(folder, seed, number), folder / f"sound{seed.suffix}", folder / "out"
    sound.write_bytes(seed.data)
    words = {"in": str(path), "seed": str(sound), "out": str(out)}
    verb = Random(number).choice(VERBS)
    status = run([word.format(**words) for word in verb])
    if verb[0] == "copy" and "--repack" not in verb and status == 0:
        assert out.read_bytes() == path.read_bytes(), "a copy differs"
    if status == 2:
        assert not out.exists(), "something is left of a command that failed"
    assert not list(folder.glob(".mshview-*")), "a temporary file is left"


def imports(_: Seed, number: int, folder: Path) -> None:
    """Import a damaged export, with or without its template: a result, or one error and nothing written."""
    name, files = damaged_exports(number)
    model, out = folder / "model.msh", folder / "new" / "out.msh"
    model.write_bytes(bytes(exported_model().data))
    out.parent.mkdir()
    for file, data in files.items():
        (folder / file).write_bytes(data)
    template = ("--template", str(model)) if number % 2 else ()
    status = run(["import", str(folder / name), "-o", str(out), *template, "--json"])
    assert out.exists() == (status == 0), "what is written does not fit the exit status"
    assert status == 0 or not [*out.parent.iterdir()], "something is left of a command that failed"
    assert model.read_bytes() == bytes(exported_model().data), "the template changed"


def paths(_: Seed, number: int, folder: Path) -> None:
    """Run a verb with words that are no paths."""
    random = Random(number)
    model = folder / "a.msh"
    model.write_bytes(b"NRes" + bytes(12))
    index = f"{model}::#{'9' * random.choice((1, 9, 30, 5000))}"
    words = [str(model), str(folder), f"{model}::", index, f"{folder}/none", f"{model}/x", *STRANGE]
    verb = random.choice(VERBS)
    arguments = [random.choice(words) if "{" in word or random.random() < 0.2 else word for word in verb[1:]]
    run([verb[0], *_without_output(arguments, folder), *random.choices(words, k=random.choice((0, 0, 1)))])


def _without_output(arguments: list[str], folder: Path) -> list[str]:
    """The arguments with every output led into the folder, so that nothing else is written."""
    result = list(arguments)
    for at, word in enumerate(result[:-1]):
        if word == "-o":
            result[at + 1] = str(folder / "out")
    return result


def _write(folder: Path, seed: Seed, number: int) -> Path:
    path = folder / f"mutant{seed.suffix}"
    path.write_bytes(mutant_of(seed, number))
    return path


ATTACKS: Final[dict[str, Attack]] = {
    "decode": decode,
    "document": document,
    "edits": edits,
    "verbs": verbs,
    "paths": paths,
    "gltf": gltf,
    "obj": obj,
    "imports": imports,
    "kept": kept,
    "signals": signals,
    "writers": writers,
    "toml": toml,
    "foreign": foreign,
    "outputs": outputs,
    "links": links,
    "library": library,
    "sounds": sounds,
}
"""Attacks by name; `tests.fuzz.windows` has those that need a window."""


IN_A_WINDOW: Final = ("windows", "undo")


def attack(name: str, seed: Seed, number: int) -> None:
    """Run one attack within its time, in a folder of its own."""
    with (
        patience(4 * PATIENCE if name in IN_A_WINDOW else PATIENCE),
        tempfile.TemporaryDirectory() as folder,
    ):
        _known(name)(seed, number, Path(folder))


def _known(name: str) -> Attack:
    if name in IN_A_WINDOW:
        from tests.fuzz import windows  # noqa: PLC0415 needs OpenGL

        return windows.ATTACKS[name]
    return ATTACKS[name]
