"""The batches of a model keep their materials when rows of its wear table change."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.model.edit.drafts import draft_of
from tests.model.edit.neighbors.steps import MODELS, Edited, edited, payload, step_of
from viewer.errors import EditError, UsageError
from viewer.formats import wear
from viewer.formats.archive.nres import Archive
from viewer.formats.msh.tables import BATCHES
from viewer.model.edit.change import Change, Topic
from viewer.model.edit.draft import Draft
from viewer.model.edit.neighbors.follow_wear import FollowWear
from viewer.model.edit.row_choice import RowChoice
from viewer.model.edit.rows.row_changes import AddRows, MoveRows, RemoveRows
from viewer.model.kinds.registry import by_id
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import material_field, wear_rows_of

Names = list[bytes]


def names_of(data: memoryview) -> Names:
    return [row.name for row in wear.decode(data).materials]


def rows_of(archive: Archive, stem: str) -> list[int]:
    """The wear row of each batch of a model."""
    batches = Model.read(payload(archive, f"{stem}.msh")).batches
    field = material_field(batches, len(names_of(payload(archive, f"{stem}.wea"))))
    found: list[int] = wear_rows_of(batches, field).tolist()
    return found


def shown(archive: Archive, stem: str) -> Names:
    """The material of each batch of a model."""
    names = names_of(payload(archive, f"{stem}.wea"))
    return [names[row] for row in rows_of(archive, stem)]


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with a model that uses rows 0, 2 and 3 of its wear table."""
    shapes = [box(material=row) for row in (2, 0, 3, 2)]
    data = ModelBuilder([Node("hull", shapes={(0, 0): shapes})]).build()
    rows = b"".join(b"%d M%d\r\n" % (row, row) for row in range(5))
    path = tmp_path_factory.mktemp("crate") / "crate.rlb"
    path.write_bytes(archive_of({"crate.msh": data, "crate.wea": b"5\r\n" + rows}))
    return path


def removed(*rows: int) -> RemoveRows:
    return RemoveRows("materials", RowChoice.of(*rows))


def test_later_rows_are_renumbered_in_the_field_in_effect(crate: Path) -> None:
    made = edited(crate, "crate.wea", removed(1))
    assert made.changed == {"crate.wea", "crate.msh"}
    assert made.step.topics == (Topic.REFERENCES,)
    assert Model.read(made.payload("crate.msh")).batches["material"].tolist() == [1, 0, 2, 1]
    moved = edited(MODELS, "walker.wea", MoveRows("materials", RowChoice("3"), 0))
    old, new = (Model.read(payload(it, "walker.msh")).batches for it in (moved.before, moved.after))
    assert (old["opaque4"] >> 8 == new["opaque4"] >> 8).all()
    assert shown(moved.after, "walker") == shown(moved.before, "walker")
    assert moved.changed == {"walker.wea", "walker.msh"}


def test_a_removed_row_that_batches_use_is_refused_with_their_numbers(crate: Path) -> None:
    with pytest.raises(EditError, match=r"crate\.msh: batches\[0\]\.material: row 2 .* removed row: 0,2,3$"):
        edited(crate, "crate.wea", removed(2, 3))
    made = edited(crate, "crate.wea", removed(2, 3), declined=[Topic.REFERENCES])
    assert made.changed == {"crate.wea"}
    assert made.step.topics == ()


def test_nothing_follows_rows_that_nobody_uses(crate: Path) -> None:
    assert edited(crate, "crate.wea", removed(4)).changed == {"crate.wea"}
    assert edited(crate, "crate.wea", AddRows("materials")).changed == {"crate.wea"}
    assert edited(crate, "crate.wea", AddRows("lightmaps")).changed == {"crate.wea"}


def test_a_number_that_the_field_cannot_hold_and_a_change_of_the_field_are_refused() -> None:
    with pytest.raises(EditError, match=r"batches\[\d+\]\.opaque4: .* exceeds 0\.\.255"):
        edited(MODELS, "walker.wea", AddRows("materials", 0, 256))
    data = ModelBuilder([Node("hull", shapes={(0, 0): [box(material=1)]})]).build()
    draft = draft_of(data)
    batches = draft.model.batches.copy()
    batches["opaque4"] = 3
    index = draft.model.archive.find_type(BATCHES)
    assert index is not None
    draft.write(draft.model.archive.entry(index).offset, batches.tobytes())
    with pytest.raises(EditError, match="another field would be read"):
        FollowWear(5, (1, 0, 2, 3, 4)).apply(draft_of(bytes(draft.data)))
    with pytest.raises(UsageError, match="is not a model"):
        FollowWear(1, (0,)).apply(Draft(by_id("wear"), b"1\r\n0 M\r\n"))


def test_a_terrain_and_a_broken_model_stay(tmp_path: Path) -> None:
    path = tmp_path / "a.rlb"
    path.write_bytes(archive_of({"a.msh": b"NRes broken", "a.wea": b"2\r\n0 A\r\n1 B\r\n"}))
    assert edited(path, "a.wea", removed(0)).changed == {"a.wea"}


def test_of_a_file_of_its_own_it_is_told(tmp_path: Path) -> None:
    data = ModelBuilder([Node("hull", shapes={(0, 0): [box(material=1)]})]).build()
    (tmp_path / "a.msh").write_bytes(data)
    (tmp_path / "a.wea").write_bytes(b"2\r\n0 A\r\n1 B\r\n")
    assert (
        step_of(tmp_path / "a.wea", "", removed(0)).notes[0].startswith("the batches of a.msh do not follow")
    )


ROWS = st.integers(0, 5)
CHANGES: st.SearchStrategy[Change] = st.one_of(
    st.builds(removed, ROWS),
    st.builds(lambda row, to: MoveRows("materials", RowChoice.of(row), to), ROWS, st.none() | ROWS),
    st.builds(lambda at, count, like: AddRows("materials", at, count, like), ROWS, st.integers(1, 3), ROWS),
)


@pytest.mark.parametrize("stem", ["crate", "walker"])
def test_no_sequence_changes_what_a_batch_shows(crate: Path, stem: str) -> None:
    path = crate if stem == "crate" else MODELS

    @settings(max_examples=60, database=None, deadline=None)
    @given(st.lists(CHANGES, min_size=1, max_size=4))
    def run(changes: list[Change]) -> None:
        try:
            alone = edited(path, f"{stem}.wea", *changes, declined=[Topic.REFERENCES])
        except EditError:
            return
        before = shown(alone.before, stem)
        try:
            made = edited(path, f"{stem}.wea", *changes)
        except EditError as error:
            refused.append((alone, error))
            return
        assert shown(made.after, stem) == before
        assert made.changed <= {f"{stem}.wea", f"{stem}.msh"}
        assert_only_selectors_changed(made, stem)

    refused: list[tuple[Edited, EditError]] = []
    run()
    for alone, error in refused:
        kept = alone.step.payloads[0][1].row_orders["materials"].order
        assert "another field" in error.message or {*rows_of(alone.before, stem)} - {*kept}


def assert_only_selectors_changed(made: Edited, stem: str) -> None:
    old, new = (bytes(payload(it, f"{stem}.msh")) for it in (made.before, made.after))
    assert len(old) == len(new)
    archive = Model.read(old).archive
    index = archive.find_type(BATCHES)
    assert index is not None
    entry = archive.entry(index)
    at = np.flatnonzero(np.frombuffer(old, "u1") != np.frombuffer(new, "u1")) - entry.offset
    assert ((at >= 0) & (at < entry.size)).all()
    assert np.isin(at % 20, (2, 3, 4)).all()
