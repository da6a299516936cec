"""``run``: a Python script that finds the library and the opened inputs as names."""

from __future__ import annotations

import sys
import traceback
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from stat import S_ISREG
from types import CodeType, ModuleType
from typing import Any, Final

from viewer.cli import output
from viewer.cli.inputs import expand
from viewer.cli.usage.arguments import STANDARD
from viewer.cli.usage.reading_arguments import add_reading_choice
from viewer.cli.usage.values import Value, takes
from viewer.cli.usage.verbs import DONE, FOUND
from viewer.errors import AddressError, MshviewError, reason_of
from viewer.operations.given_options import given_options
from viewer.operations.reading_options import ReadingOptions
from viewer.translation import _

MAIN: Final = "__main__"


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    takes(
        parser.add_argument(
            "script",
            metavar="PATH.py",
            help="the script; it has the names mshview, the library, and inputs, what is at each PATH, "
            "opened at its first use; sys.argv has the paths; - is standard input",
        ),
        Value.FILE,
    )
    takes(
        parser.add_argument(
            "addresses",
            nargs="*",
            metavar="PATH[::ENTRY]",
            help="what is opened, or other arguments of the script; '*.rlb::*.msh' in quotes: every match",
        ),
        Value.ADDRESS,
    )
    add_reading_choice(parser)


def run(options: Namespace) -> int:
    """Run the script; an error of the library ends it with one line, another one with its traceback."""
    import mshview  # noqa: PLC0415 not needed by other verbs

    text = _text(options.script)
    expand(options)
    inputs = _Inputs(options.addresses, partial(mshview.open, **given_options(ReadingOptions, vars(options))))
    module = ModuleType(MAIN)
    module.__file__ = options.script
    vars(module).update(mshview=mshview, inputs=inputs)
    with _as_main(module, [options.script, *options.addresses]):
        try:
            code = compile(text, options.script, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:  # ValueError: with a NUL
            return _failed(error)
        return _run(code, vars(module))


class _Inputs(Sequence[object]):
    """The inputs, each opened at its first use: another argument may be a file that the script writes."""

    def __init__(self, addresses: Sequence[str], open_one: Callable[[str], object]) -> None:
        self._addresses, self._open = addresses, cache(open_one)

    def __len__(self) -> int:
        return len(self._addresses)

    def __getitem__(self, index: Any) -> Any:
        found = self._addresses[index]
        return [*map(self._open, found)] if isinstance(index, slice) else self._open(found)


def _text(script: str) -> bytes:
    """The source of the script; raises `AddressError`."""
    if script == STANDARD:
        if not sys.stdin:
            raise AddressError("is closed", source=_("standard input"))
        return sys.stdin.buffer.read()
    try:
        path = Path(script)
        if not S_ISREG(path.stat().st_mode):  # a pipe would be waited for
            raise AddressError("is not a file", source=script)
        return path.read_bytes()
    except OSError as error:
        raise AddressError(_("cannot be read: {reason}", reason=reason_of(error)), source=script) from error
    except ValueError as error:  # a name that no file can have
        raise AddressError(_("cannot be read: {reason}", reason=reason_of(error)), source=script) from error


@contextmanager
def _as_main(module: ModuleType, arguments: list[str]) -> Iterator[None]:
    """Let a module be the program: with its arguments, and with modules next to it."""
    before = sys.modules.get(MAIN), sys.argv, [*sys.path]
    sys.modules[MAIN], sys.argv = module, arguments
    sys.path.insert(0, str(Path(arguments[0]).absolute().parent))
    try:
        yield
    finally:
        main, sys.argv, sys.path[:] = before
        if main is not None:
            sys.modules[MAIN] = main


def _run(code: CodeType, names: dict[str, Any]) -> int:
    try:
        exec(code, names)
    except (MshviewError, BrokenPipeError):
        raise
    except SystemExit as end:
        return _status(end.code)
    except Exception as error:  # noqa: BLE001 of the script, which may raise any
        return _failed(error)
    return DONE


def _status(code: object) -> int:
    """The exit status that Python gives a script: a text is printed."""
    if code is None:
        return DONE
    if isinstance(code, int):
        return code & 0xFF
    _write(f"{code}\n")
    return FOUND


def _failed(error: BaseException) -> int:
    """Print the traceback of the script, without what has called it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    _write("".join(traceback.format_exception(error.with_traceback(trace))))
    return FOUND


def _write(text: str) -> None:
    output.clear_status()
    output.relay("", text)
