"""The survey of the corpora: what their generators wrote, and figures of an independent program."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.operations.test_survey import asked, of_corpus, share


@pytest.mark.corpora
@pytest.mark.parametrize(
    ("corpus", "number", "answer"),
    [
        ("field", "S03", "+0x30 area of the triangles; +0x34 volume of the box"),
        ("field", "S04", "+0x38 zero; +0x3C zero; +0x40 zero"),
        ("field", "S07", "+0x05 LIGHTMAPS row or 0xFF; +0x0E largest index + 1"),
        ("field", "S08", "edges 01 12 20; upper bits zero"),
        ("seed", "S08", "edges 01 12 20"),  # with noise above bit 5
    ],
)
def test_what_a_generator_wrote_is_found(samples: Path, corpus: str, number: str, answer: str) -> None:
    assert asked(of_corpus(corpus), number).answer == answer


@pytest.mark.corpora
@pytest.mark.parametrize(
    ("corpus", "number"), [("field", "S01"), ("seed", "S01"), ("seed", "S03"), ("seed", "S04")]
)
def test_noise_has_no_answer(samples: Path, corpus: str, number: str) -> None:
    found = asked(of_corpus(corpus), number)
    assert found.answer is None
    assert "none of these" in found.why


@pytest.mark.corpora
def test_the_order_of_quaternions_is_that_of_the_corpus(samples: Path) -> None:
    assert share(of_corpus("seed"), "S13", "xyzw") == 1
    assert share(of_corpus("field"), "S13", "wxyz") == 1


@pytest.mark.corpora
def test_mips_are_told_by_how_each_corpus_made_them(samples: Path) -> None:
    # Those of 32 bits; what 16 bits and palettes were rounded from is not stored.
    assert share(of_corpus("field"), "S10", "rounded mean of the level above") == pytest.approx(
        12 / 22, abs=1e-6
    )
    assert share(of_corpus("field2"), "S10", "truncated mean of level 0") >= 0.9
    assert max(it.share for it in asked(of_corpus("seed"), "S10").readings) == 0  # noise


@pytest.mark.corpora
def test_the_mean_color_of_16_bits_is_a_color_of_four_bytes(samples: Path) -> None:
    assert share(of_corpus("field"), "S11", "16 bits: as 8888") == 1
    assert share(of_corpus("field"), "S11", "16 bits: as 565") == 0


@pytest.mark.corpora
@pytest.mark.parametrize(
    ("corpus", "number", "name", "holds", "rows"),
    [
        ("field", "S01", "two unit vectors of bytes", 396, 52391),
        ("field", "S01", "vector 1 perpendicular to Res4", 8755, 52391),
        ("seed", "S01", "two unit vectors of bytes", 300, 38887),
        ("field", "S02", "direction of unit length", 8, 8),
        ("seed", "S02", "direction of unit length", 0, 9),
        ("seed", "S03", "+0x30 area of the triangles", 8, 540),
        ("seed", "S04", "+0x38 a float", 73, 562),
        ("seed", "S07", "+0x0E largest index + 1", 0, 1494),
        ("field", "S08", "upper bits zero", 47568, 47857),
        ("seed", "S08", "upper bits zero", 32191, 35526),
        ("seed", "S08", "edges 01 12 20", 100156, 100156),
        ("seed", "S19", "Res9: a name of 32 bytes per node", 0, 25),
    ],
)
def test_figures_are_those_of_an_independent_program(
    samples: Path, corpus: str, number: str, name: str, holds: int, rows: int
) -> None:
    found = next(it for it in asked(of_corpus(corpus), number).readings if it.name == name)
    assert found.of == rows
    assert found.share == pytest.approx(holds / rows, abs=1e-6)


@pytest.mark.corpora
@pytest.mark.parametrize(
    ("corpus", "name", "with_flag", "without"),
    [
        # Nodes with the flag and the property of those with the flag; with neither of those without.
        ("field", "has key track", 41 / 66, 247 / 433),
        ("field", "has geometry", 52 / 66, 76 / 433),
        ("seed", "has child", 56 / 75, 120 / 337),
    ],
)
def test_what_predicts_a_node_flag_is_what_an_independent_program_counts(
    samples: Path, corpus: str, name: str, with_flag: float, without: float
) -> None:
    assert share(of_corpus(corpus), "S05", name) == pytest.approx((with_flag + without) / 2, abs=1e-6)


@pytest.mark.corpora
def test_the_number_of_different_values_is_reported(samples: Path) -> None:
    for corpus, number in (("field", 1), ("seed", 562)):  # zero, and noise in 562 slots
        tables = {it.name: dict(it.bins) for it in asked(of_corpus(corpus), "S04").tables}
        assert tables["different values"] == dict.fromkeys(("+0x38", "+0x3C", "+0x40"), number)
