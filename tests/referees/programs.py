"""Running the referees: Node for Khronos' validator and three.js, and Blender's own environment."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tests.referees.subjects import ROOT

HOME: Final = ROOT / ".referees"
"""Where `make referees` installs them."""
SCRIPTS: Final = Path(__file__).parent / "node"
AT_ONCE: Final = 40
"""Files that one process is given."""


def node(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script of `SCRIPTS` beside the installed modules."""
    copied = HOME / script
    copied.write_bytes((SCRIPTS / script).read_bytes())
    return subprocess.run(
        ["node", str(copied), *arguments], capture_output=True, text=True, check=False, cwd=HOME
    )


def blender(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script of ``tests/referees/blender`` in Blender's environment."""
    return _python("blender", script, *arguments)


def trimesh(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script of ``tests/referees/trimesh`` in trimesh's environment."""
    return _python("trimesh", script, *arguments)


def kaitai(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script of ``tests/referees/kaitai`` in the environment of Kaitai Struct's runtime."""
    return _python("kaitai", script, *arguments)


def _python(name: str, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script of a folder in the environment of the same name."""
    return subprocess.run(
        [str(HOME / name / "bin" / "python"), "-m", f"tests.referees.{name}.{script}", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )


def checked(done: subprocess.CompletedProcess[str], what: str) -> str:
    """The standard output of a process; ends the program if it failed."""
    if done.returncode:
        sys.exit(f"{what} failed ({done.returncode}):\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout


def write_jobs(path: Path, jobs: Sequence[dict[str, Any]]) -> str:
    """Write the list of jobs for a script, and return its path."""
    path.write_text(json.dumps(list(jobs)), encoding="utf-8")
    return str(path)
