"""Makes a Debian package of the bundle: python packaging/make_deb.py dist/mshview dist.

The bundle stands in /usr/lib/mshview with what it brings along; OpenGL and X11 are those of the system.
"""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAMS = ("mshview", "mshview-thumbnailer")
SYSTEM = "libc6, libegl1, libgl1, libx11-6, libxcursor1, libxi6, libxinerama1, libxrandr2"
"""Libraries that the bundle looks for when it runs; Mesa or the driver of the card comes with OpenGL."""
CONTROL = """\
Package: mshview
Version: {version}
Architecture: {architecture}
Maintainer: mshview contributors <mshview@example.org>
Installed-Size: {size}
Depends: {depends}
Recommends: shared-mime-info, desktop-file-utils, zenity | kdialog
Section: graphics
Priority: optional
Description: viewer and editor for the models of Parkan: Iron Strategy
 Opens models and archives of the game, draws and animates them as the game does, inspects every byte, edits
 without touching any other, and converts to glTF and back; in a window and in the shell.
"""


def make(bundle: Path, out: Path) -> Path:
    """Write the package of a bundle into a folder; return its path."""
    done = subprocess.run([bundle / PROGRAMS[0], "--version"], capture_output=True, text=True, check=True)
    version = done.stdout.split()[-1]
    done = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True)
    architecture = done.stdout.strip()
    package = out / f"mshview_{version}_{architecture}.deb"
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        tree.chmod(0o755)
        lay_out(bundle, tree)
        size = (
            sum(it.stat().st_size for it in tree.rglob("*") if it.is_file() and not it.is_symlink()) // 1024
        )
        control = CONTROL.format(version=version, architecture=architecture, size=size, depends=SYSTEM)
        (tree / "DEBIAN").mkdir()
        (tree / "DEBIAN" / "control").write_text(control, encoding="utf-8")
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, package], check=True)
    return package


def lay_out(bundle: Path, tree: Path) -> None:
    """Put the files of a bundle where Debian has them."""
    usr = tree / "usr"
    shutil.copytree(
        bundle, usr / "lib" / "mshview", symlinks=True, ignore=lambda at, _names: share(at, bundle)
    )
    (usr / "bin").mkdir()
    for name in PROGRAMS:
        (usr / "bin" / name).symlink_to(f"../lib/mshview/{name}")
    # The system makes its caches itself, of the files of all packages.
    shutil.copytree(bundle / "share", usr / "share", ignore=shutil.ignore_patterns("*.cache"))
    for path in (usr / "share" / "mime").iterdir():
        if path.name != "packages":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    documents = usr / "share" / "doc" / "mshview"
    documents.mkdir(parents=True)
    shutil.copy(ROOT / "LICENSE", documents / "copyright")
    (documents / "changelog.gz").write_bytes(gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), mtime=0))


def share(folder: str, bundle: Path) -> set[str]:
    """The names in a folder of a bundle that belong elsewhere."""
    return {"share"} if Path(folder) == bundle else set()


if __name__ == "__main__":
    print(make(Path(sys.argv[1]), Path(sys.argv[2])))
