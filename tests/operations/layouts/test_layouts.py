"""The declared formats for other programs: they say what the layouts do, of every format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cli.console import Capture, failure, success
from tests.formats.payloads import Payload, payloads
from viewer.errors import FormatError, Severity
from viewer.formats.layout.layout import Layout
from viewer.formats.record import Record
from viewer.model.kinds.registry import KINDS, by_id
from viewer.operations.layouts import imhex, kaitai
from viewer.operations.layouts.building import schemas
from viewer.operations.layouts.formulas import FORMULAS, HAS
from viewer.operations.layouts.schema import STORED, TEXT_LINE, FormatSchema, SchemaMember
from viewer.operations.layouts.words import identifiers, safe, sentence
from viewer.operations.layouts.writing import SchemaLanguage, plan_schemas

SCHEMAS = {it.id: it for it in schemas()}
READ = sorted(name for name, it in SCHEMAS.items() if not it.is_container and TEXT_LINE not in it.types)
LANGUAGES = {"ksy": kaitai.text_of, "hexpat": imhex.text_of}


class SchemaReader:
    """Reads a payload as a schema says, and nothing else."""

    def __init__(self, schema: FormatSchema, data: memoryview, known: Mapping[str, int]) -> None:
        self.schema, self.data, self.known, self.start = schema, data, known, 0

    def members(self, members: tuple[SchemaMember, ...], **known: Any) -> dict[str, tuple[int, int]]:
        """Offset and size of the members that are there."""
        names: dict[str, Any] = {**self.known, **known}
        found: dict[str, tuple[int, int]] = {}
        for it in members:
            is_there = not it.when or bool(self.number(it.when, names))
            names[f"{HAS}{it.name}"] = is_there
            if is_there:
                begin = self.start
                names[it.name] = self.member(it, names)
                found[it.name] = begin, self.start - begin
        return found

    def member(self, it: SchemaMember, names: dict[str, Any]) -> Any:
        """The last value of a member, which is now behind the cursor."""
        if not it.type and it.repeat is None:
            self.start += self.number(it.size, names) if it.size else len(self.data) - self.start
            return None
        if it.repeat is None:
            return self.value(it, names)
        record = self.schema.types[it.type].record if it.type else None
        left = len(self.data) - self.start
        count = self.number(it.repeat, names) if it.repeat else left // (record.size if record else 1)
        for index in range(count):
            if it.type:
                self.value(it, names)
            else:
                self.start += self.number(it.size, names | {"index": index})
        return None

    def value(self, it: SchemaMember, names: dict[str, Any]) -> Any:
        """One value of the type of a member."""
        kind = self.schema.types[it.type]
        if kind.kinds:
            kind = self.schema.types[kind.kinds[self.data[self.start]]]
        given = {
            name: self.number(formula, names)
            for name, formula in zip(kind.parameters, it.arguments, strict=False)
        }
        if kind.record is None:
            self.members(kind.members, **given)
            return None
        return self.row(kind.record, given, is_text=kind.is_text)

    def row(self, record: Record, given: Mapping[str, int], *, is_text: bool) -> SimpleNamespace:
        """The fields of a record by their names."""
        size = given.get(STORED, record.size)
        if "length" in given:
            size = record.size + (given["length"] - 1) * record.fields[-1].size
        stored = bytes(self.data[self.start : self.start + size]).ljust(record.size, b"\0")
        row = record.view(stored, count=1)[0]
        if is_text:
            length = int(row[record.fields[0].name])
            size = record.size - record.fields[1].size + length if length else record.fields[0].size
        self.start += size
        numbers = {it.name: row[it.name] for it in record.fields if not it.shape}
        return SimpleNamespace(**numbers)

    def number(self, formula: str, names: Mapping[str, Any]) -> int:
        """The value of a formula here."""
        left = len(self.data) - self.start
        word = int.from_bytes(self.data[self.start : self.start + 4], "little")
        return int(eval(formula, {}, {**names, "left": left, "word": word}))


def whole(kind: str) -> Iterator[tuple[Payload, Any]]:
    """The payloads of a kind with which nothing is wrong, and their values."""
    for payload in payloads(kind):
        try:
            value = by_id(kind).decode(payload.data, payload.entry)
        except FormatError:
            continue
        if not any(it.severity is Severity.ERROR for it in by_id(kind).findings(value)):
            yield payload, value


@pytest.mark.parametrize("name", sorted(set(READ) - {"rsli"}))
def test_a_schema_finds_the_parts_of_every_payload(name: str) -> None:
    schema, kind, count = SCHEMAS[name], by_id(name), 0
    for payload, value in whole(name):
        if name == "control" and not value.components and value.counts["components"]:
            continue  # bytes, which no schema can know before it has read them
        stated = dict(zip(schema.parameters, kind.stated(payload.entry), strict=False))
        read = SchemaReader(schema, payload.data, stated).members(schema.members)
        parts = {it.name: (it.start, it.size) for it in kind.parts(value).children if it.size}
        assert {it: span for it, span in read.items() if span[1]} == parts, payload.address
        count += 1
    assert count


def test_every_known_format_has_a_schema() -> None:
    assert set(SCHEMAS) == {it.id for it in KINDS if it.is_known}


def test_every_formula_is_of_a_member() -> None:
    """A formula whose member was renamed would be used nowhere."""
    modules = {it.module for it in KINDS if it.module} | {
        f"viewer.formats.msh.{it}" for it in ("tables", "strings", "path_graph")
    }
    attributes = {("RecordTable", "rows")}
    for name in modules:
        layouts = [it for it in vars(import_module(name)).values() if isinstance(it, Layout)]
        attributes |= {(it.make.__name__, attribute) for it in layouts for attribute in it.members}
    assert {it[:2] for it in FORMULAS} <= attributes


@pytest.mark.parametrize("language", SchemaLanguage)
def test_the_files_are_the_same_each_time(language: SchemaLanguage) -> None:
    one, other = ({it.path: bytes(it.after) for it in plan_schemas(language, Path("x"))} for _ in range(2))
    assert one == other
    assert len(one) == len(SCHEMAS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SCHEMAS)
def test_every_field_is_there_with_its_meaning(name: str, language: str) -> None:
    text = LANGUAGES[language](SCHEMAS[name])
    for kind in SCHEMAS[name].types.values():
        for field in kind.record.fields if kind.record else ():
            said = sentence(field).replace("\\", "\\\\").replace('"', '\\"')
            assert said in text
            assert re.search(rf"\b{safe(field.name)}\b", text)
            assert all(it in text for it in identifiers(field.values).values())


@pytest.mark.parametrize("name", SCHEMAS)
def test_types_of_kaitai_are_declared(name: str) -> None:
    """Without the compiler: identifiers as it wants them, and no type that is not there."""
    text = kaitai.text_of(SCHEMAS[name])
    declared = {safe(it) for it in SCHEMAS[name].types}
    used = {it.split("(")[0] for it in re.findall(r'^ *type: "?([a-z_0-9(, .)]+)"?$', text, re.MULTILINE)}
    assert {it for it in used if not re.fullmatch(r"[usf][1248]|str", it)} <= declared
    assert all(re.fullmatch("[a-z][a-z0-9_]*", it) for it in re.findall(r"\bid: (\S+?)[,}\n]", text))
    assert "\t" not in text


@pytest.mark.parametrize("name", SCHEMAS)
def test_types_of_imhex_are_declared_before_they_are_used(name: str) -> None:
    text = re.sub(r'"(?:[^"\\]|\\.)*"|//.*', "", imhex.text_of(SCHEMAS[name]))
    assert all(text.count(one) == text.count(other) for one, other in ("{}", "()", "[]"))
    places = [
        (it[1], it.start()) for it in re.finditer(r"^(?:struct|enum|bitfield) (\w+)", text, re.MULTILINE)
    ]
    known = dict(places)
    assert len(known) == len(places)
    for it in re.finditer(r"\b([A-Z]\w+)(?:<[^>]*>)? \w+(?:\[| @|;| \[\[|  )", text):
        assert known.get(it[1], len(text)) <= it.start(), it[0]


def sizes_of(text: str) -> dict[str, int]:
    """Bytes of the enumerations, the bitfields and the static structures of a pattern."""
    known = {f"{sign}{8 * size}": size for sign in "us" for size in (1, 2, 4)} | {"float": 4, "char": 1}
    plain = re.sub(r'\[\[comment\("(?:[^"\\]|\\.)*"\)\]\]|//.*', "", text)
    for it in re.finditer(r"^(\w+) (\w+)(?: : (\w+))? \{ *\n(.*?)^\}( \[\[static\]\])?;", plain, re.M | re.S):
        kind, name, width, body, is_static = it.groups()
        if kind == "enum":
            known[name] = known[width]
        elif kind == "bitfield":
            known[name] = sum(map(int, re.findall(r": (\d+);", body))) // 8
        elif is_static:
            fields = re.findall(r"^    (\w+) \w+(?:\[(\d+)\])? *;", body, re.M)
            assert len(fields) == body.count(";"), name
            known[name] = sum(known[field] * int(count or 1) for field, count in fields)
    return known


@pytest.mark.parametrize("name", SCHEMAS)
def test_rows_of_imhex_are_as_large_as_records(name: str) -> None:
    schema, found = SCHEMAS[name], sizes_of(imhex.text_of(SCHEMAS[name]))
    for kind in schema.types.values():
        is_entry = schema.is_container and kind.name == "entry"  # with its payload: of any size
        if kind.record and not (kind.parameters or kind.is_text or is_entry):
            assert found["".join(map(str.capitalize, kind.name.split("_")))] == kind.record.size


def test_a_row_of_imhex_is_that_of_the_specification() -> None:
    """Batches, spec/msh.md 8: 20 bytes, the index start at 0x0A is not aligned."""
    text = re.sub(r"\s*\[\[.*|\s*//.*", "", imhex.text_of(SCHEMAS["msh"]))
    body = text.split("struct BatchesRow {")[1].split("}")[0]
    assert body.split() == [
        *("BatchesFlags", "flags", "u16", "material", "u16", "opaque4", "u16", "opaque6"),
        *("u16", "index_count", "u32", "index_start", "u16", "opaque14", "u32", "base_vertex"),
    ]
    assert "#pragma endian little" in text


@pytest.mark.parametrize("name", SCHEMAS)
def test_imhex_takes_files_of_any_size(name: str) -> None:
    """By default it stops at 65,536 elements of an array, and at 131,072 patterns."""
    text = imhex.text_of(SCHEMAS[name])
    limits = dict(re.findall(r"^#pragma (array|pattern)_limit (\d+)$", text, re.MULTILINE))
    assert all(int(limits[it]) > 1 << 20 for it in ("array", "pattern"))


def test_words_that_are_no_names() -> None:
    assert safe("class") == "class_"
    assert safe("unknown_0x0C") == "unknown_0x0c"
    assert safe("edge 2") == "edge_2"
    assert identifiers({0: "a b", 1: "a, b", 2: "8 bits", 3: "—"}) == {
        0: "a_b",
        1: "a_b_2",
        2: "n8_bits",
        3: "value",
    }


def test_the_verb_writes_a_file_for_each(tmp_path: Path, capsys: Capture) -> None:
    for option, suffix in (("--kaitai", ".ksy"), ("--imhex", ".hexpat")):
        out, _err = success(capsys, "schema", option, "-o", tmp_path / option)
        assert {it.name for it in (tmp_path / option).iterdir()} == {f"{it}{suffix}" for it in SCHEMAS}
        assert f"{len(SCHEMAS)} formats" in out
        assert "not empty" in failure(capsys, "schema", option, "-o", tmp_path / option)


def test_uses_of_the_verb_that_mean_nothing(tmp_path: Path, capsys: Capture) -> None:
    for given in (
        [],
        ["--kaitai"],
        ["inspect", "-o", "x"],
        ["inspect", "--kaitai", "-o", "x"],
        ["--imhex", "-o", "-"],
    ):
        assert failure(capsys, "schema", *given)


def test_levels_of_a_texture_are_as_large_as_they_are() -> None:
    """A formula for each level: sides are halved and never become 0."""
    schema = SCHEMAS["texm"]
    sizes = [value.levels for _payload, value in whole("texm")]
    assert any(one.size > other.size for levels in sizes for one, other in pairwise(levels))
    assert next(it for it in schema.members if it.name == "levels").size
