"""A screen passes no model in which the telling code finds anything; validation says the same without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.broken import archives, models
from tests.broken.case import Case, checked
from tests.builders import Key, ModelBuilder, Node, box, quad, turn
from tests.corpora import folders
from tests.model.test_robustness import structured
from viewer.cli.bench.subjects import ModelSize, make_model
from viewer.errors import Diagnostic
from viewer.formats.archive import nres
from viewer.model.checks import screening
from viewer.model.checks.models import check
from viewer.model.checks.payload import Payload
from viewer.model.checks.screening import SCREENED, clean
from viewer.model.store.address import Address
from viewer.model.validation.batch_validation import BatchValidator, plan

SHARED = [quad(material=2)]
SOUND = ModelBuilder(
    [
        Node("hull", shapes={(0, 0): [box(), quad()], (1, 0): SHARED}),
        Node("gun", 0, shapes={(0, 0): SHARED}, keys=[Key(0), Key(4, (1, 2, 3), turn((0, 0, 1), 90))]),
        Node("tip", 1, shapes={(0, 4): [box()], (2, 2): SHARED}, keys=[Key(0, (0, 0, 1)), Key(4)]),
    ]
).build()
CASES = [case for case in (*models.CASES, *archives.CASES) if case.rule != "V26"]  # which asks the wear table


def told(data: bytes) -> list[Diagnostic]:
    return check(Payload(memoryview(data)))


def passed(files: Sequence[bytes]) -> list[bytes]:
    """The files that the screens pass, together; each passes or fails alone in the same way."""
    is_clean = clean([memoryview(data) for data in files])
    return [data for data, passes in zip(files, is_clean.tolist(), strict=True) if passes]


def assert_only_sound_ones_pass(files: Sequence[bytes]) -> None:
    for data in passed(files):
        assert told(data) == []


def stored(folder: Path) -> Iterator[bytes]:
    """All payloads that may be models: files, and entries of archives."""
    for path in sorted(folder.rglob("*")):
        data = path.read_bytes() if path.is_file() and path.stat().st_size < SCREENED else b""
        yield data
        if data[:4] == nres.MAGIC:
            try:
                archive = nres.Archive.read(data)
            except Exception:  # noqa: BLE001
                continue
            yield from (bytes(archive.payload(it.index)) for it in archive.entries if not it.is_damaged)


@folders("seed", "field", "damaged")
def test_stored_models_that_pass_are_sound(folder: Path) -> None:
    files = [*stored(folder)]
    assert_only_sound_ones_pass(files)
    alone = [data for data in files if passed([data])]
    assert alone == passed(files)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_model_that_breaks_a_rule_does_not_pass_nor_spoil_others(case: Case) -> None:
    with checked() as payloads:
        [*case.find()]
    data = bytes(payloads[-1].data)
    assert clean([memoryview(it) for it in (SOUND, data, SOUND)]).tolist() == [True, False, True]


@pytest.mark.parametrize(
    "data",
    [
        SOUND,
        models.sound().build(),
        models.still().build(),
        make_model(ModelSize(38, 4, 7, frame_count=20)),
    ],
)
def test_a_sound_model_passes(data: bytes) -> None:
    assert passed([data]) == [data]
    assert told(data) == []


def test_nothing_else_passes() -> None:
    assert passed([b"", b"NRes", SOUND[:100], SOUND + b"\0", b"text" * 100]) == []
    assert clean([]).tolist() == []


def test_no_wrong_byte_passes_unseen() -> None:
    """Every fifth byte of a model is another one in some file: all fields of its records are met in turn."""
    files = []
    for place in range(0, len(SOUND), 5):
        wrong = bytearray(SOUND)
        wrong[place] ^= (1, 0x80, 0xFF)[place % 3]
        files.append(bytes(wrong))
    kept = passed(files)
    assert len(kept) > len(files) / 10
    for data in kept:
        assert told(data) == []


words = st.sampled_from([0, 1, 2, 3, 0x7F, 0x7F80, 0x7FC0, 0x7FFF, 0x8000, 0xFF80, 0xFFFE, 0xFFFF])


@settings(max_examples=60)
@given(data=st.data())
def test_wrong_words_pass_only_if_they_break_nothing(data: st.DataObject) -> None:
    files = []
    for _ in range(8):
        wrong = np.frombuffer(SOUND, "<u2").copy()
        for place in data.draw(st.lists(st.integers(8, len(wrong) - 1), min_size=1, max_size=3)):
            wrong[place] = data.draw(words)
        files.append(wrong.tobytes())
    assert_only_sound_ones_pass([SOUND, *files, SOUND])


@settings(max_examples=40)
@given(st.lists(structured(), max_size=3))
def test_tables_of_small_numbers_pass_only_if_they_break_nothing(files: list[bytes]) -> None:
    assert_only_sound_ones_pass([*files, SOUND])
    assert passed([*files, SOUND])[-1:] == [SOUND]


@folders("seed", "field", "damaged")
def test_validation_says_the_same_without_screens(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = plan([Address(folder)], is_divided=True)
    screened = [*BatchValidator().check_all(tasks)]
    monkeypatch.setattr(screening, "clean", lambda payloads: np.zeros(len(payloads), np.bool_))
    assert screened == [BatchValidator().check(task) for task in tasks]
