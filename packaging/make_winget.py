"""Makes the manifests by which winget finds an installer: python packaging/make_winget.py INSTALLER URL OUT.

They go into a folder of the form that the repository of winget has.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from viewer.version import VERSION

NAME: Final = "mshview.mshview"
FORM: Final = "1.6.0"
SHARED: Final = "PackageIdentifier: {name}\nPackageVersion: {version}\n"
KINDS: Final = {
    "version": "DefaultLocale: en-US\n",
    "installer": """\
InstallerType: nullsoft
Scope: user
Installers:
- Architecture: x64
  InstallerUrl: {url}
  InstallerSha256: {digest}
""",
    "defaultLocale": """\
PackageLocale: en-US
Publisher: mshview contributors
PackageName: mshview
License: MIT
ShortDescription: viewer, inspector, editor and converter for the models of Parkan - Iron Strategy
""",
}
"""Members of each manifest, by its kind."""
SUFFIXES: Final = {"version": "", "installer": ".installer", "defaultLocale": ".locale.en-US"}


def make(installer: Path, url: str, out: Path) -> Path:
    """Write the manifests of an installer that is found at an address; return their folder."""
    folder = out / "manifests" / NAME[0] / NAME.replace(".", "/") / VERSION
    folder.mkdir(parents=True, exist_ok=True)
    digest = sha256(installer.read_bytes()).hexdigest().upper()
    for kind, text in KINDS.items():
        end = f"ManifestType: {kind}\nManifestVersion: {FORM}\n"
        filled = (SHARED + text + end).format(name=NAME, version=VERSION, url=url, digest=digest)
        (folder / f"{NAME}{SUFFIXES[kind]}.yaml").write_text(filled, encoding="utf-8")
    return folder


if __name__ == "__main__":
    print(make(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])))
