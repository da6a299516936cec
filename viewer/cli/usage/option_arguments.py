"""Arguments of the options that the fields of classes declare."""

from __future__ import annotations

from argparse import Action, ArgumentParser, ArgumentTypeError, Namespace, _ActionsContainer
from collections.abc import Sequence
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

from viewer.cli.usage.arguments import number, whole_number
from viewer.cli.usage.values import Value, takes
from viewer.errors import FormatError, suggestion
from viewer.model.store.address import Address
from viewer.options import SWITCH, Declared, ShellOption
from viewer.translation import Text, _
from viewer.typed_json import usable


def add_option(parser: _ActionsContainer, option: Declared, default: Any, unless: str | None = None) -> None:
    """Add an option as its field declares it; its value is None without it.

    Parameters
    ----------
    default
        What holds without it.
    unless
        What its help says of that.
    """
    shell = option.option.shell
    if shell is None:
        raise ValueError(option.name)
    usual = _usual(default) if shell.usual is None else shell.usual
    words, kind = shell.said(unless or usual), option.value_kind
    more: dict[str, Any] = {"dest": shell.parameter, "default": None, "metavar": shell.metavar}
    if shell.is_flag:
        _add_flag(parser, shell, words)
    elif kind is bool:
        add_switch(parser, shell.name, words, shell.states, dest=shell.parameter)
    elif option.is_set:
        parser.add_argument(shell.name, type=partial(_several, option), help=words, **more)
    elif kind is Path or kind is Address:
        more["metavar"] = "FOLDER" if kind is Path else "PATH[::ENTRY]"
        added = parser.add_argument(shell.name, help=words, **more)
        takes(added, Value.FOLDER if kind is Path else Value.ADDRESS)
    elif issubclass(kind, Enum):
        parser.add_argument(shell.name, choices=[str(it.value) for it in kind], help=words, **more)
    else:
        more["metavar"] = shell.metavar or ("N" if kind is int else "F")
        parser.add_argument(shell.name, type=partial(_number, option), help=words, **more)


def add_switch(
    parser: _ActionsContainer, name: str, what: str, states: tuple[str, str] = SWITCH, dest: str | None = None
) -> None:
    """Add an option that is on or off; the value is None without it.

    Parameters
    ----------
    what
        What is on.
    states
        What is typed for off and on.
    """
    off, on = states
    values = (on, off) if states == SWITCH else (off, on)
    named: dict[str, Any] = {} if dest is None else {"dest": dest}
    parser.add_argument(name, action=_Switch, choices=values, const=on, help=what, **named)


def _add_flag(parser: _ActionsContainer, shell: ShellOption, words: str) -> None:
    more: dict[str, Any] = {"dest": shell.parameter, "default": None}
    if shell.opposite is None:
        action = "store_false" if shell.turns_off else "store_true"
        parser.add_argument(shell.name, action=action, help=words, **more)
        return
    both, (name, other) = parser.add_mutually_exclusive_group(), shell.opposite
    both.add_argument(shell.name, action="store_true", help=words, **more)
    both.add_argument(name, action="store_false", help=other, **more)


def _usual(value: Any) -> Text:
    """The value that holds without an option, in words."""
    if isinstance(value, bool):
        return _("default on") if value else _("default off")
    return _("default {value}", value=value)


class _Switch(Action):
    """Stores whether the value is that of a switch that is on."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Store the value of the option."""
        setattr(namespace, self.dest, values == self.const)


def _several(option: Declared, text: str) -> frozenset[Any]:
    """The choices that are typed, separated by commas."""
    known = {it.typed: it.value for it in option.option.choices if it.is_typed}
    names = text.split(",")
    for name in names:
        if name not in known:
            hint = suggestion(name, known) or _(": it is one of {names}", names=", ".join(known))
            raise ArgumentTypeError(_("{name!r} cannot be shown{hint}", name=name, hint=hint))
    return frozenset(known[name] for name in names)


def _number(option: Declared, text: str) -> float:
    """The number of an option within its bounds."""
    value = whole_number(text) if option.value_kind is int else number(text)
    try:
        usable(option.kind, value)
    except FormatError as error:
        raise ArgumentTypeError(error.message) from None
    return value
