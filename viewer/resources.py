"""Paths of the shaders and the bundled sample: inside an installed package, next to it in a checkout."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def bundled_path(relative: str) -> Path:
    """Find a bundled file or folder.

    Parameters
    ----------
    relative
        Path below the top of the repository, for example ``shaders`` or ``assets/game``.

    Raises
    ------
    FileNotFoundError
        The installation does not contain it.
    """
    candidates = (PACKAGE / relative, PACKAGE.parent / relative)
    for candidate in candidates:
        if candidate.exists():
            return candidate
    raise FileNotFoundError(f"not part of this installation: {relative}")
