"""``man``: the manual page in roff, made from the declarations of the verbs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from viewer.cli import output
from viewer.cli.output import PROGRAM
from viewer.cli.usage.help import DESCRIPTION, overview
from viewer.cli.usage.parser import USAGE, Argument, Parser, arguments_of, parser_of
from viewer.cli.usage.verbs import DEFAULT_VERB, DONE, FOUND, STATUSES, VERBS
from viewer.translation import _, translated
from viewer.version import VERSION

ADDRESSES: Final = _(
    "PATH is a file, PATH::ENTRY an entry of an archive, found by its name without regard to case, "
    "and PATH::#N the entry with the directory index N. "
    "Entries of archives inside archives follow in the same way."
)
ENVIRONMENT: Final = {"NO_COLOR": _("if it is set to anything, nothing is printed in color.")}


def declare(_parser: ArgumentParser) -> None:
    """Add no arguments: there is one page."""


def run(_options: Namespace) -> int:
    """Print the manual page."""
    output.write_lines(lines())
    return DONE


def lines() -> Iterator[str]:
    """The page, line by line."""
    title = _("User Commands")
    yield f'.TH {PROGRAM.upper()} 1 "" "{PROGRAM} {_text(VERSION)}" "{title}"'
    yield ".nh"
    yield ".ad l"
    yield from _section(_("NAME"), [f"{PROGRAM} \\- {_text(translated(DESCRIPTION).rstrip('.'))}"])
    yield from _section(_("SYNOPSIS"), _synopses())
    yield from _section(_("DESCRIPTION"), [_text(_("Without a verb, {verb} is meant.", verb=DEFAULT_VERB))])
    yield from _section(_("ADDRESSES"), [_text(ADDRESSES)])
    yield from _section(_("OPTIONS OF EVERY VERB"), _options(arguments_of(overview())))
    yield from _section(_("VERBS"), [])
    shared = arguments_of(overview())
    for name in VERBS:
        yield from _verb(name, parser_of(name), shared)
    found = "; ".join(f"{name}: {translated(verb.found)}" for name, verb in VERBS.items() if verb.found)
    statuses = STATUSES | {FOUND: f"{STATUSES[FOUND]} ({found})"}
    yield from _section(_("EXIT STATUS"), _definitions({str(it): text for it, text in statuses.items()}))
    yield from _section(_("ENVIRONMENT"), _definitions(ENVIRONMENT))


def _synopses() -> Iterator[str]:
    yield f".B {PROGRAM}"
    yield f"[\\fIPATH\\fR[::\\fIENTRY\\fR]] [\\fI{_('options')}\\fR]"
    yield ".br"
    yield f".B {PROGRAM}"
    yield f"\\fIVERB\\fR [\\fI{_('arguments')}\\fR] [\\fI{_('options')}\\fR]"


def _verb(name: str, parser: Parser, shared: Iterable[Argument]) -> Iterator[str]:
    yield f".SS {PROGRAM} {_text(name)}"
    yield _text(parser.description or "")
    yield ".PP"
    yield _text(" ".join(parser.format_usage().removeprefix(translated(USAGE)).split()))
    yield from _options(argument for argument in arguments_of(parser) if argument not in shared)
    for arguments, does in VERBS[name].examples:
        yield ".PP"
        words = translated(does)
        yield _text(f"{words[:1].upper()}{words[1:]}:")
        yield ".PP"
        yield ".nf"
        yield ".RS"
        yield _text(f"{PROGRAM} {name} {arguments}".rstrip())
        yield ".RE"
        yield ".fi"


def _options(arguments: Iterable[Argument]) -> Iterator[str]:
    for argument in arguments:
        names = ", ".join(f"\\fB{_text(name)}\\fR" for name in argument.names)
        yield ".TP"
        yield f"{names} \\fI{_text(argument.metavar)}\\fR".strip() if argument.metavar else names
        yield _text(argument.help)


def _definitions(texts: Mapping[str, str]) -> Iterator[str]:
    for term, text in texts.items():
        yield ".TP"
        yield f".B {_text(term)}"
        yield _text(text)


def _section(title: str, content: Iterable[str]) -> Iterator[str]:
    yield f'.SH "{title}"'
    yield from content


def _text(text: str) -> str:
    """Text without anything that roff would act on."""
    escaped = (
        translated(text).replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    )
    return f"\\&{escaped}" if escaped.startswith(".") else escaped
