"""Only plain files of the folder are read, and not more than its limit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from viewer.errors import AddressError
from viewer.model.store import files as files_module
from viewer.model.store.files import PlainFolder

OLD, NEW = b"what was there", b"what is to be there " * 100


def test_only_plain_files_of_the_folder_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "folder"
    (folder / "below").mkdir(parents=True)
    (tmp_path / "secret").write_bytes(OLD)
    (folder / "one").write_bytes(NEW)
    (folder / "out").symlink_to(tmp_path / "secret")
    (folder / "same").symlink_to("one")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "pipe")
    files = PlainFolder(folder)
    assert files.read("one") == files.read("same") == NEW
    for name in ("out", "loop", "pipe", "below", "missing", "nul\0", "../secret", "below/../../secret"):
        with pytest.raises(AddressError):
            files.read(name)
    monkeypatch.setattr(files_module, "FOLDER_LIMIT", len(NEW))
    files = PlainFolder(folder)
    files.read("one")
    with pytest.raises(AddressError, match="together"):
        files.read("one")
