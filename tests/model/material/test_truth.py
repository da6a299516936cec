"""Materials of the corpora in every reading, down to their pixels, against what their writer says."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.corpora import skip_module
from tests.messages import states
from viewer.formats.msh.tables import STREAM18
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.material.lookup import MaterialLookup
from viewer.model.material.materials import AlphaKind, FoundIn, Material, TextureRef
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.operations.reading_options import ReadingOptions
from viewer.session.opened.document import Document

skip_module()

Truth = Mapping[str, Any]

ROUNDED = {PixelFormat.RGB565, PixelFormat.RGB556, PixelFormat.LA88}
"""Formats whose decoded bytes the truth does not bind; their stored ones are compared."""
SEE_THROUGH = 0x0108
NO_LIGHTMAP = 0xFF


class Corpus:
    """A corpus: its folder, its truth, and a library that all of its models share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.truth: Truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
        self.library = FileStore()
        self.materials = {name.upper(): value for name, value in self.truth["materials"].items()}
        self.textures = {name.upper(): value for name, value in self.truth["textures"].items()}

    def open(self, key: str, requested: ReadingChoice) -> Document:
        """A model by its key in the truth."""
        return Document.open(
            self.library, Source(Address.parse(str(self.folder / key)), ReadingOptions(requested))
        )

    def lightmaps(self, key: str) -> list[str]:
        """The lightmaps that the wear table beside a model lists."""
        stem = key.removeprefix("game/").rpartition(".")[0]
        names: list[str] = self.truth["wear"].get(f"{stem}.wea", {}).get("lightmaps", [])
        return names


@pytest.fixture(scope="module", params=["seed", "field"])
def corpus(request: pytest.FixtureRequest, samples: Path) -> Corpus:
    return Corpus(samples / request.param)


def rows_of(batches: list[list[int]], requested: ReadingChoice) -> list[int]:
    """The wear row of each batch as the two readings have it (field-notes.md 1)."""
    return [batch[1] if requested is ReadingChoice.SEED else batch[2] & 0xFF for batch in batches]


@pytest.mark.parametrize("requested", [ReadingChoice.SEED, ReadingChoice.FIELD])
def test_either_reading_finds_the_names_in_its_own_rows(corpus: Corpus, requested: ReadingChoice) -> None:
    for key, known in corpus.truth["models"].items():
        document = corpus.open(key, requested)
        used = [document.materials.rows[row] for row in document.materials.of_batch]
        rows = rows_of(known["batches"], requested)
        assert [material.row for material in used] == rows, key
        assert [material.has_see_through_flag for material in used] == [
            bool(batch[0] & SEE_THROUGH) for batch in known["batches"]
        ], key
        names = known["materials"] or []
        assert [material.name for material in used] == [
            names[row] if document.materials.wear_source and row < len(names) else None for row in rows
        ], key


def test_every_batch_is_drawn_with_what_the_truth_says(corpus: Corpus) -> None:
    for key, known in corpus.truth["models"].items():
        found = corpus.open(key, ReadingChoice.AUTO).materials
        used = [found.rows[row] for row in found.of_batch]
        rows = known.get("material_rows", [batch[1] for batch in known["batches"]])
        assert [material.row for material in used] == rows, key
        has_lightmap = [material.lightmap is not None for material in used]
        assert has_lightmap == known.get("lightmapped", [False] * len(rows)), key
        if found.wear_source is not None:
            assert list(found.wear_names) == known["materials"], key
            for material in found.rows:
                check_material(corpus, material, known["materials"][material.row])


def check_material(corpus: Corpus, material: Material, name: str) -> None:
    known = corpus.materials.get(name.upper(), corpus.materials["DEFAULT"])
    assert material.name == name
    assert material.found == (FoundIn.NAME if name.upper() in corpus.materials else FoundIn.DEFAULT)
    assert (material.blend, material.attr1 & 2 != 0) == (
        known.get("blend_mode", material.blend),
        known.get("lit_skin", material.attr1 & 2 != 0),
    )
    assert [(b.mode, b.mask, [[*k] for k in b.keys]) for b in material.blocks] == [
        (b["mode"], b["mask"], [k[:2] for k in b["keys"]]) for b in known["blocks"]
    ]
    for index, expected in enumerate(known["phases"]):
        check_phase(corpus, material, index, expected)


def check_phase(corpus: Corpus, material: Material, index: int, expected: Truth) -> None:
    phase, picture = material.phases[index], material.textures[index]
    colors = (phase.ambient, phase.diffuse, phase.specular, phase.emissive)
    params = bytes.fromhex(expected["params"])
    assert [round(value * 255) for color in colors for value in color[:3]] == [
        value for place, value in enumerate(params[:16]) if place % 4 != 3
    ]
    assert (phase.texture or "", phase.power) == (expected["texture"], params[16])
    if "alphas" in expected:
        assert [color[3] for color in colors] == pytest.approx(expected["alphas"])
        assert phase.is_lit != expected["unlit"]
        assert (-1 if phase.page is None else phase.page) == expected["sub_image"]
    if picture is not None:
        texture = corpus.textures[expected["texture"].upper()]
        assert material.alphas[index] == texture.get("alpha", material.alphas[index])
        if phase.page is not None and "sub_image" in expected:
            x, w, y, h = texture["pages"][phase.page]
            assert picture.page == ((x, y, w, h) if w and h else None)


def test_every_texture_has_the_alpha_that_the_truth_says(samples: Path) -> None:
    field = Corpus(samples / "field")
    known = MaterialLookup(field.folder / "game", field.library)
    for name, texture in field.truth["textures"].items():
        if not name.startswith("LightMap"):
            alpha = known.texture(name.encode()).alpha
            expected = texture["alpha"]
            assert (alpha is AlphaKind.NONE) == (expected == "none")
            assert expected in ("gloss", alpha)


@pytest.mark.parametrize("requested", [ReadingChoice.AUTO, ReadingChoice.FIELD])
def test_the_lightmap_is_the_one_that_the_wear_table_lists(corpus: Corpus, requested: ReadingChoice) -> None:
    seen = 0
    for key, known in corpus.truth["models"].items():
        listed = corpus.lightmaps(key)
        found = corpus.open(key, requested).materials
        asked = [
            NO_LIGHTMAP if requested is ReadingChoice.AUTO else batch[2] >> 8 for batch in known["batches"]
        ]
        if "lightmapped" in known:
            asked = [0 if is_lit else NO_LIGHTMAP for is_lit in known["lightmapped"]]
        for row, number in zip(found.of_batch, asked, strict=True):
            picture = found.rows[row].lightmap
            expected = listed[number] if number < len(listed) else None
            assert (picture.name.upper() if picture else None) == (expected.upper() if expected else None), (
                key
            )
            if picture is not None:
                check_pixels(picture, corpus.textures[f"LIGHTMAP.LIB::{picture.name}".upper()])
                seen += 1
    assert seen or "reading" not in corpus.truth


def test_every_phase_shows_the_pixels_of_the_texture_that_it_names(corpus: Corpus) -> None:
    for key, known in corpus.truth["models"].items():
        found = corpus.open(key, ReadingChoice.AUTO).materials
        for material in found.rows if found.wear_source else ():
            check_phases(corpus, material, known["materials"][material.row])


def check_phases(corpus: Corpus, material: Material, name: str) -> None:
    known = corpus.materials.get(name.upper(), corpus.materials["DEFAULT"])
    for picture, phase in zip(material.textures, known["phases"], strict=True):
        assert (picture is None) == (not phase["texture"])
        if picture is not None:
            assert picture.name.upper() == phase["texture"].upper()
            check_pixels(picture, corpus.textures[picture.name.upper()])


def check_pixels(picture: TextureRef, known: Truth) -> None:
    """Every level of a picture, bit for bit."""
    texture = picture.texture
    assert [(level.width, level.height) for level in texture.levels] == [
        (level["w"], level["h"]) for level in known["levels"]
    ]
    for index, level in enumerate(known["levels"]):
        stored = texture.levels[index]
        assert zlib.crc32(stored.data) == level["crc_raw"]
        if texture.format not in ROUNDED:
            assert zlib.crc32(texture.level(index).tobytes()) == level["crc_rgba"]


def test_the_trace_names_every_link(corpus: Corpus) -> None:
    """Table, row, material and textures, and nothing is complained of where all is found."""
    for key, known in corpus.truth["models"].items():
        found = corpus.open(key, ReadingChoice.AUTO).materials
        for material in found.rows if found.wear_source else ():
            name = known["materials"][material.row]
            told = "\n".join(material.trace)
            assert any(states(step, f"row {material.row}") for step in material.trace), key
            link = f"{found.wear_source} {material.row} {name}"
            assert any(states(step, link) for step in material.trace), key
            stored = next(n for n in (name.upper(), "DEFAULT") if n in corpus.materials)
            assert "Material.lib" in told, key
            assert repr(stored).upper() in told.upper(), key
            for phase in corpus.materials[stored]["phases"]:
                assert phase["texture"].upper() in told.upper(), key
            is_broken = material.found is not FoundIn.NAME or any("rectangle" in p for p in material.problems)
            is_broken |= "blend index" in "".join(material.problems)
            assert bool(material.problems) == is_broken, (key, material.problems)


def test_lightmap_coordinates_are_those_of_the_stream(corpus: Corpus) -> None:
    """u16 / 1024, as the shader has it."""
    seen = 0
    for key, known in corpus.truth["models"].items():
        for vertex, expected in known.get("lightmap_uv_probe", ()):
            model = corpus.open(key, ReadingChoice.AUTO).model
            stored = np.frombuffer(model.payload(STREAM18), "<u2").reshape(-1, 2)[vertex]
            assert stored / 1024 == pytest.approx(expected, abs=1e-6), key
            seen += 1
    assert seen > 0 or "reading" not in corpus.truth
