"""Paths of shaders, the bundled sample and catalogues: in an installed package, or next to it in a tree."""

from __future__ import annotations

import gettext
import struct
from contextlib import suppress
from pathlib import Path

from viewer import translation
from viewer.translation import _

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
    raise FileNotFoundError(_("not part of this installation: {path}", path=relative))


def use_language(code: str = "") -> None:
    """Show texts in the language of a code; empty for that of the system.

    A damaged catalogue leaves English: a program that does not start would be worse.
    """
    code = code or translation.language_of_system()
    if code == translation.code():
        return
    catalogue = None
    if code != translation.ENGLISH:
        with (
            suppress(OSError, ValueError, struct.error),
            bundled_path(f"assets/languages/{code}.mo").open("rb") as file,
        ):
            catalogue = gettext.GNUTranslations(file)
    translation.use(catalogue, code)
