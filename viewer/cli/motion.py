"""What a model does in a pose or a picture: the options for clips, channels and the root."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from math import isfinite
from typing import TYPE_CHECKING, Final

from viewer.errors import UsageError, suggestion
from viewer.session.play.playback import Playback, Root

if TYPE_CHECKING:
    from viewer.model.clips.clip import Clip
    from viewer.model.clips.controller import Controller
    from viewer.session.opened.document import Document

NAMES: Final = 12
"""Clips that an error lists."""
LONGEST_INDEX: Final = 9
"""Digits of a number that may be an index."""


def add_root(parser: ArgumentParser, default: str) -> None:
    """Add whether the first node keeps its translation; `default` says what is done without the option."""
    parser.add_argument(
        "--root",
        choices=[*map(str, Root)],
        help="still leaves out the translation of a first node without a parent, as the game does; "
        + default,
    )


def add_control(parser: ArgumentParser) -> None:
    """Add the controller."""
    parser.add_argument(
        "--control",
        metavar="PATH[::ENTRY]",
        help="a controller, instead of the one that the registry names with the model",
    )


def add_clip(parser: ArgumentParser) -> None:
    """Add the clip, the values of channels, and the controller that has them."""
    add_control(parser)
    add = parser.add_argument
    add(
        "--clip",
        metavar="INDEX|NAME",
        help="play this clip of the model's controller, as listed by clips; --time is then seconds into it",
    )
    add(
        "--channel",
        action="append",
        metavar="NODE=VALUE",
        help="set the channel of a node, by its number or name, from 0 to 1; may be repeated. Without it a "
        "clip shows channels at their initial value",
    )


def root(options: Namespace, unless: Root) -> Root:
    """The requested root, or another one."""
    return Root(options.root) if options.root else unless


def playback(options: Namespace, document: Document, unless: Root) -> Playback:
    """What the options play of a document; raises `UsageError` if it has no such clip or channel."""
    clip = None if options.clip is None else _clip(document, options.clip).index
    found = Playback(clip=clip, root=root(options, unless))
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
        raise UsageError(f"--clip {text}: {_without_clip(controller)}{hint}", source=document.address)
    return clip


def _without_clip(controller: Controller) -> str:
    """Why there is no clip of a name."""
    if controller.address is None:
        return "the model has no controller"
    if not controller.clips:
        unread = controller.problem and controller.problem.text
        return unread or f"{controller.address} has no clips"
    names = [clip.name for clip in controller.clips]
    listed = ", ".join(names[:NAMES]) + (", ..." if len(names) > NAMES else "")
    return f"the clips are 0 to {len(names) - 1}: {listed}"


def _channels(document: Document, node: str, text: str) -> list[int]:
    """The channels of a node that is named on the command line."""
    index = int(node) if _is_index(node) else _node_named(document, node)
    if not 0 <= index < document.model.node_count:
        hint = suggestion(node, document.names)
        raise UsageError(f"--channel {text}: the model has no such node{hint}", source=document.address)
    found = [channel.index for channel in document.controller.channels if channel.node == index]
    if not found:
        raise UsageError(f"--channel {text}: no channel drives the node", source=document.address)
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
        value = float(text)
    except ValueError:
        value = float("nan")
    if not (isfinite(value) and 0 <= value <= 1):
        raise UsageError(f"--channel {option} is not NODE=VALUE with a value from 0 to 1")
    return value
