"""Arguments of reading that verbs share: their options are the fields of `ReadingOptions`."""

from __future__ import annotations

from argparse import ArgumentParser

from viewer.cli.usage.option_arguments import add_option
from viewer.operations.given_options import parameters
from viewer.operations.reading_options import USUAL, ReadingOptions


def add_reading(parser: ArgumentParser, unless: str | None = None) -> None:
    """Add how models are read; `unless` says what holds without a reading."""
    _add(parser, *(name for name in parameters(ReadingOptions) if name != "control"), unless=unless)


def add_reading_choice(parser: ArgumentParser) -> None:
    """Add the reading and the folder in which names are looked up."""
    _add(parser, "reading", "game")


def add_game(parser: ArgumentParser) -> None:
    """Add the folder in which names are looked up."""
    _add(parser, "game")


def add_control(parser: ArgumentParser) -> None:
    """Add the controller."""
    _add(parser, "control")


def add_strictness(parser: ArgumentParser) -> None:
    """Add whether damaged input is refused."""
    _add(parser, "strict")


def _add(parser: ArgumentParser, *names: str, unless: str | None = None) -> None:
    for name in names:
        option = parameters(ReadingOptions)[name]
        add_option(parser, option, option.of(USUAL), unless)
