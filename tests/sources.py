"""The sources of the project, read and parsed once for all tests that look at them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from tests.corpora import ROOT


def sources(*folders: str, pattern: str = "*.py") -> list[str]:
    """Python files below folders, as paths from the top."""
    return sorted(
        path.relative_to(ROOT).as_posix() for folder in folders for path in (ROOT / folder).rglob(pattern)
    )


@cache
def text(name: str) -> str:
    """A file of the project, by its path from the top."""
    return (ROOT / name).read_text("utf-8")


@cache
def parse(name: str) -> ast.Module:
    """A module of the project, by its path from the top."""
    return ast.parse(text(name))


def viewer_modules(*rooms: str) -> Iterator[tuple[str, ast.Module]]:
    """The modules below some rooms of the program, or all, by their paths in it."""
    for name in sources(*(f"viewer/{room}" for room in rooms or ("",))):
        yield name.removeprefix("viewer/"), parse(name)


def statements(trees: Iterable[ast.Module]) -> Iterator[ast.stmt]:
    """Every statement of some modules."""
    left: list[Any] = [*trees]
    while left:
        node = left.pop()
        if isinstance(node, ast.stmt):
            yield node
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            left += getattr(node, name, ())
