"""Cyclic garbage is collected rarely while the library works, as in the command line.

Loading its modules and reading a model make tens of thousands of objects that stay; looking through them for
garbage again and again took a tenth of the time of an export and an import.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

OBJECTS: Final = 200_000
"""Objects that are made between two collections meanwhile."""


@contextmanager
def kept() -> Iterator[None]:
    """Collect rarely meanwhile, unless that is so already.

    Of several threads the one that has begun it ends it, so that all is as before in the end, in any order.
    """
    usual = gc.get_threshold()
    if usual[0] == 0 or usual[0] >= OBJECTS:  # 0: never
        yield
        return
    gc.set_threshold(OBJECTS)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@contextmanager
def loading() -> Iterator[None]:
    """Collect rarely while modules are loaded, and leave what they made to the next full collection.

    All of it stays: looking through it at once finds next to nothing, and takes longer than reading a model.
    """
    with kept():
        yield
        if not gc.get_freeze_count():  # what the caller has frozen stays frozen
            gc.freeze()
            gc.unfreeze()  # into the oldest generation
