"""Links to what is on screen: file, entry, selection, cell, time, clip, camera, reading, guesses, light.

A link is a text for messages and scripts: ``mshview:open?file=...&entry=...&lod=1``. It names one file and
says how to look at an entry in it, perhaps in the light of a sky, which is the only other file that it may
name; nothing in it can write or run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, NamedTuple, Union, get_args, get_origin
from urllib.parse import parse_qsl, quote, urlencode

from msgspec import Struct, field
from msgspec.structs import replace

from viewer.errors import FormatError, UsageError
from viewer.formats.msh.guesses import guess_of
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.sky.clock import LAST_HOUR
from viewer.model.store.address import Address
from viewer.operations.reading_options import USUAL, ReadingOptions
from viewer.options import options_of
from viewer.session.opened.document import Document
from viewer.session.selection import Selection
from viewer.session.view.camera import FAR
from viewer.session.view.options.lighting import Lighting, LightKind
from viewer.session.view.view_state import ViewState
from viewer.translation import _, quoted

SCHEME: Final = "mshview:"
START: Final = f"{SCHEME}open?"
LONGEST: Final = 8192
"""Characters of a link."""
SKY_SUFFIX: Final = ".ske"
NOT_TEXT: Final = "surrogateescape"
"""Handling of bytes of a file name that are no text, as in Python's own paths."""
_MOST: Final = 1 << 31
SOURCE: Final = _("state link")
Values = Mapping[str, Any]
AUTO: Final = "auto"
"""The value of an option that is None: the scene color of the lights themselves."""


class StateLink(Struct, frozen=True):
    """A link that was read.

    Parameters
    ----------
    address
        The file, and the entry in it.
    given
        The options of reading that it says, by their names in Python.
    values
        What it says of the view, by name.
    """

    address: Address
    given: Values = field(default_factory=lambda: MappingProxyType({}))
    values: Values = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def of(cls, document: Document, view: ViewState) -> StateLink:
        """The link to a model as it is looked at."""
        chosen, playback = view.selection, view.playback
        options = {name: it.of(view) for name, it in _OPTIONS.items()}
        values = {
            "nodes": chosen.nodes or None,
            **{name: getattr(chosen, name) for name in _ROWS},
            "clip": playback.clip,
            "seconds": None if playback.clip is None else playback.seconds,
            **{name: AUTO if value is None else value for name, value in options.items()},
            **_of_sky(view.lighting, document.game.folder),
        }
        there = {name: value for name, value in values.items() if value not in (None, {})}
        return cls(document.address, MappingProxyType(_reading_of(document, view)), MappingProxyType(there))

    @classmethod
    def parse(cls, text: str) -> StateLink:
        """Read a link; raises `UsageError` that says what is wrong."""
        if not text.startswith(START) or len(text) > LONGEST:
            raise UsageError(_("does not begin with {start}", start=START), source=SOURCE)
        path, entries = "", list[str]()
        given, values = dict[str, Any](), dict[str, Any]()
        for name, value in parse_qsl(text[len(START) :], keep_blank_values=True, errors=NOT_TEXT):
            if name == "file" and not path and value:
                path = value
            elif name == "entry" and value:
                entries.append(value)
            elif name in _READERS and name not in values and name not in given:
                (given if name in _OF_READING else values)[name] = _read(name, value)
            else:
                pair = f"{name}={value}"
                raise UsageError(_("{pair} means nothing here", pair=pair), source=SOURCE)
        if not path:
            raise UsageError(_("names no file"), source=SOURCE)
        return cls(Address(Path(path), tuple(entries)), MappingProxyType(given), MappingProxyType(values))

    def __reduce__(self) -> tuple[Callable[[str], StateLink], tuple[str]]:
        """The constructor and arguments of a copy in another process."""
        return StateLink.parse, (str(self),)

    def __str__(self) -> str:
        pairs = [("file", os.path.abspath(self.address.path))]  # noqa: PTH100 links stay as they are
        pairs += [("entry", entry) for entry in self.address.entries]
        pairs += [(name, _text(value)) for name, value in {**self.given, **self.values}.items()]
        return START + urlencode(pairs, quote_via=quote, safe="/:#,", errors=NOT_TEXT)

    def within(self, address: Address) -> StateLink:
        """The link for another file, such as a copy; the entry is that of the link if none is named."""
        return replace(self, address=Address(address.path, address.entries or self.address.entries))

    def is_of(self, document: Document) -> bool:
        """Whether it is about a document in its reading."""
        options = _options_of(document)
        is_read_so = all(_OF_READING[name].of(options) == value for name, value in self.given.items())
        return is_read_so and self.address == document.address

    @property
    def reading(self) -> ReadingChoice:
        """The reading that was chosen."""
        return ReadingChoice(self.given.get("reading", ReadingChoice.AUTO))

    @property
    def has_camera(self) -> bool:
        """Whether the link says where the camera is."""
        return "target" in self.values

    @property
    def sky(self) -> str | None:
        """The file of the sky that lights it, absolute or in the game folder; None for other lights."""
        return self.values.get("sky") if self.values.get("light") is LightKind.SKY else None

    @property
    def hour(self) -> float | None:
        """The hour of the sky, 0 to 24; None for that at which its clock starts."""
        return self.values.get("hour")

    def applied(self, view: ViewState) -> ViewState:
        """A view with what the link says; what it leaves out stays, and nothing plays.

        The light is that of the game in place of a sky, which is a file that has to be read: `linked_view`.
        """
        known = self.values
        for name, option in _OPTIONS.items():
            if name in known:
                view = option.set(view, None if known[name] == AUTO else known[name])
        playback = view.playback
        if "time" in known or "clip" in known:
            clip, seconds = known.get("clip"), known.get("seconds", 0.0)
            playback = replace(playback, clip=clip, seconds=seconds, part=None, fade=None)
        lighting = view.lighting
        if known.get("light") is LightKind.SKY:
            lighting = replace(lighting, kind=LightKind.GAME)
        chosen = {name: known[name] for name in ("nodes", *_ROWS) if name in known}
        return replace(
            view, selection=Selection(**chosen), playback=playback, lighting=lighting, is_playing=False
        )


class SavedView(NamedTuple):
    """A state link with a name."""

    name: str
    link: str


SavedViews = tuple[SavedView, ...]
"""Saved views of one file, in the order of saving."""


def _options_of(document: Document) -> ReadingOptions:
    """The options with which a document was read."""
    return replace(document.source.options, reading=document.choice.requested)


def _reading_of(document: Document, view: ViewState) -> dict[str, Any]:
    """The options of reading of a link: those that show something of a model, or are not the usual ones."""
    options, found = _options_of(document), dict[str, Any]()
    for name, option in _OF_READING.items():
        choices = [it for it in option.option.choices if not (it.obstacle and it.obstacle(view, document))]
        value = option.of(options)
        if choices or (value != option.of(USUAL) and not option.option.choices):
            found[name] = value
    return found


def _of_sky(lighting: Lighting, game: Path | None) -> dict[str, Any]:
    """The values of a link for the sky that lights the model."""
    sky = lighting.sky if lighting.kind is LightKind.SKY else None
    if sky is None:
        return {}
    path = Path(sky.name).absolute()
    is_inside = game is not None and path.is_relative_to(game.absolute())
    inside = path.relative_to(game.absolute()).as_posix() if game is not None and is_inside else str(path)
    return {"sky": inside, "hour": sky.hour}


def _whole(most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isdecimal() or len(text) > len(str(most)) or int(text) >= most:
            raise ValueError(text)
        return int(text)

    return read


def _number(least: float, most: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        value = float(text)
        if not (isfinite(value) and least <= value <= most):
            raise ValueError(text)
        return value

    return read


def _sky_file(text: str) -> str:
    if not text.lower().endswith(SKY_SUFFIX) or ".." in Path(text).parts or "\0" in text:
        raise ValueError(text)
    return text


def _nodes(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(map(_whole(_MOST), text.split(","))))


def _guesses(text: str) -> Mapping[str, str]:
    pairs = [it.partition(".")[::2] for it in text.split(",")]
    if any(guess_of(table, {table: name}) is None for table, name in pairs):
        raise ValueError(text)
    return MappingProxyType(dict(pairs))


_BY_KIND: Final[Mapping[Any, Callable[[str], Any]]] = {
    bool: lambda text: bool(_whole(2)(text)),
    int: _whole(_MOST),
    float: float,
    Mapping: _guesses,
}
"""Readers of the text of an option, by its type."""


def _option_reader(kind: Any) -> Callable[[str], Any]:
    """The reader of the text of an option of a type with bounds; raises `ValueError`."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return partial(_bounded, _option_reader(inner[0]), [it for it in inner[1:] if hasattr(it, "check")])
    if origin is Union:
        return lambda text: AUTO if text == AUTO else _option_reader(inner[0])(text)
    if origin is frozenset:
        member = _option_reader(inner[0])
        return lambda text: frozenset(map(member, text.split(",") if text else ()))
    if origin is tuple:
        each = [*map(_option_reader, inner)]
        return lambda text: tuple(read(it) for read, it in zip(each, text.split(","), strict=True))
    return _BY_KIND.get(origin or kind, kind)


def _bounded(read: Callable[[str], Any], rules: Sequence[Any], text: str) -> Any:
    """A value of a text within its bounds; raises `ValueError`."""
    value = read(text)
    try:
        for rule in rules:
            rule.check(value)
    except FormatError:
        raise ValueError(text) from None
    return value


_ROWS: Final = tuple(name for name in Selection.__struct_fields__ if name != "nodes")
_OPTIONS: Final = {it.option.link: it for it in options_of(ViewState) if it.option.link}
"""The options that links hold, by their names there."""
_OF_READING: Final = {it.option.link: it for it in options_of(ReadingOptions) if it.option.link}
"""The options of reading that links hold."""
_READERS: Final[Mapping[str, Callable[[str], Any]]] = MappingProxyType(
    {
        "nodes": _nodes,
        **dict.fromkeys(_ROWS, _whole(_MOST)),
        "clip": _whole(_MOST),
        "seconds": _number(0, FAR),
        **{name: _option_reader(it.kind) for name, it in {**_OF_READING, **_OPTIONS}.items()},
        "sky": _sky_file,
        "hour": _number(0, LAST_HOUR),
    }
)
"""Readers of each value; one raises `ValueError` for what it cannot be."""


def _read(name: str, text: str) -> Any:
    try:
        return _READERS[name](text)
    except ValueError:
        raise UsageError(
            _("{name} cannot be {value}", name=name, value=quoted(text)), source=SOURCE
        ) from None


def _text(value: object) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{table}.{name}" for table, name in value.items())
    if isinstance(value, tuple | frozenset):
        return ",".join(map(str, sorted(value) if isinstance(value, frozenset) else value))
    return str(int(value) if isinstance(value, bool) else value)
