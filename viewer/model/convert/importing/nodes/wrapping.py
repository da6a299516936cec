"""The node that a program puts above the roots of a scene, as its own scenes have one root only.

Left in, it would be a new node of the model, before which all others are renumbered.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from viewer.model.convert.importing.findings import Findings
from viewer.model.convert.scene import IDENTITY, ONE, ZERO, Scene

ASSIMP: Final = "Open Asset Import Library"
"""Name of assimp in files."""
_ROOT: Final = "ROOT"
"""The name that assimp gives the node above several roots."""


def without_wrapper(expected: Scene, given: Scene, findings: Findings) -> Scene:
    """A scene without the node that assimp puts above the roots of a model with several, which is noted."""
    roots = [index for index, node in enumerate(given.nodes) if node.parent is None]
    has_several = sum(node.parent is None for node in expected.nodes) > 1
    is_own = given.origin is not None or not given.program.startswith(ASSIMP)
    if is_own or not has_several or len(roots) != 1 or not _is_bare(given, roots[0]):
        return given
    (root,) = roots
    words = "{node} is left out: assimp puts it above the roots of a model with several"
    findings.note(words, node=_ROOT)
    return replace(
        given,
        nodes=tuple(
            replace(node, parent=_without(root, node.parent))
            for index, node in enumerate(given.nodes)
            if index != root
        ),
        clips=tuple(
            replace(it, tracks={index - (index > root): track for index, track in it.tracks.items()})
            for it in given.clips
        ),
    )


def _without(root: int, parent: int | None) -> int | None:
    """The index of a parent after a root is gone; None if it was that."""
    return None if parent in (None, root) else parent - (parent > root)


def _is_bare(given: Scene, index: int) -> bool:
    """Whether a node is as assimp adds it: it shows nothing and does not move what is below."""
    node = given.nodes[index]
    is_moved = node.track is not None or any(index in clip.tracks for clip in given.clips)
    is_moved |= (node.position, node.rotation, node.scale) != (ZERO, IDENTITY, ONE)
    return node.name == _ROOT and not node.cells and not is_moved
