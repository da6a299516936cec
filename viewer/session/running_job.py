"""Running jobs as panels draw them."""

from __future__ import annotations

from dataclasses import dataclass


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
