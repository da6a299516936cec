"""Options of drawing an image that ``render``, ``open`` and others share, applied to a view."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from itertools import groupby
from typing import TYPE_CHECKING, Final

import numpy as np
from msgspec.structs import replace

from viewer.cli import output
from viewer.cli.picturing import lighting, machinery
from viewer.cli.usage.arguments import AUTO, DESTROYED, ROWS, fraction, number
from viewer.cli.usage.option_arguments import add_option
from viewer.cli.usage.reading_arguments import add_control
from viewer.cli.usage.values import Value, takes
from viewer.diagnostics import Diagnostic
from viewer.errors import Severity, UsageError, suggestion
from viewer.model.mesh.shown import OWN_VIEW, CellRule, Cutaway
from viewer.operations.given_options import parameters, with_options
from viewer.options import Declared
from viewer.session.play.playback import Fade, Playback, Root
from viewer.session.view.options.overlays import Overlay
from viewer.session.view.view_state import ViewState
from viewer.translation import _

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from viewer.model.clips.clip import Clip
    from viewer.model.clips.controller import Controller
    from viewer.session.opened.document import Document

LAST: Final = _("by default as in the window last")
"""The default of every option of ``open``."""
NAMES: Final = 12
"""Clips that an error lists."""
LONGEST_INDEX: Final = 9
"""Digits of a number that may be an index."""


def add_view_option(parser: ArgumentParser, option: Declared, unless: str | None = None) -> None:
    """Add an option of a view; `unless` says what holds without it."""
    add_option(parser, option, option.of(ViewState()), unless)


def add_clip(parser: ArgumentParser) -> None:
    """Add the clip, the values of channels, and the controller that has them."""
    add_control(parser)
    add = parser.add_argument
    takes(
        add(
            "--clip",
            metavar="INDEX|NAME",
            help="play this clip of the model's controller, as listed by clips; --time is then seconds "
            "into it",
        ),
        Value.CLIP,
    )
    takes(
        add(
            "--channel",
            action="append",
            metavar="NODE=VALUE",
            help="set the channel of a node, by its number or name, from 0 to 1; may be repeated. Without "
            "it a clip shows channels at their initial value",
        ),
        Value.CHANNEL,
    )


def add_explode(parser: ArgumentParser) -> None:
    """Add how far the parts of a unit are apart."""
    parser.add_argument(
        "--explode",
        type=number,
        default=0.0,
        metavar="F",
        help="a unit with its parts apart: by this multiple of the distance of their centers",
    )


def add_blend(parser: ArgumentParser) -> None:
    """Add the second time or clip, and its weight."""
    add = parser.add_argument
    takes(
        add(
            "--clip-b",
            metavar="INDEX|NAME",
            help="blend --clip with this clip, which is as far into its length as the other, or at --time-b",
        ),
        Value.CLIP,
    )
    add(
        "--time-b",
        type=number,
        metavar="T2",
        help="second time, to blend with: a frame, with --clip-b seconds into that",
    )
    add(
        "--blend",
        type=fraction,
        metavar="B",
        help="weight of the second time or clip, 0 to 1: 0 shows the first alone, 1 the second",
    )


def check_blend(verb: str, options: Namespace, *, has_clip: bool) -> None:
    """Refuse a second time or clip without its weight or without a first one; raises `UsageError`."""
    if options.clip_b is not None:
        if not has_clip:
            raise UsageError("--clip-b needs --clip", source=verb)
        if options.blend is None:
            raise UsageError("--clip-b needs --blend", source=verb)
        return
    if (options.time_b is None) != (options.blend is None):
        raise UsageError("--time-b and --blend require each other", source=verb)
    if has_clip and options.time_b is not None:
        raise UsageError("--clip with --time-b needs --clip-b", source=verb)


def root(options: Namespace, unless: Root) -> Root:
    """The requested root, or another one."""
    return Root(options.root) if options.root else unless


def playback(options: Namespace, document: Document, unless: Root) -> Playback:
    """The playback of a document by the options; raises `UsageError` without such a clip or channel."""
    clip = None if options.clip is None else _clip(document, options.clip).index
    found, time = Playback(clip=clip, root=root(options, unless)), options.time_b
    if options.clip_b is not None:
        other = _clip(document, options.clip_b).index
        found = replace(found, fade=Fade(other, time or 0.0, options.blend, is_in_step=time is None))
    elif time is not None:
        found = replace(found, blend=(time, options.blend))
    for text in options.channel or ():
        node, sign, number = text.rpartition("=")
        value = _value(number if sign else "", text)
        for channel in _channels(document, node, text):
            found = found.with_channel(channel, value)
    return found


def _clip(document: Document, text: str) -> Clip:
    """The clip of an index or a name."""
    controller = document.controller
    clip = controller.clip(int(text)) if _is_index(text) else controller.clip_named(text)
    if clip is None:
        hint = suggestion(text, [known.name for known in controller.clips])
        words = _(
            "clip {text}: {without_clip}{hint}", text=text, without_clip=_without_clip(controller), hint=hint
        )
        raise UsageError(words, source=document.address)
    return clip


def _without_clip(controller: Controller) -> str:
    """Words about the clips of a controller, for a name that none of them has."""
    if controller.address is None:
        return _("the model has no controller")
    if not controller.clips:
        unread = controller.problem and controller.problem.text
        return unread or _("{address} has no clips", address=controller.address)
    names = [clip.name for clip in controller.clips]
    listed = ", ".join(names[:NAMES]) + (", ..." if len(names) > NAMES else "")
    return _("the clips are 0 to {count}: {listed}", count=len(names) - 1, listed=listed)


def _channels(document: Document, node: str, text: str) -> list[int]:
    """The channels of a node that is named on the command line."""
    index = int(node) if _is_index(node) else _node_named(document, node)
    if not 0 <= index < document.model.node_count:
        hint = suggestion(node, document.names)
        words = _("--channel {text}: the model has no such node{hint}", text=text, hint=hint)
        raise UsageError(words, source=document.address)
    found = [channel.index for channel in document.controller.channels if channel.node == index]
    if not found:
        raise UsageError(
            _("--channel {text}: no channel drives the node", text=text), source=document.address
        )
    return found


def _is_index(text: str) -> bool:
    return text.isdecimal() and len(text) <= LONGEST_INDEX


def _node_named(document: Document, name: str) -> int:
    """The first node of a name, ignoring case if no node has exactly that name; -1 without one."""
    if name and name in document.names:
        return document.names.index(name)
    folded = [known.casefold() for known in document.names]
    return folded.index(name.casefold()) if name and name.casefold() in folded else -1


def _value(text: str, option: str) -> float:
    try:
        return fraction(text)
    except ArgumentTypeError:
        words = "--channel {option} is not NODE=VALUE with a value from 0 to 1"
        raise UsageError(_(words, option=option)) from None


def declare(parser: ArgumentParser, unless: str | None = None, without: Sequence[str] = ()) -> None:
    """Add the options, but for some; `unless` replaces the defaults in their help."""
    after: Mapping[str, Callable[[ArgumentParser, str | None], None]] = {
        "drawn": _declare_portals,
        "lighting": lighting.declare,
        "playback": machinery.declare,
    }
    for group, options in groupby(parameters(ViewState).items(), lambda it: it[1].path[0]):
        for name, option in options:
            if name not in without:
                add_view_option(parser, option, unless)
        if group in after:
            after[group](parser, unless)
    parser.add_argument(
        "--ground-uv", metavar="N", help="does nothing: coordinates of a terrain are divided by 1024"
    )


def _declare_portals(parser: ArgumentParser, _unless: str | None) -> None:
    parser.add_argument(
        "--portals",
        action="store_true",
        default=None,
        help="show all portals between rooms, see-through: doorways (blue) and open ones (amber), which "
        "the game does not draw, and signs (green), which are drawn anyway",
    )


def declare_parts(parser: ArgumentParser, default: str) -> None:
    """Add how the parts of a model are chosen; `default` says what holds without ``--cells``."""
    for option in parameters(ViewState).values():
        if option.option.shell is not None and option.option.shell.is_listed:
            add_view_option(parser, option, default)


def applied(options: Namespace, view: ViewState) -> ViewState:
    """`view` with what the options say; what they leave out stays."""
    view = with_options(view, vars(options))
    overlays = view.overlays | {Overlay.PORTALS} if options.portals else view.overlays
    turning = machinery.applied(options, view.playback.machinery)
    if options.ground_uv is not None:
        output.write_warning(
            str(_("--ground-uv does nothing any more: coordinates of a terrain are divided by 1024"))
        )
    return replace(
        view,
        lighting=lighting.applied(options, view.lighting),
        overlays=overlays,
        playback=replace(view.playback, machinery=turning),
    )


def asked_for(verb: str, options: Namespace, view: ViewState) -> ViewState:
    """`view` in the cell and at the LOD that the options name, by default the first."""
    lod, stage, current = options.lod, options.stage, options.current_lod
    is_auto, is_destroyed = lod in AUTO, stage == DESTROYED
    if stage is not None and lod not in (None, *AUTO, stage):
        raise UsageError(
            _("--lod {lod} and --stage {stage} name different LODs", lod=lod, stage=stage), source=verb
        )
    if current is not None and (not is_auto or stage not in (None, DESTROYED, current)):
        why = (
            _("is for --lod auto")
            if not is_auto
            else _("and --stage {stage} name different LODs", stage=stage)
        )
        raise UsageError(_("--current-lod {current} {why}", current=current, why=why), source=verb)
    if is_destroyed and view.drawn.cells is CellRule.EXACT:
        raise UsageError("--stage destroyed needs --cells game", source=verb)
    if view.drawn.is_own_view and (is_auto or options.group not in (None, OWN_VIEW)):
        given = f"--lod {lod}" if is_auto else f"--group {options.group}"
        words = _("--own-view is group {own_view}, {given} another one", own_view=OWN_VIEW, given=given)
        raise UsageError(words, source=verb)
    row = int(next((it for it in (stage, lod, current) if it in ROWS), 0))
    drawn = replace(view.drawn, has_auto_detail=is_auto, is_destroyed=is_destroyed)
    return replace(view, lod=row, group=options.group or 0, drawn=drawn)


def warn_if_empty(document: Document, view: ViewState) -> None:
    """Say so if a view shows nothing, and which cells would show something."""
    if document.shown(view).triangle_count:
        return
    filled = ", ".join(str(tuple(cell)) for cell in np.argwhere(document.triangle_counts > 0).tolist())
    cell = document.cell_names.cell(view.parts.lod, view.parts.group)
    what = _("the destroyed model") if view.drawn.is_destroyed else cell
    if view.drawn.cutaway is Cutaway.INSIDE:
        what = _("{what} with internal parts only", what=what)
    elif view.drawn.cutaway is Cutaway.OUTSIDE:
        what = _("{what} with external parts only", what=what)
    message = _(
        "{what} draws nothing; the model has geometry in the cells {filled}",
        what=what,
        filled=filled or _("(none)"),
    )
    output.write_warnings(document.address, [Diagnostic("", Severity.WARNING, message)])
