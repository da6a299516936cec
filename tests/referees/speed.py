"""The CPU time of an export and an import beside that of trimesh for the same GLB file.

A script of each library does the same work in a process of its own: it loads the library, reads the file with
its pictures and writes it. Trimesh keeps shapes, materials and images, no movement and nothing of the game.
We export the model, with its movement, and import the file again, compared with the model by value and
checked. The verbs, which are two processes, and both libraries once they are loaded are measured too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import process_time
from typing import Final

from tests.referees.programs import HOME, checked, trimesh
from tests.referees.subjects import ROOT
from tests.referees.verbs import run_verb

RUNS: Final = 9
MODEL: Final = f"{ROOT / 'assets' / 'game' / 'models.rlb'}::walker.msh"
MOST: Final = {"scripts": 1.0, "verbs": 1.6, "loaded": 2.6}
"""How many times as long as trimesh we may take; a script is what has to be faster. Raise no value."""
_OURS: Final = (
    "import sys, mshview; model = mshview.open(sys.argv[1]); model.export(sys.argv[2]);"
    "model.import_from(sys.argv[2])"
)
_TRIMESH: Final = "import sys, trimesh; trimesh.load_scene(sys.argv[1]).export(sys.argv[2])"


def measure(folder: Path) -> list[str]:
    """What takes longer beside trimesh than known, a line each; all figures in speed.md."""
    file, out, archive = folder / "speed.glb", folder / "speed.trimesh.glb", folder / "speed.rlb"
    given = ("export", MODEL, "-o", str(file))
    taken = ("import", str(file), "--into", MODEL, "-o", str(archive))
    run_verb(*given)
    run_verb(*taken)
    python = str(HOME / "trimesh" / "bin" / "python")
    theirs, ours, verbs = [], [], []
    for _ in range(RUNS):  # in turn, as the machine may become slower meanwhile
        theirs.append(_of_process([python, "-c", _TRIMESH, str(file), str(out)]))
        ours.append(_of_process([sys.executable, "-c", _OURS, MODEL, str(file)]))
        verbs.append(sum(_of_process([sys.executable, "-m", "viewer", *it]) for it in (given, taken)))
    lines, wrong = [], []
    loaded = json.loads(checked(trimesh("speed", str(file), str(RUNS)), "trimesh"))
    pairs = {
        "scripts": (ours, theirs),
        "verbs": (verbs, theirs),
        "loaded": ([_here(given, taken) for _ in range(RUNS)], loaded),
    }
    for name, (own, other) in pairs.items():
        share = median(own) / median(other)
        lines.append(f"{name}: {median(own):.3f} s, trimesh {median(other):.3f} s, {share:.2f} times")
        if share > MOST[name]:
            wrong.append(f"{lines[-1]}, more than {MOST[name]}")
    (folder / "speed.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return wrong


def _of_process(command: Sequence[str]) -> float:
    """The CPU seconds of a process and of what it starts, with the byte code of its modules stored."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = getrusage(RUSAGE_CHILDREN)  # which `os.times` rounds to hundredths
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT, env=environment)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _here(*verbs: Sequence[str]) -> float:
    """The CPU seconds of verbs in this process."""
    started = process_time()
    for it in verbs:
        run_verb(*it)
    return process_time() - started
