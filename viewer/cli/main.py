"""The command line: selects a verb and catches errors once. Imports heavy modules only when needed."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Final

from viewer.cli import output
from viewer.cli.output import PROGRAM, Verbosity
from viewer.cli.usage.arguments import joined
from viewer.cli.usage.configuration import Configuration
from viewer.cli.usage.help import write_overview
from viewer.cli.usage.parser import is_help_requested, is_version_requested, parser_of
from viewer.cli.usage.verbs import DEFAULT_VERB, DONE, FAILED, INTERRUPTED, READER_LEFT, VERBS, module_of
from viewer.errors import MshviewError, UsageError, error_text, suggestion
from viewer.resources import use_language
from viewer.translation import ENGLISH, _
from viewer.version import VERSION

LINK: Final = f"{PROGRAM}:"
"""Beginning of a state link; a browser hands it over without a verb."""
LONG_LIVED: Final = (DEFAULT_VERB, "bench")
"""Verbs that collect cyclic garbage as often as Python does by default."""


def main(arguments: Sequence[str] | None = None, usual: tuple[int, int, int] | None = None) -> int:
    """Run the program with `arguments`, by default those of the process, and return its exit status.

    Parameters
    ----------
    usual
        The thresholds of Python for collecting garbage, if the caller has changed them.
    """
    output.prepare()
    try:
        use_language()
        return _run(list(sys.argv[1:] if arguments is None else arguments), usual)
    except MshviewError as error:
        return _failed(str(error))
    except MemoryError:
        return _failed(_("not enough memory"))
    except BrokenPipeError:
        output.abandon()
        return READER_LEFT
    except OSError as error:
        return _failed(error_text(error))
    except KeyboardInterrupt:
        return INTERRUPTED


def _failed(text: str) -> int:
    """Print why the program failed; the reader of its JSON document may have left."""
    try:
        output.write_failure(text)
    except BrokenPipeError:
        output.abandon()
        return READER_LEFT
    return FAILED


def _run(arguments: list[str], usual: tuple[int, int, int] | None) -> int:
    name, rest = _verb(arguments)
    if is_help_requested(rest):
        if name in arguments:
            parser_of(name).write_help()
        else:
            write_overview()
        return DONE
    if is_version_requested(name, rest):
        output.write_lines([f"{PROGRAM} {VERSION}"])
        return DONE
    if usual is not None and name in LONG_LIVED:
        gc.set_threshold(*usual)
    return _run_verb(name, joined(rest))


def _verb(arguments: list[str]) -> tuple[str, list[str]]:
    """The verb and its arguments; options may stand before the verb."""
    options = [*takewhile(lambda argument: argument.startswith("-"), arguments)]
    if len(options) == len(arguments):
        return DEFAULT_VERB, options
    first, *others = arguments[len(options) :]
    if first in VERBS:
        return first, [*options, *others]
    if "::" in first or first.startswith(LINK) or _may_be_path(first):
        return DEFAULT_VERB, arguments
    hint = suggestion(first, VERBS)
    message = _("{first!r} is neither a verb nor a file{hint}; see 'mshview --help'", first=first, hint=hint)
    raise UsageError(message, source=_("command line"))


def _may_be_path(text: str) -> bool:
    """Whether a text is a path that exists, or one that the system refuses to look at."""
    try:
        return bool(text) and Path(text).exists()
    except OSError:
        return True
    except ValueError:
        return False


def _run_verb(name: str, arguments: list[str]) -> int:
    parser = parser_of(name)
    if parser.is_json_requested(arguments):
        use_language(ENGLISH)  # what programs read
        output.expect_document(name)
    found = Configuration() if parser.is_unconfigured(arguments) else Configuration.found()
    options = parser.parse(arguments, found.settings(name, parser.options), found.problems.append)
    if getattr(options, "json", False) or getattr(options, "form", None):
        use_language(ENGLISH)
    output.expect_document(name if getattr(options, "json", False) else "")
    is_loud = Verbosity.VERBOSE if options.verbose else Verbosity.NORMAL
    output.choose(Verbosity.QUIET if options.quiet else is_loud)
    for problem in found.problems:
        output.write_warning(problem)
    for path in found.paths if output.is_verbose() else ():
        output.write_hint(_("{path}: options that are not on the command line are taken from it", path=path))
    try:
        run = module_of(name).run
        if getattr(options, "watch", False):
            from viewer.cli import watching  # noqa: PLC0415 rarely needed

            watching.run(options, run)
        return run(options)
    finally:
        output.choose(Verbosity.NORMAL)
