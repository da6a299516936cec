"""Every document carries the name of its schema first and follows it, and the schemas refuse others."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, meta
from msgspec.structs import replace

from tests.builders import archive_of
from tests.cli.console import GAME, MODELS, WALKER, Capture, failure, success
from tests.share import some
from viewer.cli.bench.subjects import FULL
from viewer.cli.main import main
from viewer.cli.schemas import answers
from viewer.cli.usage.parser import arguments_of, parser_of
from viewer.cli.usage.schema import WRITERS, printers
from viewer.cli.usage.verbs import RESULTS, VERBS
from viewer.formats.msh.tables import TABLES
from viewer.model.kinds.registry import KINDS
from viewer.model.tables.model_tables import DECLARED

MOST_ROWS = 8
"""The length up to which a list of a document is tried as a whole."""
PER_KIND = 1
"""Entries of each kind that are inspected of each archive."""
GUN = f"{GAME / 'guns.rlb'}::e_gun_tw_01.msh"
EFFECT = (f"{GAME / 'effects.rlb'}::blast", "--time", "0.3")
MODEL_VERBS: Mapping[str, tuple[str, ...]] = {
    "draws": (),
    "triangles": (),
    "materials": (),
    "clips": (),
    "pose": ("--time", "0.5"),
    "why": ("--at", "16,12", "--size", "32x24"),
}


OTHER_NAMES = {("survey", "--compare"): "survey-comparison", ("diff", str(GAME)): "diff-folders"}
"""Names of the schemas of documents that are not those of their verbs, by verb and first option."""
PRINTERS = printers()
SEVERAL = [verb for verb in VERBS if RESULTS in parser_of(verb).options]
"""Verbs that take several inputs and then print ``results``."""


@cache
def validator(verb: str) -> Draft202012Validator:
    schema = answers.schema(verb)
    meta.validate(schema)
    return Draft202012Validator(schema)


def checked(capsys: Capture, verb: str, *arguments: object) -> dict[str, Any] | None:
    """The document that a verb prints, which follows its schema; None if it is that of a failure."""
    status = main([verb, *map(str, arguments), "--json"])
    out, _ = capsys.readouterr()
    name = OTHER_NAMES.get((verb, str(arguments[0]) if arguments else ""), verb)
    assert out.startswith(f'{{"schema": "mshview-{name}-1", ')
    document: dict[str, Any] = json.loads(out)
    errors = validator(verb).iter_errors(document)
    problems = [f"{error.instance_path}: {error.message[:200]}" for error in errors]
    assert not problems, (verb, arguments, problems[:3])
    if "error" in document:
        assert status == 2
        return None
    return document


def check_file(capsys: Capture, file: Path) -> set[str]:
    """Check what all verbs that take one file print of it and its entries; return the kinds in it."""
    kinds = set()
    checked(capsys, "validate", file, "--info")
    shown = checked(capsys, "inspect", file)
    kinds.add(shown["format"] if shown else "")
    if shown is None or shown["format"] == "msh":
        for verb, more in MODEL_VERBS.items():
            checked(capsys, verb, file, *more)
    listed = checked(capsys, "ls", file)
    seen: dict[str, int] = {}
    for entry in listed["entries"] if listed else ():
        kind = entry["type_name"]
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] <= PER_KIND:
            address = f"{file}::#{entry['index']}"
            inner = checked(capsys, "inspect", address)
            kinds.add(inner["format"] if inner else "")
            if kind == "msh":
                for verb, more in MODEL_VERBS.items():
                    checked(capsys, verb, address, *more)
    return kinds


def test_a_schema_is_printed_for_every_verb_with_json(capsys: Capture) -> None:
    has_json = [verb for verb in VERBS if ("--json",) in {it.names for it in arguments_of(parser_of(verb))}]
    assert sorted(PRINTERS) == sorted(has_json)
    for verb in (*PRINTERS, *WRITERS):
        printed = json.loads(success(capsys, "schema", verb)[0])
        assert printed == answers.schema(verb, can_fail=verb in PRINTERS)
        assert printed["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        others = [f"mshview-{name}-1" for (of, _option), name in OTHER_NAMES.items() if of == verb]
        named = {"enum": [f"mshview-{verb}-1", *others]} if others else {"const": f"mshview-{verb}-1"}
        assert printed["properties"]["schema"] == named
    assert "is not one of" in failure(capsys, "schema", "copy")


@pytest.mark.usefixtures("_opened_once")
def test_every_document_of_the_sample_follows_its_schema(capsys: Capture) -> None:
    kinds = set()
    for file in sorted(path for path in GAME.rglob("*") if path.is_file()):
        kinds |= check_file(capsys, file)
    assert {"nres", "msh", "texm", "mat0", "wear", "objects"} <= kinds


@pytest.mark.usefixtures("_opened_once")
def test_every_document_of_the_corpora_follows_its_schema(files: Path, capsys: Capture) -> None:
    for corpus in ["seed/odd", "seed/game", "field/odd", "field/game"]:
        kinds, listed_files = set(), sorted(it for it in (files / corpus).rglob("*") if it.is_file())
        for file in listed_files if corpus == "field/game" else some(listed_files, files):
            kinds |= check_file(capsys, file)
        if corpus == "field/game":
            assert {"fxid", "control", "control_points", "damage", "units", "rsli"} <= kinds


def test_every_document_of_damaged_files_follows_its_schema(files: Path, capsys: Capture) -> None:
    listed_files = [path for path in sorted((files / "damaged").glob("[!b]*/*")) if path.is_file()]
    assert len(listed_files) > 50
    for file in some(listed_files, files):
        for verb in ("ls", "inspect", "pose"):
            checked(capsys, verb, file, *MODEL_VERBS.get(verb, ()))
    assert checked(capsys, "validate", files / "damaged", "--info")


@pytest.mark.usefixtures("_opened_once")
def test_tables_and_spots_follow_the_schema(capsys: Capture) -> None:
    for name in sorted(DECLARED):
        assert checked(capsys, "inspect", GUN, "--table", name)
    for entry in range(12):
        assert checked(capsys, "inspect", f"{GUN}::#{entry}")
    for spot in ("nodes", "nodes[1]", "nodes[1].parent", "0x0", "0x100", "0x2000"):
        checked(capsys, "inspect", f"{GUN}::#0", "--at", spot)
    texture = f"{GAME / 'Textures.lib'}::#0"
    assert checked(capsys, "inspect", texture, "--at", "header.width")
    assert checked(capsys, "inspect", texture, "--table", "levels")
    assert checked(capsys, "inspect", MODELS, "--table", "entries")


@pytest.mark.parametrize("verb", sorted({*SEVERAL} - {"edit", "repair"}))
def test_answers_about_several_inputs_follow_the_schema(capsys: Capture, tmp_path: Path, verb: str) -> None:
    more = EFFECT[1:] if verb == "effect" else MODEL_VERBS.get(verb, ())
    first, last = (EFFECT[0], EFFECT[0]) if verb == "effect" else (WALKER, f"{MODELS}::#0")
    document = checked(capsys, verb, first, tmp_path / "missing", last, *more)
    assert document
    assert ["error" in result for result in document["results"]] == [False, True, False]
    wrong = {**document, "results": [*document["results"], {"source": "x"}]}
    assert not validator(verb).is_valid(wrong)


def test_verbs_that_take_several_inputs() -> None:
    takes_several = {
        verb for verb in PRINTERS if any(action.dest == "addresses" for action in parser_of(verb).actions)
    }
    assert takes_several - {"find", "stats", "validate", "gallery", "readings"} == set(SEVERAL)


def test_listings_of_folders_follow_the_schema(capsys: Capture) -> None:
    document = checked(capsys, "ls", GAME)
    assert document
    assert document["kind"] == "folder"


def test_differences_follow_the_schema(capsys: Capture, tmp_path: Path) -> None:
    other = tmp_path / "other.rlb"
    data = bytearray(MODELS.read_bytes())
    data[3000:3400:7] = bytes(len(range(3000, 3400, 7)))
    other.write_bytes(data)
    small, large = (tmp_path / f"{name}.rlb" for name in ("small", "large"))
    small.write_bytes(archive_of({"a.wea": b"1\r\n0 A\r\n", "b.bin": b"1"}))
    large.write_bytes(archive_of({"a.wea": b"2\r\n0 A\r\n0 B\r\n", "c.bin": b"2"}))
    for a, b in ((MODELS, MODELS), (MODELS, other), (small, large), (f"{MODELS}::#0", f"{MODELS}::#2")):
        for more in ((), ("--stat",)):
            assert checked(capsys, "diff", a, b, *more)


def test_edits_follow_the_schema(capsys: Capture, tmp_path: Path) -> None:
    change = ("--set", "nodes[*].parent=0", "--dry-run")
    document = checked(capsys, "edit", WALKER, *change)
    assert document
    assert document["ranges"]
    document = checked(capsys, "edit", WALKER, tmp_path / "missing", *change)
    assert document
    assert ["error" in result for result in document["results"]] == [False, True]


def test_repairs_follow_the_schema(capsys: Capture, tmp_path: Path) -> None:
    broken = tmp_path / "broken.rlb"
    success(capsys, "edit", WALKER, "--set", "nodes[1].parent=77", "--force", "-o", broken)
    document = checked(capsys, "repair", broken)
    assert document
    assert [repair["fault"] for repair in document["repairs"]] == ["parents"]
    assert document["repairs"][0]["diagnostics"]
    for path in leaves(document["repairs"][0]):
        assert not validator("repair").is_valid(changed(document, ("repairs", 0, *path))), path


def test_patches_follow_the_schema(capsys: Capture, tmp_path: Path) -> None:
    success(capsys, "edit", MODELS, "-o", tmp_path / "b.rlb", "--add-entry", "new", GAME / "objects.rlb")
    success(capsys, "edit", f"{tmp_path / 'b.rlb'}::walker.msh", "--in-place", "--set", "nodes[1].flags=3")
    success(capsys, "patch", "make", MODELS, tmp_path / "b.rlb", "-o", tmp_path / "p.json")
    patch = json.loads((tmp_path / "p.json").read_text("utf-8"))
    assert validator("patch").is_valid(patch)
    assert {"offset" in change for change in patch["changes"]} == {True, False}
    for path in leaves({**patch, "changes": patch["changes"][:1] + patch["changes"][-1:]}):
        assert not validator("patch").is_valid(changed(patch, path)), path


def test_measurements_follow_the_schema(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("viewer.cli.bench.bench.FULL", replace(FULL, runs=1))
    monkeypatch.setattr("viewer.cli.bench.edits.UNPACKED", 1 << 12)
    assert checked(capsys, "bench", "--only", "lzss_mb_s,start_numpy")


@pytest.mark.parametrize("entries", [[], ["walker.msh", "#3"]])
def test_the_index_of_a_folder_follows_its_schema(
    capsys: Capture, tmp_path: Path, entries: list[str]
) -> None:
    success(capsys, "extract", MODELS, *entries, "-o", tmp_path / "models")
    index = json.loads((tmp_path / "models" / "index.json").read_text("utf-8"))
    assert next(iter(index.items())) == ("schema", "mshview-extract-1")
    assert [*validator("extract").iter_errors(index)] == []
    assert [path for path in leaves(index) if validator("extract").is_valid(changed(index, path))] == []


def leaves(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Paths of the values of a document; of a list those of the first two elements."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from leaves(item, (*path, name))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value[:2]):
            yield from leaves(item, (*path, index))
    else:
        yield path


def changed(document: dict[str, Any], path: tuple[str | int, ...]) -> dict[str, Any]:
    """The same document with something else at a path."""
    other: Any = copy.deepcopy(document)
    place = other
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = {"something": ["else"]}
    found: dict[str, Any] = other
    return found


def _make_mod(capsys: Capture) -> None:
    """A mod of a material that is another one, and a game that has changed the same field since."""
    for name, color in (("game", "[0,0,0]"), ("changed", "[1,0,0]"), ("now", "[2,0,0]")):
        Path(name).mkdir()
        change = ("--set", f"phases[0].diffuse={color}")
        success(capsys, "edit", f"{GAME / 'Material.lib'}::#0", *change, "-o", f"{name}/Material.lib")
    success(capsys, "mod", "make", "game", "changed", "-o", "mymod", "--name", "mine", "--needs", "a,b")


def test_what_is_said_of_mods_follows_the_schema(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _make_mod(capsys)
    found = checked(capsys, "mod", "check", "now", "mymod")
    assert found
    assert [*found] == ["schema", "conflicts", "missing", "changed_base"]
    assert all(found.values())
    assert checked(capsys, "mod", "apply", "now", "mymod", "-o", "refused") == found
    assert checked(capsys, "mod", "apply", "now", "mymod", "-o", "copy", "--force")
    manifest = json.loads(Path("mymod/mod.json").read_text("utf-8"))
    assert validator("mod").is_valid(manifest)
    for path in leaves(manifest):
        assert not validator("mod").is_valid(changed(manifest, path)), path
    assert not validator("mod").is_valid({**manifest, "more": 1})


ANSWERS: Mapping[str, list[object]] = {
    "ls": [MODELS],
    "find": [MODELS, "walker"],
    "stats": [MODELS, "--field", "batches.index_count"],
    "inspect": [WALKER],
    "draws": [WALKER],
    "triangles": [WALKER, "--from", "3", "--walk"],
    "materials": [WALKER],
    "clips": [WALKER],
    "pose": [WALKER, "--time", "1"],
    "effect": [*EFFECT],
    "why": [WALKER, "--at", "512,300"],
    "validate": [MODELS],
    "diff": [MODELS, f"{GAME / 'seed.rlb'}", "--stat"],
    "edit": [
        WALKER,
        "--set",
        "slots[0].aabb_min=[0,0,0]",
        "--set",
        "nodes[1].parent=77",
        "--dry-run",
        "--force",
    ],
    "repair": [WALKER],
    "import": ["wear.json", "--into", WALKER, "--dry-run", "--force"],
    "gallery": [f"{MODELS}::s_sign.msh", "-o", "site", "--turntable", "2"],
    "bench": ["--only", "baseline_10k"],
    "readings": [f"{GAME / 'models.rlb'}"],
    "selfcheck": [],
    "survey": ["--compare", "report.json", "report.json"],
    "mod": ["list", "mymod"],
}


@pytest.mark.parametrize("verb", PRINTERS)
def test_no_value_may_be_of_another_type(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if verb == "import":
        success(capsys, "export", f"{MODELS}::walker.wea", "-o", "wear.json")
    if verb == "survey":
        success(capsys, "survey", GAME / "UNITS", "-o", "report.json")
    if verb == "mod":
        _make_mod(capsys)
    document = checked(capsys, verb, *ANSWERS[verb])
    assert document
    short = json.loads(json.dumps(document))
    for name, value in short.items():
        is_long = isinstance(value, list) and len(value) > MOST_ROWS
        short[name] = value[:2] if is_long else value
    assert validator(verb).is_valid(short)
    accepted = [path for path in leaves(short) if validator(verb).is_valid(changed(short, path))]
    assert accepted == []
    assert not validator(verb).is_valid({**short, "more": 1})
    for name in short:
        if verb != "diff" or name != "tables":
            assert not validator(verb).is_valid({key: it for key, it in short.items() if key != name}), name


@pytest.mark.parametrize(
    ("address", "checked_share"),
    [
        (f"{GAME / 'Material.lib'}::#0", 0.9),
        (f"{GAME / 'Textures.lib'}::#0", 0.9),
        (f"{GAME / 'objects.rlb'}::#0", 0.9),
        (f"{MODELS}::walker.wea", 0.9),
        (f"{WALKER}::#0", 0.9),
    ],
)
def test_values_of_records_are_checked(capsys: Capture, address: str, checked_share: float) -> None:
    """Parts that no record describes may be anything."""
    document = checked(capsys, "inspect", address)
    assert document
    paths = [*leaves(document)]
    accepted = [path for path in paths if validator("inspect").is_valid(changed(document, path))]
    assert len(accepted) <= len(paths) * (1 - checked_share), accepted


def test_the_schema_of_inspect_is_made_of_the_declared_fields() -> None:
    definitions = answers.schema("inspect")["$defs"]
    for table in TABLES.values():
        if table.record:
            properties = definitions[f"{table.name}.{table.record.name}"]["properties"]
            assert {name: it["description"] for name, it in properties.items()} == {
                field.name: field.doc for field in table.record.fields
            }
    for kind in KINDS:
        assert f"format.{kind.id}" in definitions
