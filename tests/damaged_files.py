"""Damaged files made from the cases of broken rules, with a manifest like that of the corpora."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tests.broken import archives, libraries, models, resources, terrains
from tests.broken.case import Case, checked
from viewer.errors import Severity

SUFFIXES: Final = {"nres": "rlb", "rsli": "lib", "wear": "wea"}
"""Of the files of a kind, where it is not the kind itself."""
CASES: Final = (*archives.CASES, *libraries.CASES, *models.CASES, *terrains.CASES, *resources.CASES)
TRIANGLES: Final = 26
"""What `models.sound` draws in its first cell."""
SOUND: Final[Mapping[str, bytes]] = {
    "nres": bytes(archives.sound()),
    "rsli": bytes(libraries.library()),
    "msh": models.sound().build(),
    "wear": resources.WEAR,
    "mat0": bytes(resources.material()),
    "texm": bytes(resources.texture()),
    "fxid": resources.effect(resources.POINT, resources.sound_command()),
}
"""What the damaged files of each kind were before."""


def name_of(kind: str, stem: str) -> str:
    """The name of a file of a kind."""
    return f"{stem}.{SUFFIXES.get(kind, kind)}"


def write(folder: Path) -> None:
    """Write a file for every rule into the folder of its kind, what they were before, and the manifest."""
    firsts = {case.rule: case for case in reversed(CASES)}.values()
    mutants = [mutant for case in firsts for mutant in _written(folder, case)]
    (folder / "base").mkdir(parents=True, exist_ok=True)
    for kind, data in SOUND.items():
        (folder / "base" / name_of(kind, "base")).write_bytes(data)
    (folder / "manifest.json").write_text(json.dumps({"mutants": mutants}), encoding="utf-8")


def _written(folder: Path, case: Case) -> Iterator[dict[str, Any]]:
    """Write the file of a case and yield what the manifest says of it."""
    with checked() as payloads:
        found = list(case.find())
    hit = next(it for it in found if (it.rule, it.where) == (case.rule, case.where))
    payload = payloads[-1]
    if payload.kind not in SOUND:
        return
    name = f"{case.rule}_{payload.kind}"
    file = f"{payload.kind}/{name_of(payload.kind, name)}"
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_bytes(payload.data)
    is_wrong, is_sound = (
        case.severity is Severity.ERROR,
        not any(it.severity is Severity.ERROR for it in found),
    )
    mutant: dict[str, Any] = {
        "name": name,
        "kind": payload.kind,
        "file": file,
        "strict": "error" if is_wrong else "ok" if is_sound else "any",
        "tolerant": "any" if is_wrong else "shows",
        "tables": [hit.table],
        "indices": None if hit.index is None else [hit.index],
        "size": len(payload.data),
    }
    if payload.kind == "mat0" and payload.entry is not None:
        mutant["version"] = payload.entry.attr2
    is_of_sound = payload.kind == "msh" and b"gun" in payload.data
    if is_of_sound and hit.table == "directory" and not is_wrong:
        mutant |= {"min_tris": {"0/0": TRIANGLES}, "max_tris": {"0/0": TRIANGLES}}
    yield mutant
