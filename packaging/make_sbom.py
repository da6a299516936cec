"""Lists what a bundle contains, and copies the licences: python packaging/make_sbom.py dist/mshview.

Writes `sbom.cdx.json` (CycloneDX 1.5) and a folder `licences`. What is listed is what stands in the folder
and in the programs, not what was installed to build it: each distribution of which a module is there, Python,
the start of the programs, and what others bring along inside of them (native libraries, fonts, three.js).
Every file of the folder is named once with its SHA-256, below what it belongs to.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import sqlite3
import ssl
import sys
import sysconfig
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import file_digest
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions, version
from pathlib import Path
from typing import Any, Final

PROGRAM: Final = "mshview"
INSIDE: Final = "_internal"
"""The folder of a bundle with all but the programs."""
SHARE: Final = "share"
"""The folder with what the program writes for desktops and shells."""
LIST: Final = "sbom.cdx.json"
LICENCES: Final = "licences"
LICENCE: Final = re.compile(r"(?i)licen[cs]e|copying|notice|authors")
NEEDED: Final = re.compile(r"([\w.-]+)\s*(\[[^\]]*\])?")
EXTRA: Final = re.compile(r"extra == ['\"]([^'\"]+)")
PARTS: Final[tuple[tuple[str, str, str, str], ...]] = (
    ("three.js", "", "MIT", r"viewer/cli/gallery/three/"),
    ("Roboto", "", "Apache-2.0", r"imgui_bundle/assets/fonts/Roboto/"),
    ("Droid Sans", "", "Apache-2.0", r"imgui_bundle/assets/fonts/DroidSans"),
    ("Inconsolata", "", "OFL-1.1", r"imgui_bundle/assets/fonts/Inconsolata"),
    ("Font Awesome Free", "", "OFL-1.1", r"imgui_bundle/assets/fonts/[Ff]ont_?[Aa]wesome"),
    ("Latin Modern", "", "GFL", r"imgui_bundle/assets/fonts/latex/"),
    ("OpenSSL", ssl.OPENSSL_VERSION.split()[1], "Apache-2.0", r"^lib(ssl|crypto)\b[^/]*$"),
    ("zlib", zlib.ZLIB_RUNTIME_VERSION, "Zlib", r"^(lib)?z(lib)?\.[^/]*$"),
    ("SQLite", sqlite3.sqlite_version, "blessing", r"^(lib)?sqlite3\.[^/]*$"),
    ("libffi", "", "MIT", r"^libffi[^/]*$"),
    ("XZ Utils", "", "0BSD", r"^liblzma[^/]*$"),
    ("bzip2", "", "bzip2-1.0.6", r"^libbz2[^/]*$"),
    ("Expat", "", "MIT", r"^libexpat[^/]*$"),
    ("libuuid", "", "BSD-3-Clause", r"^libuuid[^/]*$"),
    ("GCC runtime", "", "GPL-3.0-or-later WITH GCC-exception-3.1", r"^lib(gcc_s|stdc\+\+)[^/]*$"),
    ("X11 client libraries", "", "MIT", r"^lib(X|xcb)[^/]*$"),
    ("libbsd and libmd", "", "BSD-3-Clause", r"^lib(bsd|md)\.[^/]*$"),
    ("Microsoft Visual C++ runtime", "", "LicenseRef-Microsoft", r"^(vcruntime|msvcp)[^/]*$"),
)
"""Parts that are no distributions: name, version if stated, licence, pattern of its files in `INSIDE`."""
BOOTLOADER: Final = "PyInstaller bootloader"
"""The start of both programs; its licence has an exception for programs of any licence."""


def main(bundle: Path) -> None:
    """Write the list and the licences into the folder of a bundle."""
    modules = {it for name in programs(bundle) for it in modules_of(name)}
    found = contained(bundle, modules)
    (bundle / LIST).write_text(json.dumps(document(bundle, found), indent=2) + "\n", encoding="utf-8")
    for name, it in found.items():
        copy_licences(it, bundle / LICENCES / name)
    copy_licence_of_python(bundle / LICENCES / "python")
    with suppress(PackageNotFoundError):
        copy_licences(distribution("pyinstaller"), bundle / LICENCES / "pyinstaller-bootloader")


def programs(bundle: Path) -> Iterator[Path]:
    """The programs of a bundle."""
    return (it for it in sorted(bundle.iterdir()) if it.is_file() and it.stem.startswith(PROGRAM))


def modules_of(program: Path) -> Iterator[str]:
    """The names of the Python modules in a program."""
    from PyInstaller.archive.readers import CArchiveReader  # type: ignore[import-untyped]  # noqa: PLC0415

    archive = CArchiveReader(str(program))
    for name, entry in archive.toc.items():
        if entry[-1] == "z":  # the archive of modules
            yield from archive.open_embedded_archive(name).toc


def contained(bundle: Path, modules: Iterable[str]) -> dict[str, Distribution]:
    """The distributions of which a bundle holds a module, by name.

    Parameters
    ----------
    modules
        The names of the modules in its programs.
    """
    inside = {it.name.partition(".")[0] for it in (bundle / INSIDE).iterdir()}
    there = {it.partition(".")[0] for it in modules} | inside
    found = {}
    for it in distributions():
        tops = {Path(str(file)).parts[0].partition(".")[0] for file in it.files or () if is_code(str(file))}
        if tops & there or normal(it.name) == PROGRAM:
            found[normal(it.name)] = it
    return dict(sorted(found.items()))


def is_code(name: str) -> bool:
    """Whether a file of a distribution is one of its modules, not of its description or of a script."""
    return (
        not name.startswith(("..", "__pycache__")) and ".dist-info/" not in name and not name.endswith(".pth")
    )


def document(bundle: Path, found: Mapping[str, Distribution]) -> dict[str, Any]:
    """The list of a bundle with these distributions."""
    left = {
        name: it
        for it in sorted(bundle.rglob("*"))
        if it.is_file() and not it.is_symlink() and (name := it.relative_to(bundle).as_posix()) != LIST
        if not name.startswith(f"{LICENCES}/")
    }
    listed = []
    for name, of_program, licence, pattern in PARTS:
        files = taken(left, [it for it in left if re.search(pattern, it.removeprefix(f"{INSIDE}/"))])
        if files:
            listed.append(part(name, of_program, licence, files))
    owned = {key: taken(left, names_of(it)) for key, it in found.items()}
    owned[PROGRAM] += taken(left, [it for it in left if it.startswith(f"{SHARE}/")])
    started = taken(left, [it.name for it in programs(bundle)])
    listed.append(
        part(BOOTLOADER, bootloader_version(), "GPL-2.0-or-later WITH Bootloader-exception", started)
    )
    listed += [{**component(it), "components": owned[key]} for key, it in found.items() if key != PROGRAM]
    rest = taken(
        left, [it for it in [*left] if not is_native(it) or "python" in it.lower() or "lib-dynload" in it]
    )
    listed.append({**part("python", platform.python_version(), "PSF-2.0", rest), "type": "platform"})
    listed += [part(Path(it).name, "", "not stated", [file_component(it, left[it])]) for it in left]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {**component(found[PROGRAM]), "type": "application", "components": owned[PROGRAM]}
        },
        "components": listed,
        "dependencies": [
            {"ref": purl(it), "dependsOn": linked(found, it)} for _, it in sorted(found.items())
        ],
    }


def names_of(it: Distribution) -> Iterator[str]:
    """The names of the files of a distribution as they stand in a bundle."""
    return (f"{INSIDE}/{file.as_posix()}" for file in it.files or ())


def taken(left: dict[str, Path], names: Iterable[str]) -> list[dict[str, Any]]:
    """The files of some names, which no other component has from now on."""
    return [file_component(name, left.pop(name)) for name in names if name in left]


def is_native(name: str) -> bool:
    """Whether a file is a library of the machine."""
    return re.search(r"\.(so|dll|dylib|pyd)(\.|$)", name.rpartition("/")[2]) is not None


def file_component(name: str, path: Path) -> dict[str, Any]:
    """A file of a bundle with its hash."""
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    return {"type": "file", "name": name, "hashes": [{"alg": "SHA-256", "content": digest}]}


def part(name: str, of_program: str, licence: str, files: list[dict[str, Any]]) -> dict[str, Any]:
    """A part that is no distribution, with its files."""
    stated = {"version": of_program} if of_program else {}
    return {
        "type": "library",
        "name": name,
        **stated,
        "licenses": [{"license": {"name": licence}}],
        "components": files,
    }


def bootloader_version() -> str:
    """The version of PyInstaller that made the bundle; empty if this environment does not have it."""
    try:
        return version("pyinstaller")
    except PackageNotFoundError:
        return ""


def requirements(it: Distribution) -> Iterator[str]:
    """The names of what a distribution needs without its extras."""
    for text in it.requires or ():
        match = NEEDED.match(text)
        if match and EXTRA.search(text) is None:
            yield normal(match[1])


def linked(found: Mapping[str, Distribution], it: Distribution) -> list[str]:
    """The addresses of what a distribution needs and the bundle has."""
    return sorted({purl(found[name]) for name in requirements(it) if name in found})


def normal(name: str) -> str:
    """A name as it is compared: lower case, with single dashes."""
    return re.sub(r"[-_.]+", "-", name).lower()


def component(it: Distribution) -> dict[str, Any]:
    """A distribution as CycloneDX describes it."""
    meta = it.metadata
    classifiers = [it for it in meta.get_all("Classifier") or () if not it.endswith("OSI Approved")]
    stated = [*(meta.get_all("License-Expression") or ()), *(meta.get_all("License") or ())]
    named = next((it.rpartition(" :: ")[2] for it in classifiers if it.startswith("License ::")), "")
    licence = stated[0].splitlines()[0] if stated and not named else named or "not stated"
    return {
        "type": "library",
        "bom-ref": purl(it),
        "name": it.name,
        "version": it.version,
        "purl": purl(it),
        "licenses": [{"license": {"name": licence}}],
    }


def purl(it: Distribution) -> str:
    """The address of a package in package lists."""
    return f"pkg:pypi/{normal(it.name)}@{it.version}"


def copy_licences(it: Distribution, folder: Path) -> None:
    """Copy the licence texts of a distribution."""
    for file in it.files or ():
        if LICENCE.search(file.name) and ".dist-info" in str(file) and not file.name.endswith(".py"):
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(str(file.locate()), folder / file.name)


def copy_licence_of_python(folder: Path) -> None:
    """Copy the licence text of Python from where an installation has it."""
    places = (Path(sys.base_prefix), Path(sysconfig.get_path("stdlib")))
    for path in (place / "LICENSE.txt" for place in places):
        if path.is_file():
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, folder / path.name)
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]))
