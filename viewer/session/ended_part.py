"""A part of the program that was ended by a fault of its own: what the card about it says and copies."""

from __future__ import annotations

from traceback import format_exception
from typing import Final

from msgspec import Struct

from viewer.translation import Text

MOST: Final = 20_000
"""Letters of the details: a recursion without end has a thousand lines."""


class EndedPart(Struct, frozen=True):
    """A fault of the program.

    Attributes
    ----------
    part
        What was ended: a panel, a command, a job.
    details
        Where it happened, for a report.
    """

    part: Text
    details: str

    @classmethod
    def of(cls, part: Text, error: BaseException) -> EndedPart:
        """Return the failure of a part of the program by an exception."""
        details = "".join(format_exception(error))
        return cls(
            part, details if len(details) <= MOST else f"{details[: MOST // 2]}\n...\n{details[-MOST // 2 :]}"
        )
