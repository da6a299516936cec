"""Writing a mod: a folder or a zip, which appears whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from viewer import typed_json
from viewer.errors import reading_from
from viewer.model.store.whole_folder import new_folder
from viewer.model.store.writing import write_file
from viewer.model.write.zipping import zip_of
from viewer.operations.mods.making import NewMod
from viewer.operations.mods.manifest import MANIFEST, ModManifest
from viewer.operations.mods.package import ZIP_SUFFIX


def about_mod(name: str, version: str, author: str, needs: Sequence[str]) -> ModManifest:
    """A manifest that says what a mod is; raises `FormatError` for a name that it cannot have."""
    form: dict[str, Any] = {"name": name, "version": version, "author": author, "needs": [*needs]}
    with reading_from(name):
        return typed_json.made(ModManifest, form, is_strict=True)


def write_mod(mod: NewMod, path: Path) -> None:
    """Write a mod to a new folder, or as a zip if the path ends like one; raises `OutputError`."""
    files = [(MANIFEST, mod.manifest.encode()), *mod.files.items()]
    if path.suffix.lower() == ZIP_SUFFIX:
        write_file(path, zip_of(files))
        return
    with new_folder(path) as folder:
        for name, data in files:
            place = folder / name
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(data)
