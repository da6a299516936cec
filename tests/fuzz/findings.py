"""All findings of the validator on the corpora, the sample and mutants, to be compared with others.

``python -m tests.fuzz.findings OUT`` before and after a change of the rules: the same findings make the same
file. Every mutant is checked by itself and together with others; both must agree.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Final

import numpy as np

from tests.broken import archives, models, terrains
from tests.broken.case import checked
from tests.builders import container, legacy24, quad
from tests.corpora import GAME, SAMPLES
from tests.fuzz.mutants import mutant
from tests.fuzz.seeds import seeds
from tests.model.test_robustness import SOURCES, TYPES
from viewer.diagnostics import Diagnostic
from viewer.formats.msh.tables import REQUIRED, TABLES
from viewer.model.checks.payload import NOWHERE
from viewer.model.store.address import Address
from viewer.model.store.item import Item
from viewer.model.validation.batch_validation import BatchValidator, plan
from viewer.model.validation.validate import Report, check_item, check_items

KINDS: Final = frozenset({"msh", "nres", "control"})
"""Kinds with rules of models, animation and containers."""
WORDS: Final = (0, 1, 2, 3, 0x7F, 0x7F80, 0x7FC0, 0x7FFF, 0x8000, 0xFF80, 0xFFFE, 0xFFFF)
PER_SEED: Final = 60
PER_SOURCE: Final = 600
TOGETHER: Final = 16


def mutants() -> Iterator[tuple[str, bytes]]:
    """Files that break rules, by name: the same ones each time."""
    for case in (*models.CASES, *archives.CASES, *terrains.CASES):
        with checked() as payloads:
            [*case.find()]
        yield from ((f"case {case} {number}", bytes(it.data)) for number, it in enumerate(payloads))
    chosen = [it for it in seeds() if it.kind in KINDS]
    for place, seed in enumerate(chosen):
        other = chosen[(place + 1) % len(chosen)].data
        for number in range(PER_SEED):
            yield f"{seed.name} {number}", mutant(seed.data, other, number)
    for name, data in {**SOURCES, "legacy of a quad": legacy24([quad()])}.items():
        random = Random(name)
        for number in range(PER_SOURCE):
            wrong = np.frombuffer(data, "<u2").copy()
            for _ in range(random.choice((1, 1, 1, 2, 3))):
                wrong[random.randrange(8, len(wrong))] = random.choice(WORDS)
            yield f"{name} {number}", wrong.tobytes()
    for number in range(PER_SOURCE):
        yield f"small numbers {number}", small_numbers(Random(number))


def small_numbers(random: Random) -> bytes:
    """A model whose tables hold small numbers, so that most references lead somewhere."""
    tables = {}
    for type_id in TYPES:
        record = TABLES[type_id].record
        size = random.randrange(5) * (record.size if record else 6) + TABLES[type_id].header_size
        values = [
            random.choice((0, 0, 1, 1, 2, 3, 4, 6, 0x10, 0x3F80, 0x7FFF, 0xFFFF)) for _ in range(size // 2)
        ]
        if random.random() < 0.95 or type_id in REQUIRED:
            tables[type_id] = np.array(values, "<u2").tobytes()
    return container(tables, frame_count=random.randrange(4))


def lines(name: str, reports: Iterable[Report]) -> Iterator[str]:
    """A line for each finding, with the place where it is."""
    for report in reports:
        yield f"== {name} {report.source.entries} {report.kind} {report.is_readable}"
        yield from map(_line, report.diagnostics)


def _line(it: Diagnostic) -> str:
    return f"{it.rule} {it.severity} {it.table} {it.index} {it.field}: {it.message}"


def dump() -> Iterator[str]:
    """All findings, a line each."""
    for folder in (GAME, *sorted(it for it in SAMPLES.iterdir() if it.is_dir())):
        tasks = plan([Address(folder)], is_divided=True)
        for task, reports in zip(tasks, BatchValidator().check_all(tasks), strict=True):
            yield from lines(task.address.path.name, reports)
    files = [*mutants()]
    for start in range(0, len(files), TOGETHER):
        some = files[start : start + TOGETHER]
        items = [Item(Address(Path("mutant.msh")), memoryview(data), None) for _, data in some]
        together = [*check_items(items, [NOWHERE] * len(items))]
        for (name, _), item, reports in zip(some, items, together, strict=True):
            found = [*lines(name, check_item(item))]
            if found != [*lines(name, reports)]:
                yield f"!! {name} has other findings together with others"
            yield from found


if __name__ == "__main__":
    Path(sys.argv[1]).write_text("\n".join(dump()) + "\n", encoding="utf-8", errors="backslashreplace")
