"""The pages in `docs`: what they say is what the program does."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docs.make.__main__ import PAGES
from viewer.cli.usage.verbs import VERBS
from viewer.resources import bundled_path
from viewer.ui.frame import shell

DOCS = Path(__file__).parents[2] / "docs"
RECIPES = (DOCS / "recipes.md").read_text("utf-8").split("\n## ")[1:]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_as_the_program_makes_it(name: str) -> None:
    assert (DOCS / name).read_text("utf-8") == PAGES[name](), "run: make pages"


def test_the_manual_has_every_verb_and_panel() -> None:
    commands, window = ((DOCS / name).read_text("utf-8") for name in ("commands.md", "window.md"))
    assert re.findall(r"^## mshview (\w+)$", commands, re.MULTILINE) == [*VERBS]
    names = re.findall(r"\b(\w+Panel)\(\)", inspect.getsource(shell))
    panels = {str(getattr(shell, name).title) for name in names}
    assert len(panels) >= 15
    assert panels <= {*re.findall(r"^### (.*)$", window, re.MULTILINE)}


def test_pages_name_options_that_exist() -> None:
    known = set(re.findall(r"--[a-z][\w-]+", (DOCS / "commands.md").read_text("utf-8")))
    for path in DOCS.glob("*.md"):
        named = set(re.findall(r"mshview [^\n`]*", path.read_text("utf-8")))
        options = {option for command in named for option in re.findall(r" (--[a-z][\w-]+)", command)}
        assert options <= known, path.name


@pytest.mark.skipif(os.name != "posix", reason="the recipes are for a shell of Linux or macOS")
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda it: it.split(".")[0])
def test_a_recipe_works(recipe: str, tmp_path: Path) -> None:
    game = shutil.copytree(bundled_path("assets/game"), tmp_path / "game")
    program = tmp_path / "mshview"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m viewer "$@"\n')
    program.chmod(0o755)
    commands = "\n".join(re.findall(r"```sh\n(.*?)```", recipe, re.DOTALL))
    searched = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PYTHONPATH": str(DOCS.parent), "HOME": str(tmp_path), "PATH": searched}
    done = subprocess.run(
        ["sh", "-e", "-c", commands], cwd=game, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    written = re.findall(r"(?:-o|>) '?([\w{}/]+\.\w+)", commands)
    assert all((game / name).exists() for name in written if "{" not in name and name != ".gitattributes")
