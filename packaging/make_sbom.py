"""Lists what a bundle contains, and copies the licences: python packaging/make_sbom.py dist/mshview.

Writes `sbom.cdx.json` (CycloneDX 1.5) and a folder `licences`: every distribution that the program
needs in this environment, with its version, its licence and the packages it needs itself.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final

PROGRAM: Final = "mshview"
LICENCE: Final = re.compile(r"(?i)licen[cs]e|copying|notice|authors")
NEEDED: Final = re.compile(r"([\w.-]+)\s*(\[[^\]]*\])?")
EXTRA: Final = re.compile(r"extra == ['\"]([^'\"]+)")


def main(folder: Path) -> None:
    """Write the list and the licences into the folder of a bundle."""
    found = needed(PROGRAM)
    components = [component(it) for name, it in sorted(found.items()) if name != PROGRAM]
    python = {"type": "platform", "name": "python", "version": platform.python_version()}
    links = [{"ref": purl(it), "dependsOn": linked(found, it)} for _, it in sorted(found.items())]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {**component(found[PROGRAM]), "type": "application"}},
        "components": [*components, {**python, "licenses": [{"license": {"id": "PSF-2.0"}}]}],
        "dependencies": links,
    }
    (folder / "sbom.cdx.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    for name, it in found.items():
        copy_licences(it, folder / "licences" / name)


def needed(name: str) -> dict[str, Distribution]:
    """A distribution and all that it needs, by name; what is not installed here is not needed here."""
    found: dict[str, Distribution] = {}
    waiting = [(name, "")]
    seen: set[tuple[str, str]] = set()
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:
            continue
        waiting += requirements(found[name], extra)
    return found


def requirements(it: Distribution, extra: str = "") -> list[tuple[str, str]]:
    """What a distribution needs, alone or with an extra: names, each with an extra of it or none."""
    found = []
    for text in it.requires or ():
        match = NEEDED.match(text)
        asked = EXTRA.search(text)
        if match and (asked is None or asked[1] == extra):
            found += [(normal(match[1]), it) for it in (match[2] or "").strip("[]").split(",")]
    return found


def linked(found: dict[str, Distribution], it: Distribution) -> list[str]:
    """The addresses of what a distribution needs."""
    return sorted({purl(found[name]) for name, _ in requirements(it) if name in found})


def normal(name: str) -> str:
    """A name as it is compared: lower case, with single dashes."""
    return re.sub(r"[-_.]+", "-", name).lower()


def component(it: Distribution) -> dict[str, Any]:
    """A distribution as CycloneDX describes it."""
    meta = it.metadata
    classifiers = [it for it in meta.get_all("Classifier") or () if not it.endswith("OSI Approved")]
    stated = [*(meta.get_all("License-Expression") or ()), *(meta.get_all("License") or ())]
    named = next(
        (text.rpartition(" :: ")[2] for text in classifiers if text.startswith("License ::")),
        "",
    )
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


if __name__ == "__main__":
    main(Path(sys.argv[1]))
