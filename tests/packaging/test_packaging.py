"""What packages are made with: the list of what they contain, notes of releases, workflows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

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
