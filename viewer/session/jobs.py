"""Jobs in other threads as panels draw them: their progress, and what they have found so far."""

from __future__ import annotations

from typing import Final

from viewer.dataclass import dataclass, field
from viewer.model.kinds.registry import FONT, MATERIAL, MODEL, TEXTURE
from viewer.model.query.search_query import Query
from viewer.model.references.users import Users
from viewer.operations.corpus.searching import Found


@dataclass(frozen=True, slots=True)
class RunningJob:
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


DRAWING: Final = "drawing"
"""The lane of a picture that takes more than one frame, though it is drawn in the main thread."""
USERS_LANE: Final = "users"
"""How the names of the jobs that search begin; the address follows."""


@dataclass(frozen=True, slots=True)
class FoundUsers:
    """What a search for users has found.

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


SEARCH_LANE: Final = "search"
"""The lane of its job."""


@dataclass(frozen=True, slots=True)
class SearchState:
    """The last search.

    Attributes
    ----------
    query
        What was searched for; None before the first search and after it was cleared.
    found
        What was found so far.
    is_running
        There may be more.
    problem
        Why it did not run to its end; empty if it did.
    """

    query: Query | None = None
    found: Found = field(default_factory=Found)
    is_running: bool = False
    problem: str = ""


TEXTURES: Final = frozenset({TEXTURE.id, FONT.id})
"""Kinds that are or contain a texture."""
KINDS: Final = TEXTURES | {MODEL.id, MATERIAL.id}
"""Kinds of entries that have a thumbnail, unless they are damaged or too large."""


@dataclass(frozen=True, slots=True)
class ThumbnailImage:
    """A thumbnail in two sizes.

    Attributes
    ----------
    row, large
        Opaque ImGui texture ids, for a row of a list and for the enlarged view; top row
        first.
    width, height
        Size of the large one, pixels; both have the same aspect ratio.
    """

    row: int
    large: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Thumbnail:
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
