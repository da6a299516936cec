"""The survey of an install: what it finds of known truths, what is an answer, what a report never holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.corpora import GAME, SAMPLES
from tests.game_folders import TEXM, archive
from viewer.errors import FormatError, UsageError
from viewer.formats.msh.tables import LIGHT_PROBES, STREAM15
from viewer.formats.texture import pixels, texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.kinds.registry import ALL_KINDS
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.place import Place
from viewer.operations.corpus.many import FoundItem, ItemFinder
from viewer.operations.survey.examples import (
    MOST_PLACED_VALUES,
    MOST_PLACES,
    FileExamples,
    SurveyExamples,
)
from viewer.operations.survey.explained import explained
from viewer.operations.survey.live import SurveyFound, survey
from viewer.operations.survey.question import Asked, SurveyQuestion, SurveyQuestions
from viewer.operations.survey.report import Answered, SurveyReport, compare, read_report, report_of
from viewer.operations.survey.surveying import QUESTIONS, SurveyCounts, Surveyor, plan, together
from viewer.operations.survey.tally import MOST_VALUES, Tally, total
from viewer.progress import Progress
from viewer.translation import _


def surveyed(folder: Path) -> SurveyReport:
    return report_of(found_in(folder), 0.0)


def found_in(folder: Path) -> SurveyCounts:
    return together(Surveyor(folder).survey_all(plan(FileStore(), folder)))


@cache
def of_corpus(name: str) -> SurveyReport:
    return surveyed(SAMPLES / name / "game")


def asked(report: SurveyReport, number: str) -> Answered:
    return next(it for it in report.questions if it.id == number)


def share(report: SurveyReport, number: str, name: str) -> float:
    return next(it.share for it in asked(report, number).readings if it.name == name)


def test_all_twenty_questions_are_asked_in_order() -> None:
    assert [it.id for it in QUESTIONS] == [f"S{number:02}" for number in range(1, 21)]


# Res15 of made models: one reading each.


def install(folder: Path, stream: Callable[[npt.NDArray[np.float32], int], bytes], count: int = 4) -> Path:
    """A folder of models of four boxes each, with a Res15 made of their vertices and the model's number."""
    folder.mkdir()
    for number in range(count):
        shapes = [box(center=(3 * place, number, 0)) for place in range(4)]
        builder = ModelBuilder.of([Node("hull", shapes={(0, 0): shapes})])
        positions = builder.model().positions
        builder.tables[STREAM15] = stream(positions, number)
        (folder / f"m{number}.rlb").write_bytes(archive_of({f"secret{number}.msh": builder.build()}))
    return folder


def unit_vectors(positions: npt.NDArray[np.float32], number: int) -> bytes:
    rows = np.zeros((len(positions), 8), np.int8)
    rows[:, 0], rows[:, 5] = 127, -127
    rows[:, 3], rows[:, 7] = np.arange(len(rows)) % 100, number + 1
    return rows.tobytes()


def floats(positions: npt.NDArray[np.float32], number: int) -> bytes:
    return np.linspace(-3, 3 + number, 2 * len(positions), dtype="<f4").tobytes()


STREAMS: Mapping[str, Callable[[npt.NDArray[np.float32], int], bytes]] = {
    "two unit vectors of bytes": unit_vectors,
    "two floats": floats,
    "zero": lambda positions, _number: bytes(8 * len(positions)),
    "constant": lambda positions, _number: b"\x11\x22\x33\xff\x55\x66\x77\xff" * len(positions),
}


@pytest.mark.parametrize("reading", STREAMS)
def test_res15_is_told_by_its_bytes(tmp_path: Path, reading: str) -> None:
    report = surveyed(install(tmp_path / "game", STREAMS[reading]))
    assert asked(report, "S01").rows == 4 * 4 * 24
    assert asked(report, "S01").answer == reading


def test_a_vector_is_perpendicular_whatever_its_length(tmp_path: Path) -> None:
    def along_normals(length: int) -> Callable[[npt.NDArray[np.float32], int], bytes]:
        def stream(positions: npt.NDArray[np.float32], _number: int) -> bytes:
            rows = np.zeros((len(positions), 8), np.int8)
            rows[:, 0:3] = length  # no normal of a box is perpendicular to (1, 1, 1)
            return rows.tobytes()

        return stream

    for length in (1, 127):
        report = surveyed(install(tmp_path / str(length), along_normals(length)))
        assert share(report, "S01", "vector 1 perpendicular to Res4") == 0
        assert share(report, "S01", "vector 2 perpendicular to Res4") == 0  # of length 0: no direction


def test_two_files_are_too_few_for_an_answer(tmp_path: Path) -> None:
    report = surveyed(install(tmp_path / "game", unit_vectors, count=2))
    found = asked(report, "S01")
    assert (found.answer, found.rows, found.files) == (None, 192, 2)
    assert share(report, "S01", "two unit vectors of bytes") == 1  # the figures stand


def test_a_table_that_is_short_is_damaged_and_one_that_is_absent_is_not(tmp_path: Path) -> None:
    def stream(positions: npt.NDArray[np.float32], number: int) -> bytes:
        return bytes(8 * (len(positions) - 2)) if number else b""

    found = asked(surveyed(install(tmp_path / "game", stream, count=2)), "S01")
    assert (found.rows, found.damaged) == (94, 2)


def test_light_probes_are_counted_against_nodes(tmp_path: Path) -> None:
    """Twice as many probes as nodes in each model: the counts follow each other and are never equal."""
    for count in (1, 2, 4):
        builder = ModelBuilder.of([Node(f"room{number}") for number in range(count)])
        builder.tables[LIGHT_PROBES] = bytes(2 * count * 48)
        (tmp_path / f"m{count}.rlb").write_bytes(archive_of({"m.msh": builder.build()}))
    report = surveyed(tmp_path)
    assert share(report, "S02", "count against nodes: correlation, squared") == 1
    assert share(report, "S02", "count equals that of nodes") == 0
    names = {it.name for it in asked(report, "S02").readings}
    assert "count against portals: correlation, squared" not in names  # no model has any


def test_a_correlation_is_that_of_numpy_and_of_any_order() -> None:
    numbers = np.random.default_rng(1).integers(0, 50, (40, 2))
    parts = [Tally(files=1) for _row in numbers]
    for it, (x, y) in zip(parts, numbers.tolist(), strict=True):
        it.correlate("both", x, y)
    found = total(parts).pairs["both"]
    assert found == total(reversed(parts)).pairs["both"]
    assert found.squared_correlation == pytest.approx(np.asarray(np.corrcoef(numbers.T))[0, 1] ** 2)


# What makes an answer.


def question(*groups: tuple[str, ...]) -> SurveyQuestion:
    asking = SurveyQuestions()
    asking.ask("S00", Asked.FILE, _("model"), *groups)(lambda _it, _tally: None)
    return asking.all[0]


def tally_of(**shares: float) -> Tally:
    """A tally of 1,000 rows of three files on which readings hold."""
    found = Tally(rows=1000, files=3)
    for name, part in shares.items():
        found.reading(name, np.arange(1000) < part * 1000)
    return found


@pytest.mark.parametrize(
    ("shares", "answer"),
    [
        ({"one": 0.95, "two": 0.75}, "one"),
        ({"one": 0.949, "two": 0.1}, None),
        ({"one": 1.0, "two": 0.81}, None),
        ({"two": 1.0}, "two"),
    ],
)
def test_a_reading_is_the_answer_if_it_holds_and_no_other_nearly_does(
    shares: dict[str, float], answer: str | None
) -> None:
    assert question(("one", "two")).answer(tally_of(**shares))[0] == answer


def test_groups_have_answers_of_their_own() -> None:
    tally = tally_of(one=1.0, two=0.5, other=0.3)
    assert question(("one", "two"), ("other",)).answer(tally)[0] == "one"


def test_a_question_without_rows_says_so() -> None:
    assert question(("one",)).answer(Tally())[1] == ("no such rows here",)


def test_what_predicts_a_rare_flag_is_not_that_it_is_never_set() -> None:
    flag = np.arange(1000) < 3
    tally = Tally()
    tally.predict("never", np.zeros(1000, np.bool_), flag)
    tally.predict("same", flag, flag)
    assert tally.shares["never"].share == 0.5
    assert tally.shares["same"].share == 1


def test_tallies_of_files_add_up_in_any_order() -> None:
    parts = [Tally(rows=number, files=1) for number in (2, 3)]
    parts[0].count("word", [7, 7])
    parts[1].count("word", [7, 8, 8])
    parts[0].keep_constant("field", [7])
    parts[1].keep_constant("field", [8])
    both, other = total(parts), total(reversed(parts))
    assert both == other
    assert (both.rows, both.files, both.constants) == (5, 2, {"field": None})
    assert {value: (it.rows, it.files) for value, it in both.tables["word"].items()} == {7: (3, 2), 8: (2, 1)}


def test_a_field_of_hashes_takes_no_memory() -> None:
    tally = Tally()
    tally.count("hash", np.arange(100_000))
    assert len(tally.tables["hash"]) == MOST_VALUES
    assert tally.rare["hash"] == 100_000 - MOST_VALUES


# What a report holds, and never holds.


def test_a_value_of_one_file_is_not_in_a_report(tmp_path: Path) -> None:
    """Three models share a word of their slots, the fourth has one that no other file has."""
    for number in range(4):
        builder = ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]})])
        builder.slots["opaque"][:, 2] = 77 if number < 3 else 0x00ABCDEF
        (tmp_path / f"m{number}.rlb").write_bytes(archive_of({"m.msh": builder.build()}))
    report = surveyed(tmp_path)
    (table,) = (it for it in asked(report, "S04").tables if it.name == "+0x38")
    assert table.bins == ((77, 3), ("rare", 1))
    assert str(0x00ABCDEF) not in report.json()


def test_a_word_of_fewer_than_three_files_is_rare() -> None:
    tally = Tally()
    for number, word in enumerate(("often", "often", "often", "twice", "twice")):
        one = Tally(rows=1, files=1)
        one.count_words("words", {word: number + 1})
        tally.add(one)
    assert bins_of(tally) == {"words": (("often", 6), ("rare", 9))}


def bins_of(tally: Tally) -> dict[str, tuple[tuple[object, int], ...]]:
    """The bins of the tables that a report holds of a tally."""
    report = report_of(SurveyCounts(tallies={"S18": tally}), 0.0)
    return {it.name: it.bins for it in asked(report, "S18").tables}


def test_no_name_of_the_game_is_in_a_report(tmp_path: Path) -> None:
    folder = install(tmp_path / "game", unit_vectors)
    text = surveyed(folder).json()
    assert "secret" not in text
    assert str(tmp_path) not in text


@pytest.mark.parametrize("corpus", ["bundled", pytest.param("field", marks=pytest.mark.corpora)])
def test_no_name_of_an_entry_is_in_the_report_of_a_game(corpus: str) -> None:
    if corpus != "bundled" and not SAMPLES.is_dir():
        pytest.skip("no corpora")
    folder = GAME if corpus == "bundled" else SAMPLES / corpus / "game"
    text = (surveyed(folder) if corpus == "bundled" else of_corpus(corpus)).json().casefold()
    names = {found.name.rpartition(".")[0] for found in everything_in(folder)}
    assert len(names) > 20
    # Shorter ones are words of the report: "fire", "light".
    assert not [name for name in names if len(name) > 6 and name.casefold() in text]


def everything_in(folder: Path) -> list[FoundItem]:
    return ItemFinder(FileStore(), ALL_KINDS, "resource").find([Address(folder)])


def test_tables_are_bounded(samples: Path) -> None:
    report = of_corpus("field")
    assert max(len(table.bins) for it in report.questions for table in it.tables) <= 65
    assert len(report.json()) < 100_000


def test_all_of_a_report_is_explained() -> None:
    """Every number and text of the JSON is in the lines: what is shared is what was shown."""
    report = surveyed(GAME)
    lines = "\n".join(it.text for it in explained(report))

    def leaves(value: object) -> Iterator[str]:
        if isinstance(value, dict):
            yield from (it for part in value.values() for it in leaves(part))
        elif isinstance(value, list):
            yield from (it for part in value for it in leaves(part))
        elif value is not None:
            yield str(value)

    assert not [it for it in leaves(json.loads(report.json())) if it not in lines]


# Examples, which stay on this computer.


def test_examples_are_the_first_rows_where_a_reading_holds_and_where_not(tmp_path: Path) -> None:
    for number in range(2):
        builder = ModelBuilder.of([Node(f"n{at}", shapes={(0, 0): [box()]}) for at in range(3)])
        builder.slots["opaque"][1, 2] = 77 + number
        (tmp_path / f"m{number}.rlb").write_bytes(archive_of({"m.msh": builder.build()}))
    tasks = plan(FileStore(), tmp_path)
    found = together(Surveyor(tmp_path, has_examples=True).survey_all(tasks))
    address = Address(tmp_path / "m0.rlb", ("m.msh",))
    of_words = found.examples["S04"]
    assert of_words.of_reading("+0x38 zero", is_held=True)[0] == Place(address, "slots", 0)
    assert of_words.of_reading("+0x38 zero", is_held=False)[0] == Place(address, "slots", 1)
    assert of_words.of_value("+0x38", 77) == (Place(address, "slots", 1),)
    assert len(of_words.of_value("+0x38", 0)) == 2
    assert not found_in(tmp_path).examples
    assert report_of(found, 0.0) == surveyed(tmp_path)


def test_examples_are_bounded() -> None:
    kept = SurveyExamples()
    for number in range(3 * MOST_PLACES):
        one = Tally(examples=FileExamples())
        one.reading("right", [True])
        one.count("hash", np.arange(number * 100, number * 100 + 100))
        assert one.examples is not None
        kept.add(Address(Path(f"/game/{number}")), one.examples)
    assert len(kept.of_reading("right", is_held=True)) == MOST_PLACES
    assert len(kept.values) == MOST_PLACED_VALUES


def test_a_report_is_published_before_the_end(tmp_path: Path) -> None:
    folder, published = install(tmp_path / "game", floats), list[SurveyFound]()
    found = survey(folder, Progress(), published.append)
    assert found.report.edition.archives == 4
    assert published[0].report.edition.entries < 4
    (empty := tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="nothing could be read"):
        survey(empty, Progress(), published.append)


# Damage.


def test_a_damaged_archive_is_counted_and_the_others_are_surveyed(tmp_path: Path) -> None:
    folder = install(tmp_path / "game", unit_vectors)
    (folder / "broken.lib").write_bytes(b"NRes" + bytes(40))
    found = found_in(folder)
    report = report_of(found, 0.0)
    assert [Path(it).name for it in found.problems] == ["broken.lib"]
    assert asked(report, "S18").damaged == 1
    assert asked(report, "S01").answer == "two unit vectors of bytes"


# Two reports.


def test_a_report_reads_back_as_it_was_written(tmp_path: Path) -> None:
    report = surveyed(install(tmp_path / "game", floats))
    assert read_report(report.json().encode()) == report


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"{", "not JSON"),
        (b"[]", "not an object"),
        (b'{"schema": "mshview-survey-1"}', "program"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_report_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        read_report(data)


def test_a_report_of_another_version_is_refused(tmp_path: Path) -> None:
    written = json.loads(surveyed(install(tmp_path / "game", floats)).json())
    data = json.dumps({**written, "schema": "mshview-survey-9"}).encode()
    with pytest.raises(FormatError, match="schema"):
        read_report(data)


def test_other_answers_come_first(tmp_path: Path) -> None:
    a, b = (
        surveyed(install(tmp_path / name, stream)) for name, stream in (("a", floats), ("b", unit_vectors))
    )
    first = compare(a, b)[0]
    assert (first.id, first.a, first.b) == ("S01", "two floats", "two unit vectors of bytes")
    shares = {it.name: (it.a, it.b) for it in first.readings}
    mine, other = shares["two unit vectors of bytes"]
    assert mine == pytest.approx(0, abs=0.02)
    assert other == 1
    assert all(it.is_same for it in compare(a, a))


def test_levels_of_16_bits_made_in_8_bits_are_recognised(tmp_path: Path) -> None:
    """Means of colors in 8 bits that are stored in 5 and 6 bits afterwards, as the corpora have them."""
    rng = np.random.default_rng(1)
    image = np.full((8, 8, 4), 255, np.uint8)
    image[..., :3] = rng.integers(0, 256, (8, 8, 3))
    stored = pixels.decode(pixels.encode(image, PixelFormat.RGB565), PixelFormat.RGB565).reshape(8, 8, 4)
    data = bytearray(texm.build(stored, PixelFormat.RGB565))
    mean = (stored.reshape(4, 2, 4, 2, 4).astype(np.int64).sum(axis=(1, 3)) + 2) // 4
    data[0x0C] = 2
    data += pixels.encode(mean.astype(np.uint8), PixelFormat.RGB565)
    (tmp_path / "T.lib").write_bytes(archive(TEXM, {"T.0": bytes(data)}))
    assert share(surveyed(tmp_path), "S10", "rounded mean of the level above") == 1
