"""``bench``: the speed of the program's operations on this machine."""

from __future__ import annotations

import os
import platform
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
from msgspec import Struct

from viewer.cli import output, text_table
from viewer.cli.answers import Answer
from viewer.cli.bench import cases
from viewer.cli.bench.subjects import FULL, Subjects
from viewer.cli.bench.timing import MILLISECONDS, Result, ResultRow
from viewer.cli.usage.arguments import add_forms
from viewer.cli.usage.values import Value, takes
from viewer.errors import UsageError
from viewer.render.offscreen import GraphicsError, create_context
from viewer.translation import _


class BenchAnswer(Struct, frozen=True):
    """The times of operations of the program on this machine."""

    results: Sequence[ResultRow]
    machine: str
    gl: str


ANSWER: Final = BenchAnswer


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    takes(
        parser.add_argument("paths", nargs="*", metavar="PATH", help="time opening these files as well"),
        Value.ADDRESS,
    )
    parser.add_argument(
        "--only", metavar="NAME,NAME", help=_("some of {names}", names=", ".join(cases.NAMES))
    )
    add_forms(parser, "the results")


def run(options: Namespace) -> int:
    """Measure and print."""
    names = _names(options)
    with TemporaryDirectory(prefix="mshview-bench-", ignore_cleanup_errors=True) as folder:
        subjects = Subjects(Path(folder), FULL)
        results = [*_results(names, options.paths, subjects)]
    medians = {result.name: result.median for result in results}
    rows = [result.row(_multiples(result, medians)) for result in results]
    answer = Answer(
        lambda: BenchAnswer(rows, machine(), gl()),
        lambda: [machine(), gl(), "", *text_table.lines(rows)],
        lambda: rows,
    )
    answer.write("bench", options)
    return 0


def _names(options: Namespace) -> list[str]:
    """The requested cases; by default all, or none if the user's files are timed."""
    if options.only is None:
        return [] if options.paths else [*cases.NAMES]
    names = [name.strip() for name in options.only.split(",")]
    unknown = [name for name in names if name not in cases.NAMES]
    if unknown:
        words = _("--only {name!r} is not one of {names}", name=unknown[0], names=", ".join(cases.NAMES))
        raise UsageError(words, source="bench")
    return names


def _results(names: list[str], paths: list[str], subjects: Subjects) -> Iterator[Result]:
    for name in names:
        output.write_status(_("measuring {name}", name=name))
        yield cases.measure(name, subjects)
    for path in paths:
        output.write_status(_("measuring {name}", name=path))
        yield cases.timed(path, cases.open_file(path), subjects)


def _multiples(result: Result, medians: Mapping[str, float]) -> dict[str, float]:
    """A time as multiples of the baselines: of `baseline_10k`, for a start-up also of `start_numpy`."""
    if result.unit != MILLISECONDS:
        return {}
    yardsticks = {"baselines": "baseline_10k"}
    if result.name.startswith("start_"):
        yardsticks["numpy_starts"] = "start_numpy"
    return {name: result.median / medians[of] for name, of in yardsticks.items() if of in medians}


def machine() -> str:
    """The machine, its system and versions."""
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs"
    return f"{system}, Python {platform.python_version()}, numpy {np.__version__}"


def gl() -> str:
    """The GL renderer, or why there is none."""
    try:
        info = create_context().info
    except GraphicsError as error:
        return error.message
    return f"{info['GL_RENDERER']}, OpenGL {info['GL_VERSION']}"
