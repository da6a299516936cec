"""One row of the browser."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from viewer.model.store.address import SEPARATOR

FOLDER: Final = "folder"


@dataclass(frozen=True, slots=True)
class BrowserEntry:
    """One row: a folder, a file or an entry of an archive.

    Parameters
    ----------
    address
        ``PATH`` or ``PATH::ENTRY``, as `Open` and `ListEntries` take it.
    name
        The name shown.
    kind
        Kind of the payload, as in ``mshview ls``: ``msh``, ``nres``, ``wear``, ``folder`` ...
    size
        Bytes; 0 for a folder.
    can_open
        Whether it has entries to list.
    """

    address: str
    name: str
    kind: str
    size: int = 0
    can_open: bool = False


def container_of(address: str) -> str:
    """Return the address of the folder or archive that an entry is in."""
    above, separator, _ = address.rpartition(SEPARATOR)
    return above if separator else str(PurePath(address).parent)
