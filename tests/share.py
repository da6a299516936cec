"""How much a run tries of what there are hundreds of: random examples, files of the corpora, combinations.

An ordinary run takes a share, the same every time; ``make test-long``, which comes before a release, takes
all.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from math import ceil
from pathlib import Path
from typing import Final, TypeVar

from tests.corpora import SAMPLES

IS_WHOLE: Final = os.environ.get("MSHVIEW_TESTS") == "whole"
"""Whether all of it is tried."""
_EXAMPLES: Final = 0.4
"""The share of random examples: most faults that they have found were among the first dozen."""
_ONE_IN: Final = 3
"""One in so many files of a corpus, whose generator has made several of every kind, and of combinations."""
Thing = TypeVar("Thing")


def examples(most: int) -> int:
    """How many random examples of `most` to try."""
    return most if IS_WHOLE else ceil(most * _EXAMPLES)


def some(things: Iterable[Thing], folder: Path = SAMPLES) -> list[Thing]:
    """Those that are tried, in their order: one in `_ONE_IN`, but all of a folder that is no corpus."""
    is_few = not folder.is_relative_to(SAMPLES)
    return [*things][:: 1 if IS_WHOLE or is_few else _ONE_IN]
