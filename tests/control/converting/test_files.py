"""Pictures as files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from viewer.control.converting import files
from viewer.errors import OutputError
from viewer.model.store.address import Address
from viewer.progress import Cancelled, Progress, working
from viewer.session.play.stage import stem_of

PIXELS = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)


def test_a_picture_reads_back_with_its_transparency(tmp_path: Path) -> None:
    path = files.save(PIXELS, tmp_path / "new" / "a.png")
    np.testing.assert_array_equal(np.asarray(Image.open(path)), PIXELS)


def test_a_new_picture_never_takes_the_place_of_an_old_one(tmp_path: Path) -> None:
    for number in (1, 2):
        path = files.new_path(stem_of(Address.parse("game/robots.rlb::Walker.msh")), tmp_path)
        assert path.name == f"Walker-{number}.png"
        files.save(PIXELS, path)


def test_a_picture_is_named_even_where_its_document_has_no_name(tmp_path: Path) -> None:
    assert files.new_path(stem_of(Address.parse("game/robots.rlb::#3")), tmp_path).name == "3-1.png"


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match="file"):
        files.save(PIXELS, tmp_path / "file" / "a.png")


def test_nothing_is_written_after_it_was_cancelled(tmp_path: Path) -> None:
    progress = Progress()
    progress.cancel()
    with working(progress), pytest.raises(Cancelled):
        files.save(np.zeros((2, 2, 4), np.uint8), tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []
