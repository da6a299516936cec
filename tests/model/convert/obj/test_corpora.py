"""Every model of the corpora as OBJ: nobody edited it, so nothing changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.corpora import skip_module
from tests.model.convert.importing.scenes import imported, source_of
from tests.model.edit.drafts import corpus_models
from viewer.errors import AddressError
from viewer.model.convert import exchange
from viewer.model.convert.from_model import scene_of
from viewer.model.convert.options import Options
from viewer.model.convert.scene_file import OBJ, SceneFile

skip_module()

PLAIN = Options(has_textures=False, is_y_up=False)
OTHER = replace(PLAIN, is_y_up=True, rest=3.0, cell=(1, 0))


@pytest.mark.parametrize("corpus", ["seed", "field"])
def test_nothing_edited_is_no_change(samples: Path, corpus: str) -> None:
    for number, (name, data) in enumerate(corpus_models(samples, corpus)):
        source = source_of(data)
        files = exchange.files_of(scene_of(source, PLAIN if number % 2 else OTHER), OBJ, "model")

        def beside(file: str, files: dict[str, bytes] = files) -> bytes:
            if file not in files:
                raise AddressError("does not exist", source=file)
            return files[file]

        file = SceneFile(Path("model.obj"), files["model.obj"], OBJ, beside)
        found = imported(exchange.read(file, source), source)
        assert (found.changes, found.losses, found.notes) == ((), (), ()), name
