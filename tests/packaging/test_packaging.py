"""What packages are made with: the list of what they contain, notes of releases, workflows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Final
from zipfile import ZipFile

import pytest

from viewer.version import VERSION

ROOT: Final = Path(__file__).parents[2]
PACKAGING: Final = ROOT / "packaging"


LISTED: Final = """
import json, sys
from pathlib import Path
sys.path.insert(0, "packaging")
import make_sbom

bundle = Path(sys.argv[1])
found = make_sbom.contained(bundle, sys.argv[2:])
print(json.dumps(make_sbom.document(bundle, found)))
"""


def listed(bundle: Path, *modules: str) -> Any:
    """The list of the contents of a bundle whose programs have these modules."""
    command = [sys.executable, "-c", LISTED, str(bundle), *modules]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_the_list_of_contents_is_what_is_in_the_bundle(bundle: Path) -> None:
    """Also what others bring along, and not what was only installed to build it."""
    inside = bundle / "_internal"
    there = {
        "viewer/cli/gallery/three/three.min.js": "three.js",
        "imgui_bundle/assets/fonts/Roboto/Roboto-Regular.ttf": "Roboto",
        "imgui_bundle/assets/fonts/Font_Awesome_6_Free-Solid-900.otf": "Font Awesome Free",
        "libcrypto.so.3": "OpenSSL",
        "libssl.so.3": "OpenSSL",
        "libz.so.1": "zlib",
        "libpython3.11.so.1.0": "python",
        "base_library.zip": "python",
        "numpy/linalg/_umath_linalg.cpython-311-x86_64-linux-gnu.so": "",
        "libstrange.so.7": "libstrange.so.7",
    }
    for name in there:
        (inside / name).parent.mkdir(parents=True, exist_ok=True)
        (inside / name).write_bytes(name.encode())
    shared = bundle / "share" / "applications" / "mshview.desktop"
    document = listed(bundle, "pyrr", "pyrr.quaternion", "platformdirs", "mshview")
    components = {it["name"].lower(): it for it in document["components"]}
    assert {"numpy", "imgui-bundle", "pyrr", "platformdirs", "python", "pyinstaller bootloader"} <= {
        *components
    }
    assert not {"pyglet", "pytest", "moderngl", "mypy"} & {*components}
    assert components["openssl"]["version"].startswith("3.")
    owners = {
        file["name"].removeprefix("_internal/"): (key, file["hashes"][0]["content"])
        for key, it in (components | {"mshview": document["metadata"]["component"]}).items()
        for file in it["components"]
    }
    for name, owner in there.items():
        if owner:
            assert owners[name] == (owner.lower(), sha256(name.encode()).hexdigest())
    assert owners["mshview"][0] == owners["mshview-thumbnailer"][0] == "pyinstaller bootloader"
    assert owners["share/applications/mshview.desktop"] == (
        "mshview",
        sha256(shared.read_bytes()).hexdigest(),
    )
    files = {it.relative_to(bundle).as_posix() for it in bundle.rglob("*") if it.is_file()}
    assert {it.removeprefix("_internal/") for it in files} == {*owners}, "each file once"
    refs = {
        document["metadata"]["component"]["bom-ref"],
        *(it.get("bom-ref") for it in document["components"]),
    }
    for link in document["dependencies"]:
        assert {link["ref"], *link["dependsOn"]} <= refs


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
    command = [sys.executable, "-m", "viewer", "install-desktop", "--package", "--to", str(folder / "share")]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
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
    machine = [str(it).encode() for it in (ROOT, tmp_path, sys.prefix, Path.home())]
    files = [it for it in root.rglob("*") if it.is_file()]
    assert not [it for it in files if any(name in it.read_bytes() for name in machine)]
    run = [
        line
        for it in files
        if it.suffix in (".desktop", ".thumbnailer")
        for line in it.read_text().splitlines()
    ]
    assert {line for line in run if line.startswith(("Exec=", "TryExec="))} == {
        "Exec=mshview %F",
        "Exec=mshview %u",
        "Exec=mshview-thumbnailer %i %o %s",
        "TryExec=mshview",
        "TryExec=mshview-thumbnailer",
    }
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


@pytest.mark.parametrize("system", ["linux", "win32", "darwin"])
def test_the_bundle_is_specified_for_every_system(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The specification runs to its end with what PyInstaller gives it replaced by notes of the calls."""
    made: list[tuple[str, dict[str, Any]]] = []

    def noted(name: str) -> Callable[..., SimpleNamespace]:
        def make(*_: object, **named: Any) -> SimpleNamespace:
            made.append((name, named))
            return SimpleNamespace(pure=[], scripts=[], binaries=[], datas=[])

        return make

    hooks = ModuleType("PyInstaller.utils.hooks")
    for name in ("collect_data_files", "collect_dynamic_libs", "copy_metadata"):
        setattr(hooks, name, lambda *_, **__: [])
    for name in ("PyInstaller", "PyInstaller.utils", "PyInstaller.utils.hooks"):
        monkeypatch.setitem(sys.modules, name, hooks)
    monkeypatch.setattr(sys, "platform", system)
    given = {name: noted(name) for name in ("Analysis", "PYZ", "EXE", "COLLECT", "BUNDLE")}
    path = PACKAGING / "mshview.spec"
    exec(compile(path.read_text(), path, "exec"), {"SPECPATH": str(PACKAGING), **given})
    modules = [named["hiddenimports"] for name, named in made if name == "Analysis"]
    assert {"viewer.cli.reading.ls", "viewer.ui", "mshview"} <= {*modules[0]}
    programs = [named for name, named in made if name == "EXE"]
    thumbnailer = ["mshview-thumbnailer"] if system == "linux" else []
    assert [it["name"] for it in programs] == ["mshview", *thumbnailer]
    assert all(Path(it["icon"]).is_file() for it in programs)
    apps = [named for name, named in made if name == "BUNDLE"]
    assert [it["name"] for it in apps] == (["mshview.app"] if system == "darwin" else [])
    for it in apps:
        (documents,) = it["info_plist"]["CFBundleDocumentTypes"]
        assert documents["CFBundleTypeExtensions"] == ["msh", "rlb", "texm"]


def test_the_archive_of_a_bundle_is_the_same_each_time(bundle: Path, tmp_path: Path) -> None:
    """All its files in one folder, whatever their times."""
    made = []
    for number in range(2):
        (out := tmp_path / str(number)).mkdir()
        os.utime(bundle / "mshview", (number * 1e8, number * 1e8))
        command = [sys.executable, str(PACKAGING / "make_zip.py"), str(bundle), str(out)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        path = Path(done.stdout.strip())
        assert path.name == f"mshview-{VERSION}-windows-x64.zip"
        made.append(path.read_bytes())
        with ZipFile(path) as archive:
            names = {it.relative_to(bundle.parent).as_posix() for it in bundle.rglob("*") if it.is_file()}
            assert {*archive.namelist()} == names
            assert archive.read("mshview/_internal/library.so") == bytes(2048)
    assert made[0] == made[1]


def test_the_manifests_of_winget_name_the_installer(tmp_path: Path) -> None:
    """By its address and its hash, in the three files that winget asks for."""
    (tmp_path / "installer.exe").write_bytes(b"an installer")
    command = [
        sys.executable,
        str(PACKAGING / "make_winget.py"),
        str(tmp_path / "installer.exe"),
        "https://example.org/i.exe",
        str(tmp_path),
    ]
    subprocess.run(command, check=True)
    folder = tmp_path / "manifests" / "m" / "mshview" / "mshview" / VERSION
    texts = {it.name: it.read_text() for it in folder.iterdir()}
    assert {*texts} == {
        "mshview.mshview.yaml",
        "mshview.mshview.installer.yaml",
        "mshview.mshview.locale.en-US.yaml",
    }
    assert all(f"PackageVersion: {VERSION}\n" in it for it in texts.values())
    installer = texts["mshview.mshview.installer.yaml"]
    assert "InstallerUrl: https://example.org/i.exe\n" in installer
    assert f"InstallerSha256: {sha256(b'an installer').hexdigest().upper()}\n" in installer
