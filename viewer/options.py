"""Declarations of what a user chooses: of a view, of reading and of an export, and of what is remembered.

Each is said once, where its field is: ``Annotated[bool, Option(...)]`` says what the field is called in the
shell, in the library, in menus and panels, in the settings file and in state links, and how long its value
lasts. `options_of` finds the declarations of a class and of the classes of its fields; everything else
follows from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum, IntEnum
from functools import cache, reduce
from types import NoneType, UnionType
from typing import Annotated, Any, Final, NamedTuple, TypeVar, Union, get_args, get_origin

from msgspec import Struct
from msgspec.structs import replace

from viewer.translation import Text, _
from viewer.typed_json import Limits, is_record, types_of

Value = TypeVar("Value")
OF_SETTINGS: Final = "settings.display"
OF_TEXTURE_SETTINGS: Final = "settings.textures"
"""Sections of the settings window."""
SWITCH: Final = ("off", "on")
"""The values of a switch in the shell: off and on."""


class Lifetime(IntEnum):
    """Lifetime of a value of a view, from short to long."""

    DOCUMENT = 0
    """As long as the document is shown."""
    TAB = 1
    """As long as the tab is open."""
    PROGRAM = 2
    """As long as the program runs: all tabs have the same value."""


class Needed(Enum):
    """The kinds of content of the active tab that an option needs."""

    TAB = "tab"
    """Any content."""
    STAGE = "stage"
    """Content that is shown in space."""
    MODELS = "models"
    """A model or a unit."""
    MODEL = "model"


class MenuEntry(Struct, frozen=True):
    """The action of a menu, of keys and of the command palette that switches an option.

    An option of choices has one for each, with the value behind the id: ``view.background.dark``.

    Attributes
    ----------
    id
        Its name in every language and version: ``view.light.fog``.
    keys
        Key chords separated by spaces.
    menu
        Id of its menu; by default what stands before the last dot of the ids.
    needs
        What must be open for it.
    begins_group
        Whether a line is drawn above it, of choices above the first.
    title
        Of choices: the title of each, in which ``{value}`` stands for that of its value.
    """

    id: str
    keys: str = ""
    menu: str = ""
    needs: Needed = Needed.STAGE
    begins_group: bool = False
    title: Text | None = None


class ShellOption(Struct, frozen=True):
    """The option of verbs of the shell, and the keyword of the library.

    Attributes
    ----------
    name
        As it is typed: ``--fog``; a switch that turns its field off is called ``--no-...``.
    words
        What it does; ``{unless}`` stands for what holds without it.
    usual
        What holds without it, if that is not the default of the field.
    is_flag
        It has no value: it is there or not.
    opposite
        Of a flag: another one that turns the field off, with what it does.
    states
        Of a switch with a value: those for off and on.
    is_listed
        Verbs that list what is drawn have it too.
    metavar
        What stands for its values in the usage; by default they are listed there.
    keyword
        Its name in Python, if that is not the one in the shell: ``textures`` for ``--no-textures``.
    """

    name: str
    words: Text
    usual: Text | None = None
    is_flag: bool = False
    opposite: tuple[str, Text] | None = None
    states: tuple[str, str] = SWITCH
    is_listed: bool = False
    metavar: str | None = None
    keyword: str = ""

    @property
    def parameter(self) -> str:
        """The name of the option in Python: ``own_view``."""
        return self.keyword or self.name.lstrip("-").replace("-", "_")

    @property
    def turns_off(self) -> bool:
        """Whether it is a flag that turns its field off."""
        return self.is_flag and self.name.startswith("--no-")

    def typed(self, value: Any) -> str:
        """The option as it is typed for a value: of a flag with an opposite one of the two."""
        return self.opposite[0] if self.opposite is not None and value is False else self.name

    def said(self, unless: str) -> Text:
        """The words of its help, with what holds without it."""
        if "{unless}" not in self.words.template:
            return self.words
        # With values of its own the name in doubled braces is what those leave.
        return (
            Text(str(self.words).format(unless=unless))
            if self.words.values
            else _(self.words.template, unless=unless)
        )


Obstacle = Callable[[Any, Any], "Text | str"]
"""Reason for which a switch changes nothing, of a `ViewState` and the `Document` that is open or None; empty
if it changes something."""
Settled = Callable[[Any, Any], Any]
"""A value of a class before and after one of its fields was chosen, to one with what follows from that."""


class OptionChoice(Struct, frozen=True):
    """A value of an option that has a few.

    Attributes
    ----------
    title
        What it is called on screen.
    hint
        The line of its tooltip.
    icon
        The name of its icon, as Font Awesome has it.
    obstacle
        Why it shows nothing of a model; it is not asked without one.
    keys
        Key chords that switch it, if the option has several values at once.
    is_typed
        The shell and the library have it.
    """

    value: Any
    title: Text
    hint: Text | str = ""
    icon: str = ""
    obstacle: Obstacle | None = None
    keys: str = ""
    is_typed: bool = True

    @property
    def typed(self) -> str:
        """The value as it is typed in the shell, if the option has several at once: ``slot-bounds``."""
        return str(self.value).replace("_", "-")


class Option(Struct, frozen=True):
    """The declaration of a field.

    Attributes
    ----------
    title
        What it is called on screen; empty if it is not there, or not by itself.
    hint
        The lines of its tooltip.
    lasts
        How long its value lasts; a field without an option lasts as long as the document.
    stored
        Its name in the settings file, ``speed`` or ``lighting.has_fog``; empty if it is not remembered.
    link
        Its name in state links; empty if they leave it out.
    choices
        Its values, if it is no switch; of a set those that may be in it, each of which is a switch.
    action
        What switches it from menus; None for nothing.
    section
        The place among panels and windows where it has a check box or its choices: ``light.sky``.
    has_button
        The toolbar has it: a switch as a button, choices with icons as one that goes from each to the next,
        others as a list.
    icon
        The name of the icon of a switch, as Font Awesome has it.
    label
        What that says, or stands next to the choices, if it is not the title.
    shell
        Its option in the shell; None for none.
    obstacle
        Why it cannot be switched.
    settles
        What follows from a choice by the user in the class that has the field; None for nothing.
    moves_camera
        The camera is placed anew after it was switched.
    outlives_reset
        The value stays when the settings are reset.
    """

    title: Text | str = ""
    hint: tuple[Text, ...] = ()
    lasts: Lifetime = Lifetime.PROGRAM
    stored: str = ""
    link: str = ""
    choices: tuple[OptionChoice, ...] = ()
    action: MenuEntry | None = None
    section: str = ""
    has_button: bool = False
    icon: str = ""
    label: Text | str = ""
    shell: ShellOption | None = None
    obstacle: Obstacle | None = None
    settles: Settled | None = None
    moves_camera: bool = False
    outlives_reset: bool = False


class Declared(NamedTuple):
    """A field with an option.

    Attributes
    ----------
    path
        The attributes that lead to it from a value of the class: ``("lighting", "has_fog")``.
    kind
        Its type, with the bounds of its values.
    """

    path: tuple[str, ...]
    kind: Any
    option: Option

    @property
    def name(self) -> str:
        """The attributes with dots: ``lighting.has_fog``."""
        return ".".join(self.path)

    @property
    def key(self) -> str:
        """The id of the controls, the same in every language; choices have one action each."""
        action = None if self.option.choices else self.option.action
        return self.path[-1] if action is None else action.id.rpartition(".")[2]

    @property
    def label(self) -> str:
        """The text of the check box, or next to the choices."""
        return str(self.option.label or self.option.title)

    @property
    def plain_kind(self) -> Any:
        """The type of the field without bounds."""
        return plain_type(self.kind)

    @property
    def value_kind(self) -> Any:
        """The type of the values of the field, but for None."""
        kinds = [it for it in get_args(self.plain_kind) if it is not NoneType]
        return plain_type(kinds[0]) if self.is_optional and len(kinds) == 1 else self.plain_kind

    @property
    def is_optional(self) -> bool:
        """Whether it may be None."""
        return get_origin(self.plain_kind) in (Union, UnionType) and NoneType in get_args(self.plain_kind)

    @property
    def limits(self) -> Limits | None:
        """The bounds of a number, whether they are those of the field or of its values but for None."""
        hints = (self.kind, *(get_args(self.plain_kind) if self.is_optional else ()))
        return next((it for hint in hints for it in get_args(hint)[1:] if isinstance(it, Limits)), None)

    @property
    def is_set(self) -> bool:
        """Whether it has several of its choices at once."""
        return get_origin(self.plain_kind) is frozenset

    @property
    def choice_kind(self) -> Any:
        """The type of a choice."""
        return get_args(self.plain_kind)[0] if self.is_set else self.plain_kind

    def of(self, value: Any) -> Any:
        """The field of a value of the class."""
        return reduce(getattr, self.path, value)

    def set(self, value: Value, found: Any) -> Value:
        """The value of the class with another value of the field."""
        changed: Value = _with_field(value, self.path, found)
        return changed

    def chosen(self, value: Value, found: Any) -> Value:
        """The value of the class with a choice of the user, and with what follows from it."""
        changed: Value = _with_field(value, self.path, found, self.option.settles)
        return changed

    def picked(self, value: Value, found: Any) -> Value:
        """The value of the class with a choice of the user: of a set with that one switched."""
        return self.chosen(value, self.of(value) ^ {found} if self.is_set else found)

    def is_on(self, value: Any, found: Any) -> bool:
        """Whether a choice is the one in effect, or one of those."""
        return bool(found in self.of(value) if self.is_set else found == self.of(value))

    def switched(self, value: Value) -> Value:
        """The value of the class with a switch turned."""
        return self.chosen(value, not self.of(value))

    def choice(self, found: Any) -> OptionChoice:
        """The choice of a value of the field."""
        return next(it for it in self.option.choices if it.value == found)

    def following(self, value: Any) -> OptionChoice:
        """The choice after that of a value of the class, after the last the first."""
        choices = self.option.choices
        return choices[(choices.index(self.choice(self.of(value))) + 1) % len(choices)]


def _with_field(value: Any, path: tuple[str, ...], found: Any, settles: Settled | None = None) -> Any:
    name, *others = path
    if others:
        return replace(value, **{name: _with_field(getattr(value, name), tuple(others), found, settles)})
    changed = replace(value, **{name: found})
    return changed if settles is None else settles(value, changed)


@cache
def options_of(kind: type) -> tuple[Declared, ...]:
    """The fields with options of a class, and those of the classes of its fields, in their order."""
    return tuple(_found(kind))


def option_at(kind: type, name: str) -> Declared:
    """The option of a field by its attributes, ``lighting.has_fog``."""
    return next(it for it in options_of(kind) if it.name == name)


def _found(kind: type) -> Iterator[Declared]:
    for name, hint in types_of(kind).items():
        option = option_in(hint)
        if option is not None:
            yield Declared((name,), hint, option)
        if is_record(plain_type(hint)):
            yield from (it._replace(path=(name, *it.path)) for it in options_of(plain_type(hint)))


def plain_type(hint: Any) -> Any:
    """The type itself, without annotations."""
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def option_in(hint: Any) -> Option | None:
    """The option of a type; None without one.

    Raises `TypeError` for one within a union or a list, which is the option of no field.
    """
    inner = get_args(hint)
    if any(map(_has_option, inner)):
        raise TypeError(hint)
    return next((it for it in inner if isinstance(it, Option)), None)


def _has_option(hint: Any) -> bool:
    return any(isinstance(it, Option) or _has_option(it) for it in get_args(hint))
