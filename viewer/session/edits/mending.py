"""What can be mended of one payload, as it was found last."""

from __future__ import annotations

from dataclasses import dataclass

from viewer.model.edit.repair.mend import Mend


@dataclass(frozen=True, slots=True)
class Mending:
    """The faults of a payload that can be mended.

    Parameters
    ----------
    address
        The payload.
    mends
        What can be mended; None while it is being found.
    """

    address: str
    mends: tuple[Mend, ...] | None = None
