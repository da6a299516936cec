"""Statistics: every number agrees with a count in plain Python, over the bundled game and the corpora."""

from __future__ import annotations

import json
import math
import struct
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.cli.console import Capture, failure, success
from tests.corpora import GAME, SAMPLES, folders
from viewer.cli.main import main
from viewer.errors import UsageError
from viewer.formats.archive import nres
from viewer.model.query.condition import Condition
from viewer.model.query.distribution import Distribution, directions
from viewer.model.references.values import SearchedTable, tables_of
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.store.item import Item
from viewer.model.tables.column import ColumnTexts
from viewer.operations.corpus import collected
from viewer.operations.corpus.collected import TableCache
from viewer.operations.corpus.statistics import Corpus, StatisticsOptions, collect
from viewer.progress import Cancelled, Progress

BATCHES, KEYS, NODES = 13, 8, 1
"""Types of the tables of a model (spec/msh.md 1)."""


def corpus(*paths: Path, field: str = "", where: str = "") -> Corpus:
    condition = Condition.parse(where) if where else None
    options = StatisticsOptions(tuple(map(Address, paths)), field, condition)
    return collect(FileStore(), options, Progress())


def models_in(folder: Path) -> list[bytes]:
    """The models of the archives and files of a folder, found by their directories alone."""
    found = []
    for path in sorted(folder.rglob("*")):
        data = path.read_bytes() if path.is_file() and path.suffix != ".bak" else b""
        if data[:4] != b"NRes":
            continue
        archive = nres.Archive.read(memoryview(data))
        if path.suffix.lower() == ".msh":
            found.append(data)
        else:
            found += [
                bytes(archive.payload(it.index)) for it in archive.entries if it.text.lower().endswith(".msh")
            ]
    return found


def table(model: bytes, type_id: int) -> bytes:
    archive = nres.Archive.read(memoryview(model))
    return next((bytes(archive.payload(it.index)) for it in archive.entries if it.type_id == type_id), b"")


@folders("field", "seed")
def test_counts_agree_with_a_scalar_reading(folder: Path) -> None:
    """Batches have 20 bytes, the count of indices at 8; keys have 24 bytes, the time at 12 (spec/msh.md)."""
    counts: Counter[int] = Counter()
    times: list[float] = []
    having = 0
    for model in models_in(folder):
        batches, keys = table(model, BATCHES), table(model, KEYS)
        having += len(batches) >= 20
        for start in range(0, len(batches) // 20 * 20, 20):
            counts[struct.unpack_from("<H", batches, start + 8)[0]] += 1
        times += [
            struct.unpack_from("<f", keys, start + 12)[0] for start in range(0, len(keys) // 24 * 24, 24)
        ]
    found: Any = corpus(folder).statistics("batches.index_count")
    assert (found.rows, found.models, found.distinct) == (counts.total(), having, len(counts))
    assert (found.least, found.greatest) == (min(counts), max(counts))
    assert sum(count for _, count in found.histogram) == counts.total()
    if found.bin_width is None:
        assert dict(found.histogram) == counts
    else:
        for low, count in found.histogram:
            assert count == sum(it for value, it in counts.items() if low <= value < low + found.bin_width)
    found = corpus(folder, field="keys.time").statistics("keys.time")
    assert (found.rows, found.distinct) == (len(times), len(set(times)))
    assert (found.least, found.greatest) == (min(times), max(times))


@folders("field", "seed")
def test_invariants_hold_and_are_not_missed(folder: Path) -> None:
    """A scalar loop over the rows of each model says the same: multiples, constants, orders."""
    fields = {"flags": (0, "H"), "index_count": (8, "H"), "index_start": (10, "I"), "opaque14": (14, "H")}
    rows: dict[str, list[list[int]]] = {name: [] for name in fields}
    for model in models_in(folder):
        batches = table(model, BATCHES)
        for name, (offset, form) in fields.items():
            starts = range(0, len(batches) // 20 * 20, 20)
            rows[name].append([struct.unpack_from(f"<{form}", batches, it + offset)[0] for it in starts])
    found = corpus(folder)
    for name, lists in rows.items():
        invariants = found.statistics(f"batches.{name}").invariants
        values = {value for some in lists for value in some}
        divisor = math.gcd(*values)
        assert ("constant" in invariants) == (len(values) == 1)
        is_said = f"multiple of {divisor}" in invariants
        assert is_said == (divisor > 1 and len(values) > 2)
        rises = all(left < right for some in lists for left, right in pairwise(some))
        assert ("sorted: rises from row to row" in invariants) == rises, name


TRUE_FIELDS: dict[str, tuple[str, int]] = {
    "batches.flags": ("batches", 0), "batches.index_count": ("batches", 4),
    "batches.index_start": ("batches", 5), "batches.base_vertex": ("batches", 7),
    "slots.tri_start": ("slots", 0), "slots.tri_count": ("slots", 1),
    "slots.batch_count": ("slots", 3), "nodes.flags": ("hdr", 0), "nodes.fallback_key": ("hdr", 2),
}  # fmt: skip
"""Fields, and the list of the truth that has their values, with the column."""


@pytest.mark.parametrize("folder", ["field", "seed"])
def test_counts_agree_with_the_truth(samples: Path, folder: str) -> None:
    """The values are those that the independent writer of the corpora says that it has written."""
    truth = json.loads((samples / folder / "truth.json").read_text("utf-8"))["models"]
    models = [it for key, it in truth.items() if key.startswith("game/")]
    found = corpus(samples / folder / "game" / "*.rlb")
    for name, (key, column) in TRUE_FIELDS.items():
        # The truth has no such list for nodes of 24 bytes, another record without these fields.
        having = [it for it in models if it.get(key)]
        values = Counter(row[column] for it in having for row in it[key])
        counted: Any = found.statistics(name)
        assert (counted.rows, counted.models, counted.distinct) == (
            values.total(), len(having), len(values),
        ), name  # fmt: skip
        assert (counted.least, counted.greatest) == (min(values), max(values)), name
        if counted.bin_width is None:
            assert dict(counted.histogram) == values, name


def test_payloads_are_read_again_only_if_their_bytes_are_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    models = [
        ModelBuilder.of([Node(name, shapes={(0, 0): [box()]}) for name in names]).build()
        for names in ("a", "bc")
    ]
    path, known, read = tmp_path / "some.rlb", TableCache(), list[bytes]()

    def counting(item: Item, kind: str) -> Iterator[SearchedTable]:
        read.append(bytes(item.data))
        return tables_of(item, kind)

    monkeypatch.setattr(collected, "tables_of", counting)

    def nodes() -> int:
        options = StatisticsOptions((Address(path),), where=Condition.parse("row >= 0"))
        return collect(FileStore(), options, Progress(), known).statistics("nodes.flags").rows

    path.write_bytes(archive_of({"one.msh": models[0], "two.msh": models[0]}))
    assert nodes() == 2
    assert read == models[:1]  # equal bytes are read once
    path.write_bytes(archive_of({"new name.msh": models[0], "two.msh": models[1]}))
    assert nodes() == 3
    assert read == models
    path.write_bytes(archive_of({"two.msh": models[1]}))
    assert nodes() == 2
    assert read == models


def test_conditions_choose_rows_and_outliers_lead_to_them(capsys: Capture) -> None:
    everything: Any = corpus(GAME).statistics("batches.index_count")
    some: Any = corpus(GAME, field="batches.index_count", where="index_count > 600").statistics(
        "batches.index_count"
    )
    assert 0 < some.rows < everything.rows
    assert some.least > 600
    assert everything.outliers
    for it in everything.outliers:
        out, _ = success(capsys, "inspect", it.place.address, "--at", it.place.in_file, "--json")
        assert json.loads(out)["value"] == it.value
    kept = corpus(GAME, where="row >= 3").statistics("batches.index_count").outliers
    assert all(it.place.row is not None and it.place.row >= 3 for it in kept)


def test_floats_that_are_no_numbers_are_counted_apart(tmp_path: Path) -> None:
    builder = ModelBuilder.of(
        [Node("a", shapes={(0, 0): [box()]}), Node("b", parent=0, shapes={(0, 0): [box()]})]
    )
    model = builder.build()
    archive = nres.Archive.read(memoryview(model))
    entry = next(it for it in archive.entries if it.type_id == KEYS)
    data = bytearray(model)
    struct.pack_into("<f", data, entry.offset + 12, math.nan)
    struct.pack_into("<f", data, entry.offset + 24 + 12, -math.inf)
    (tmp_path / "odd.msh").write_bytes(data)
    found = corpus(tmp_path / "odd.msh").statistics("keys.time")
    assert found.rows == 2
    assert (found.least, found.greatest) == (-math.inf, -math.inf)
    assert found.distinct == 2
    assert [(str(value), count) for value, count in found.histogram] == [("-inf", 1), ("nan", 1)]
    assert {it.place.row for it in found.outliers} == {0, 1}


def test_floats_that_are_no_numbers_stand_out_before_all_others() -> None:
    values = np.linspace(0, 1, 4000, dtype=np.float32)
    values[[7, 9]] = (1e6, math.nan)
    assert Distribution(values).outliers.tolist()[:2] == [9, 7]


def test_none_is_not_a_number() -> None:
    """The parent of a root is 0xFFFF, which means none: it is no greatest row."""
    found: Any = corpus(GAME / "models.rlb").statistics("nodes.parent")
    assert found.greatest < 0xFFFF
    assert found.histogram[-1][0] is None
    assert found.histogram[-1][1] == 5  # the roots of the five models


@pytest.mark.parametrize("seed", range(20))
def test_distributions_agree_with_plain_python(seed: int) -> None:
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 3000))
    spread = int(random.choice([1, 3, 70, 5000, 1 << 30]))
    whole = bool(seed % 2)
    values = random.integers(-spread, spread + 1, size)
    numbers = values.astype(np.int32) if whole else (values / 7).astype(np.float32)
    found, counts = Distribution(numbers), Counter[Any](numbers.tolist())
    assert found.distinct == len(counts)
    assert found.ends == (min(counts), max(counts))
    if found.bin_width is None:
        assert dict(found.histogram) == counts
        assert len(counts) <= 64
    else:
        assert len(found.histogram) <= 32
        assert sum(count for _, count in found.histogram) == size
    chosen = found.outliers.tolist()
    assert len(chosen) * 100 <= size
    if chosen:
        rest = [value for index, value in enumerate(numbers.tolist()) if index not in set(chosen)]
        if found.bin_width is None:  # the rarest
            assert max(counts[numbers[it].item()] for it in chosen) < min(counts[it] for it in rest)
        else:  # the farthest, in that order
            middle = sorted(numbers.tolist())[size // 2]
            assert min(abs(numbers[it].item() - middle) for it in chosen) > 0


def test_texts_are_counted_by_how_often_they_occur() -> None:
    found = Distribution(ColumnTexts.of(["b", "a", "", "b"]))
    assert found.histogram == [("b", 2), ("a", 1), (None, 1)]
    assert (found.distinct, found.ends) == (3, (None, None))


def test_orders_are_those_within_each_table() -> None:
    owners = np.repeat([0, 1], 8)
    rising = np.tile(np.arange(8), 2)
    assert directions(rising, owners) == (True, True, False, False)
    assert directions(rising, np.zeros(16, np.int64)) == (False, False, False, False)
    assert directions(rising[:3], owners[:3]) == (False, False, False, False)  # too few to say


@pytest.mark.parametrize(
    "name", ["batches.frog", "frog.flags", "batches", "batches.flags[1]", "batches.flags[x]"]
)
def test_fields_that_do_not_exist(name: str) -> None:
    with pytest.raises(UsageError):
        corpus(GAME / "models.rlb").statistics(name)


def test_tables_of_other_formats_have_their_format_before_them() -> None:
    found = corpus(GAME)
    assert found.statistics("mat0.phases.power").models > 1
    assert found.statistics("phases.power").rows == found.statistics("mat0.phases.power").rows
    assert found.statistics("nodes.flags").models == len(models_in(GAME))  # not of other resources
    assert found.statistics("vertices.position[2]").values == found.statistics("positions.position").rows
    with pytest.raises(UsageError, match=r"control_points\.header\.count, damage\.header\.count"):
        found.statistics("header.count")


def test_the_document_is_that_of_the_contract(capsys: Capture) -> None:
    document = json.loads(success(capsys, "stats", GAME, "--field", "nodes.parent", "--json")[0])
    assert [*document] == [
        "schema", "field", "rows", "models", "distinct", "min", "max", "histogram", "outliers", "invariants",
    ]  # fmt: skip
    every = json.loads(success(capsys, "stats", GAME, "--json")[0])["fields"]
    assert document == {
        "schema": document["schema"],
        **next(it for it in every if it["field"] == "nodes.parent"),
    }


def test_a_file_that_cannot_be_read_does_not_stop_it(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "bad.msh").write_bytes(b"NRes\0\1\0\0\xff\xff\xff\x7f")
    (tmp_path / "good.rlb").write_bytes(archive_of({"a.wea": b"1\r\n0 STEEL\r\n"}))
    assert main(["stats", str(tmp_path), "--json"]) == 2
    out, err = capsys.readouterr()
    assert any(it["field"] == "wear.materials.name" for it in json.loads(out)["fields"])
    assert str(tmp_path / "bad.msh") in err
    assert len(err.splitlines()) == 1
    said = failure(capsys, "stats", tmp_path / "good.rlb", "--where", "no_such > 1")
    assert "no table has a field no_such; there are the tables material_count, materials" in said


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="needs the sample corpora")
def test_damaged_files_have_statistics_or_an_error() -> None:
    found = corpus(SAMPLES / "damaged")
    assert found.fields
    for name in found.fields:
        found.statistics(name)


def test_it_can_be_cancelled() -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        collect(FileStore(), StatisticsOptions((Address(GAME),)), progress)
