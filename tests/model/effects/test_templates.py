"""New blocks and new effects: they are valid, they show something, and an archive gets them as entries."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model.edit.rows.test_rows import edited, refusal
from tests.model.effects.effects import SOUND, SPRITE, STREAM, block, effect
from viewer.errors import EditError
from viewer.formats import fxid
from viewer.formats.archive import nres
from viewer.formats.archive.nres import Archive, NewEntry
from viewer.model.edit.archive.add_effect import AddEffect
from viewer.model.edit.draft import Draft
from viewer.model.edit.plan import plan
from viewer.model.edit.rows.row_changes import AddRows
from viewer.model.effects.faults import faults
from viewer.model.effects.moment import EffectMoment
from viewer.model.effects.program import EffectInputs, EffectProgram
from viewer.model.effects.templates import TEMPLATES, TemplateName, new_block, new_effect
from viewer.model.kinds.registry import ARCHIVE

FXID = 0x44495846


def shown(data: bytes) -> EffectMoment:
    return EffectProgram.of(fxid.decode(data)).at(EffectInputs(0.3, strength=1.0, target=(9.0, 0.0, 0.0)))


@pytest.mark.parametrize("opcode", [1, 3, 4, 5, 7, 8, 9, 10])
def test_a_new_block_shows_something(opcode: int) -> None:
    data = new_effect(new_block(opcode, b"FLAME"))
    decoded = fxid.decode(data)
    assert not decoded.diagnostics
    assert not faults(decoded)
    moment = shown(data)
    drawn = {1: moment.lights.block, 5: moment.bolts.block}.get(opcode, moment.sprites.block)
    assert drawn.size
    alpha = moment.bolts.alpha if opcode == 5 else moment.sprites.alpha
    assert opcode == 1 or alpha.max() > 0
    sizes = np.linalg.norm(moment.sprites.x, axis=1)
    assert opcode in (1, 5) or sizes.min() > 0


@pytest.mark.parametrize("name", TemplateName)
def test_a_template_is_a_valid_effect_that_draws_its_materials(name: TemplateName) -> None:
    data = TEMPLATES[name].made(dict.fromkeys(range(11), b"FLAME"))
    decoded = fxid.decode(data)
    assert not [*decoded.diagnostics, *faults(decoded)]
    assert not decoded.tail
    named = {(archive, resource) for _index, archive, resource in decoded.references()} - {(b"", b"")}
    assert named == (set() if name is TemplateName.LIGHT else {(b"Material.lib", b"FLAME")})
    moment = shown(data)
    assert moment.sprites.block.size or moment.bolts.block.size or moment.lights.block.size


def test_a_block_is_added_by_kind_or_opcode_and_names_what_the_last_such_block_names() -> None:
    before = effect(block(3, b"GLOW", **SPRITE), block(2, b"boom.wav", **SOUND), block(8, b"SMOKE", **STREAM))
    for record in ("burst", "7"):
        after = edited("fxid", before, AddRows("commands", record=record))
        assert (after[4:60], after[60 : len(before)]) == (before[4:60], before[60:])
        (row,) = fxid.decode(after).records(fxid.COMMAND_KINDS[7])
        assert row["resource"].tobytes().rstrip(b"\0") == b"SMOKE"
    after = edited("fxid", before, AddRows("commands", 0, record="sound"))
    assert [it[1:] for it in fxid.decode(after).references() if it[0] == 0] == [(b"sounds.lib", b"boom.wav")]
    assert "light, sound" in refusal("fxid", before, AddRows("commands", record="99"))


def library(*effects: bytes) -> bytes:
    return nres.build([NewEntry(FXID, it, b"e%d" % row, 0, 0, 1) for row, it in enumerate(effects)])


def added(data: bytes, *changes: AddEffect) -> Archive:
    made = plan(Draft(ARCHIVE, data), changes).after
    return Archive.read(made)


def test_an_effect_is_added_with_the_materials_that_such_blocks_draw() -> None:
    data = library(
        effect(block(3, b"SPARK", **SPRITE)), effect(block(7, b"FIRE", count_0=1, count_1=1, life=1))
    )
    archive = added(
        data, AddEffect(TemplateName.EXPLOSION), AddEffect(TemplateName.EXPLOSION, material="MINE")
    )
    assert [it.text for it in archive.entries] == ["e0", "e1", "explosion", "explosion_2"]
    assert {(it.type_id, it.attr1, it.attr2, it.attr3) for it in archive.entries} == {(FXID, 0, 0, 1)}
    names = [[it[2] for it in fxid.decode(archive.payload(row)).references()] for row in (2, 3)]
    assert sorted(names[0]) == [b"", b"FIRE", b"SPARK"]
    assert sorted(names[1]) == [b"", b"MINE", b"MINE"]
    assert all(archive.payload(row) == Archive.read(data).payload(row) for row in (0, 1))


def test_an_effect_in_an_archive_without_effects_draws_the_default() -> None:
    archive = added(nres.build([]), AddEffect(TemplateName.GLOW, "mine"))
    (entry,) = archive.entries
    assert (entry.text, entry.type_id, entry.attr3) == ("mine", FXID, 1)
    assert [it[2] for it in fxid.decode(archive.payload(0)).references()] == [b"DEFAULT"]


@pytest.mark.parametrize("material", ["x" * 32, "日", "a\0b"])
def test_a_material_that_a_block_cannot_hold_is_refused(material: str) -> None:
    with pytest.raises(EditError) as caught:
        added(library(), AddEffect(TemplateName.GLOW, material=material))
    assert (caught.value.table, caught.value.field) == ("directory", "material")
