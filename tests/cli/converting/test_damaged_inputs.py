"""Files that a fuzzer makes, through every verb that carries: an answer or one line, nothing half written."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PIL import Image

from tests.broken.fuzz import CHANGES, Changes, damaged
from tests.builders import ModelBuilder, Node, archive_of, box
from tests.cli.console import Capture
from tests.share import examples
from viewer.cli.main import main
from viewer.formats.archive import rsli
from viewer.formats.archive.xor_stream import transform
from viewer.formats.texture import texm
from viewer.formats.texture.pixels import PixelFormat

MODEL = ModelBuilder.of([Node("hull", shapes={(0, 0): [box()]})]).build()
ARCHIVE = archive_of({"hull.msh": MODEL, "hull.wea": b"1\r\n0 M\r\n", "tiny.texm": b"Texm" + bytes(40)})
RGBA = np.arange(4 * 4 * 4, dtype=np.uint8).reshape(4, 4, 4)
TEXTURE = texm.build(RGBA, PixelFormat.INDEXED, mip_count=2, pages=[(0, 0, 2, 2)])

FUZZ = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=examples(60)
)


def library() -> bytes:
    """A packed library of two stored members."""
    header = rsli.HEADER.new()
    header[0] = (b"NL", 0, 1, 2, bytes(8), 0, bytes(4), 0x1234, bytes(8))
    rows = rsli.ENTRY.new(2)
    start = rsli.HEADER.size + rows.nbytes
    rows[0] = (b"ONE.TXT", bytes(4), 0, 0, 5, start, 5)
    rows[1] = (b"TWO.TXT", bytes(4), 0x100, 0, 0, start + 5, 2)
    return header.tobytes() + transform(rows.tobytes(), 0x1234) + b"first\x03\0"


def picture() -> bytes:
    buffer = BytesIO()
    Image.fromarray(RGBA).save(buffer, "PNG")
    return buffer.getvalue()


def run(capsys: Capture, out: Path, *arguments: object) -> int:
    """The exit status of a run that leaves its output or none, and one line where it fails."""
    status = main([str(argument) for argument in arguments])
    errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("mshview: error: ")]
    assert len(errors) == (1 if status == 2 else 0)
    # An archive is extracted without the entries whose names would leave the folder: status 1.
    assert out.exists() == (status != 2)
    assert not list(out.parent.glob(".mshview-*"))
    return status


@pytest.mark.parametrize("data", [ARCHIVE, MODEL, library()], ids=["archive", "model", "library"])
def test_archives(data: bytes, tmp_path_factory: pytest.TempPathFactory, capsys: Capture) -> None:
    @FUZZ
    @given(CHANGES, st.floats(0.9, 1) | st.just(1.0))
    @example([(0.1796875, b"\x00\x00\x19\xfc")], 1.0)  # a name of the library becomes one with a slash
    def check(changes: Changes, kept: float) -> None:
        folder = tmp_path_factory.mktemp("fuzz")
        path, broken = folder / "broken", damaged(data, changes, kept)
        path.write_bytes(broken)
        if run(capsys, folder / "copy", "copy", path, "-o", folder / "copy") == 0:
            assert (folder / "copy").read_bytes() == broken
        run(capsys, folder / "repacked", "copy", path, "-o", folder / "repacked", "--repack")
        if run(capsys, folder / "dir", "extract", path, "-o", folder / "dir") == 0:
            assert run(capsys, folder / "packed", "pack", folder / "dir", "-o", folder / "packed") == 0
            assert (folder / "packed").read_bytes() == broken
        (folder / "whole").write_bytes(data)
        assert main(["diff", str(path), str(folder / "whole"), "--json"]) in (
            {0} if broken == data else {1, 2}
        )
        capsys.readouterr()

    check()


@pytest.mark.parametrize("data", [TEXTURE, picture()], ids=["texture", "picture"])
def test_textures(data: bytes, tmp_path_factory: pytest.TempPathFactory, capsys: Capture) -> None:
    @FUZZ
    @given(CHANGES, st.floats(0, 1) | st.just(1.0))
    def check(changes: Changes, kept: float) -> None:
        folder = tmp_path_factory.mktemp("fuzz")
        path = folder / "broken"
        path.write_bytes(damaged(data, changes, kept))
        (folder / "whole").write_bytes(picture())
        run(capsys, folder / "out.png", "texture", path, "-o", folder / "out.png")
        run(capsys, folder / "out.texm", "texture", path, "-o", folder / "out.texm", "--format", "0")
        run(
            capsys,
            folder / "like.texm",
            "texture",
            folder / "whole",
            "-o",
            folder / "like.texm",
            "--like",
            path,
        )

    check()


@given(CHANGES)
@FUZZ
def test_indices(
    tmp_path_factory: pytest.TempPathFactory,
    capsys: Capture,
    changes: Changes,
) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "whole").write_bytes(ARCHIVE)
    run(capsys, folder / "dir", "extract", folder / "whole", "-o", folder / "dir")
    index = folder / "dir" / "index.json"
    index.write_bytes(damaged(index.read_bytes(), changes))
    run(capsys, folder / "packed", "pack", folder / "dir", "-o", folder / "packed")
