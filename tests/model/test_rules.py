"""Every numbered rule: a file that breaks it, and nothing but it, is told so at its row."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.broken import archives, games, libraries, models, neighbours, resources, terrains
from tests.broken.case import Case, findings
from tests.messages import states
from viewer.errors import Diagnostic, Severity

CASES = (
    *archives.CASES,
    *libraries.CASES,
    *models.CASES,
    *terrains.CASES,
    *resources.CASES,
    *games.CASES,
    *neighbours.CASES,
)

NUMBERED = {"N": 14, "R": 8, "V": 27, "A": 13, "W": 10, "M": 7, "T": 8, "F": 5, "L": 8, "O": 5}
"""How many rules each page of the specification numbers."""

SAME_AS = {"A01": "V04", "V23": "A02", "V24": "A03", "V25": "A05", "W10": "V26"}
"""Rules that the specification numbers twice, and the number that they are reported by."""


@pytest.mark.parametrize("case", CASES, ids=str)
def test_broken_rule_is_found_at_its_row(case: Case) -> None:
    found = list(case.find())
    hits = [item for item in found if item.rule == case.rule and item.where == case.where]
    assert [item.severity for item in hits] == [case.severity], [str(item) for item in found]
    assert states(hits[0].message, case.says), hits[0].message
    others = {item.rule for item in found if item.severity is Severity.ERROR} - {case.rule}
    assert others == case.also
    assert sum(item.rule == case.rule for item in found) == case.count


def test_every_rule_of_the_specification_has_a_case() -> None:
    numbered = {f"{letter}{n:02}" for letter, count in NUMBERED.items() for n in range(1, count + 1)}
    assert numbered - {case.rule for case in CASES} == set(SAME_AS)
    assert set(SAME_AS.values()) <= {case.rule for case in CASES}


@pytest.mark.parametrize(
    "find",
    [
        lambda: archives.check(archives.sound()),
        lambda: libraries.check(libraries.library()),
        lambda: findings("msh", models.sound().build()),
        lambda: findings("msh", models.still().build()),
        lambda: terrains.check(terrains.sound()),
        lambda: findings("wear", resources.WEAR),
        lambda: resources.check_material(resources.material()),
        lambda: findings("texm", resources.texture()),
        lambda: findings("fxid", resources.effect(resources.POINT, resources.sound_command())),
        lambda: findings("objects", resources.REFERENCES),
    ],
)
def test_nothing_is_found_in_what_is_sound(find: Callable[[], list[Diagnostic]]) -> None:
    assert find() == []


@pytest.mark.parametrize(("kind", "data"), neighbours.SOUND)
def test_nothing_is_found_in_sound_neighbours(kind: str, data: bytes) -> None:
    assert findings(kind, data) == []


def test_nothing_is_found_in_a_sound_game() -> None:
    assert games.check(games.sound()) == {}
