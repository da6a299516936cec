"""The materials of a file as rows of the wear table.

A material with the row and name of one of the model is that one; another name is another row: one of the wear
table that has it, or a new one after the last. A material that kept its row under a name that the model does
not know was renamed.

Source: spec/materials.md 2, spec/msh.md 8.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from viewer.formats.text import decode
from viewer.model.convert.building.wear_rows import entry_word
from viewer.model.convert.importing.findings import Findings
from viewer.model.convert.importing.matching import plain
from viewer.model.convert.labels import UniqueNames, numbered
from viewer.model.convert.scene import NEW, Material, Scene
from viewer.model.edit.change import Change
from viewer.model.edit.choices import RowChoice
from viewer.model.edit.rows.row_changes import AddRows
from viewer.model.edit.set_field import SetField
from viewer.translation import Sentence

TABLE: Final = "materials"
_TAKEN: Final = re.compile(r"~\d+$")
"""What export appends to a name that is taken: a row may look in several ways."""


@dataclass(frozen=True, slots=True)
class WearChanges:
    """What the materials of a file are.

    Attributes
    ----------
    rows
        The wear row of each material of the file, -1 for one that has none.
    changes
        Changes of the wear table.
    names
        The new names that rows get.
    """

    rows: tuple[int, ...]
    changes: tuple[Change, ...]
    names: Mapping[int, str]


def wear_changes(
    expected: Scene, given: Scene, names: Sequence[str] | None, findings: Findings
) -> WearChanges:
    """The wear rows of the materials of a file.

    Parameters
    ----------
    names
        The materials of the wear table; None if it is not known.
    """
    stored = dict(enumerate(names or ()))
    own = {it.row: stored.get(it.row, it.name) for it in expected.materials if it.row is not None}
    known = {_folded(name): row for row, name in reversed([*own.items(), *enumerate(names or ())])}
    known = _written(expected, own) | known
    kept = {it.row for it in given.materials if it.row is not None and _is_own(it, own)}
    used = _used(given)
    rows: list[int] = []
    new: dict[int, str] = {}
    changes: list[Change] = []
    count = len(names or ())
    for index, material in enumerate(given.materials):
        row = _row(material, own, known)
        if row is None and index in used:
            row = material.row if material.row in own else None
            if names is None:
                findings.lose(
                    Sentence("material {name!r} is left out: no wear table is known", name=material.name)
                )
            elif row is not None and row not in kept:
                new[row] = _word(material, findings)
                changes += _renamed(row, new[row], findings)
                kept.add(row)
            else:
                row, count = count, count + 1
                new[row] = _word(material, findings)
                changes += _added(row, new[row], findings)
            known[_folded(material.name)] = NEW if row is None else row
        rows.append(NEW if row is None else row)
    return WearChanges(tuple(rows), tuple(changes), new)


def _written(expected: Scene, own: Mapping[int, str]) -> dict[str, int]:
    """The rows by the names that materials have in a file, where each is there once."""
    names = UniqueNames()
    written = [
        names.add(own.get(-1 if it.row is None else it.row, it.name), numbered("material", at))
        for at, it in enumerate(expected.materials)
    ]
    pairs = zip(written, expected.materials, strict=True)
    return {_folded(name): it.row for name, it in pairs if it.row is not None and it.row in own}


def _used(given: Scene) -> set[int]:
    """The materials of triangles that a node shows."""
    shown = {mesh for node in given.nodes for mesh in node.cells.values()}
    primitives = (it for mesh in shown for it in given.meshes[mesh].primitives)
    return {it.material for it in primitives if it.material is not None}


def _folded(name: str) -> str:
    return name.strip().casefold()


def _is_own(material: Material, own: Mapping[int, str]) -> bool:
    """Whether a material has the name that its row has, or one that is given where none is known."""
    if material.row is None or material.row not in own:
        return False
    unknown = numbered("material", material.row)
    if unknown in (own[material.row], plain(material.name)):
        return True
    return _folded(own[material.row]) in {_folded(material.name), _folded(plain(material.name))}


def _row(material: Material, own: Mapping[int, str], known: Mapping[str, int]) -> int | None:
    """The row of a material that the model or its wear table has."""
    if _is_own(material, own):
        return material.row
    for name in (material.name, plain(material.name), _TAKEN.sub("", plain(material.name))):
        if _folded(name) in known:
            return known[_folded(name)]
    return None


def _word(material: Material, findings: Findings) -> str:
    """The name of a material as one word, which it is in a wear table."""
    word = decode(entry_word(material))
    if word != material.name:
        words = "material {name} is called {word} in the wear table"
        findings.lose(Sentence(words, name=material.name, word=word))
    return word


def _renamed(row: int, name: str, findings: Findings) -> Iterator[Change]:
    findings.note(Sentence("row {row} of the wear table is renamed to {name}", row=row, name=name))
    yield SetField(TABLE, RowChoice.of(row), "name", name)


def _added(row: int, name: str, findings: Findings) -> Iterator[Change]:
    findings.note(Sentence("row {row} of the wear table is added: {name}", row=row, name=name))
    yield AddRows(TABLE)
    yield SetField(TABLE, RowChoice.of(row), "name", name)
