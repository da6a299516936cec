"""The formats of other programs by the suffix of their files: how each is written and read.

Scenes have three formats, and JSON holds the bytes of any resource.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from viewer.translation import _

if TYPE_CHECKING:
    from viewer.model.convert.resolver import Resolver
    from viewer.model.convert.scene import Scene
    from viewer.model.convert.source import ModelSource

GLB, GLTF, OBJ, JSON = "glb", "gltf", "obj", "json"
SCENES: Final = (GLB, GLTF, OBJ)
SUFFIXES: Final = (*SCENES, JSON)


def files_of(scene: Scene, suffix: str, stem: str, *, is_alone: bool = False) -> dict[str, bytes]:
    """The files of a scene by name; the last is the requested one, the others are those that it names.

    Parameters
    ----------
    stem
        Its name without the suffix.
    is_alone
        Whether one file holds everything, if the format can do that.
    """
    if suffix == OBJ:
        from viewer.model.convert.obj import write as obj  # noqa: PLC0415 only one format is needed

        found = obj.files_of(scene, stem)
        return found | {f"{stem}.{OBJ}": found.pop(f"{stem}.{OBJ}")}
    from viewer.model.convert.gltf import write as gltf  # noqa: PLC0415 only one format is needed

    if suffix == GLB:
        return {f"{stem}.{GLB}": gltf.glb_of(scene)}
    return {f"{stem}.{GLTF}": gltf.gltf_of(scene)} if is_alone else gltf.files_of(scene, stem)


def read(
    data: bytes | memoryview,
    name: str,
    suffix: str,
    resolver: Resolver,
    template: ModelSource | None = None,
    *,
    fps: float | None = None,
    is_y_up: bool | None = None,
) -> Scene:
    """The scene in a file; raises `FormatError` with the place in it.

    Parameters
    ----------
    name
        Name of the file.
    suffix
        The format, one of `SCENES`.
    resolver
        The files of its folder.
    template
        The model that the file is compared with.
    fps
        Frames per second of a file that does not say it.
    is_y_up
        Whether Y is up in an OBJ file; None if it is not said.
    """
    if suffix == OBJ:
        from viewer.model.convert.obj import read as obj  # noqa: PLC0415 only one format is needed
        from viewer.model.convert.obj.frame import frame_of  # noqa: PLC0415

        frame, damage = frame_of(name, resolver, template, is_y_up=is_y_up, data=data)
        scene = obj.read(data, frame, resolver)
        return replace(scene, losses=(*damage, *scene.losses))
    from viewer.model.convert.gltf import read as gltf  # noqa: PLC0415 only one format is needed
    from viewer.model.convert.source import lightmaps_of  # noqa: PLC0415

    lightmaps = () if template is None else lightmaps_of(template)
    return gltf.read(data, resolver, fps=fps or gltf.FPS, lightmaps=lightmaps)


def import_words(name: str, summary: str = "") -> str:
    """The name of the undo step of an import, with what it inserts and removes."""
    if not summary:
        return _("import {name}", name=name)
    return _("import {name}: {summary}", name=name, summary=summary)
