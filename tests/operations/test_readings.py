"""The readings of many models: the least sure first, both answers to each question, and what was measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, archive_of, box, quad, turn
from tests.model.mesh.test_reading import arm
from tests.terrains import terrain
from viewer.errors import AddressError, FormatError
from viewer.formats.msh.guesses import GUESSES
from viewer.formats.msh.keys import QuaternionOrder
from viewer.formats.msh.tables import STREAM18
from viewer.model.mesh.engine_model import SIZE, engine_fields
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import FIELD, SEED, Reason
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.tables.model_tables import table_of
from viewer.operations.corpus.readings import ModelScore, ReadingScores, questions, score
from viewer.progress import Cancelled, Progress
from viewer.session.opened.document import Document

XYZW, WXYZ = QuaternionOrder
WEAR = b"2\r\n0 HULL\r\n1 ARM\r\n"
LIGHTMAPS = b"\r\nLIGHTMAPS\r\n1\r\n0 MAP\r\n"


def turned_cube() -> ModelBuilder:
    """A cube whose quaternion is four times one half: the same in both orders, and no vote."""
    key = Key(0, (0, 0, 0), turn((3**-0.5,) * 3, 120))
    return ModelBuilder.of([Node("cube", shapes={(0, 0): [box()]}, keys=[key])])


def models(**files: bytes) -> dict[str, bytes]:
    return {
        "sure.msh": ModelBuilder.of(arm(), FIELD).build(),
        "voted.msh": ModelBuilder.of([Node("flat", shapes={(0, 0): [quad()]})]).build(),
        "tie.msh": turned_cube().build(),
        "broken.msh": bytes(64),
        "land.msh": terrain(),
        **files,
    }


def scored(
    folder: Path, files: dict[str, bytes], requested: ReadingChoice = ReadingChoice.AUTO
) -> ReadingScores:
    path = folder / "a.rlb"
    path.write_bytes(archive_of(files))
    return score(FileStore(), [Address(path)], Progress(), lambda _: requested)


def named(found: ReadingScores, name: str) -> ModelScore:
    return next(it for it in found.models if str(it.address).endswith(f"::{name}"))


def test_the_least_sure_comes_first_and_what_cannot_be_read_is_noted(tmp_path: Path) -> None:
    found = scored(tmp_path, models())
    names = [(it.address.name, it.choice.reason) for it in found.models]
    assert names == [("tie.msh", Reason.TIE), ("voted.msh", Reason.VOTE), ("sure.msh", Reason.BOX)]
    assert [Address.parse(it).name for it in found.unreadable] == ["broken.msh"]


def test_a_row_has_errors_votes_margin_and_pick(tmp_path: Path) -> None:
    row = named(scored(tmp_path, models()), "sure.msh").row()
    assert row.wxyz_error is not None
    assert row.xyzw_error is not None
    assert row.wxyz_error < 1e-4
    assert row.xyzw_error > 0.05
    assert row.margin == row.xyzw_error - row.wxyz_error
    assert (row.pick, row.decided_by, row.material_field) == ("wxyz", "box", "field")
    assert (row.xyzw_votes, row.wxyz_votes) == (0, 1)


def test_a_request_does_not_change_what_is_automatic(tmp_path: Path) -> None:
    found = named(scored(tmp_path, models(), ReadingChoice.SEED), "sure.msh")
    assert (found.choice.reading, found.choice.automatic) == (SEED, FIELD)
    assert (found.row().pick, found.row().reading) == ("wxyz", "seed")
    order = found.questions[0]
    assert (order.automatic, order.used) == (ReadingChoice.FIELD, ReadingChoice.SEED)


def test_rows_of_the_wear_table_are_counted(tmp_path: Path) -> None:
    shapes = {(0, 0): [box(material=1), box(center=(5, 0, 0), material=7)]}
    files = {"a.msh": ModelBuilder.of([Node("a", shapes=shapes)], SEED).build(), "a.wea": WEAR}
    asked = named(scored(tmp_path, files), "a.msh").questions[1]
    assert "different rows: 2; in the wear table: 1 of 2 batches" in asked.seed.measured
    assert "in the wear table: 2 of 2 batches" in asked.field.measured


def test_res18_is_for_lightmaps_if_the_wear_table_names_some(tmp_path: Path) -> None:
    builder = turned_cube()
    count = len(builder.positions)
    builder.tables[STREAM18] = np.linspace(0, 1024, 2 * count).astype("<u2").tobytes()
    builder.attributes[STREAM18] = (count, 0, 4)
    model = builder.build()
    files = {"lit.msh": model, "lit.wea": WEAR + LIGHTMAPS, "unlit.msh": model, "unlit.wea": WEAR}
    found = scored(tmp_path, files)
    lit, unlit = named(found, "lit.msh").questions[4], named(found, "unlit.msh").questions[4]
    assert (lit.automatic, unlit.automatic) == (ReadingChoice.FIELD, ReadingChoice.SEED)
    assert "0.000 to 1.000" in lit.field.measured
    assert named(scored(tmp_path, models()), "tie.msh").questions[4].automatic is None


def test_damaged_models_have_readings_guesses_and_a_place_in_memory(samples: Path) -> None:
    """None of the views of a model breaks, whatever its tables hold."""
    read = 0
    for path in sorted((samples / "damaged" / "msh").glob("*.msh")):
        try:
            document = Document.of(Address(path), Model.read(path.read_bytes()))
        except FormatError:
            continue
        read += 1
        assert len(questions(document.model, document.choice, has_lightmaps=None)) == 5
        fields = engine_fields(document.model)
        assert sum(it.size for it in fields) == (0 if document.is_terrain else SIZE)
        for table, guesses in GUESSES.items():
            for guess in guesses if table in document.model.tables else ():
                view = table_of(document.tables, table, {table: guess.name})
                assert all(len(it.texts(range(view.count))) == view.count for it in view.columns)
    assert read > 20


def test_it_can_be_cancelled_and_needs_a_model(tmp_path: Path) -> None:
    path = tmp_path / "a.rlb"
    path.write_bytes(archive_of(models()))
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        score(FileStore(), [Address(path)], progress)
    path.write_bytes(archive_of({"a.wea": WEAR}))
    with pytest.raises(AddressError, match="holds no model"):
        score(FileStore(), [Address(path)], Progress())


def test_a_name_in_the_table_is_no_formula(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("=1+1.msh").write_bytes(models()["sure.msh"])
    found = score(FileStore(), [Address(Path("=1+1.msh"))], Progress(), lambda _: ReadingChoice.AUTO)
    assert found.csv().splitlines()[1].startswith("'=1+1.msh,")
