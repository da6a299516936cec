"""What is written through a link of one's own: the message names what the link leads to."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.console import MODELS, Capture, success
from tests.systems import needs_links

pytestmark = needs_links
TEXTURES = MODELS.with_name("Textures.lib")


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with links to a file and to a folder elsewhere."""
    (tmp_path / "real").mkdir()
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.png").symlink_to("../real/x.png")
    (folder / "b.rlb").symlink_to("../real/b.rlb")
    (folder / "out").symlink_to("../real")
    shutil.copy(MODELS, tmp_path / "real" / "b.rlb")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    ("command", "said", "target"),
    [
        (("texture", f"{TEXTURES}::#0", "-o", "a.png"), "wrote a.png", "x.png"),
        (("texture", f"{TEXTURES}::#0", "-o", "out/y.png"), "wrote out/y.png", "y.png"),
        (("edit", "b.rlb::#0", "--set", "nodes[0].flags=9", "--in-place"), "wrote b.rlb", "b.rlb"),
        (("copy", MODELS, "-o", "out/c.rlb"), "wrote out/c.rlb", "c.rlb"),
        (("extract", MODELS, "#1", "-o", "out/d"), "wrote 1 of 20 entries to out/d", "d"),
        (("export", f"{MODELS}::drone.msh", "-o", "out/e.glb"), "wrote out/e.glb", "e.glb"),
    ],
)
def test_the_target_is_named(
    work: Path, capsys: Capture, command: tuple[object, ...], said: str, target: str
) -> None:
    out = success(capsys, *command)[0]
    real = work.parent / "real" / target
    assert f"{said}, which leads to {real}" in out
    assert real.exists()
    assert [it.name for it in work.iterdir() if not it.is_symlink()] == []


def test_without_a_link_only_the_path_is_named(work: Path, capsys: Capture) -> None:
    for out in ("z.png", "../work/z.png", work / "z.png"):
        said = success(capsys, "texture", f"{TEXTURES}::#0", "-o", out)[0]
        assert said.strip() == f"wrote {out}"
