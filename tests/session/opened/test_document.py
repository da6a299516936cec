"""What is worked out when a document is opened."""

from __future__ import annotations

from collections.abc import Sequence
from math import tan
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests import game_folders
from tests.builders import Key, ModelBuilder, Node, archive_of, box, turn
from tests.messages import states
from viewer.diagnostics import Diagnostic
from viewer.errors import FormatError, MshviewError
from viewer.formats import wear
from viewer.formats.msh.nodes import FLAG_COCKPIT
from viewer.formats.splice import between
from viewer.model.checks import models
from viewer.model.edit.plan import lifted
from viewer.model.material.lookup import MaterialLookup
from viewer.model.material.phases import PhaseMoment
from viewer.model.material.selectors import WearTable
from viewer.model.mesh.model import Model
from viewer.model.mesh.reading import FIELD
from viewer.model.mesh.reading_choices import ReadingChoice
from viewer.model.mesh.shown import CellRule
from viewer.model.store.address import CURRENT, Address
from viewer.model.store.file_store import FileStore
from viewer.operations.opening import Source
from viewer.operations.reading_options import ReadingOptions
from viewer.session.opened.document import Document
from viewer.session.play.machinery import material_states
from viewer.session.play.posing import framed
from viewer.session.play.timeline import FRAME
from viewer.session.selection import Selection
from viewer.session.view.camera import FORWARD, Camera
from viewer.session.view.options.shading import Shading
from viewer.session.view.view_state import ViewState, with_drawn

SCENE = [
    Node("base", shapes={(0, 0): [box((2, 2, 2))], (1, 2): [box((2, 2, 2))]}),
    Node(
        "",
        parent=0,
        shapes={(0, 0): [box((1, 1, 1))]},
        keys=[Key(position=(3, 0, 0)), Key(8, (3, 0, 0), turn((0, 0, 1), 90))],
    ),
    Node("cockpit", shapes={(0, 4): [box((50, 50, 50))]}, flags=FLAG_COCKPIT),
]


OWN = with_drawn(ViewState(), is_own_view=True)
EXACT = with_drawn(ViewState(lod=2), cells=CellRule.EXACT)


@pytest.fixture
def document() -> Document:
    return Document.of(Address.parse("scene.msh"), ModelBuilder.of(SCENE).model())


def test_nodes_without_a_name_are_labelled_by_their_number(document: Document) -> None:
    assert [document.label(node) for node in range(3)] == ["base", "node 1", "cockpit"]


def test_the_last_frame_is_where_the_animation_ends(document: Document) -> None:
    assert document.last_frame == 8
    assert Document.of(CURRENT, ModelBuilder.of(SCENE[:1]).model()).last_frame == 0


def dressed(tmp_path: Path, *names: bytes, shapes: Sequence[Node] = SCENE[:1]) -> Document:
    """A model whose first node is drawn in the first of some materials."""
    libraries = MaterialLookup(game_folders.write(tmp_path / "game"), FileStore())
    table = WearTable(Address.parse("a.wea"), wear.decode(wear.build(names)))
    return Document.of(
        Address.parse("a.msh"), ModelBuilder.of(shapes).model(), ReadingChoice.AUTO, [table], libraries
    )


def test_where_only_materials_move_their_longest_period_is_the_end(tmp_path: Path) -> None:
    blinking, still = dressed(tmp_path, b"BLINK"), dressed(tmp_path, b"SKIN")
    assert blinking.last_frame * FRAME == pytest.approx(500)
    assert (blinking.has_only_materials_moving, still.has_only_materials_moving) == (True, False)
    assert still.last_frame == 0
    assert dressed(tmp_path, b"DUO").last_frame * FRAME == pytest.approx(2000), "there and back"


def test_nodes_that_move_decide_the_end(tmp_path: Path) -> None:
    both = dressed(tmp_path, b"DUO", shapes=SCENE)
    assert (both.last_frame, both.has_only_materials_moving) == (8, False)


def test_materials_look_as_the_view_says(tmp_path: Path) -> None:
    document = dressed(tmp_path, b"DUO")
    view = ViewState(time=450 / FRAME)
    phases = [
        material_states(document, replace(view, materials=play))[0].phase
        for play in (
            view.materials,
            view.materials.choose(0, document.materials.rows[0], 1),
            view.materials.choose(0, document.materials.rows[0], 1).freeze(0, PhaseMoment(0)),
        )
    ]
    assert phases == [0, 2, 1]
    assert material_states(document, replace(view, past=30.0))[0] == material_states(document, view)[0]


def test_bounds_are_posed_and_leave_cockpits_out_from_outside(document: Document) -> None:
    pose = document.animation.pose(0.0)
    everything = document.bounds(pose, ViewState())
    assert everything is not None
    np.testing.assert_allclose(everything.low, [-1, -1, -1])
    np.testing.assert_allclose(everything.high, [3.5, 1, 1])
    inside = document.bounds(pose, OWN)
    assert inside is not None
    assert inside.diagonal > 80
    assert document.bounds(pose, EXACT) is None


def test_a_camera_is_put_where_it_sees_the_model(document: Document) -> None:
    camera = framed(document, Camera(), ViewState(), 1.5)
    np.testing.assert_allclose(camera.target, [1.25, 0, 0], atol=0.4)
    assert 3 < camera.distance < 20


def test_the_eye_of_the_own_view_is_in_the_cockpit_and_looks_ahead(document: Document) -> None:
    camera = framed(document, Camera().towards(FORWARD), OWN, 1.5)
    np.testing.assert_allclose(camera.eye, [0, 0, 0], atol=1e-6)
    np.testing.assert_allclose(camera.axes[2], [0, -1, 0], atol=1e-6)


def test_the_own_view_stays_for_models_that_have_one(document: Document) -> None:
    assert document.first_view(OWN).drawn.is_own_view
    other = Document.of(CURRENT, ModelBuilder.of(SCENE[:1]).model())
    assert not other.first_view(OWN).drawn.is_own_view


def test_detail_follows_the_size_in_the_image_and_only_if_asked(document: Document) -> None:
    auto = with_drawn(ViewState(), has_auto_detail=True)
    assert document.extent is not None
    x, y, z = document.extent.center.tolist()
    size = document.extent.diagonal / (2 * tan(ViewState().camera.field_of_view / 2))
    levels, shown = [], []
    for share in (1.0, 0.26, 0.24, 0.13, 0.12, 0.07, 0.06, 0.001):
        camera = replace(auto.camera, target=(x, y, z), distance=size / share)
        levels.append(document.detail(camera))
        shown.append(document.with_detail(replace(auto, camera=camera)).group)
        assert document.with_detail(ViewState(group=2, camera=camera)).group == 2
    assert levels == [0, 0, 1, 1, 2, 2, 3, 3]
    assert shown == [0, 0, 0, 0, 2, 2, 2, 2], "the levels that the model has"


def test_a_view_for_another_document_starts_in_a_cell_that_shows_something(document: Document) -> None:
    before = ViewState(lod=2, group=3, shading=Shading.NORMALS, time=99.0, selection=Selection((5,)))
    view = document.first_view(replace(before, drawn=EXACT.drawn))
    assert (view.lod, view.group, view.time, view.selection) == (1, 2, 0.0, Selection())
    assert (document.first_view(before).lod, document.first_view(before).group) == (2, 3)
    assert view.shading is Shading.NORMALS


def test_the_reading_wanted_is_taken(document: Document) -> None:
    model = ModelBuilder.of(SCENE, FIELD).model()
    assert (
        Document.of(CURRENT, model, ReadingChoice.SEED).choice.reading
        != Document.of(CURRENT, model).choice.reading
    )
    assert document.choice.reading.quaternion_order == "xyzw"


def test_the_wear_table_beside_a_model_helps_to_choose_the_reading(tmp_path: Path) -> None:
    builder = ModelBuilder.of([Node("a", shapes={(0, 0): [box(material=1)]})], FIELD)
    builder.batches["material"] = 7
    path = tmp_path / "a.rlb"
    path.write_bytes(archive_of({"a.msh": builder.build(), "a.wea": b"2\r\n0 A\r\n1 B\r\n"}))
    opened = Document.open(FileStore(), Source(Address(path, ("a.msh",))))
    assert opened.choice.reading.material_field == "field"


def test_what_is_no_model_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.msh"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(MshviewError, match=r"a\.msh"):
        Document.open(FileStore(), Source(Address(path)))


def test_what_was_worked_around_is_reported() -> None:
    builder = ModelBuilder.of(SCENE)
    builder.nodes["parent"][1] = 99
    builder.nodes["fallback_key"][1] = 999
    found = Document.of(CURRENT, builder.model()).diagnostics
    assert {(finding.index, finding.field) for finding in found} >= {(1, "parent"), (1, "fallback_key")}


def wear_of(rows: int) -> WearTable:
    return WearTable(Address.parse("a.wea"), wear.decode(wear.build([b"STONE"] * rows)))


def test_wear_rows_that_do_not_exist_are_reported() -> None:
    builder = ModelBuilder.of([Node("a", shapes={(0, 0): [box(material=3)]})])
    document = Document.of(Address.parse("a.msh"), builder.model(), ReadingChoice.SEED, [wear_of(3)])
    assert [(item.rule, item.where) for item in document.diagnostics] == [("V26", "batches[0].material")]
    assert (
        Document.of(Address.parse("a.msh"), builder.model(), ReadingChoice.SEED, [wear_of(4)]).diagnostics
        == ()
    )


def test_what_materials_lack_is_a_finding_but_says_nothing_against_the_model(document: Document) -> None:
    assert document.diagnostics == ()
    assert [(item.severity, item.where) for item in document.findings] == [("warning", "materials")]
    assert states(document.findings[0].message, "wear")


def house(folder: Path) -> Address:
    """A model in an archive with its wear table, in a game folder."""
    path = game_folders.write(folder) / "a.rlb"
    tables = {name: wear.build([b"SKIN", b"GLASS"]) for name in ("a.wea", "b.wea")}
    model = ModelBuilder.of(SCENE).build()
    path.write_bytes(archive_of({"a.msh": model, "b.msh": model, **tables}))
    return Address(path, ("a.msh",))


def test_a_document_that_has_not_changed_is_the_same_document(tmp_path: Path) -> None:
    library, source = FileStore(), Source(house(tmp_path / "game"))
    first = Document.open(library, source)
    assert Document.open(library, source, first) is first
    assert Document.open(library, source).identity != first.identity


def test_every_change_of_the_bytes_is_a_revision_of_the_same_document(tmp_path: Path) -> None:
    library, source = FileStore(), Source(house(tmp_path / "game"))
    path = source.address.path
    first = Document.open(library, source)
    wider = ModelBuilder.of([Node("base", shapes={(0, 0): [box((9, 9, 9))]}), *SCENE[1:]]).build()
    library.unsaved.overlay(path, archive_of({"a.msh": wider, "a.wea": wear.build([b"SKIN"])}))
    edited = Document.open(library, source, first)
    assert (edited.identity, edited.revision) == (first.identity, first.revision + 1)
    assert float(edited.model.positions.max()) > float(first.model.positions[:24].max())
    library.unsaved.revert(path)
    reverted = Document.open(library, source, edited)
    assert (reverted.identity, reverted.revision) == (first.identity, first.revision + 2)


def test_every_choice_is_a_revision_and_keeps_what_follows_from_the_model_alone(tmp_path: Path) -> None:
    library, source = FileStore(), Source(house(tmp_path / "game"))
    document = Document.open(library, source)
    other_wear = Address(source.address.path, ("b.wea",))
    for options in (
        replace(source.options, reading=ReadingChoice.FIELD),
        replace(source.options, wear=other_wear),
        replace(source.options, game=game_folders.write(tmp_path / "other")),
    ):
        changed = replace(source, options=options)
        after = Document.open(library, changed, document)
        assert (after.identity, after.revision) == (document.identity, document.revision + 1)
        assert after.source == changed
        assert (after.model, after.draws, after.skeleton) == (
            document.model,
            document.draws,
            document.skeleton,
        )
        document = after


def test_a_library_that_changed_makes_a_revision(tmp_path: Path) -> None:
    library, source = FileStore(), Source(house(tmp_path / "game"))
    first = Document.open(library, source)
    library.unsaved.overlay(tmp_path / "game" / "Material.lib", game_folders.archive(game_folders.MAT0, {}))
    after = Document.open(library, source, first)
    assert (after.identity, after.revision) == (first.identity, first.revision + 1)
    assert after.materials.rows[0].is_missing


def test_a_wear_table_that_appears_makes_a_revision(tmp_path: Path) -> None:
    library, path = FileStore(), tmp_path / "a.msh"
    path.write_bytes(ModelBuilder.of(SCENE).build())
    first = Document.open(library, Source(Address(path)))
    library.unsaved.overlay(tmp_path / "A.wea", wear.build([b"SKIN"]))
    after = Document.open(library, Source(Address(path)), first)
    assert after.revision == first.revision + 1
    assert str(after.materials.wear_source) == str(tmp_path / "A.wea")


def test_another_address_is_another_document(tmp_path: Path) -> None:
    library, source = FileStore(), Source(house(tmp_path / "game"))
    first = Document.open(library, source)
    other = Document.open(library, Source(Address(source.address.path, ("b.msh",))), first)
    assert other.identity != first.identity
    assert Document.open(library, source, other).identity not in {first.identity, other.identity}


def test_a_strict_source_refuses_a_model_with_an_error(tmp_path: Path) -> None:
    builder = ModelBuilder.of(SCENE)
    builder.nodes["parent"][1] = 99
    path = tmp_path / "a.msh"
    path.write_bytes(builder.build())
    Document.open(FileStore(), Source(Address(path)))
    with pytest.raises(FormatError):
        Document.open(FileStore(), Source(Address(path), ReadingOptions(is_strict=True)))


def test_an_edit_beside_a_model_does_not_check_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = ModelBuilder.of([Node("base", shapes={(0, 0): [box(material=1)]})])
    builder.batches["opaque4"] = 0x0101
    two, one = wear.build([b"SKIN", b"GLASS"]), wear.build([b"SKIN"])
    path = tmp_path / "a.rlb"
    path.write_bytes(archive_of({"a.msh": builder.build(), "a.wea": two, "b.wea": two}))
    library, source = FileStore(), Source(Address(path, ("a.msh",)))
    first = Document.open(library, source)
    checked: list[Model] = []
    check = models.check_model

    def note(model: Model) -> list[Diagnostic]:
        checked.append(model)
        return check(model)

    monkeypatch.setattr(models, "check_model", note)

    def edited(entry: str, payload: bytes) -> Document:
        address = Address(path, (entry,))
        library.change(path, lifted(library, address, between(library.open(address).data, payload)))
        return Document.open(library, source, first)

    assert edited("b.wea", one) is first
    assert not checked
    after = edited("a.wea", one)
    assert len(checked) == 1
    assert {found.rule for found in after.diagnostics} - {found.rule for found in first.diagnostics} == {
        "V26"
    }
