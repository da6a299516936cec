"""Game folders in which one name leads nowhere."""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.broken import libraries, models, resources
from tests.broken.case import ERROR, INFO, WARNING, Case, check_leads
from tests.model.test_started_effects import controller, groups, record
from tests.terrains import terrain
from viewer.diagnostics import Diagnostic
from viewer.formats import mat0, objects, units, wear
from viewer.formats.archive import nres
from viewer.formats.archive.nres import NewEntry
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.neighbors import control
from viewer.model.store.address import Address
from viewer.model.store.file_store import FileStore
from viewer.model.validation.batch_validation import BatchValidator, plan

Files = dict[str, bytes]

MESH, WEAR, MAT0, TEXM, FXID, STAT, EXPL, CTLD = (
    int.from_bytes(letters, "little")
    for letters in (b"MESH", b"WEAR", b"MAT0", b"Texm", b"FXID", b"STAT", b"EXPL", b"CTLD")
)


def archive(type_id: int, entries: Mapping[str, bytes], attr2: int = 0) -> bytes:
    """An archive of entries of one type."""
    return nres.build(NewEntry(type_id, data, name.encode(), attr2=attr2) for name, data in entries.items())


def registry(entries: Mapping[str, list[tuple[bytes, bytes]]]) -> bytes:
    """A registry of keys and the pairs that they refer to."""
    return archive(STAT, {key: objects.build(pairs) for key, pairs in entries.items()})


OBJECTS = {
    "tree": [(b"static.rlb", b"tree.msh"), (b"static.rlb", b"tree.wea")],
    "oak": [(b"objects.rlb", b"TREE")],
}


def damage(archive_name: bytes, explosion: bytes) -> bytes:
    """The damage record of one node."""
    return struct.pack("<iIff32s32s", 1, 0, 10, 1, archive_name, explosion)


def unit(key: bytes) -> bytes:
    """A unit of one component."""
    rows = units.COMPONENT.new()
    rows["archive"], rows["key"] = b"objects.rlb".ljust(32, b"\0"), key.ljust(32, b"\0")
    rows["name"], rows["attachment"] = b"part".ljust(32, b"\0"), -1
    return struct.pack("<II", units.MAGIC, 1) + rows.tobytes()


def explosion(name: bytes, slot: int) -> bytes:
    """An explosion with an effect in one slot."""
    header, rows = struct.pack("<iffffi", 3, 40, 1.5, 1, 1, 0), [struct.pack("<32s32s", b"", b"")] * 12
    rows[slot] = struct.pack("<32s32s", b"effects.rlb", name)
    return header + b"".join(rows)


def driving(channel: int) -> bytes:
    """A controller with a component that drives a channel, which it does not have."""
    part = struct.pack("<2iI", 3, 0, 0).ljust(0xAC, b"\0") + struct.pack("<3i", 1, channel, 0)
    return struct.pack("<5i", 0, 0, 0, 1, 0) + bytes(108) + part + bytes(84)


def starting(name: bytes) -> bytes:
    """A controller that starts an effect on a node, twice."""
    started = [record(3, name=name), record(3, name=name)]
    return bytes(control.encode(controller(groups(started, numbers={0: 0}), 0, 1)))


def sound() -> Files:
    """A game in which every name leads somewhere."""
    return {
        "Material.lib": archive(MAT0, {"DEFAULT": mat0.build([PhaseRecord(b"STONE.0")])}, mat0.VERSION),
        "Textures.lib": archive(TEXM, {"STONE.0": bytes(resources.texture())}),
        "LightMap.lib": archive(TEXM, {"HALL.A0": bytes(resources.texture())}),
        "static.rlb": static(),
        "sounds.lib": archive(1000, {"boom.wav": b"RIFF"}),
        "effects.rlb": archive(FXID, {"blast": resources.effect(resources.sound_command())}),
        "weapon.rlb": nres.build([NewEntry(EXPL, explosion(b"BLAST", 0), b"gun.exp")]),
        "objects.rlb": registry(OBJECTS),
        "UNITS/tree.dat": unit(b"Oak"),
        "MAPS/Land.msh": terrain(is_coarse=False),
        # The faces of its two columns of tiles name row 0 and row 1.
        "MAPS/Land1.wea": wear.build([b"default"] * 2),
        "MAPS/Land2.wea": wear.build([b"default"] * 2),
    }


def static(table: bytes | None = wear.build([b"Default"], [b"hall.a0"]), blast: bytes = b"BLAST") -> bytes:
    """The archive with the model of the tree, its wear table and its damage records."""
    entries = [NewEntry(MESH, models.still().build(), b"tree.msh")]
    if table is not None:
        entries.append(NewEntry(WEAR, table, b"tree.wea", attr3=1))
    return nres.build([*entries, NewEntry(0, damage(b"effects.rlb", blast), b"tree.ndp")])


def check(files: Files) -> dict[str, list[Diagnostic]]:
    """What is found in a game folder, by source under the folder; only sources with findings.

    Each finding leads into the parts of its source.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        validator = BatchValidator()
        reports = [
            report
            for task in plan([Address(Path(folder))], is_divided=False)
            for report in validator.check(task)
        ]
        for report in reports:
            item = FileStore().open(report.source)
            entry = item.entry if isinstance(item.entry, nres.Entry) else None
            check_leads(report.kind, item.data, entry, report.diagnostics)
    start = len(folder) + 1
    return {
        str(report.source)[start:].replace("\\", "/"): list(report.diagnostics)
        for report in reports
        if report.diagnostics
    }


def _game(source: str, **changed: bytes | None) -> Callable[[], list[Diagnostic]]:
    """Findings in one source after files are replaced, or taken away; nothing else may be found."""

    def find() -> list[Diagnostic]:
        files = sound()
        for name, data in changed.items():
            path = next(known for known in files if Path(known).stem == name)
            del files[path]
            if data is not None:
                files[path] = data
        found = check(files)
        assert list(found) == [source], found
        return found[source]

    return find


def _objects(
    key: str, *pairs: tuple[bytes, bytes], **more: list[tuple[bytes, bytes]]
) -> Callable[[], list[Diagnostic]]:
    return _game(f"objects.rlb::{key}", objects=registry({**OBJECTS, key: list(pairs), **more}))


PACKED = bytes(libraries.library())
"""A library of an early build: names are not looked up in it, so that none of them is missing."""
LOST = resources.effect(resources.POINT, resources.sound_command(resource=b"bang.wav"))
TREE = (b"static.rlb", b"tree.msh")

CASES = (
    Case("LIB01", WARNING, "", _game("Material.lib", Material=PACKED), "RsLi"),
    Case("LIB01", WARNING, "", _game("Textures.lib", Textures=PACKED), "RsLi"),
    Case("LIB01", WARNING, "", _game("LightMap.lib", LightMap=PACKED), "RsLi"),
    Case(
        "W01",
        ERROR,
        "references[0].resource",
        _game("objects.rlb::oak", static=static(None), objects=registry({"oak": [TREE]})),
        "wear",
    ),
    Case("W01", ERROR, "", _game("MAPS/Land.msh", Land2=None), "Land2.wea"),
    Case(
        "L09",
        WARNING,
        "faces[4].material_a",
        _game("MAPS/Land.msh", Land1=wear.build([b"default"]), Land2=wear.build([b"default"])),
        "1 1 Land1.wea",
        count=4,
    ),
    Case(
        "L09",
        WARNING,
        "faces",
        _game("MAPS/Land.msh", Land2=wear.build([b"default"] * 3)),
        "Land2.wea 3 Land1.wea 2",
    ),
    Case(
        "W06",
        WARNING,
        "materials[1].name",
        _game("static.rlb::tree.wea", static=static(wear.build([b"default", b"BARK"]))),
        "BARK Material.lib",
    ),
    Case(
        "W07",
        WARNING,
        "lightmaps[0].name",
        _game("static.rlb::tree.wea", static=static(wear.build([b"default"], [b"X.A0"]))),
        "X.A0 LightMap.lib",
    ),
    Case(
        "F04",
        INFO,
        "commands[1].resource",
        _game("effects.rlb::blast", effects=archive(FXID, {"blast": LOST})),
        "sounds.lib::bang.wav",
    ),
    Case(
        "F04",
        INFO,
        "commands[0].resource",
        _game("effects.rlb::blast", sounds=None),
        "sounds.lib",
    ),
    Case("O03", ERROR, "references[1]", _objects("pine", TREE, (b"objects.rlb", b"pine")), "circular"),
    Case(
        "O04",
        WARNING,
        "references[1].resource",
        _objects("pine", TREE, (b"static.rlb", b"pine.bas")),
        "static.rlb::pine.bas",
    ),
    Case(
        "O04",
        WARNING,
        "references[1].resource",
        _objects("pine", TREE, (b"fortif.rlb", b"pine.bas")),
        "fortif.rlb",
    ),
    Case(
        "O04",
        WARNING,
        "references[1].resource",
        _objects("pine", TREE, (b"objects.rlb", b"elm")),
        "elm",
    ),
    Case("O05", INFO, "references", _objects("sun", (b"static.rlb", b"tree.wea")), "model"),
    Case(
        "TEX01",
        WARNING,
        "phases[0].texture",
        _game("Material.lib::DEFAULT", Textures=archive(TEXM, {"MOSS.0": bytes(resources.texture())})),
        "STONE.0 Textures.lib",
    ),
    Case(
        "NDP02",
        WARNING,
        "nodes[0].explosion",
        _game("static.rlb::tree.ndp", static=static(blast=b"puff")),
        "effects.rlb::puff",
    ),
    Case(
        "EXP02",
        WARNING,
        "slots[3].effect",
        _game("weapon.rlb::gun.exp", weapon=nres.build([NewEntry(EXPL, explosion(b"puff", 3), b"gun.exp")])),
        "effects.rlb::puff",
    ),
    Case(
        "CTL01",
        WARNING,
        "rest",
        _game("weapon.rlb::gun.ctl", weapon=nres.build([NewEntry(CTLD, starting(b"puff"), b"gun.ctl")])),
        "effects.rlb::puff",
    ),
    Case(
        "CTL02",
        WARNING,
        "components[0].driven[0].channel",
        _game("weapon.rlb::gun.ctl", weapon=nres.build([NewEntry(CTLD, driving(3), b"gun.ctl")])),
        "channel 3",
    ),
    Case("UNIT02", WARNING, "components[0].key", _game("UNITS/tree.dat", tree=unit(b"elm")), "elm"),
)
