"""Addresses, archives inside archives, and neighbours."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

import pytest

from viewer.errors import AddressError, FormatError, UsageError
from viewer.formats.archive import nres
from viewer.model.store import file_store as files
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore


def entry(name: str, payload: bytes) -> nres.NewEntry:
    return nres.NewEntry(1, payload, name.encode("cp1251"))


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive with a nested one, repeated names and a Cyrillic one."""
    inner = nres.build([entry("deep", b"treasure"), entry("deep", b"second")])
    data = nres.build(
        [entry("Inner.rlb", inner), entry("x.msh", b"model"), entry("X.WEA", b"wear"), entry("Дом", b"house")]
    )
    path = tmp_path / "outer.rlb"
    path.write_bytes(data)
    return path


def test_an_archive_is_read_once_for_all_its_entries_and_again_after_it_changed(archive: Path) -> None:
    library = FileStore()
    before = [library.open(Address(archive, inner)).container for inner in [(), ("Inner.rlb",)] * 2]
    assert before[0] is before[2] is not None
    assert before[1] is before[3] is not None
    archive.write_bytes(nres.build([entry("Inner.rlb", nres.build([entry("new", b"one")]))]))
    assert bytes(library.open(Address(archive, ("Inner.rlb", "new"))).data) == b"one"
    assert library.open(Address(archive)).container is not before[0]


def test_what_was_let_go_is_read_again(archive: Path) -> None:
    library = FileStore()
    kept = library.file(archive)
    library.forget(archive)
    assert library.file(archive) is not kept
    assert library.file(archive) == kept


def test_an_address_is_spelled_as_it_was() -> None:
    address = Address.parse("game/robots.rlb::walker.msh::#3")
    assert address == Address(Path("game/robots.rlb"), ("walker.msh", "#3"))
    assert str(address) == f"game{os.sep}robots.rlb::walker.msh::#3"
    assert (address.name, str(address.parent)) == ("#3", f"game{os.sep}robots.rlb::walker.msh")
    assert address.parent.child("#3") == address


@pytest.mark.parametrize("text", ["", "::x", "a::", "a::::b"])
def test_an_address_with_an_empty_part_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="a part of it is empty"):
        Address.parse(text)


@pytest.mark.parametrize(
    ("entries", "payload"),
    [
        (("INNER.RLB", "DEEP"), b"treasure"),
        (("#0", "#1"), b"second"),
        (("inner.rlb", "#0"), b"treasure"),
        (("Дом",), b"house"),
    ],
)
def test_entries_are_found_by_name_and_by_index(
    archive: Path, entries: tuple[str, ...], payload: bytes
) -> None:
    item = FileStore().open(Address(archive, entries))
    assert bytes(item.data) == payload
    assert item.entry is not None


def test_a_file_may_be_truncated_while_it_is_read(archive: Path) -> None:
    store = FileStore()
    item = store.open(Address(archive))
    whole = bytes(item.data)
    archive.write_bytes(b"")
    assert bytes(item.data) == whole


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (("nothing",), "outer.rlb: has no entry 'nothing'"),
        (("#4",), "outer.rlb: has no entry '#4', it has 4"),
        (("日",), "outer.rlb: has no entry '日'"),
        (("x.msh", "y"), "outer.rlb::x.msh: is not an archive, so it has no entry 'y'"),
    ],
)
def test_an_address_that_leads_nowhere_names_the_part_that_fails(
    archive: Path, entries: tuple[str, ...], message: str
) -> None:
    with pytest.raises(AddressError) as caught:
        FileStore().open(Address(archive, entries))
    assert str(caught.value).endswith(message)


def test_a_broken_archive_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.rlb"
    path.write_bytes(b"NRes")
    with pytest.raises(FormatError) as caught:
        FileStore().open(Address(path, ("x",)))
    assert str(caught.value).startswith(f"{path}: container: ")


def test_a_file_that_changed_is_read_again(archive: Path) -> None:
    library = FileStore()
    assert bytes(library.open(Address(archive, ("x.msh",))).data) == b"model"
    archive.write_bytes(nres.build([entry("x.msh", b"another and longer")]))
    assert bytes(library.open(Address(archive, ("x.msh",))).data) == b"another and longer"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AddressError, match="cannot be read"):
        FileStore().open(Address(tmp_path / "missing"))
    with pytest.raises(AddressError):
        FileStore().open(Address(tmp_path))


def test_what_the_system_refuses_to_show_is_not_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not FileStore().is_denied(tmp_path / "missing")

    def refuse(*_: object, **__: object) -> NoReturn:
        raise PermissionError(1, "not for you")

    monkeypatch.setattr(Path, "stat", refuse)
    assert FileStore().is_denied(tmp_path / "hidden")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_that_nobody_fills_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(AddressError, match="pipe"):
        FileStore().open(Address(tmp_path / "pipe"))


def test_a_file_beyond_the_limit_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "SIZE_LIMIT", 10)
    (tmp_path / "large").write_bytes(bytes(11))
    with pytest.raises(AddressError, match=r"11 .*10 "):
        FileStore().open(Address(tmp_path / "large"))


def test_a_neighbour_has_the_stem_in_any_case(archive: Path) -> None:
    library = FileStore()
    for name in ("x.msh", "#1"):
        found = library.sibling(library.open(Address(archive, (name,))), ".wea")
        assert found is not None
        assert bytes(found.data) == b"wear"
    assert library.sibling(library.open(Address(archive, ("Дом",))), ".wea") is None
    (archive.parent / "Loose.msh").write_bytes(b"")
    (archive.parent / "LOOSE.WEA").write_bytes(b"beside")
    found = library.sibling(library.open(Address(archive.parent / "Loose.msh")), ".wea")
    assert found is not None
    assert bytes(found.data) == b"beside"


def test_an_item_knows_the_archives_that_it_is_in(archive: Path) -> None:
    library = FileStore()
    item = library.open(Address(archive, ("inner.rlb", "#0")))
    assert [it.address for it in item.holders] == [Address(archive), Address(archive, ("inner.rlb",))]
    assert item.holder is not None
    child = item.holder.address.child(item.name.decode())
    found = item.holder.find(item.name.decode())
    assert found is not None
    assert (found.address, found.data) == (child, library.open(child).data)
    assert (item.alone.address, item.alone.data, item.alone.holder) == (item.address, item.data, None)


def test_unsaved_bytes_are_seen_by_every_lookup(archive: Path) -> None:
    library = FileStore()
    address = Address(archive, ("x.msh",))
    assert bytes(library.open(address).data) == b"model"
    library.unsaved.overlay(archive, nres.build([entry("x.msh", b"edited"), entry("x.wea", b"new wear")]))
    assert bytes(library.open(address).data) == b"edited"
    found = library.sibling(library.open(address), ".wea")
    assert found is not None
    assert bytes(found.data) == b"new wear"
    library.unsaved.revert(archive)
    assert bytes(library.open(address).data) == b"model"


def test_a_sibling_may_be_unsaved(tmp_path: Path) -> None:
    library = FileStore()
    (tmp_path / "a.msh").write_bytes(b"")
    assert library.sibling(library.open(Address(tmp_path / "a.msh")), ".wea") is None
    library.unsaved.overlay(tmp_path / "A.WEA", b"unsaved")
    found = library.sibling(library.open(Address(tmp_path / "a.msh")), ".wea")
    assert found is not None
    assert bytes(found.data) == b"unsaved"


def test_stores_with_the_same_unsaved_files_see_the_same(archive: Path) -> None:
    library = FileStore()
    library.unsaved.overlay(archive, b"laid")
    for other in (FileStore(unsaved=library.unsaved), library.snapshot()):
        assert bytes(other.file(archive)) == b"laid"
    assert bytes(FileStore().file(archive)) != b"laid"


def test_what_was_made_of_an_entry_is_kept_while_the_file_is_the_same(archive: Path) -> None:
    library, made = FileStore(), []

    def make() -> object:
        made.append(object())
        return made[-1]

    spellings = [Address(archive, (name,)) for name in ("x.msh", "X.MSH", "#1")]
    first = [library.open(address).once("key", make) for address in spellings]
    assert first == [made[0]] * 3
    assert library.open(Address(archive, ("#0",))).once("key", make) is made[1]
    library.unsaved.overlay(archive, archive.read_bytes())
    assert library.open(spellings[0]).once("key", make) is made[2]
    assert len(made) == 3


def test_what_cannot_be_made_is_tried_again(archive: Path) -> None:
    item = FileStore().open(Address(archive))
    with pytest.raises(ZeroDivisionError):
        item.once("key", lambda: 1 / 0)
    assert item.once("key", lambda: 2) == 2


def test_the_digest_is_that_of_the_bytes(archive: Path) -> None:
    library = FileStore()
    assert library.open(Address(archive, ("x.msh",))).digest == sha256(b"model").digest()
    assert library.open(Address(archive)).digest == sha256(archive.read_bytes()).digest()


def test_a_snapshot_sees_one_state_and_says_what_it_looked_at(archive: Path) -> None:
    library = FileStore()
    snapshot = library.snapshot()
    before = snapshot.file(archive)
    lost = archive.parent / "lost"
    assert snapshot.revision(lost) is None
    archive.write_bytes(b"something else")
    assert snapshot.file(archive) is before
    assert snapshot.is_folder(archive.parent)
    assert snapshot.revisions.keys() == {archive, lost}
    assert snapshot.revisions[lost] is None
    assert library.revisions == {}
    assert bytes(library.file(archive)) == b"something else"


def test_what_was_made_of_a_file_that_was_only_touched_is_kept(archive: Path) -> None:
    library = FileStore()
    first = library.open(Address(archive, ("x.msh",)))
    first.once("key", lambda: "made")
    archive.touch()
    archive.chmod(0o600)
    again = library.open(Address(archive, ("x.msh",)))
    assert again.once("key", lambda: "made again") == "made"
    assert not library.is_outdated(archive)
    archive.write_bytes(archive.read_bytes() + bytes(1))
    assert library.is_outdated(archive)
