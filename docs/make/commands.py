"""The page of the command line, made of the declarations of the verbs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from viewer.cli.output import PROGRAM
from viewer.cli.usage.help import overview
from viewer.cli.usage.man import ADDRESSES, ENVIRONMENT
from viewer.cli.usage.parser import Argument, arguments_of, parser_of
from viewer.cli.usage.verbs import DEFAULT_VERB, STATUSES, VERBS

START = f"""\
# Every verb and option

Made of the declarations of the verbs by `make pages`. [The command line](command-line.md) tells how they work
together. Without a verb, `{DEFAULT_VERB}` is meant. {ADDRESSES}
"""


def page() -> str:
    """The whole page."""
    return "\n".join([START, *lines()]) + "\n"


def lines() -> Iterator[str]:
    """The verbs in the order of the help, and what all have in common."""
    shared = arguments_of(overview())
    yield from options("Options of every verb", shared)
    yield from table("Exit status", STATUSES.items())
    yield from table("Environment", ENVIRONMENT.items())
    for name, verb in VERBS.items():
        parser = parser_of(name)
        yield f"## {PROGRAM} {name}\n"
        yield f"{parser.description}\n"
        if verb.found:
            yield f"Exit status 1: {verb.found}.\n"
        lines = [(f"{PROGRAM} {name} {arguments}".rstrip(), does) for arguments, does in verb.examples]
        yield from code(f"{line}  # {does}" for line, does in lines)
        yield from options("", [it for it in arguments_of(parser) if it not in shared])


def options(title: str, arguments: Iterable[Argument]) -> Iterator[str]:
    """The table of some arguments."""
    rows = [(" ".join([*(", ".join(it.names),), it.metavar]).strip(), it.help) for it in arguments]
    yield from table(title, rows)


def table(title: str, rows: Iterable[tuple[object, str]]) -> Iterator[str]:
    """A table of terms and their meanings."""
    kept = [*rows]
    if title:
        yield f"## {title}\n"
    if kept:
        yield from ("|  |  |", "| --- | --- |")
        yield from (f"| `{cell(str(term))}` | {escaped(cell(text))} |" for term, text in kept)
        yield ""


def code(lines: Iterable[str]) -> Iterator[str]:
    """Lines of a shell."""
    yield from ("```sh", *lines, "```", "")


def cell(text: str) -> str:
    """Text as a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def escaped(text: str) -> str:
    """Text without signs that Markdown would act on."""
    return text.replace("*", "\\*").replace("<", "&lt;").replace("_", "\\_")
