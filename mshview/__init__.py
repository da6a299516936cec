"""Read, change, convert and draw the models of Parkan: Iron Strategy from Python.

    import mshview

    for model in mshview.models("game/models.rlb"):
        print(model.name, len(model.nodes))

Addresses are those of the command line: a file, ``archive.rlb::walker.msh``, ``archive.rlb::#3``. Nothing is
written before `Resource.save`, `Resource.export`, `Unit.save_with`, `Model.write_animations`, `import_file`,
`make_patch` or `write_png` is called. What is changed and not saved belongs to the object that `open` has
returned and to the entries that are reached from it: two openings of one file are two states. In the console
of the window all are openings of what the window shows.

Numbers, arrays and rows that the library returns it also takes, and numpy's numbers and arrays wherever
numbers are taken; a node, a batch or a clip stands for its number.

Several threads may read and draw: pictures are drawn one after the other in one thread of the library. One
object is changed by one thread at a time. A process that is a copy (``fork``) of one that has drawn lets a
new process draw, which takes half a second for the first picture; one that is started anew (``spawn``) draws
itself.

Everything that fails raises `Error`, whose text is the line that the command line prints; a call with
arguments that the function does not have is a `TypeError`, as always.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from viewer.version import VERSION

if TYPE_CHECKING:
    from mshview.archive import Archive as Archive
    from mshview.converting import import_file as import_file
    from mshview.converting import make_patch as make_patch
    from mshview.effect import Effect as Effect
    from mshview.model import Model as Model
    from mshview.opening import discard as discard
    from mshview.opening import models as models
    from mshview.opening import open_resource as open  # noqa: A004 the name that users expect
    from mshview.opening import textures as textures
    from mshview.records import Batch as Batch
    from mshview.records import Clip as Clip
    from mshview.records import Material as Material
    from mshview.records import Node as Node
    from mshview.records import Pose as Pose
    from mshview.records import Problem as Problem
    from mshview.resource import Resource as Resource
    from mshview.texture import Texture as Texture
    from mshview.texture import read_image as read_image
    from mshview.texture import write_png as write_png
    from mshview.unit import Unit as Unit
    from viewer.errors import MshviewError as Error

_WHERE: Final = {
    "open": ("mshview.opening", "open_resource"),
    "models": ("mshview.opening", "models"),
    "textures": ("mshview.opening", "textures"),
    "discard": ("mshview.opening", "discard"),
    "Resource": ("mshview.resource", "Resource"),
    "Archive": ("mshview.archive", "Archive"),
    "Effect": ("mshview.effect", "Effect"),
    "Unit": ("mshview.unit", "Unit"),
    "import_file": ("mshview.converting", "import_file"),
    "make_patch": ("mshview.converting", "make_patch"),
    "Problem": ("mshview.records", "Problem"),
    "Model": ("mshview.model", "Model"),
    "Texture": ("mshview.texture", "Texture"),
    "Node": ("mshview.records", "Node"),
    "Batch": ("mshview.records", "Batch"),
    "Material": ("mshview.records", "Material"),
    "Clip": ("mshview.records", "Clip"),
    "Pose": ("mshview.records", "Pose"),
    "read_image": ("mshview.texture", "read_image"),
    "write_png": ("mshview.texture", "write_png"),
    "Error": ("viewer.errors", "MshviewError"),
}
"""The public names, loaded at their first use."""
__version__: Final = VERSION

__all__ = [
    "Archive",
    "Batch",
    "Clip",
    "Effect",
    "Error",
    "Material",
    "Model",
    "Node",
    "Pose",
    "Problem",
    "Resource",
    "Texture",
    "Unit",
    "__version__",
    "discard",
    "import_file",
    "make_patch",
    "models",
    "open",
    "read_image",
    "textures",
    "write_png",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'mshview' has no attribute {name!r}")
    module, attribute = _WHERE[name]
    from mshview.garbage import loading  # noqa: PLC0415 `import mshview` loads nothing

    with loading():
        value = globals()[name] = getattr(import_module(module), attribute)
    return value


def __dir__() -> list[str]:
    return [*__all__]
