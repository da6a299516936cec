"""Times of the day as text.

Source: spec/field-notes.md 10.
Status: inferred.
"""

from __future__ import annotations

import re
from typing import Final

LAST_HOUR: Final = 24
_TIME: Final = re.compile(r"([0-9]{1,2}):([0-5][0-9])")


def hour_of(text: str) -> float:
    """The hours of a time as ``H:MM``, 0:00 to 24:00; raises `ValueError`."""
    time = _TIME.fullmatch(text)
    hours = int(time[1]) + int(time[2]) / 60 if time else -1
    # 24:00 is the end of the day and allowed; 24:01 is not.
    if not 0 <= hours <= LAST_HOUR:
        raise ValueError(text)
    return hours


def clock(hour: float) -> str:
    """An hour as ``HH:MM``, to the nearest minute."""
    hours, minutes = divmod(round(hour * 60), 60)
    return f"{hours:02}:{minutes:02}"
