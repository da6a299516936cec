"""Arguments that verbs share, and the values of options."""

from __future__ import annotations

import argparse
from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import ceil
from typing import Any, Final, TypeVar

from viewer.cli.usage.values import Value, takes
from viewer.cli.usage.verbs import RESULTS
from viewer.errors import UsageError
from viewer.operations.arguments import FINITE, GROUPS, LODS
from viewer.translation import Text, _

Given = TypeVar("Given")
Parsed = TypeVar("Parsed")
STANDARD: Final = "-"
"""The path of standard input and of standard output."""
JSON: Final = "--json"
JSON_HELP: Final = _('print one JSON document; after a failure {"error": ...}')
CSV, TSV = TABLES = ("csv", "tsv")
"""Forms of a table for other programs."""
ADDRESS: Final = _(
    "a file, or an entry of an archive: archive::name or archive::#index; - is standard input; "
    "'*.rlb::*.msh' in quotes: every match"
)


FOLDER_OR_ADDRESS: Final = _("a folder, {address}", address=ADDRESS)


def add_address(parser: argparse.ArgumentParser) -> None:
    """Add the address to read from."""
    takes(parser.add_argument("address", metavar="PATH[::ENTRY]", help=ADDRESS), Value.ADDRESS)


def add_paths(parser: argparse.ArgumentParser, what: str, metavar: str = "PATH[::ENTRY]") -> None:
    """Add the inputs, one or more."""
    takes(parser.add_argument("addresses", nargs="+", metavar=metavar, help=what), Value.ADDRESS)


def add_addresses(parser: argparse.ArgumentParser, what: str = ADDRESS, nargs: str = "+") -> None:
    """Add the addresses to read from."""
    takes(
        parser.add_argument(
            "addresses",
            nargs=nargs,
            metavar="PATH[::ENTRY]",
            help=_(
                '{what}; of several, --json prints {{"results": [...]}}, with an "error" for each that fails',
                what=what,
            ),
        ),
        Value.ADDRESS,
    )
    add_results(parser)


def add_results(parser: argparse.ArgumentParser) -> None:
    """Add the choice of the form that several inputs have."""
    parser.add_argument(
        RESULTS, action="store_true", help="print one input in the form of several, for scripts"
    )


def add_out(
    parser: argparse.ArgumentParser,
    metavar: str,
    what: str,
    *,
    is_required: bool = True,
    value: Value = Value.FILE,
) -> None:
    """Add the path to write to, of a file or of a folder."""
    takes(
        parser.add_argument(
            "-o", "--output", dest="out", type=output_name, metavar=metavar, required=is_required, help=what
        ),
        value,
    )
    parser.add_argument(
        "--no-clobber", action="store_true", help="refuse to replace what exists already under that name"
    )


def output_name(text: str) -> str:
    """The value of an option that names a file to write."""
    if not text:
        raise ArgumentTypeError("the name is empty")
    return text


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the choice between text and JSON."""
    parser.add_argument(JSON, action="store_true", help=JSON_HELP)
    parser.set_defaults(form=None)


def add_forms(parser: argparse.ArgumentParser, rows: str) -> None:
    """Add the choice between text, JSON and a table; `rows` says what the rows of the table are."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(JSON, action="store_true", help=JSON_HELP)
    group.add_argument(
        "--format",
        dest="form",
        choices=TABLES,
        metavar="F",
        help=_(
            "print {rows} as comma- or tab-separated values for spreadsheets and scripts, none as an "
            "empty cell: %(choices)s",
            rows=Text.of(rows),
        ),
    )


ROWS: Final = tuple(map(str, range(LODS)))
AUTO: Final = ("auto", "-1")
"""Values of ``--lod`` for the engine's current LOD."""
DESTROYED: Final = "destroyed"
"""The value of ``--stage`` after the last row."""


def add_cell(parser: argparse.ArgumentParser) -> None:
    """Add the cell of the slot matrix."""
    parser.add_argument(
        "--lod",
        choices=(*ROWS, *AUTO),
        metavar="L",
        help="row of the slot matrix, 0 to 2: 0 intact, 1 damaged, 2 heavily damaged; auto (or -1): the "
        "engine's current LOD, which is --current-lod; the group then follows the size of the model in the "
        "image, except in the seed reading: group 1 below 1/4 of its height, 2 below 1/8, 3 below 1/16 "
        "(thresholds of this program; no source states the game's)",
    )
    parser.add_argument("--current-lod", choices=ROWS, metavar="N", help="row for --lod auto, default 0")
    parser.add_argument(
        "--group",
        type=whole_number,
        choices=range(GROUPS),
        metavar="G",
        help="column of the slot matrix, 0 to 4: 0 near, 1 middle, 2 far, 3 farthest, 4 own view; with "
        "--lod auto the finest group to draw",
    )
    parser.add_argument(
        "--stage",
        choices=(*ROWS, DESTROYED),
        metavar="S",
        help="damage stage: the LOD 0 to 2, also with --lod auto, or destroyed",
    )


def series_of(verb: str, option: str, text: str, what: str, most: int) -> list[float]:
    """The numbers of an option ``A:B:STEP`` or ``A:B``, from A to before B; raises `UsageError`."""
    try:
        start, stop, step = map(number, (text if text.count(":") > 1 else f"{text}:1").split(":"))
        count = max(0, ceil((stop - start) / step)) if step > 0 else 0
    except (ArgumentTypeError, ValueError, OverflowError):
        raise UsageError(
            _("{option} {text!r} is not A:B:STEP", option=option, text=text), source=verb
        ) from None
    check_count(verb, option, count, what, most)
    return [start + step * index for index in range(count)]


def check_count(verb: str, option: str, count: int, what: str, most: int) -> None:
    """Refuse a series of nothing, or of more than can be made; raises `UsageError`."""
    if not 0 < count <= most:
        words = _(
            "{option} makes {count} {what}, not 1 to {most}", option=option, count=count, what=what, most=most
        )
        raise UsageError(words, source=verb)


HOUR: Final = "--hour"
"""The option of a sky's hour."""


def add_hour(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the hour of a sky; `what` says what it is for."""
    parser.add_argument(HOUR, type=hour, metavar="HH:MM", help=what)


def with_given(before: Given, **values: Any) -> Given:
    """A value of a class with the fields that options give; those that are None stay."""
    from msgspec.structs import replace  # noqa: PLC0415 not needed for `--version`

    instance: Any = before
    changed: Given = replace(instance, **{name: it for name, it in values.items() if it is not None})
    return changed


def hour(text: str) -> float:
    """The value of an option that is a time of the day, hours."""
    from viewer.model.sky.clock import hour_of  # noqa: PLC0415 only needed for this option

    return _parsed(hour_of, text, _("{text!r} is not a time from 0:00 to 24:00", text=text))


def within(text: str, least: float, most: float) -> float:
    """The value of an option from a number to another."""
    value = number(text)
    if not least <= value <= most:
        raise ArgumentTypeError(
            _("{text!r} is not within {least:g} to {most:g}", text=text, least=least, most=most)
        )
    return value


def fraction(text: str) -> float:
    """The value of an option from 0 to 1."""
    return within(text, 0, 1)


def whole_number(text: str) -> int:
    """The value of an option that must be an integer."""
    return _parsed(int, text, _("{text!r} is not a whole number", text=text))


def number(text: str) -> float:
    """The value of an option that must be finite, also in single precision."""
    return _parsed(lambda text: FINITE(float(text)), text, _("{text!r} is not a finite number", text=text))


def _parsed(read: Callable[[str], Parsed], text: str, problem: str) -> Parsed:
    """The value of a text; raises its problem if it cannot be read."""
    try:
        return read(text)
    except (ValueError, UsageError):
        raise ArgumentTypeError(problem) from None


def joined(arguments: Sequence[str]) -> list[str]:
    """Arguments with negative numbers joined to their option: argparse takes ``-1e-9`` for an option."""
    result = list(arguments[:1])
    for before, argument in pairwise(arguments):
        if before.startswith("--") and "=" not in before and _is_negative(argument):
            result[-1] = f"{before}={argument}"
        else:
            result.append(argument)
    return result


def _is_negative(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.startswith("-")
