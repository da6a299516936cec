"""The version of the program: stated here once, read by the command line and by the build."""

from __future__ import annotations

VERSION = "0.1.0"
