"""Edits of the samples, read back by readers that share no code with the program.

The readers are first held against the truth beside the samples; then a random edit of a random file must
change what it says in their eyes, and nothing else: no other value, no other entry of the archive.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from zlib import crc32

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpora import SAMPLES, skip_module
from tests.model.edit import independent
from tests.model.edit.independent import Entry, leaves
from tests.model.edit.test_every_field import legal
from tests.share import examples
from viewer.errors import EditError
from viewer.formats.part import find
from viewer.formats.record import Bits, Field
from viewer.formats.splice import applied
from viewer.model.edit import plan
from viewer.model.edit.change import Change
from viewer.model.edit.draft import Draft
from viewer.model.edit.rows.row_changes import AddRows, MoveRows, RemoveRows
from viewer.model.edit.set_field import SetField
from viewer.model.edit.values import RowChoice
from viewer.model.kinds.registry import promised_kind
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore

skip_module()

pytestmark = pytest.mark.corpora

Reader = Callable[[bytes, Entry | None], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Format:
    """One format: its reader, its files in the truth, and where its fields are in what the reader returns.

    Parameters
    ----------
    section, folder
        Where the truth lists its files, and what is before their names there.
    fields
        By ``TABLE.FIELD``, where ``{r}`` is the row and ``{i}`` the number in the path of the table.
    rows
        The lists of tables whose rows can be rearranged.
    """

    reader: Reader
    section: str
    folder: str
    fields: Mapping[str, str]
    rows: Mapping[str, str]


def same(table: str, path: str, *names: str) -> dict[str, str]:
    """Fields that have the same name in the truth."""
    return {f"{table}.{name}": f"{path}/{name}" for name in names}


def numbered(table: str, path: str, *names: str, first: int = 0) -> dict[str, str]:
    """Fields that the truth lists in order, without names."""
    return {f"{table}.{name}": f"{path}/{index}" for index, name in enumerate(names, first)}


COLORS: Final = [
    *(name + end for name in ("ambient", "diffuse", "specular", "emissive") for end in ("", "_alpha")),
    "power",
    "page",
]
FORMATS: Final = {
    "units": Format(
        independent.units,
        "units",
        "",
        {
            "header.unit_type": "/unit_type",
            **same("components", "/components/{r}", "archive", "key", "flags", "attachment", "name"),
            "components.class_id": "/components/{r}/class",
            "components.child_count": "/components/{r}/children",
        },
        {},
    ),
    "control_points": Format(
        independent.control_points,
        "cpt",
        "",
        {
            "points.unknown_0x00": "/points/{r}/head",
            **same("points", "/points/{r}", "nodes", "position", "direction"),
            "names.name": "/points/{r}/name",
        },
        {"points": "points", "names": "points"},
    ),
    "damage": Format(
        independent.damage,
        "ndp",
        "",
        same("nodes", "/records/{r}", "flags", "hit_points", "density", "archive", "explosion"),
        {"nodes": "records"},
    ),
    "ground_plan": Format(
        independent.ground_plan,
        "bas",
        "",
        {
            "rings[].points.position": "/rings/{i}/points/{r}",
            "rings[].triangles.triangle": "/rings/{i}/triangles/{r}",
            "rings[].corners.corner": "/rings/{i}/corners/{r}",
        },
        {},
    ),
    "control": Format(
        independent.control,
        "controls",
        "",
        {
            **same("parameters", "/parameters", "acceleration", "unread", "top_speed", "turn_rate", "lean"),
            **same("parameters", "/parameters", "dead_milliseconds", "slope_cone", "bits", "payload"),
            **same("states", "/states/{r}", "axes", "mode", "lean", "frames_a", "frames_b", "weight_b"),
            **same("states", "/states/{r}", "milliseconds", "velocity_min", "velocity_max", "spin_min"),
            **same("states", "/states/{r}", "spin_max", "engine", "action"),
            **same("channels", "/channels/{r}", "node", "first", "last", "initial", "points", "rate"),
            **same("channels", "/channels/{r}", "span", "flags"),
            "costs.cost": "/costs/{r}",
        },
        {"channels": "channels"},
    ),
    "mat0": Format(
        independent.material,
        "materials",
        "game/Material.lib::",
        {
            "header.ground_surface": "/meta/a",
            "header.unknown_0x05": "/meta/b",
            "header.speed_factor": "/meta/c",
            "header.damage_per_second": "/meta/d",
            "phases.texture": "/phases/{r}/texture",
            **{f"phases.{name}": "/phases/{r}/params" for name in COLORS},
            "blocks[].header.mode": "/blocks/{i}/mode",
            "blocks[].header.mask": "/blocks/{i}/mask",
            **numbered("blocks[].keys", "/blocks/{i}/keys/{r}", "phase", "time", "unknown_0x04"),
        },
        {},
    ),
    "wear": Format(
        independent.wear,
        "wear",
        "game/",
        {"materials.name": "/materials/{r}", "lightmaps.name": "/lightmaps/{r}"},
        {"materials": "materials", "lightmaps": "lightmaps"},
    ),
    "texm": Format(
        independent.texture,
        "textures",
        "game/Textures.lib::",
        {
            **same("header", "", "flags4", "flags5"),
            "header.mean_color": "/unk6",
            **numbered("pages", "/pages/{r}", "x", "w", "y", "h"),
        },
        {"pages": "pages"},
    ),
    "objects": Format(
        independent.references,
        "object_refs",
        "game/objects.rlb::",
        numbered("references", "/refs/{r}", "archive", "resource"),
        {"references": "refs"},
    ),
    "msh": Format(
        independent.model,
        "models",
        "",
        {
            "nodes.flags": "/hdr/{r}/0",
            "nodes.parent": "/parents/{r}",
            "nodes.map_start": "/hdr/{r}/1",
            "nodes.fallback_key": "/hdr/{r}/2",
            "nodes.slots": "/slot_matrix/{r}",
            **numbered("slots", "/slots/{r}", "tri_start", "tri_count", "batch_start", "batch_count"),
            **dict.fromkeys(
                ("slots.aabb_min", "slots.aabb_max", "slots.sphere_center", "slots.sphere_radius"),
                "/slot_bounds/{r}",
            ),
            "slots.opaque": "/slot_tail/{r}",
            **numbered(
                "batches", "/batches/{r}", "flags", "material", "opaque4", "opaque6",
                "index_count", "index_start", "opaque14", "base_vertex",
            ),
            "header.hull": "/header",
            "header.sphere_radius": "/header",
            "strings.text": "/takes/{r}",
            "keys.time": "",
            "positions.position": "",
            "indices.index": "",
            "frame_map.key": "",
        },
        {},
    ),
}  # fmt: skip
TABLE_TYPES: Final = {
    "nodes": 1, "slots": 2, "header": 2, "batches": 13, "keys": 8, "positions": 3, "indices": 6,
    "frame_map": 19, "strings": 10,
}  # fmt: skip
"""The type of each table of a model."""


@cache
def truth(corpus: str) -> Mapping[str, Any]:
    """What was written into the files of a corpus."""
    loaded: Mapping[str, Any] = json.loads((SAMPLES / corpus / "truth.json").read_text(encoding="utf-8"))
    return loaded


@cache
def files(kind: str) -> tuple[tuple[str, str], ...]:
    """Corpus and address of every file of a kind that the truth lists."""
    form = FORMATS[kind]
    found = []
    for corpus in ("field", "seed"):
        for key, listed in truth(corpus).get(form.section, {}).items():
            name = f"game/{key}" if kind == "texm" and "::" in key else f"{form.folder}{key}"
            if kind == "msh" and (listed["stride"] != 38 or listed["counts"]["vertices"] > 20000):
                continue
            if kind == "mat0" and listed["version"] != 6:
                continue
            found.append((corpus, name))
    return tuple(found)


@cache
def data_of(corpus: str, path: str) -> bytes:
    """The bytes of a file."""
    return (SAMPLES / corpus / path).read_bytes()


def payload_of(data: bytes, address: str) -> tuple[bytes, Entry | None]:
    """The payload at an address of a file with this content."""
    _, _, name = address.partition("::")
    if not name:
        return data, None
    entry = next(it for it in independent.archive(data) if it.name.upper() == name.upper())
    return entry.data, entry


def seen(kind: str, data: bytes, address: str) -> dict[str, Any]:
    """What the reader of a kind sees at an address of a file."""
    return dict(leaves(FORMATS[kind].reader(*payload_of(data, address))))


@pytest.mark.parametrize("kind", FORMATS)
def test_the_readers_see_the_truth(kind: str) -> None:
    assert files(kind)
    for corpus, address in files(kind):
        data = data_of(corpus, address.partition("::")[0])
        key = address.removeprefix(FORMATS[kind].folder)
        section = truth(corpus)[FORMATS[kind].section]
        known = dict(leaves(section.get(key) or section[key.removeprefix("game/")]))
        has_labels = corpus == "field" and "names_noise9" not in address
        for path, value in seen(kind, data, address).items():
            if has_labels or not path.startswith("/takes"):
                assert known[path] == value, (address, path)


class EditedSample:
    """A file in which one payload is edited."""

    def __init__(self, corpus: str, address: str) -> None:
        self.corpus, self.address = corpus, address
        self.before = data_of(corpus, address.partition("::")[0])
        self.store = FileStore()
        self.where = Address.parse(str(SAMPLES / corpus / address))
        item = self.store.open(self.where)
        self.draft = Draft(promised_kind(item), item.data, item.entry)  # type: ignore[arg-type]

    def apply(self, change: Change) -> bytes | None:
        """The file after a change; None if it is refused, and then nothing may have changed."""
        try:
            change.apply(self.draft)
        except EditError:
            assert not self.draft.splices
            return None
        after = applied(self.before, plan.lifted(self.store, self.where, self.draft.splices))
        self.check_entries(after)
        return after

    def check_entries(self, after: bytes) -> None:
        """The other entries of the archive are what the truth says."""
        path, _, name = self.address.partition("::")
        if not name:
            return
        found = independent.archive(after)
        listed = truth(self.corpus)["archives"][path]["entries"]
        assert len(found) == len(listed)
        for entry, expected in zip(found, listed, strict=True):
            assert [entry.name, entry.type, *entry.attributes] == expected[:5]
            if entry.name.upper() != name.upper():
                assert [len(entry.data), crc32(entry.data)] == expected[5:]


@pytest.mark.parametrize("kind", FORMATS)
def test_a_field_that_is_set_is_all_that_changes(kind: str) -> None:
    @settings(max_examples=examples(60), database=None, suppress_health_check=[*HealthCheck])
    @given(st.data())
    def run(data: st.DataObject) -> None:
        set_once(kind, data)

    run()


def set_once(kind: str, data: st.DataObject) -> None:
    corpus, address = data.draw(st.sampled_from(files(kind)), label="file")
    field_path = data.draw(st.sampled_from([*FORMATS[kind].fields]), label="field")
    number = data.draw(st.integers(0, 3), label="number")
    table, _, name = field_path.rpartition(".")
    table = table.replace("[]", f"[{number}]")
    edited = EditedSample(corpus, address)
    part = find(edited.draft.parts, table)
    if part is None or not part.count:
        return
    row = data.draw(st.integers(0, part.count - 1), label="row") if part.is_table else None
    one = part.children[row or 0] if part.is_list else part
    if one.record is None or name not in names_of(one.record.fields):
        return
    field, bits = names_of(one.record.fields)[name]
    value = data.draw(legal(field, bits), label="value")
    path = FORMATS[kind].fields[field_path].format(r=row, i=number)
    before = seen(kind, edited.before, address)
    after_file = edited.apply(SetField(table, RowChoice() if row is None else RowChoice.of(row), name, value))
    if after_file is None:
        return
    after = seen(kind, after_file, address)
    changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    own = f"/crc/{TABLE_TYPES.get(table)}"
    assert all(key == own or (path and key.startswith(path)) for key in changed), (changed, path)
    if path in after and not path.startswith("/parents"):
        expected = as_read(field, value)
        # The reader has no text if there are no bytes of one.
        legal_texts = [expected, None] if expected == "" else [expected]
        assert after[path] in legal_texts or path.endswith("params")


def names_of(fields: tuple[Field, ...]) -> dict[str, tuple[Field, Bits | None]]:
    """Fields and groups of bits by the name under which they are set."""
    bits: dict[str, tuple[Field, Bits | None]] = {
        it.name: (field, it) for field in fields for it in field.bits
    }
    return bits | {field.name: (field, None) for field in fields}


def as_read(field: Field, value: Any) -> Any:
    """A value that was set, as a reader of numbers and texts sees it."""
    named = {name: number for number, name in field.values.items()}
    for bits in field.bits:
        named |= {name: number for number, name in bits.values.items()}
    if isinstance(value, str) and value in named:
        return named[value]
    if value is None:
        return field.none
    if not field.is_float:
        return value
    number = float(np.float32(float(value)))
    return pytest.approx(number, nan_ok=True) if np.isnan(number) else number


@pytest.mark.parametrize("kind", [kind for kind, form in FORMATS.items() if form.rows])
def test_rows_are_rearranged_and_nothing_else(kind: str) -> None:
    @settings(max_examples=examples(40), database=None, suppress_health_check=[*HealthCheck])
    @given(st.data())
    def run(data: st.DataObject) -> None:
        rearrange_once(kind, data)

    run()


def rearrange_once(kind: str, data: st.DataObject) -> None:
    corpus, address = data.draw(st.sampled_from(files(kind)), label="file")
    table, listed = data.draw(st.sampled_from([*FORMATS[kind].rows.items()]), label="table")
    edited = EditedSample(corpus, address)
    part = find(edited.draft.parts, table)
    if part is None or not part.count:
        return
    row, before = (data.draw(st.integers(0, part.count - 1), label=label) for label in ("row", "before"))
    old = FORMATS[kind].reader(*payload_of(edited.before, address))
    rows = [*old[listed]]
    kept = rows[:row] + rows[row + 1 :]
    at = before - (row < before)
    change, expected = data.draw(
        st.sampled_from(
            [
                (AddRows(table, before, like=row), [*rows[:before], rows[row], *rows[before:]]),
                (RemoveRows(table, RowChoice.of(row)), kept),
                (MoveRows(table, RowChoice.of(row), before), [*kept[:at], rows[row], *kept[at:]]),
            ]
        ),
        label="change",
    )
    after_file = edited.apply(change)
    if after_file is None:
        assert (kind, table, len(rows)) == ("wear", "materials", 1)
        return
    new = FORMATS[kind].reader(*payload_of(after_file, address))
    assert [*(new[listed] or ())] == expected
    others = old.keys() - {listed, "counts", "count"}
    assert {name: new[name] for name in others} == {name: old[name] for name in others}
