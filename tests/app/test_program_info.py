"""What a bug report says: every package with its version and license, and nothing about the user."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import moderngl

from viewer.app import program_info
from viewer.version import VERSION

ROOT = Path(__file__).parents[2]


def test_every_dependency_has_its_version_and_its_license(ctx: moderngl.Context) -> None:
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    needed = {re.split(r"[\[>=]", text)[0] for text in stated}
    assert needed <= set(program_info.PACKAGES)
    used = {
        component.name.lower().replace("_", "-"): component for component in program_info.collect(ctx).used
    }
    assert needed <= used.keys()
    for name in needed:
        assert used[name].version == metadata.version(name)
        assert used[name].license


def test_the_report_names_program_python_and_graphics_card(ctx: moderngl.Context) -> None:
    report = program_info.collect(ctx).text
    for words in (f"mshview {VERSION}", "Python", ctx.info["GL_RENDERER"], ctx.info["GL_VERSION"], "numpy"):
        assert words in report
    assert str(Path.home()) not in report
    assert report.isprintable() or "\n" in report


def test_a_package_that_is_not_installed_is_left_out() -> None:
    assert program_info.component("no-such-package-at-all") is None
