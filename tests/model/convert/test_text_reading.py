"""Texts that somebody has edited: what is clear is taken, everything else is told with its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import ModelBuilder, Node, archive_of, box
from tests.formats.payloads import payloads
from tests.messages import states
from viewer.errors import FormatError
from viewer.formats import splice
from viewer.formats.archive import nres, rsli
from viewer.model.convert.text.places import MOST_SHOWN, short
from viewer.model.convert.text.reading import bytes_of
from viewer.model.convert.text.writing import text_of
from viewer.model.kinds.registry import by_id
from viewer.model.mesh.model import Model

MODEL = ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]}), Node("arm", parent=0)]).build()
WEAR = b"2\r\n0 A\r\n1 B\r\n"
ARCHIVE = archive_of({"a.wea": WEAR, "b.msh": MODEL})
Document = dict[str, Any]


def document(kind: str, data: bytes | memoryview) -> Document:
    found: Document = json.loads("".join(text_of(by_id(kind), data)))
    return found


def edited(kind: str, data: bytes | memoryview, change: Callable[[Document], object]) -> bytes:
    """The bytes of a text after a change of its value."""
    found = document(kind, data)
    change(found)
    return bytes_of(json.dumps(found, indent=3).encode())


def table(found: Document, name: str) -> Document:
    """The entry of a model with a table."""
    return next(it for it in found["entries"] if it.get("kind") == name)


def problem(text: str | bytes) -> str:
    with pytest.raises(FormatError) as caught:
        bytes_of(text.encode() if isinstance(text, str) else text, "x.json")
    return str(caught.value)


def test_one_value_changes_one_field() -> None:
    after = edited("msh", MODEL, lambda it: table(it, "nodes")["nodes"][1].update(parent=None))
    (found,) = splice.between(MODEL, after)
    archive = nres.Archive.read(MODEL)
    index = archive.find_type(1)
    assert index is not None
    assert (found.offset, found.after) == (archive.entry(index).offset + 38 + 2, b"\xff\xff")


@given(st.data())
def test_any_number_changes_its_own_bytes_only(data: st.DataObject) -> None:
    found = document("msh", MODEL)
    listed = table(
        found, data.draw(st.sampled_from(["nodes", "slots", "batches", "tri_descriptors", "normals"]))
    )
    rows = listed[listed["kind"]]
    index = data.draw(st.integers(0, len(rows) - 1))
    path: list[Any] = [index]
    value = rows[index]
    while isinstance(value, dict | list):
        path.append(data.draw(st.sampled_from([*value] if isinstance(value, dict) else [*range(len(value))])))
        value = value[path[-1]]
    owner = rows
    for step in path[:-1]:
        owner = owner[step]
    owner[path[-1]] = 1 if value != 1 else 0
    after = bytes_of(json.dumps(found).encode())
    assert len(after) == len(MODEL)
    changed = [offset for offset in range(len(after)) if after[offset] != MODEL[offset]]
    assert 0 < len(changed) <= 4
    assert changed[-1] - changed[0] < 4
    again = document("msh", after)
    again_rows: Any = table(again, listed["kind"])[listed["kind"]]
    for step in path:
        again_rows = again_rows[step]
    assert again_rows == (1 if value != 1 else 0)


def test_rows_may_be_added_and_removed() -> None:
    def add(found: Document) -> None:
        nodes, names = table(found, "nodes"), table(found, "strings")
        nodes["nodes"].append({**nodes["nodes"][1], "parent": 1})
        names["strings"].append("third")

    model = Model.read(edited("msh", MODEL, add))
    assert [*model.node_names(from_records=False)] == ["hull", "arm", "third"]
    assert {entry.type_id: entry.attr1 for entry in model.archive.entries}[1] == 3
    assert {entry.type_id: entry.attr1 for entry in model.archive.entries}[10] == 3
    assert not model.archive.diagnostics

    def remove(found: Document) -> None:
        del found["materials"][0]

    assert edited("wear", WEAR, remove) == b"1\r\n1 B\r\n"


def test_entries_may_be_added_removed_and_renamed() -> None:
    def change(found: Document) -> None:
        found["entries"][0]["name"] = "z.wea"
        found["entries"].append(
            {
                "type": "TEXT",
                "name": "m.txt",
                "attr1": 0,
                "attr2": 0,
                "attr3": 0,
                "kind": "TEXT",
                "text": "hi",
            }
        )

    archive = nres.Archive.read(edited("nres", ARCHIVE, change))
    assert [(it.name, bytes(archive.payload(it.index))) for it in archive.entries] == [
        (b"z.wea", WEAR), (b"b.msh", MODEL), (b"m.txt", b"hi"),
    ]  # fmt: skip
    assert archive.rows["sort_index"].tolist() == [1, 2, 0]


def test_members_may_come_in_any_order_with_any_space() -> None:
    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: turned(value[name]) for name in reversed(value)}
        return [*map(turned, value)] if isinstance(value, list) else value

    written = json.dumps(turned(document("nres", ARCHIVE)), indent="\t", separators=(" ,", "\r\n: "))
    assert bytes_of(b"\xef\xbb\xbf" + written.encode()) == ARCHIVE


def test_numbers_may_be_hexadecimal_and_bytes_one_long_text() -> None:
    assert edited("msh", MODEL, lambda it: table(it, "nodes")["nodes"][0].update(flags="0x40")) != MODEL
    assert (
        bytes_of(b'{"format": "mshview-resource", "version": 1, "kind": "x", "bytes": "00 01\\n02"}')
        == b"\0\1\2"
    )


def lzss_entry(data: memoryview) -> int | None:
    """The first entry of a packed library with a payload that is packed by LZSS."""
    try:
        entries = rsli.decode(data).entries
    except FormatError:
        return None
    return next((it.index for it in entries if it.method == 0x40 and it.unpacked_size), None)


def test_a_packed_payload_is_kept_until_it_is_edited() -> None:
    payload = next(it for it in payloads("rsli") if lzss_entry(it.data) is not None)
    before = rsli.decode(payload.data)
    index = lzss_entry(payload.data)
    assert index is not None
    found = document("rsli", payload.data)
    entry = found["entries"][index]
    for name in [*entry]:
        if name not in {it.name for it in rsli.ENTRY.fields}:
            del entry[name]
    entry |= {"kind": "x", "text": "another text"}
    after = rsli.decode(bytes_of(json.dumps(found).encode()))
    assert bytes(after.payload(index)) == b"another text"
    others = [it.index for it in before.entries if it.index != index and it.available is not None]
    assert all(before.packed(it) == after.packed(it) for it in others)


HEAD = '{"format": "mshview-resource", "version": 1, '
WRONG: list[tuple[str | bytes, str]] = [
    ("", "line 1 column 1"),
    ("[]", "line 1 column 1 a list an object"),
    ("{}", "line 1 column 1 format missing"),
    (HEAD + '\n"kind": "wear", }', "line 2 column 17"),
    (HEAD + '"kind": "wear"} x', "line 1 column 62 extra data"),
    (HEAD.replace("1", "2") + '"kind": "x", "bytes": ""}', "column 43 version 2 1"),
    (HEAD + '"kind": 3, "bytes": ""}', "column 54 kind 3 a text"),
    (HEAD + '"kind": "msh",\n "entries": 3}', "line 2 column 13 entries 3 a list"),
    (HEAD + '"kind": "x"}', "column 54 kind x no parts"),
    (HEAD + '"kind": "x",\n "bytes": "0"}', "line 2 column 11 bytes 0"),
    (HEAD + '"kind": "x",\n "bytes": "00", "tail": ""}', "line 2 column 25 tail nothing"),
    (HEAD + '"kind": "x", "bytes": "",\n "bytes": ""}', "line 2 column 2 'bytes' twice"),
    (HEAD + '"kind": "indices", "indices": [1,\n 70000]}', "line 2 column 2 indices[1] 70000 exceeds 65535"),
    (HEAD + '"kind": "indices", "indices": [1,\n -1]}', "line 2 column 2 indices[1] -1 below 0"),
    (HEAD + '"kind": "indices", "indices": [1,\n 1.5]}', "line 2 column 2 indices[1] 1.5 whole number"),
    (HEAD + '"kind": "indices", "indices": [1,\n true]}', "line 2 column 2 indices[1] true whole number"),
    (HEAD + '"kind": "indices", "indices": [1,\n null]}', "line 2 column 2 indices[1] null whole number"),
    (HEAD + '"kind": "indices", "indices": [1,\n NaN]}', "line 2 column 2 NaN"),
    (HEAD + '"kind": "indices", "indices": [' + "9" * 5000 + "]}", "line 1 column 77 5000 digits"),
    (HEAD + '"kind": "indices", "indices": [' + "9" * 100 + "]}", "1 column 77 indices[0] exceeds 65535"),
    (HEAD + '"kind": "positions", "positions": [[0, 0]]}', "positions[0] 2 values 3"),
    (HEAD + '"kind": "positions", "positions": [[0, 0, 1e39]]}', "positions[0][2] 1e+39 exceeds"),
    (HEAD + '"kind": "positions", "positions": [[0, 0, "x"]]}', "positions[0][2] x a number"),
    (HEAD + '"kind": "positions", "positions": [[0, 0, "0x1ffffffff"]]}', "positions[0][2] exceeds"),
    (HEAD + '"kind": "positions", "positions": [[0, 0, "0x100000000"]]}',
     "positions[0][2] exceeds 4294967295"),
    (HEAD + f'"kind": "wear", "material_count": {{}}, "materials": [{{"number": {10**18}, "name": "A"}}]}}',
     "materials[0].number exceeds 999999999999999999"),
    (HEAD + '"kind": "wear", "material_count": {}, "materials": [{"number": 0, "name": 7}]}',
     "materials[0].name 7 a text"),
    (HEAD + '"kind": "uvs"}', "column 1 uvs missing"),
    (HEAD + '"kind": "batches", "batches": [{"flags": 0}]}', "batches[0] missing"),
    (HEAD + '"kind": "batches", "batches": [{"flag": 0}]}', "batches[0].flag nothing"),
    (HEAD + '"kind": "batches", "batches": [7]}', "batches[0] 7 an object"),
    (
        HEAD + '"kind": "wear", "material_count": {}, "materials": [{"number": 0}]}',
        "materials[0] name missing",
    ),
    (HEAD + '"kind": "strings", "strings": ["中"]}', "strings[0] '中' CP1251"),
    (HEAD + '"kind": "name_records", "name_records": ["' + "x" * 33 + '"]}', "name_records[0] 33 bytes 32"),
    (HEAD + '"kind": "name_records", "name_records": ["a\\u0000b"]}', "name_records[0] NUL"),
    (HEAD + '"kind": "fxid", "header": {}, "commands": []}', "header missing"),
    ("[" * 100_000, "line 1 column"),
    ('{"a":' * 100_000, "line 1 column"),
    ("[" * 5_000 + "]" * 5_000, "line 1 column 201 200"),
    (b'{"format":\n "\xff"}', "line 2 column 3 0xff UTF-8"),
    ("{}".encode("utf-16"), "line 1 column 1 UTF-8"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), WRONG, ids=[str(it) for it in range(len(WRONG))])
def test_a_mistake_is_told_with_its_place(text: str | bytes, words: str) -> None:
    message = problem(text)
    assert states(message, f"x.json: {words}"), message
    assert len(message) < 200


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda it: it["entries"][0].update(name=7), "entries[0].name 7 a text"),
        (lambda it: it["entries"][0].update(type="ABCDE"), "entries[0].type ABCDE"),
        (lambda it: it["entries"][0].pop("attr1"), "entries[0] attr1 missing"),
        (lambda it: it["entries"][0].update(attr1=1 << 32), "entries[0].attr1 4294967296 exceeds"),
        (lambda it: it["entries"][0].update(more=1), "entries[0].more nothing"),
        (lambda it: it["entries"].__setitem__(1, {"type": 0, "name": "x"}), "entries[1] size missing"),
        (lambda it: it.update(layout=[0, 1, 1]), "layout[2] entry 1 twice"),
        (lambda it: it.update(layout=[0]), "layout entry 1 missing"),
        (lambda it: it.update(layout=[0, 2, 1]), "layout[1] entry 2 no payload"),
        (lambda it: it.update(layout=[0, "xx", 1]), "layout[1] xx"),
        (
            lambda it: table(it["entries"][1], "nodes")["nodes"][1].update(parent=70000),
            "nodes[1].parent 70000 exceeds 65535",
        ),
    ],
)
def test_a_mistake_in_an_archive_is_told_with_its_place(
    change: Callable[[Document], object], words: str
) -> None:
    found = document("nres", ARCHIVE)
    change(found)
    message = problem(json.dumps(found, indent=1))
    assert states(message, words), message
    line = int(message.partition("line ")[2].split()[0])
    assert 1 < line < json.dumps(found, indent=1).count("\n") + 2


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


@given(st.data())
def test_any_other_value_is_taken_or_refused(data: st.DataObject) -> None:
    kind, source = data.draw(st.sampled_from([("wear", WEAR), ("nres", ARCHIVE), ("msh", MODEL)]))
    found: Any = document(kind, source)
    owner, step = found, "kind"
    value = found
    while isinstance(value, dict | list) and value:
        owner = value
        step = data.draw(st.sampled_from([*value] if isinstance(value, dict) else [*range(len(value))]))
        value = owner[step]
        if data.draw(st.integers(0, 4)) == 0:
            break
    owner[step] = data.draw(VALUES)
    with suppress(FormatError):
        bytes_of(json.dumps(found).encode(), "x.json")


def test_a_value_of_a_message_is_cut_only_if_it_is_too_long() -> None:
    longest = "x" * MOST_SHOWN
    assert (short(longest), short(longest + "y")) == (longest, longest + "...")
