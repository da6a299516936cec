"""Models that are checked together: each has the same diagnostics as alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.broken import archives, models
from tests.broken.case import Case, checked
from tests.builders import Key, ModelBuilder, Node, box, legacy24, quad, turn
from tests.corpora import folders
from tests.model.test_robustness import structured
from tests.share import examples
from tests.terrains import terrain
from viewer.cli.bench.subjects import ModelSize, make_model
from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, Severity
from viewer.formats.archive import nres
from viewer.formats.findings import Findings, Rule
from viewer.formats.msh.tables import SLOTS
from viewer.model.checks.joined_tables import LARGEST, Tables
from viewer.model.checks.models import RULES, check, check_together
from viewer.model.checks.payload import Payload
from viewer.model.checks.rules import Rules
from viewer.model.mesh.model import Model
from viewer.model.store.address import Address
from viewer.model.validation.batch_validation import BatchValidator, plan

SHARED = [quad(material=2)]
SOUND = ModelBuilder.of(
    [
        Node("hull", shapes={(0, 0): [box(), quad()], (1, 0): SHARED}),
        Node("gun", 0, shapes={(0, 0): SHARED}, keys=[Key(0), Key(4, (1, 2, 3), turn((0, 0, 1), 90))]),
        Node("tip", 1, shapes={(0, 4): [box()], (2, 2): SHARED}, keys=[Key(0, (0, 0, 1)), Key(4)]),
    ]
).build()
CASES = [case for case in (*models.CASES, *archives.CASES) if case.rule != "V26"]  # which asks the wear table


def told(data: bytes) -> list[Diagnostic] | None:
    """What is found in a file by itself; None of one that is no model."""
    try:
        Model.read(data)
    except FormatError:
        return None
    return check(Payload(memoryview(data)))


def together(files: Sequence[bytes]) -> list[list[Diagnostic] | None]:
    return check_together([Payload(memoryview(data)) for data in files])


def assert_same_alone(files: Sequence[bytes]) -> None:
    assert together(files) == [told(data) for data in files]


def stored(folder: Path) -> Iterator[bytes]:
    """All payloads that may be models: files, and entries of archives."""
    for path in sorted(folder.rglob("*")):
        data = path.read_bytes() if path.is_file() and path.stat().st_size < LARGEST else b""
        yield data
        if data[:4] == nres.MAGIC:
            try:
                archive = nres.Archive.read(data)
            except Exception:  # noqa: BLE001
                continue
            yield from (bytes(archive.payload(it.index)) for it in archive.entries if not it.is_damaged)


@folders("seed", "field", "damaged")
def test_stored_models_together_are_found_as_each_alone(folder: Path) -> None:
    assert_same_alone([*stored(folder)])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_model_that_breaks_a_rule_does_not_spoil_others(case: Case) -> None:
    with checked() as payloads:
        [*case.find()]
    data = bytes(payloads[-1].data)
    assert together([SOUND, data, SOUND]) == [[], told(data), []]


@pytest.mark.parametrize(
    "data",
    [
        SOUND,
        models.sound().build(),
        models.still().build(),
        make_model(ModelSize(38, 4, 7, frame_count=20)),
    ],
)
def test_a_sound_model_breaks_no_rule(data: bytes) -> None:
    assert together([data]) == [[]]
    assert told(data) == []


def test_what_is_no_model_is_left_to_others() -> None:
    assert together([b"", b"NRes", SOUND[:100], b"text" * 100]) == [None] * 4
    assert together([bytes(LARGEST + 1), SOUND]) == [None, []]
    assert together([]) == []


def test_models_legacy_models_and_terrains_are_found_side_by_side() -> None:
    cut = terrain(3, 2)[:-1] + b"\xff"
    assert_same_alone([SOUND, legacy24([box(), quad()]), terrain(3, 2), SOUND, cut, legacy24([quad()])])


def test_a_new_rule_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is declared is evaluated for models alone and together, at the rows of each model."""
    made_up = Rules[Tables]()

    @made_up.rule
    def large_slots(it: Tables) -> Findings:
        radius, counts = it.rows(SLOTS)["sphere_radius"], it.counts(SLOTS)
        yield from Rule("V99", "slots").in_joined(radius > 5, counts, "{radius:g} is large", radius=radius)

    rules = {variant: [*some, *made_up.all] for variant, some in RULES.items()}
    monkeypatch.setattr("viewer.model.checks.models.RULES", rules)
    builder = ModelBuilder.of([Node(shapes={(0, 0): [box()]}), Node(shapes={(0, 0): [quad()]})])
    builder.slots["sphere_radius"][1] = 7
    large = builder.build()
    expected = [Diagnostic("V99", Severity.ERROR, "7 is large", "slots", 1)]
    assert told(large) == expected
    assert together([SOUND, large, SOUND, large]) == [[], expected, [], expected]


def test_a_wrong_byte_is_found_alike() -> None:
    """Every fifth byte of a model is another one in some file: all fields of its records are met in turn."""
    files = []
    for place in range(0, len(SOUND), 5):
        wrong = bytearray(SOUND)
        wrong[place] ^= (1, 0x80, 0xFF)[place % 3]
        files.append(bytes(wrong))
    found = together(files)
    assert found == [told(data) for data in files]
    assert sum(it == [] for it in found) > len(files) / 10


words = st.sampled_from([0, 1, 2, 3, 0x7F, 0x7F80, 0x7FC0, 0x7FFF, 0x8000, 0xFF80, 0xFFFE, 0xFFFF])


@settings(max_examples=examples(60))
@given(data=st.data())
def test_wrong_words_are_found_alike(data: st.DataObject) -> None:
    files = []
    for _ in range(8):
        wrong = np.frombuffer(SOUND, "<u2").copy()
        for place in data.draw(st.lists(st.integers(8, len(wrong) - 1), min_size=1, max_size=3)):
            wrong[place] = data.draw(words)
        files.append(wrong.tobytes())
    assert_same_alone([SOUND, *files, SOUND])


@settings(max_examples=examples(40))
@given(st.lists(structured(), max_size=3))
def test_tables_of_small_numbers_are_found_alike(files: list[bytes]) -> None:
    assert_same_alone([*files, SOUND])


@folders("seed", "field", "damaged")
def test_validation_says_the_same_of_each_file_alone(folder: Path) -> None:
    tasks = plan([Address(folder)], is_divided=True)
    assert [*BatchValidator().check_all(tasks)] == [BatchValidator().check(task) for task in tasks]
