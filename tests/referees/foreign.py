"""What assimp has: its test models are converted right or refused, and what it writes changes nothing.

The test models are Debian's package ``assimp-testmodels``, the program is that of ``assimp-utils``. Trimesh
reads a test model and what we make of it, and both have as many triangles in the same bounds.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Any, Final

import numpy as np

from tests.referees.programs import AT_ONCE, checked, trimesh
from tests.referees.stages import RefereeWork, imported
from tests.referees.verbs import run_verb
from viewer.model.convert.scene_file import SCENES

MODELS: Final = Path("/usr/share/assimp/models")
CLOSE: Final = 1e-4
"""How far bounds may be apart, of the longest side: rotations and keys are rounded to 16 bits."""
OLD: Final = "is glTF 1.0; convert it to 2.0"
REFUSED: Final[Mapping[str, str]] = {
    "glTF/BoxTextured-glTF/BoxTextured.gltf": OLD,
    "glTF/BoxTextured-glTF-Binary/BoxTextured.glb": OLD,
    "glTF/BoxTextured-glTF-Embedded/BoxTextured.gltf": OLD,
    "glTF/BoxTextured-glTF-MaterialsCommon/BoxTextured.gltf": OLD,
    "glTF/CesiumMilkTruck/CesiumMilkTruck.gltf": OLD,
    "glTF/IncorrectVertexArrays/Cube_v1.gltf": OLD,
    "glTF/TwoBoxes/TwoBoxes.gltf": OLD,
    "glTF2/BoxTextured-glTF-techniqueWebGL/BoxTextured.gltf": "KHR_technique_webgl is not known",
    "glTF2/BoxWithInfinites-glTF-Binary/BoxWithInfinites.glb": "accessors[2]: value 0 is not finite",
    "glTF2/IndexOutOfRange/AllIndicesOutOfRange.gltf": "value 0 is 65535, which is not below 24",
    "glTF2/IndexOutOfRange/IndexOutOfRange.gltf": "value 0 is 255, which is not below 24",
    "glTF2/MissingBin/BoxTextured.gltf": "No such file",
    "glTF2/RecursiveNodes/RecursiveNodes.gltf": "2 nodes form a circle",
    "glTF2/SchemaFailures/sceneWrongType.gltf": "scene: 'hello' is not an index",
    "glTF2/TestNoRootNode/NoScene.gltf": "scene: 0 is not an index of 0 items",
    "glTF2/draco/2CylinderEngine.gltf": "KHR_draco_mesh_compression cannot be unpacked",
    "glTF2/wrongTypes/badArray.gltf": "meshes[0].primitives",
    "glTF2/wrongTypes/badExtension.gltf": "'Not an object' is not an object",
    "glTF2/wrongTypes/badObject.gltf": "is not an object",
    "glTF2/wrongTypes/badUint.gltf": "-1 is not an index of 1 items",
    "invalid/malformed.obj": "line[23].f: v 12 of 8 so far",
    "invalid/malformed2.obj": "line[23].f: 0 corners",
}
"""Files that make no sense, or that we cannot read, with words of the reason."""
SQUARE: Final = {"triangles": 2, "bounds": [[-0.5, -0.5, 0.0], [0.5, 0.5, 0.0]]}
KNOWN: Final[Mapping[str, Mapping[str, Any]]] = {
    # Trimesh does not read corners that make no whole triangle: two meshes have 12 and two have 11 triangles.
    "glTF2/IncorrectVertexArrays/Cube.gltf": {
        "triangles": 46,
        "bounds": [[-3.5, -1.0, -1.0], [3.5, 1.0, 3.5]],
    },
    # Trimesh does not read fans; the files next to these have the same square as a list and as a strip.
    "glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_05.gltf": SQUARE,
    "glTF2/glTF-Asset-Generator/Mesh_PrimitiveMode/Mesh_PrimitiveMode_12.gltf": SQUARE,
    # One face goes 234 times around its four corners: two triangles each time, beside those of five squares.
    # The fan of trimesh has triangles without area between them.
    "OBJ/box_longline.obj": {"triangles": 478, "bounds": [[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]]},
    # Trimesh does not apply skins: the inverse bind matrices move the vertices by half a unit along X.
    "glTF2/simple_skin/simple_skin.gltf": {"triangles": 8, "bounds": [[-0.5, 0.0, 0.0], [0.5, 2.0, 0.0]]},
}
"""What trimesh does not know of files that we convert."""


WAYS: Final = ((".glb", ".glb"), (".obj", ".obj"), (".glb", ".obj"))
"""Formats that assimp reads and writes."""
_TERRAIN: Final = "the nodes of a terrain are its grid"
"""Why a file is refused that gives them names, by which they would be new ones: a terrain's have none."""


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What became of a file: the model as GLB, or why it was refused."""

    file: Path
    made: Path
    error: str


def import_test_models(work: RefereeWork) -> list[str]:
    """Import every file that has a format of ours, and compare it with what trimesh reads."""
    files = sorted(it for it in MODELS.rglob("*") if it.suffix.lower().removeprefix(".") in SCENES)
    if not files:
        return [f"{MODELS} has no files; install assimp-testmodels"]
    verdicts = [_imported(work.folder / f"assimp{number:04d}", it) for number, it in enumerate(files)]
    refused = [it for it in verdicts if it.error]
    made = [it for it in verdicts if not it.error]
    names = [str(it.file.relative_to(MODELS)) for it in made]
    expected = [
        KNOWN.get(name) or it for name, it in zip(names, _shapes([it.file for it in made]), strict=True)
    ]
    found = _shapes([it.made for it in made])
    wrong = [*_wrongly_refused(refused), *_absent(verdicts)]
    for name, one, other in zip(names, expected, found, strict=True):
        if not _is_same(one, other):
            wrong.append(f"{name}: expected {one}, found {other}")
    return wrong


def save_in_assimp(work: RefereeWork) -> list[str]:
    """Let assimp read and write every model, import what it wrote, and list what changes in the model."""
    if which("assimp") is None:
        return ["assimp is not installed; install assimp-utils"]
    wrong = []
    for subject in work.subjects:
        for suffix, other in WAYS:
            file = work.folder / f"{subject.stem}.assimp{suffix}"
            out = work.folder / f"{subject.stem}.by-assimp" / f"from{suffix[1:]}{other}"
            out.parent.mkdir(exist_ok=True)
            run_verb("export", str(subject.address), "-o", str(file))
            command = ["assimp", "export", str(file), str(out), *(["-fglb2"] if other == ".glb" else [])]
            checked(subprocess.run(command, capture_output=True, text=True, check=False), "assimp")
            try:
                changes = imported(work, subject, str(out))["changes"]
            except RuntimeError as error:
                changes = [] if _TERRAIN in str(error) else [str(error)]
            if changes:
                wrong.append(f"{subject.address}, {suffix} to {other}: {changes[:2]}")
    return wrong


def _imported(stem: Path, file: Path) -> _Verdict:
    """Import a file and export the model with the axes that the file has."""
    model, made = stem.with_suffix(".msh"), stem.with_suffix(".glb")
    try:
        run_verb("import", str(file), "-o", str(model), "--y-up")
        run_verb("export", str(model), "-o", str(made))
    except RuntimeError as error:
        return _Verdict(file, made, str(error))
    return _Verdict(file, made, "")


def _shapes(files: Sequence[Path]) -> list[dict[str, Any]]:
    """What trimesh finds in files."""
    lines: list[str] = []
    for start in range(0, len(files), AT_ONCE):
        some = [str(it) for it in files[start : start + AT_ONCE]]
        lines += checked(trimesh("shapes", *some), "trimesh").splitlines()
    return [json.loads(it) for it in lines]


def _wrongly_refused(refused: Sequence[_Verdict]) -> Iterator[str]:
    """Files that are refused for another reason than is known, or for none."""
    for it in refused:
        name = str(it.file.relative_to(MODELS))
        if REFUSED.get(name, "no reason is known") not in it.error:
            yield f"{name}: refused: {it.error}"


def _absent(verdicts: Sequence[_Verdict]) -> Iterator[str]:
    """Files that should be refused and are not, or are not there."""
    refused = {str(it.file.relative_to(MODELS)) for it in verdicts if it.error}
    yield from (f"{name}: is not refused" for name in REFUSED if name not in refused)


def _is_same(expected: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    """Whether two shapes have as many triangles in the same bounds."""
    if "error" in expected or "error" in found or expected["triangles"] != found["triangles"]:
        return False
    if not expected["triangles"]:
        return True
    bounds, others = np.array(expected["bounds"]), np.array(found["bounds"])
    return bool(np.abs(bounds - others).max() <= CLOSE * np.ptp(bounds, axis=0).max())
