"""Damaged files: what must be refused, what must still be shown, and where it is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.corpus_tables import our_paths
from viewer.errors import Diagnostic, FormatError, Severity
from viewer.formats import fxid, mat0, wear
from viewer.formats.archive import rsli
from viewer.formats.texture import texm


def _library(data: bytes) -> list[Diagnostic | FormatError]:
    archive = rsli.PackedLibrary.read(data)
    findings: list[Diagnostic | FormatError] = [*archive.diagnostics]
    for entry in archive.entries:
        try:
            findings += archive.unpack(entry.index).diagnostics
        except FormatError as error:
            findings.append(error)
    return findings


_DECODERS: dict[str, Callable[[bytes, int], list[Any]]] = {
    "texm": lambda data, _: [*texm.decode(data).diagnostics],
    "wear": lambda data, _: [*wear.decode(data).diagnostics],
    "mat0": lambda data, version: [*mat0.decode(data, version).diagnostics],
    "fxid": lambda data, _: [*fxid.decode(data).diagnostics],
    "rsli": lambda data, _: _library(data),
}


def _findings(folder: Path, mutant: dict[str, Any]) -> tuple[bool, list[Any]]:
    """Whether the file can be shown, and every error found in it."""
    data = (folder / mutant["file"]).read_bytes()
    try:
        findings = _DECODERS[mutant["kind"]](data, mutant.get("version", mat0.VERSION))
    except FormatError as error:
        return False, [error]
    return True, [f for f in findings if isinstance(f, FormatError) or f.severity is Severity.ERROR]


@pytest.fixture(scope="module")
def mutants(files: Path) -> list[tuple[Path, dict[str, Any]]]:
    folder = files / "damaged"
    manifest = json.loads((folder / "manifest.json").read_text())
    return [(folder, mutant) for mutant in manifest["mutants"] if mutant["kind"] in _DECODERS]


def test_what_the_manifest_wants_shown_is_shown(mutants: list[tuple[Path, dict[str, Any]]]) -> None:
    wrong = [
        mutant["name"]
        for folder, mutant in mutants
        if mutant["tolerant"] != "any" and _findings(folder, mutant)[0] != (mutant["tolerant"] == "shows")
    ]
    assert wrong == []


def test_every_damage_is_found_at_its_place(mutants: list[tuple[Path, dict[str, Any]]]) -> None:
    for folder, mutant in mutants:
        errors = _findings(folder, mutant)[1]
        if mutant["strict"] == "error":
            places = {(error.table, error.index if mutant["indices"] else None) for error in errors}
            requested = {
                (table, index)
                for table in our_paths(mutant["tables"])
                for index in mutant["indices"] or [None]
            }
            assert places & requested, mutant["name"]
        elif mutant["strict"] == "ok":
            assert errors == [], mutant["name"]
