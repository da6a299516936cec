"""What is asked of the referees, stage by stage. Each gives what is wrong, a line each."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.referees import gallery_page, obj_edits, poses, speed
from tests.referees.edits import WALKER, Edit, difference
from tests.referees.poses import Exported
from tests.referees.programs import AT_ONCE, blender, checked, node, write_jobs
from tests.referees.subjects import ROOT, Subject, source_of, subjects
from tests.referees.table import stage
from tests.referees.verbs import run_verb
from viewer.model.store.file_store import FileStore

CLIPS: Final = "clips"
DEFAULT_FPS: Final = 24
"""Frames per second in Blender unless told otherwise."""


@dataclass
class RefereeWork:
    """The models, and the files made from them.

    Parameters
    ----------
    folder
        Where files are written.
    subjects
        The models.
    pattern
        The text in the addresses of all of them.
    """

    folder: Path
    subjects: Sequence[Subject]
    pattern: str = ""
    _exported: dict[str, list[Exported]] = field(default_factory=dict)

    def exported(self, cells: str) -> list[Exported]:
        """Every model as GLB with the chosen cell, with all, or with its clips."""
        if cells not in self._exported:
            store = FileStore()
            self._exported[cells] = [self._export(store, it, cells) for it in self.subjects]
        return self._exported[cells]

    def _export(self, store: FileStore, subject: Subject, cells: str) -> Exported:
        file = self.folder / f"{subject.stem}.{cells}.glb"
        options = ("--animation", cells) if cells == CLIPS else ("--cells", cells)
        run_verb("export", str(subject.address), "-o", str(file), *options)
        return Exported(source_of(store, subject), file, node_names(file))


def document_of(file: Path) -> dict[str, Any]:
    """The JSON chunk of a GLB file."""
    data = file.read_bytes()
    (size,) = struct.unpack_from("<I", data, 12)
    found: dict[str, Any] = json.loads(data[20 : 20 + size])
    return found


def node_names(file: Path) -> dict[int, str]:
    """The name of each node of the model in the default scene of a file, by its number."""
    document = document_of(file)
    names, left = {}, list(document["scenes"][document.get("scene", 0)].get("nodes", ()))
    while left:
        item = document["nodes"][left.pop()]
        left += item.get("children", ())
        known = json.loads(item.get("extras", {}).get("mshview", "{}"))
        if "number" in known and "copy" not in known:
            names[int(known["number"])] = item["name"]
    return names


def validate(work: RefereeWork) -> list[str]:
    """Ask Khronos' validator for errors and warnings."""
    files = [str(it.file) for cells in ("one", "all") for it in work.exported(cells)]
    wrong, seen = [], 0
    for start in range(0, len(files), AT_ONCE):
        for line in node("validate.mjs", *files[start : start + AT_ONCE]).stdout.splitlines():
            verdict = json.loads(line)
            seen += 1
            if verdict["errors"] or verdict["warnings"]:
                wrong.append(f"{Path(verdict['path']).name}: {verdict['worst'][:3]}")
    return wrong if seen == len(files) else [*wrong, f"{len(files) - seen} files have no verdict"]


def import_again(work: RefereeWork) -> list[str]:
    """Import every file as it was written, and list what changed."""
    wrong = []
    for cells in ("one", "all"):
        for subject, it in zip(work.subjects, work.exported(cells), strict=True):
            said = imported(work, subject, str(it.file))
            if said["changes"] or said["lossy"] or not said["identical"]:
                wrong.append(f"{it.source.name}: {said['changes'][:2]} {said['lossy'][:2]}")
    return wrong


def pose_in_three(work: RefereeWork) -> list[str]:
    """Compare the poses between keys with those of three.js."""
    exported = work.exported("one")
    jobs = write_jobs(work.folder / "three.json", poses.three_jobs(exported))
    checked(node("poses.mjs", jobs), "three.js")
    return [f"{it.source.name}: {text}" for it in exported if (text := poses.compare_three(it))]


def pose_in_blender(work: RefereeWork) -> list[str]:
    """Compare the poses at the keys with those of Blender."""
    exported = work.exported("one")
    jobs = write_jobs(work.folder / "blender.json", poses.blender_jobs(exported))
    checked(blender("poses", jobs), "Blender")
    return [f"{it.source.name}: {text}" for it in exported if (text := poses.compare_blender(it))]


def save_in_blender(work: RefereeWork) -> list[str]:
    """Save every file in Blender, import it again, and list what changed though nobody edited it."""
    return [line for what in ("one", CLIPS) for line in _saved(work, "again", {"fps": poses.FPS}, what)]


def save_by_default(work: RefereeWork) -> list[str]:
    """The same as Blender does it unless told otherwise: without ids, sampled 24 times a second.

    Also with all cells, whose scenes it merges, and with clips.
    """
    how = {"fps": DEFAULT_FPS, "by_default": True}
    return [line for what in ("one", "all", CLIPS) for line in _saved(work, "default", how, what)]


def _saved(work: RefereeWork, name: str, how: dict[str, Any], what: str) -> list[str]:
    exported = work.exported(what)
    jobs: list[dict[str, Any]] = [
        {"file": str(it.file), "out": f"{it.file}.{name}.glb", "edit": "nothing", **how} for it in exported
    ]
    checked(blender("edits", write_jobs(work.folder / f"{name}.json", jobs)), "Blender")
    wrong = []
    for subject, it in zip(work.subjects, exported, strict=True):
        said = imported(work, subject, f"{it.file}.{name}.glb")
        changes = [*said["changes"], *said["items"]]
        if changes:
            wrong.append(f"{it.source.name}: {len(changes)} changes: {changes[:2]}")
    return wrong


def imported(work: RefereeWork, subject: Subject, file: str) -> Any:
    """What the import says of a file, with its model as the template."""
    out = work.folder / f"{subject.stem}.imported.msh"
    return run_verb("import", file, "--template", str(subject.address), "-o", str(out), "--json")


def use_gallery(work: RefereeWork) -> list[str]:
    """Use the page of a gallery in a browser, and compare poses and pictures with ours."""
    return gallery_page.judge(work.folder, work.pattern)


def edit_in_blender(work: RefereeWork) -> list[str]:
    """Edit the walker in Blender and compare what the import finds with what was done."""
    return _edited(work, "edits", WALKER, {"fps": poses.FPS})


def judge_table(work: RefereeWork) -> list[str]:
    """Compare the walker, edited in Blender in every way, with what the import makes of it."""
    return stage.judge(work.folder)


def measure_speed(work: RefereeWork) -> list[str]:
    """Compare the CPU time of an export and an import with that of trimesh."""
    return speed.measure(work.folder)


def edit_by_default(work: RefereeWork) -> list[str]:
    """The same with files as Blender writes them by default, whose keys are between frames."""
    return _edited(work, "default-edits", WALKER, {"fps": DEFAULT_FPS, "by_default": True})


def _edited(work: RefereeWork, name: str, edits: Sequence[Edit], how: dict[str, Any]) -> list[str]:
    walker = next(it for it in subjects("walker.msh") if str(ROOT) in str(it.address))
    file = work.folder / "walker.glb"
    run_verb("export", str(walker.address), "-o", str(file))
    jobs: list[dict[str, Any]] = [
        {"file": str(file), "out": f"{file}.{name}.{number}.glb", **how, **edit.arguments}
        for number, edit in enumerate(edits)
    ]
    checked(blender("edits", write_jobs(work.folder / f"{name}.json", jobs)), "Blender")
    said = [imported(work, walker, job["out"]) for job in jobs]
    return [text for edit, it in zip(edits, said, strict=True) if (text := difference(edit, it))]


def objects_in_blender(work: RefereeWork) -> list[str]:
    """Save every model as OBJ in Blender, and the walker edited, and judge what the import finds."""
    walker = next(it for it in subjects("walker.msh") if str(ROOT) in str(it.address))
    edits = [(it, Edit({"edit": "nothing"}, {})) for it in work.subjects]
    edits += [(walker, it) for it in obj_edits.WALKER]
    jobs = [_object_job(work, number, *it) for number, it in enumerate(edits)]
    checked(blender("objects", write_jobs(work.folder / "objects.json", jobs)), "Blender")
    wrong = []
    for (subject, edit), job in zip(edits, jobs, strict=True):
        said = imported(work, subject, job["out"])
        lost = "" if edit.items else " ".join(said["lossy"])  # without --textures items are lost
        if text := difference(edit, said) or lost:
            wrong.append(f"{subject.address}: {text}")
    return wrong


def _object_job(work: RefereeWork, number: int, subject: Subject, edit: Edit) -> dict[str, Any]:
    """Export a model as OBJ, with its JSON file beside the one that Blender will write too."""
    file, out = work.folder / f"{subject.stem}.obj", work.folder / f"edit{number:04d}.obj"
    if not file.exists():
        run_verb("export", str(subject.address), "-o", str(file))
    Path(f"{out}.json").write_bytes(Path(f"{file}.json").read_bytes())
    return {"file": str(file), "out": str(out), **edit.arguments}
