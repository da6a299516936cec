"""What packages are made with: the list of what they contain, notes of releases, workflows."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PACKAGING: Final = ROOT / "packaging"


def test_the_list_of_contents_names_every_dependency_with_its_licence(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(PACKAGING / "make_sbom.py"), str(tmp_path)], check=True)
    document = json.loads((tmp_path / "sbom.cdx.json").read_text())
    names = {it["name"].lower() for it in document["components"]}
    assert {
        "numpy",
        "moderngl",
        "moderngl-window",
        "pillow",
        "pyrr",
        "platformdirs",
        "glfw",
        "python",
    } <= names
    assert "pytest" not in names
    assert not [it["name"] for it in document["components"] if it["licenses"][0]["license"] == {"name": ""}]
    refs = {
        document["metadata"]["component"]["bom-ref"],
        *(it.get("bom-ref") for it in document["components"]),
    }
    for link in document["dependencies"]:
        assert {link["ref"], *link["dependsOn"]} <= refs
    assert any((tmp_path / "licences" / "numpy").iterdir())


def test_notes_of_a_release() -> None:
    program = "import sys; sys.path.insert(0, 'packaging'); from release_notes import notes; import json"
    text = "# Log\n\n## Unreleased\n\nnew\n\n## [0.2.0] - 2026\n\n### Added\n\n* a\n\n## 0.1.0\n\nold\n"
    script = f"{program}; print(json.dumps([notes({text!r}, it) for it in ('0.2.0', '0.1.0', '9')]))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == ["### Added\n\n* a\n", "old\n", "new\n"]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A folder like the bundle, whose program only says its version."""
    folder = tmp_path / "mshview"
    (folder / "_internal").mkdir(parents=True)
    (folder / "_internal" / "library.so").write_bytes(bytes(2048))
    for name in ("mshview", "mshview-thumbnailer"):
        (folder / name).write_text("#!/bin/sh\necho mshview 1.2.3\n")
        (folder / name).chmod(0o755)
    shutil.copytree(PACKAGING / "share", folder / "share")
    (folder / "share" / "mime" / "mime.cache").write_bytes(b"of this machine")
    (folder / "share" / "applications" / "mimeinfo.cache").write_bytes(b"of this machine")
    return folder


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="there is no dpkg-deb")
def test_the_debian_package_runs_and_takes_nothing_of_the_machine(bundle: Path, tmp_path: Path) -> None:
    script = str(PACKAGING / "make_deb.py")
    done = subprocess.run(
        [sys.executable, script, str(bundle), str(tmp_path)], capture_output=True, text=True, check=True
    )
    package = done.stdout.splitlines()[-1]
    root = tmp_path / "root"
    subprocess.run(["dpkg-deb", "--extract", package, str(root)], check=True)
    fields = subprocess.run(
        ["dpkg-deb", "--field", package, "Version", "Depends"], capture_output=True, text=True, check=True
    ).stdout
    assert "Version: 1.2.3" in fields
    assert "libegl1" in fields
    for name in ("mshview", "mshview-thumbnailer"):
        done = subprocess.run([root / "usr/bin" / name], capture_output=True, text=True, check=True)
        assert done.stdout == "mshview 1.2.3\n"
    assert (root / "usr/share/applications/mshview.desktop").is_file()
    assert (root / "usr/share/mime/packages/mshview.xml").is_file()
    assert not [*root.rglob("*.cache")]
    assert not (root / "usr/lib/mshview/share").exists()
    listed = subprocess.run(
        ["dpkg-deb", "--contents", package], capture_output=True, text=True, check=True
    ).stdout
    assert {line.split()[1] for line in listed.splitlines()} == {"root/root"}


def test_the_flatpak_has_the_names_of_the_desktop_files() -> None:
    (path,) = PACKAGING.glob("*.json")
    manifest = json.loads(path.read_text())
    metainfo = (PACKAGING / "share" / "metainfo" / f"{manifest['id']}.metainfo.xml").read_text()
    assert f"<id>{manifest['id']}</id>" in metainfo
    assert path.stem == manifest["id"]
    assert (PACKAGING / "share" / "applications" / manifest["rename-desktop-file"]).is_file()
    assert [*(PACKAGING / "share" / "icons").rglob(f"{manifest['rename-icon']}.png")]
