"""The pages in `docs`: what they say is what the program does."""

from __future__ import annotations

import inspect
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from docs.make.__main__ import PAGES
from viewer.cli.usage.verbs import VERBS
from viewer.resources import bundled_path
from viewer.session.manual import LONGEST, linked, read_manual, shown_text
from viewer.ui.frame import shell

DOCS = Path(__file__).parents[2] / "docs"
RECIPES = (DOCS / "recipes.md").read_text("utf-8").split("\n## ")[1:]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_as_the_program_makes_it(name: str) -> None:
    if name.endswith(".py"):
        pytest.importorskip("ruff", reason="the formatter is not installed")
    assert (DOCS / name).read_text("utf-8") == PAGES[name](), "run: make pages"


def test_the_manual_has_every_verb_and_panel() -> None:
    commands, window = ((DOCS / name).read_text("utf-8") for name in ("commands.md", "window.md"))
    assert re.findall(r"^## mshview ([\w-]+)$", commands, re.MULTILINE) == [*VERBS]
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
def test_a_recipe_works(program: tuple[str, ...], recipe: str, tmp_path: Path) -> None:
    game = shutil.copytree(bundled_path("assets/game"), tmp_path / "game")
    script = tmp_path / "mshview"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(program)} "$@"\n')
    script.chmod(0o755)
    commands = "\n".join(re.findall(r"```sh\n(.*?)```", recipe, re.DOTALL))
    searched = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PYTHONPATH": str(DOCS.parent), "HOME": str(tmp_path), "PATH": searched}
    done = subprocess.run(
        ["sh", "-e", "-c", commands], cwd=game, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    written = re.findall(r'(?:-o|>) "?([\w{}/]+\.\w+)', commands)
    assert all((game / name).exists() for name in written if "{" not in name and name != ".gitattributes")


MANUAL = read_manual(DOCS)


def test_the_program_shows_every_page_whole() -> None:
    """But for pictures, whose place is on the pages; a comment in a block of code is no heading."""
    for page in DOCS.glob("*.md"):
        lines = [it for it in page.read_text("utf-8").splitlines() if not it.startswith("![")]
        shown = [line for it in MANUAL if it.page == page.name for line in it.text.splitlines()]
        assert [it for it in lines if it] == [it for it in shown if it], page.name
    titles = [it.title for it in MANUAL]
    assert "mshview render" in titles
    assert not [it for it in titles if "set up" in it or "the bundled sample" in it]


def test_a_long_section_shows_links_to_what_is_inside() -> None:
    page = next(it for it in MANUAL if it.page == "commands.md")
    text = shown_text(page, MANUAL)
    assert len(text) < LONGEST
    found = [linked(link, MANUAL) for link in re.findall(r"\]\((\d+)\)", text)]
    assert found == [it for it in MANUAL if it.page == "commands.md"][1:]
    short = next(it for it in MANUAL if it.title == "Right")
    assert "### Inspector" in shown_text(short, MANUAL)
    assert "### Timeline" not in shown_text(short, MANUAL)


def test_a_link_leads_to_a_page_or_out() -> None:
    found = linked("keys.md#mouse", MANUAL)
    assert found is not None
    assert (found.page, found.level) == ("keys.md", 1)
    assert linked("https://example.org", MANUAL) is None


def test_a_search_finds_all_words_in_any_order() -> None:
    found = [it.title for it in MANUAL if it.has("SEED blast")]
    assert "5. Play an effect" in found
    assert "2. A new texture" not in found
