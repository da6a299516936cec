"""``man``: the manual page."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from viewer.cli import output
from viewer.cli.usage.verbs import DONE


def declare(_: ArgumentParser) -> None:
    """Add nothing: there is one page."""


def run(_: Namespace) -> int:
    """Print the page."""
    from viewer.cli.usage import man_page  # noqa: PLC0415 it asks this module for its arguments

    output.write_lines(man_page.lines())
    return DONE
