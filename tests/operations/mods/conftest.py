"""The process of which copies are stopped at any moment."""

from __future__ import annotations

from tests.model.conftest import small_process

__all__ = ["small_process"]
