"""Choices of a user where descriptions of the format disagree: light, as the shell checks them first."""

from __future__ import annotations

from enum import StrEnum


class ReadingChoice(StrEnum):
    """The reading that the user requests."""

    AUTO = "auto"
    SEED = "seed"
    FIELD = "field"


class GroundReading(StrEnum):
    """The wear tables that a terrain face's two material bytes are rows of (spec/land.md 4)."""

    LAND1 = "land1"
    """Both materials of Land1.wea; Land2.wea names the microtextures of the same rows."""
    LEVELS = "levels"
    """Both materials of Land1.wea at the fine level of detail, of Land2.wea at the coarse one."""
    CROSSED = "crossed"
    """The first of Land2.wea, the second of Land1.wea."""
