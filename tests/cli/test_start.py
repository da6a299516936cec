"""What a verb loads before it does its work; time is measured by ``bench``, what takes it is stated here."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.console import ROOT

ARCHIVE = "assets/game/models.rlb"
MODEL = f"{ARCHIVE}::walker.msh"
TEXTURE = "assets/game/Textures.lib::#0"

PROBE = """
import sys
from viewer.cli.main import main

status = main(sys.argv[1:])
sys.stderr.write(" ".join(sys.modules))
sys.exit(status)
"""
GRAPHICS = {"moderngl", "PIL", "imgui_bundle", "viewer.render", "viewer.ui", "viewer.app"}
MEANING = {"viewer.session", "viewer.model.material", "viewer.model.game", "viewer.geometry"}
JUDGING = {"viewer.model.checks", "viewer.model.validation"}
PROCESSES = {"multiprocessing", "concurrent.futures", "subprocess"}
OPENSSL = {"hashlib", "_hashlib"}
NEVER = {"difflib", "importlib.metadata", "zipfile", "email", "secrets"}


def loaded(*arguments: str) -> set[str]:
    """Names of the modules that a process has loaded when the command line is done."""
    command = [sys.executable, "-c", PROBE, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["--help"], {"numpy", "glfw", "viewer.formats", "viewer.model.store"} | NEVER | GRAPHICS),
        (["help"], {"numpy", "viewer.formats", "viewer.model.store"} | NEVER),
        (["help", "ls"], {"PIL", "viewer.render", "viewer.app", "viewer.session"} | NEVER),
        (["--version"], {"numpy", "viewer.formats", "viewer.model"} | NEVER),
        (["ls", ARCHIVE], {"numpy.ma", "pyrr"} | NEVER | GRAPHICS | MEANING | JUDGING | PROCESSES | OPENSSL),
        (
            ["ls", ARCHIVE, "--json"],
            {"numpy.ma"} | NEVER | GRAPHICS | MEANING | JUDGING | PROCESSES | OPENSSL,
        ),
        (["inspect", TEXTURE], {"viewer.session", "pyrr"} | NEVER | GRAPHICS | JUDGING | PROCESSES | OPENSSL),
        (
            ["inspect", MODEL],
            {"pyrr", "numpy.ma", "viewer.formats.fxid"} | NEVER | GRAPHICS | PROCESSES,
        ),
        (["validate", MODEL], {"viewer.session", "pyrr"} | NEVER | GRAPHICS | PROCESSES),
        (["render", "--help"], NEVER | {"imgui_bundle", "viewer.app", "viewer.ui", "subprocess"}),
    ],
)
def test_a_verb_loads_what_it_needs(arguments: list[str], unwanted: set[str]) -> None:
    assert not loaded(*arguments) & unwanted
