"""Names of files and of what is in them never act on a terminal: every verb, every kind of output."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.builders import Key, ModelBuilder, Node, box
from tests.cli.console import Capture
from viewer.cli.main import main
from viewer.cli.terminal import is_safe
from viewer.formats import mat0, wear
from viewer.formats.archive import nres
from viewer.formats.archive.nres import NewEntry
from viewer.formats.mat0 import PhaseRecord
from viewer.formats.text import decode
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat
from viewer.model.convert.pictures import images

EVIL = b"\x1b[2J\r\n\x98\x07\xad"
"""In CP1251: erases the screen, goes to the start of the line, to the next, U+0098, rings, a soft hyphen."""
EVIL_FILE = "\x1b]0;x\x07\r\n\u202egpj\u2066\u200b\x9b31m\udcff"
"""All of that in the name of a file, with a right-to-left override and a byte that is not UTF-8."""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="other systems have no such file names")


def entry(letters: bytes, data: bytes, name: bytes, attr2: int = 0) -> NewEntry:
    return NewEntry(int.from_bytes(letters, "little"), data, name, attr2=attr2)


def texture() -> bytes:
    return texm.build(np.full((4, 4, 4), 255, np.uint8), PixelFormat.ARGB8888)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A game folder in which every name is evil, and damage of all kinds."""
    game = tmp_path / f"game{EVIL_FILE}"
    game.mkdir()
    builder = ModelBuilder.of(
        [
            Node("\x1b[2J\r\n\xadhull", shapes={(0, 0): [box()]}),
            Node("gun\x1b[0m", 0, shapes={(0, 0): [box(material=1)]}, keys=(Key(), Key(time=5))),
        ]
    )
    model, damaged = builder.build(), bytearray(builder.build())
    damaged[200:210] = EVIL[:10].ljust(10)
    entries = [
        entry(b"MESH", model, EVIL + b"a.msh"),
        entry(b"WEAR", wear.build([b"\x1b[2J\x98", b"\x1b]2;B"]), EVIL + b"a.wea"),
        entry(b"MESH", bytes(damaged), EVIL + b"b.msh"),
        entry(b"WEAR", b"7\r\n0 \x1b[8m\r\nx \x9b\r\n", EVIL + b"b.wea"),
        entry(b"\x1b[\x98A", EVIL * 3, EVIL + b"a.bin"),
        NewEntry(1, b"", EVIL + b"a.msh"),
    ]
    (game / f"models{EVIL_FILE}.rlb").write_bytes(nres.build(entries))
    (game / f"other{EVIL_FILE}.rlb").write_bytes(nres.build([*entries[1:5], NewEntry(2, EVIL, b"\x1b[0m")]))
    material = mat0.build([PhaseRecord(b"\x1b[1mT.0")])
    (game / "Material.lib").write_bytes(nres.build([entry(b"MAT0", material, EVIL[:6], attr2=mat0.VERSION)]))
    (game / "Textures.lib").write_bytes(nres.build([entry(b"Texm", texture(), EVIL + b"T.0")]))
    (game / f"walker{EVIL_FILE}.msh").write_bytes(model)
    (game / f"image{EVIL_FILE}.png").write_bytes(images.write_png(np.full((4, 4, 4), 255, np.uint8)))
    (game / f"nothing{EVIL_FILE}").write_bytes(EVIL)
    (game / f"packed{EVIL_FILE}.lib").write_bytes(b"NL\0\1" + EVIL * 9)
    return game


def runs(folder: Path) -> Iterator[Sequence[str]]:
    """Arguments of all verbs that succeed, find something, and fail."""
    (folder / "out").mkdir()
    models, other = (str(folder / f"{name}{EVIL_FILE}.rlb") for name in ("models", "other"))
    walker, image, nothing = (
        str(folder / f"{name}{EVIL_FILE}{suffix}")
        for name, suffix in (("walker", ".msh"), ("image", ".png"), ("nothing", ""))
    )
    out = str(folder / "out" / f"x{EVIL_FILE}")
    packed = str(folder / f"packed{EVIL_FILE}.lib")
    evil = f"\x1b[2J{EVIL_FILE[:6]}"
    for source in (models, walker, nothing, packed, f"{models}::#0", f"{models}::#1", f"{models}::#2"):
        yield ["ls", source]
        yield ["inspect", source]
        yield ["materials", source]
        yield ["draws", source]
        yield ["pose", source, "--time", "0"]
        yield ["validate", source, "--info"]
    for number in range(3, 6):
        yield ["inspect", f"{models}::#{number}"]
    for missing in (folder / evil, f"{models}::{evil}", f"{models}::#0::{evil}"):
        for verb in ("ls", "inspect", "materials", "draws", "validate", "open"):
            yield [verb, str(missing)]
    yield ["inspect", walker, "--table", "strings"]
    yield ["inspect", walker, "--table", evil]
    yield ["inspect", f"{models}::#1", "--at", "materials[0].name"]
    yield ["inspect", f"{models}::#1", "--at", evil]
    yield ["inspect", walker, "--game", evil]
    yield ["inspect", walker, "--wear", f"{models}::#4"]
    yield ["validate", str(folder), "--jobs", "2"]
    yield ["diff", models, other]
    yield ["diff", models, other, "--stat"]
    yield ["diff", f"{models}::#0", f"{models}::#2"]
    yield ["diff", models, evil]
    yield ["extract", models, "-o", f"{out}.d"]
    yield ["extract", models, decode(EVIL), "-o", f"{out}.e"]
    yield ["pack", f"{out}.d", "-o", f"{out}.rlb"]
    yield ["pack", evil, "-o", f"{out}.rlb"]
    yield ["copy", walker, "-o", f"{out}.msh"]
    yield ["copy", walker, "-o", f"{folder / evil / 'x'}"]
    yield ["render", walker, "-o", f"{out}.png", "--size", "16x16"]
    yield ["render", walker, "-o", f"{out}.png", "--size", "16x16", "--lod", "2"]
    yield ["render", walker, "-o", out]
    yield ["texture", str(folder / "Textures.lib::#0"), "-o", f"{out}.png"]
    yield ["texture", image, "-o", f"{out}.texm", "--format", "8888"]
    yield ["texture", walker, "-o", f"{out}.png"]
    yield ["bench", "--only", evil]
    yield [evil]
    yield ["help", evil]
    yield ["completion", evil]
    yield ["schema", evil]
    yield ["ls", f"--{evil}"]
    yield ["render", walker, "-o", out, "--shading", evil]


@pytest.mark.parametrize("option", ["", "-v", "--json"])
def test_no_name_acts_on_a_terminal(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.setattr("viewer.cli.picturing.open.has_display", lambda: False)
    shown = set()
    for arguments in runs(folder):
        status = main([*arguments, *option.split()])
        for text in capsys.readouterr():
            unsafe = [line for line in text.split("\n") if not is_safe(line)]
            assert not unsafe, (arguments, unsafe[:3])
            shown |= {
                name
                for name in ("\\x1b", "\\r", "\\n", "\\x98", "\\x9b", "\\u202e", "\\u200b")
                if name in text
            }
        assert status in (0, 1, 2)
    assert shown, option
    if not option:
        assert len(shown) == 7


def test_json_has_the_names_as_they_are(folder: Path, capsys: Capture) -> None:
    source = str(folder / f"models{EVIL_FILE}.rlb")
    assert main(["ls", source, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["source"] == source
    assert found["entries"][4]["name"] == "\x1b[2J\r\n\x98\x07\xada.bin"
