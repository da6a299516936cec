"""Changes: the base class, their declaration, and the names of their consequences.

A change is a frozen class of plain values. It says what is requested, not which bytes: applied to a draft
it gives splices, whose reverse undoes it exactly. It refuses what the format cannot hold with an `EditError`
that names table, row, field and limit, and leaves the draft as it was.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from msgspec import Struct
from msgspec.structs import asdict

from viewer.errors import EditError
from viewer.model.edit.typed_words import Typed
from viewer.translation import Text, _

if TYPE_CHECKING:
    from viewer.model.edit.draft import Draft

MOST_SHOWN: Final = 8
"""Numbers that the words of a change list."""


class Change(Struct, frozen=True):
    """A request to change one payload; its classes are declared by `change`.

    Attributes
    ----------
    is_raw
        It is about bytes, whatever they mean: what follows from it is offered, and made only if it is wanted.
    """

    is_raw: ClassVar[bool] = False
    template: ClassVar[str] = ""
    without: ClassVar[Mapping[str, str]] = {}
    typed: ClassVar[Typed | None] = None
    icon: ClassVar[str] = ""
    menu: ClassVar[Mapping[str, Text]] = {}
    script_name: ClassVar[str] = ""

    @property
    def words(self) -> str:
        """The name of the change in the list of undo steps: ``rename node 3 to turret``, a message."""
        values = asdict(self)
        missing = (words for name, words in self.without.items() if values[name] in (None, False, ""))
        return _(next(missing, self.template), **{name: _shown(it) for name, it in values.items()})

    def words_in(self, draft: Draft) -> str:
        """The change in words for a payload, whose fields say how their values are written."""
        del draft
        return self.words

    @abstractmethod
    def apply(self, draft: Draft) -> None:
        """Change a draft; raises `EditError` or `UsageError` before anything is changed."""

    @property
    def is_joined(self) -> bool:
        """Whether the change can be made with others of its class that follow it, by `apply_joined`."""
        return False

    @classmethod
    def apply_joined(cls, draft: Draft, changes: Sequence[Change]) -> None:
        """Make changes that are joined at once, with the same result as one after the other."""
        for it in changes:
            it.apply(draft)


def _shown(value: object) -> object:
    match value:
        case None:
            return ""
        case float():
            return f"{value:g}"
        case tuple():
            shown = ", ".join(str(_shown(it)) for it in value[:MOST_SHOWN])
            return shown + ", ..." if len(value) > MOST_SHOWN else shown
    return value


CHANGES: Final[dict[str, type[Change]]] = {}
"""The class of each change, by the name in its script form; filled as their modules are imported."""
_Declared = TypeVar("_Declared", bound=Change)


def change(
    name: str,
    words: str = "",
    /,
    *,
    typed: Typed | None = None,
    icon: str = "",
    menu: Mapping[str, Text] = MappingProxyType({}),
    **without: str,
) -> Callable[[type[_Declared]], type[_Declared]]:
    """Declare a class of changes.

    Parameters
    ----------
    name
        The name in its script form: ``rename-node``.
    words
        Its words, with its fields in braces; classes with other words have a property for them.
    typed
        The option of ``edit`` that makes it; None if only scripts and ``--do`` do.
    icon
        That of its menu entries, a name of Font Awesome: ``trash``.
    menu
        The titles of its menu entries by their ids: ``remove_slot``.
    without
        Other words by the field without a value with which they are used: ``parent="add a root"``.
    """

    def made(kind: type[_Declared]) -> type[_Declared]:
        kind.template, kind.without, kind.typed = words, without, typed
        kind.script_name, kind.icon, kind.menu = name, icon, menu
        # With its name in the table a class is known to scripts, to `edit --do`, to their schema and to
        # journals.
        CHANGES[name] = kind
        return kind

    return made


def refusal(
    words: str, table: str = "", index: int | None = None, field: str | None = None, /, **values: object
) -> EditError:
    """The error of a change that cannot be made at a location, in words with values."""
    return EditError(_(words, **values), table=table, index=index, field=field)


def refuse_outside(
    value: float, low: float, high: float, table: str = "", index: int | None = None, field: str | None = None
) -> None:
    """Raise `EditError` for a value that exceeds its limits."""
    if not low <= value <= high:
        raise refusal("{value} exceeds {low}..{high}", table, index, field, value=value, low=low, high=high)


def refuse_missing(rows: Iterable[int], count: int, table: str) -> None:
    """Raise `EditError` for the first of some rows that a table of `count` rows does not have."""
    for row in rows:
        if not 0 <= row < count:
            raise refusal("there are {count} rows", table, row, count=count)


def refuse_more(count: int, limit: int, table: str) -> None:
    """Raise `EditError` if a table would have more rows than it can."""
    if count > limit:
        raise refusal("{count} rows, at most {limit}", table, count=count, limit=limit)


class Topic(StrEnum):
    """Topics of consequences, by the name under which one is listed and can be declined.

    See spec/msh.md 12, the dependency matrix.
    """

    BOUNDS = "slot bounds"
    HEADER = "header"
    NORMALS = "normals"
    LINKS = "neighbor links"
    VERTEX_COUNTS = "vertex counts"
    UNUSED_VERTICES = "unused vertices"
    ATTRIBUTES = "attributes"
    FRAME_MAP = "frame map"
    REFERENCES = "references"
    DURATIONS = "durations"
    COUNTS = "counts"
    ORDER = "sort indices"


class Consequence(Struct, frozen=True):
    """Consequence of changes that were made, as a change of its own.

    Parameters
    ----------
    topic
        The name under which it is listed.
    change
        What it does.
    is_default
        Done unless declined; else only offered, and done if it is asked for.
    """

    topic: Topic
    change: Change
    is_default: bool = True
