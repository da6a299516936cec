"""``open``: the window; without a display, if the caller requests it, an image of its first view."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from viewer.cli import output
from viewer.cli.picturing import drawing, effect_options
from viewer.cli.usage.arguments import number
from viewer.cli.usage.reading_arguments import add_reading
from viewer.cli.usage.values import Value, takes
from viewer.cli.usage.verbs import DONE, FAILED
from viewer.diagnostics import Diagnostic
from viewer.errors import AddressError, MshviewError, Severity, UsageError, error_text
from viewer.translation import _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from viewer.control.editing.console import WindowFiles
    from viewer.control.opening.loading import StartOptions
    from viewer.control.settings.settings_damage import SettingsDamage

PREVIEW: Final = "MSHVIEW_PREVIEW"
"""Environment variable with the file to write without a display; ``make run`` sets it."""


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    takes(
        parser.add_argument(
            "addresses",
            nargs="*",
            metavar="PATH[::ENTRY]",
            help="models, effects, archives, folders, or links that the View menu copied (mshview:open?...), "
            "each in a tab; by default the bundled sample",
        ),
        Value.ADDRESS,
    )
    parser.add_argument(
        "--state",
        metavar="LINK",
        help="look at a model as such a link says; with PATH, at that copy of its file",
    )
    parser.add_argument(
        "--new-window",
        action="store_true",
        help="open a window of its own; by default what is named opens in the window that is open already",
    )
    drawing.declare(parser, drawing.LAST)
    effect_options.declare(parser)
    parser.add_argument("--size", type=number, metavar="S", help="size of an effect in the world, default 1")
    parser.add_argument("--time", type=number, metavar="T", help="stop an effect T seconds after it was made")
    add_reading(parser, _("by default as chosen for this file in the window, else auto"))


def run(options: Namespace) -> int:
    """Open the window and return when it is closed; without a display fail, or write an image."""
    given = [*_given(options)]
    try:
        if not has_display():
            return _preview(given[0], _("there is no display"))
        return _open(given, is_shared=not options.new_window)
    except FileNotFoundError as error:
        raise AddressError(error_text(error)) from error


def has_display() -> bool:
    """Whether a display seems to be available."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _given(options: Namespace) -> Iterator[StartOptions]:
    """Yield the request of each path and link; raises `UsageError` for what is wrong in the options."""
    from msgspec.structs import replace  # noqa: PLC0415 not needed for the help

    from viewer.cli.inputs import reading_options, single  # noqa: PLC0415 not needed for the help
    from viewer.control.opening.loading import StartOptions  # noqa: PLC0415
    from viewer.model.store.file_store import FileStore  # noqa: PLC0415
    from viewer.operations.given_options import checked_options, given_options  # noqa: PLC0415
    from viewer.operations.reading_options import ReadingOptions  # noqa: PLC0415
    from viewer.session.view.state_link import SCHEME, StateLink  # noqa: PLC0415

    reading_options(options)
    effect_options.check("open", options, options.time or 0.0)
    if options.state is not None and len(options.addresses) > 1:
        raise UsageError("goes with one PATH", source="--state")
    state = None if options.state is None else StateLink.parse(options.state)
    for text in options.addresses or [None]:
        is_link = text is not None and text.startswith(SCHEME)
        link = StateLink.parse(text) if is_link else state
        address = None if is_link or text is None else single(FileStore(), text)
        reading = given_options(ReadingOptions, vars(options))
        if link is not None:
            link = link if address is None else link.within(address)
            address = link.address
            typed = {name: it for name, it in reading.items() if name in link.given}
            link = replace(link, given={**link.given, **typed})
        yield StartOptions(
            address,
            checked_options(ReadingOptions, reading),
            partial(drawing.applied, options),
            partial(effect_options.staged, options),
            link,
            _names,
        )


def _names(files: WindowFiles) -> Mapping[str, Any]:
    """The library, which works on the files of the window from now on."""
    import mshview  # noqa: PLC0415 not needed before the console is used
    from mshview import workspace  # noqa: PLC0415

    workspace.use(files)
    return {"mshview": mshview}


def _open(given: Sequence[StartOptions], *, is_shared: bool) -> int:
    from viewer.app.platform import single_window  # noqa: PLC0415 not needed without a display
    from viewer.control.settings import settings_file  # noqa: PLC0415

    received = single_window.Received(given[1:])
    with ExitStack() as stack:
        if is_shared:
            place = single_window.place_of(settings_file.default_path())
            is_first = stack.enter_context(single_window.claimed(place))
            if not is_first and single_window.hand_over(place, [it.absolute for it in given]):
                output.confirm([_("opened in the window that is open already")])
                return DONE
            if is_first:  # listens before the window is there, so that others find it at once
                stack.enter_context(single_window.listening(place, received))
        try:
            from viewer.app.platform import window  # noqa: PLC0415 loaded while others can reach this one
        except ImportError as error:  # the library of the window, or one that it needs
            return _preview(given[0], _("no window can be opened: {error}", error=error))
        try:
            return window.run(given[0], lost=_leave_without_display, received=received)
        except window.DisplayError as error:
            return _preview(given[0], error.message)


def _leave_without_display() -> None:
    """End the process at once: whatever else it did would use the display that is gone."""
    from viewer.app.platform.window import LOST  # noqa: PLC0415

    output.write_error(str(LOST))
    os._exit(FAILED)


def _preview(given: StartOptions, reason: str) -> int:
    """Write the image that the environment requests; no file is written that nobody has named."""
    path = os.environ.get(PREVIEW)
    if not path:
        raise MshviewError(
            _("{reason}; 'mshview render PATH -o OUT.png' renders without one", reason=reason), source="open"
        )
    from viewer.cli.picturing import preview  # noqa: PLC0415
    from viewer.control.settings import settings_file  # noqa: PLC0415 not needed with a display

    stored = settings_file.default_path()

    def warn(damage: SettingsDamage) -> None:
        output.write_warnings(str(stored), [Diagnostic("", Severity.WARNING, damage.message)])

    remembered = settings_file.load(stored, warn)
    address = preview.save(given, remembered, Path(path))
    output.note_written()
    output.confirm([_("{reason}: rendered {address} to {path}", reason=reason, address=address, path=path)])
    return 0
