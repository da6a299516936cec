"""Compiles the catalogues of other languages when a wheel is built or the program installed from its tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileCatalogues(BuildHookInterface[Any]):
    """Writes a ``.mo`` next to each ``.po``."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write them before the files of the wheel are collected."""
        for path in Path(self.root, "assets", "languages").glob("*.po"):
            with path.open("rb") as source, path.with_suffix(".mo").open("wb") as compiled:
                write_mo(compiled, read_po(source))
