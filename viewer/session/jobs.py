"""Jobs in other threads as panels draw them: their progress, and what they have found so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from time import time
from types import MappingProxyType
from typing import Final, NamedTuple

from msgspec import Struct, field

from viewer.model.kinds.registry import FONT, MATERIAL, MODEL, TEXTURE
from viewer.model.query.search_query import Query
from viewer.model.references.users import Users
from viewer.model.store.address import Address
from viewer.model.store.disk import UnsavedFiles, real_path
from viewer.model.store.place import Place
from viewer.operations.checking.validating import ValidationOptions
from viewer.operations.corpus.hits import Found
from viewer.operations.corpus.readings import ReadingScores
from viewer.operations.corpus.statistics import FieldStatistics
from viewer.progress import Progress
from viewer.session.places import Problem


class RunningJob(Struct, frozen=True):
    """Work in another thread.

    Attributes
    ----------
    lane
        Its name in every language, as `CancelJob` takes it.
    title
        What it does: ``Opening walker.msh…``.
    done, total
        Finished parts, and all of them; `total` is 0 while it is not known.
    what
        The part being worked on; may be empty.
    is_cancelled
        It was cancelled and ends soon.
    """

    lane: str
    title: str
    done: int = 0
    total: int = 0
    what: str = ""
    is_cancelled: bool = False

    @property
    def share(self) -> float | None:
        """The finished share, 0 to 1; None while the total is not known."""
        return min(self.done / self.total, 1.0) if self.total else None


class ReadFiles(Struct, frozen=True):
    """Times at which files and folders were read for a result, which is true of them as they were then.

    Attributes
    ----------
    at
        Seconds since 1970.
    paths
        Absolute, links resolved.
    """

    at: float
    paths: tuple[Path, ...]

    @classmethod
    def now(cls, paths: Iterable[Path]) -> ReadFiles:
        """Files and folders that begin to be read at this moment."""
        return cls(time(), tuple(map(real_path, paths)))

    def changed(self, changes: Mapping[Path, float]) -> tuple[Path, ...]:
        """The files among them, and in the folders, that have changed since; `changes` has their times."""
        later = (path for path, at in changes.items() if at > self.at)
        return tuple(path for path in later if not {path, *path.parents}.isdisjoint(self.paths))


DRAWING: Final = "drawing"
"""The lane of a picture that takes more than one frame, though it is drawn in the main thread."""
USERS_LANE: Final = "users"
"""Beginning of the names of the jobs that search; the address follows."""


class FoundUsers(Struct, frozen=True):
    """The found users of a payload.

    Attributes
    ----------
    found
        The users, None before the first search has ended.
    is_searching
        A search is running.
    problem
        Why the last search did not end; empty if it did.
    """

    found: Users | None = None
    is_searching: bool = False
    problem: str = ""


class FoundSkies(NamedTuple):
    """The skies that models can be lit with.

    Attributes
    ----------
    is_searching
        A search in the folders of the missions is running.
    problem
        Why there is none; empty if there are any.
    """

    addresses: tuple[Address, ...] = ()
    is_searching: bool = False
    problem: str = ""


class CorpusScope(StrEnum):
    """The scope of a count or search: the active file, all that is open, the game, a folder, entries."""

    FILE = "file"
    OPEN = "open"
    GAME = "game"
    FOLDER = "folder"
    ENTRIES = "entries"


class SearchArea(Struct, frozen=True):
    """Area of a search; `folder` is the one that was chosen."""

    scope: CorpusScope = CorpusScope.OPEN
    folder: Path | None = None


EVERYTHING_OPEN: Final = SearchArea()
SEARCH_LANE: Final = "search"
"""The lane of its job."""


class SearchState(Struct, frozen=True):
    """The last search.

    Attributes
    ----------
    query
        What was searched for; None before the first search and after it was cleared.
    area
        Where.
    found
        What was found so far.
    is_running
        There may be more.
    problem
        Why it did not run to its end; empty if it did.
    read
        What was searched, and when.
    """

    query: Query | None = None
    area: SearchArea = EVERYTHING_OPEN
    found: Found = field(default_factory=Found)
    is_running: bool = False
    problem: str = ""
    read: ReadFiles | None = None


TEXTURES: Final = frozenset({TEXTURE.id, FONT.id})
"""Kinds that are or contain a texture."""
KINDS: Final = TEXTURES | {MODEL.id, MATERIAL.id}
"""Kinds of entries that have a thumbnail, unless they are damaged or too large."""


class ThumbnailImage(Struct, frozen=True):
    """The picture of a thumbnail.

    Attributes
    ----------
    texture
        Opaque ImGui texture id; top row first.
    width, height
        Its size, pixels.
    """

    texture: int
    width: int
    height: int


class Thumbnail(Struct, frozen=True):
    """The content of an entry that has been read.

    Attributes
    ----------
    image
        None while it is loading, and if there will be none.
    facts
        Short facts about it, the most important first.
    problem
        Why it cannot be shown, or not correctly; empty if nothing is wrong.
    """

    image: ThumbnailImage | None = None
    facts: tuple[str, ...] = ()
    problem: str = ""


STATISTICS_LANE: Final = "statistics"
"""The lane of the job that counts."""
SCORES_LANE: Final = "scores"
"""The lane of the job that judges readings."""


class StatisticsRequest(Struct, frozen=True):
    """The request for the statistics of a field.

    Parameters
    ----------
    field
        ``TABLE.FIELD`` or an element of it; empty for a summary of all fields.
    where
        The condition that rows have to fulfill; empty for all.
    entries
        The entries that were selected for the panel, which a scope of their own counts.
    """

    field: str = ""
    scope: CorpusScope = CorpusScope.OPEN
    where: str = ""
    entries: tuple[Address, ...] = ()


class StatisticsState(Struct, frozen=True):
    """The last statistics.

    Attributes
    ----------
    request
        What was asked for; None before the first time.
    asked
        A new object each time the panel is asked for.
    found
        The statistics: of all fields, or of the requested one; empty before they are known.
    unreadable
        What could not be read, and why.
    is_running
        Counting has not ended.
    problem
        Why it did not run to its end; empty if it did.
    read
        What was counted, and when.
    """

    request: StatisticsRequest | None = None
    asked: object = None
    found: tuple[FieldStatistics, ...] = ()
    unreadable: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    is_running: bool = False
    problem: str = ""
    read: ReadFiles | None = None

    @property
    def is_of_entries(self) -> bool:
        """Whether entries that were selected are counted, to which others can be added."""
        return self.request is not None and self.request.scope is CorpusScope.ENTRIES


class ScoreState(Struct, frozen=True):
    """The readings that were judged last; `found`, `problem` and `read` as in `StatisticsState`."""

    scope: CorpusScope = CorpusScope.FILE
    found: ReadingScores | None = None
    is_running: bool = False
    problem: str = ""
    read: ReadFiles | None = None


class TableFilter(Struct, frozen=True, eq=False):
    """A filter that a table is to have, a new object each time it is asked for."""

    table: str
    text: str


MOST_PROBLEMS: Final = 20_000
"""Problems that are kept; further ones are counted."""


class Validation(Struct, frozen=True):
    """The findings of a validation of files and folders.

    Attributes
    ----------
    addresses
        What was validated.
    checked
        Number of files and entries that were checked.
    problems
        At most `MOST_PROBLEMS`, in order of the files.
    left_out
        Number of further problems.
    read
        When they were read.
    """

    addresses: tuple[Address, ...]
    read: ReadFiles
    checked: int = 0
    problems: tuple[Problem, ...] = ()
    left_out: int = 0


def validate(addresses: Iterable[Address], unsaved: UnsavedFiles, progress: Progress) -> Validation:
    """Check files, entries and everything below folders.

    Parameters
    ----------
    unsaved
        Unsaved bytes that are checked in place of files.
    """
    addresses, options = tuple(addresses), ValidationOptions(unsaved=unsaved)
    read = ReadFiles.now(it.path for it in addresses)
    checked = left_out = 0
    problems: list[Problem] = []
    for report in options.apply(options.plan(addresses, is_divided=False), progress):
        checked += 1
        found = [Problem(finding, Place.of(report.source, finding)) for finding in report.diagnostics]
        room = MOST_PROBLEMS - len(problems)
        problems += found[:room]
        left_out += max(0, len(found) - room)
    return Validation(addresses, read, checked, tuple(problems), left_out)
