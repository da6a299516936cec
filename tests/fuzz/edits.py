"""Changes, repairs and patches of mutants: refused in words, or exact and undone to the byte."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.fuzz.mutants import mutant
from tests.fuzz.seeds import Seed, seeds
from viewer.errors import MshviewError
from viewer.formats import splice
from viewer.formats.part import record_at, walk
from viewer.model.edit import script
from viewer.model.edit.draft import Draft
from viewer.model.edit.faults import Fault
from viewer.model.edit.plan import Plan, plan
from viewer.model.edit.repair import found_repairs
from viewer.model.kinds.columns import record_row
from viewer.model.kinds.registry import by_id
from viewer.model.patch.applying import applied
from viewer.model.patch.making import made

VALUES: Final = (
    0,
    1,
    -1,
    7,
    0xFFFF,
    1 << 40,
    None,
    "",
    "x",
    "Я" * 40,
    "ff",
    0.5,
    1e39,
    "nan",
    [0, 0, 0],
    [[1]],
)
ROWS: Final = ("0", "1", "*", "0:3", "2", "row > 1", "99999")
NODES: Final = (0, 1, 1, 2, 3, 9999, -1, "", "hull", None)
MOST_CHANGES: Final = 3
LARGEST_PATCH: Final = 1 << 20
"""Bytes of a mutant above which no patch is made of it."""


def edits(seed: Seed, number: int, _: Path) -> None:
    """Change a mutant, repair it, and make a patch of what came out."""
    random = Random(number)
    others = seeds()
    data = mutant(seed.data, others[number % len(others)].data, number)
    changed = _changed(seed, data, random)
    repaired = _repaired(seed, data) if random.random() < 0.3 else None
    for after in (changed, repaired):
        if after is not None and len(data) <= LARGEST_PATCH:
            patch = made(data, after)
            assert applied(patch, data) == after
            assert applied(patch, after, is_reverse=True) == data


def _changed(seed: Seed, data: bytes, random: Random) -> bytes | None:
    """The mutant after those of some changes that were not refused; None if it cannot be read."""
    before = data
    for _ in range(random.randint(1, MOST_CHANGES)):
        draft = Draft(by_id(seed.kind), before, seed.entry)
        try:
            (change,) = script.parse(json.loads(json.dumps([_form(draft, random)])))
            assert script.parse(json.loads(json.dumps(script.forms([change])))) == (change,)
            assert change.words
            found = plan(draft, [change])
        except MshviewError:
            assert draft.data == before
            continue
        _check(before, found)
        before = bytes(found.after)
    return before


def _check(data: bytes, found: Plan) -> None:
    assert bytes(found.before) == data
    assert splice.applied(data, found.splices) == found.after
    assert splice.applied(found.after, splice.reverse(found.splices)) == data


def _repaired(seed: Seed, data: bytes) -> bytes | None:
    draft = Draft(by_id(seed.kind), data, seed.entry)
    try:
        found = found_repairs(draft, b"x" + seed.suffix.encode())
        return bytes(plan(draft, [repair.change for repair in found]).after)
    except MshviewError:
        return None


def _form(draft: Draft, random: Random) -> dict[str, Any]:
    """Some change that makes sense for the kind, more often than not."""
    if random.random() < 0.5:
        return _set(draft, random)
    makers = (_of_node, _of_geometry) if draft.kind.id == "msh" else (_of_rows, _of_entries)
    return random.choice(makers if random.random() < 0.9 else MAKERS)(draft, random)


def _of_node(_: Draft, random: Random) -> dict[str, Any]:
    node, other, small = random.choice(NODES), random.choice(NODES), _small(random)
    return random.choice(
        (
            {"do": "rename-node", "node": node, "name": random.choice(("a", "", "Я", "x" * 99))},
            {"do": "parent", "node": node, "parent": other, "reorders": True, "keeps_pose": True},
            {"do": "cell", "node": node, "lod": small, "group": _small(random), "slot": _small(random)},
            {"do": "key", "node": node, "index": small, "position": [0.5, 3, 0]},
            {"do": "add-key", "node": node, "time": small},
            {"do": "move-keys", "node": node, "indices": [0, small], "times": [small, _small(random)]},
            {"do": "remove-key", "node": node, "index": small},
            {"do": "frame-count", "count": small},
            {"do": "retime", "start": 0, "end": small, "to_start": 0, "to_end": _small(random)},
            {"do": "add-node", "name": "new", "parent": other},
            {"do": "remove-node", "node": node, "with_children": True},
            {"do": "place", "node": node, "offset": [1, 2, 3]},
        )
    )


def _of_geometry(_: Draft, random: Random) -> dict[str, Any]:
    rows, small = random.choice(ROWS), _small(random)
    return random.choice(
        (
            {"do": "move", "node": random.choice(NODES), "by": [1, 2, 3]},
            {"do": "recompute", "what": random.choice(("bounds", "header", "normals", "links", "all"))},
            {"do": "flip", "triangles": [small]},
            {"do": "remove-triangles", "triangles": [small, _small(random)]},
            {"do": "material", "rows": rows, "material": small},
            {"do": "add-slot"},
            {"do": "copy-slot", "slot": small, "has_own_geometry": random.random() < 0.5},
            {"do": "remove-slot", "slot": small},
            {"do": "remove-unused-vertices"},
        )
    )


def _of_rows(draft: Draft, random: Random) -> dict[str, Any]:
    table = random.choice([path for path, part in walk(draft.parts) if part.is_table] or ["x"])
    rows, small = random.choice(ROWS), _small(random)
    return random.choice(
        (
            {"do": "add-rows", "table": table, "count": random.choice((1, 3, 70000))},
            {"do": "remove-rows", "table": table, "rows": rows},
            {"do": "move-rows", "table": table, "rows": rows, "before": small},
            {"do": "repair", "fault": str(random.choice([*Fault]))},
            {"do": "replace-texture", "width": 2, "height": 2, "rgba": "80" * 16},
        )
    )


def _of_entries(_: Draft, random: Random) -> dict[str, Any]:
    entry, small = f"#{abs(_small(random))}", _small(random)
    return random.choice(
        (
            {"do": "add-entry", "name": "new", "payload": "00" * 9, "row": 0},
            {"do": "remove-entry", "entry": entry},
            {"do": "replace-entry", "entry": entry, "payload": "11" * 40},
            {"do": "rename-entry", "entry": entry, "name": "other"},
            {"do": "describe-entry", "entry": entry, "attr2": small},
            {"do": "move-entry", "entry": entry, "row": small},
            {"do": "recompute-sort-indices"},
        )
    )


MAKERS: Final = (_of_node, _of_geometry, _of_rows, _of_entries)


def _small(random: Random) -> int:
    return random.choice((0, 0, 0, 1, 1, 2, 3, 50, -1, 70000))


def _set(draft: Draft, random: Random) -> dict[str, Any]:
    """Some field of some row set to some value, more often than not one of its type."""
    records = [(path, part) for path, part in walk(draft.parts) if part.record is not None and part.count]
    if not records:
        return {"do": "set", "table": "", "rows": "", "field": "x", "value": 0}
    path, part = random.choice(records)
    found = record_at(part, random.randrange(part.count) if part.is_table else None)
    assert found is not None
    record, row = found
    name = random.choice(record.fields).name
    value = record_row(record, row)[name] if random.random() < 0.5 else random.choice(VALUES)
    rows = random.choice(ROWS) if part.is_table else ""
    return {"do": "set", "table": path, "rows": rows, "field": name, "value": value}
