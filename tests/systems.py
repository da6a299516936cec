"""Conditions of tests that need something that not every system has."""

from __future__ import annotations

import os
from typing import Final

import pytest

IS_WINDOWS: Final = os.name == "nt"
needs_links: Final = pytest.mark.skipif(IS_WINDOWS, reason="Windows lets only developers make links")
needs_permissions: Final = pytest.mark.skipif(IS_WINDOWS, reason="files of Windows have no such permissions")
