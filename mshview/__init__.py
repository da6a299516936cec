"""Read, change, convert and draw the models of Parkan: Iron Strategy from Python.

    import mshview

    for model in mshview.models("game/models.rlb"):
        print(model.name, len(model.nodes))

Addresses are those of the command line: a file, ``archive.rlb::walker.msh``, ``archive.rlb::#3``. Nothing is
written before `Resource.save`, `Resource.export`, `Model.write_animations` or `write_png` is called. What is
changed and not saved is seen by everything that is opened in the same process. Use it from one thread.

Everything that fails raises `Error`, whose text is the line that the command line prints.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from viewer.version import VERSION

if TYPE_CHECKING:
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
    from mshview.resource import Archive as Archive
    from mshview.resource import Resource as Resource
    from mshview.texture import Texture as Texture
    from mshview.texture import read_png as read_png
    from mshview.texture import write_png as write_png
    from viewer.errors import MshviewError as Error

_WHERE: Final = {
    "open": ("mshview.opening", "open_resource"),
    "models": ("mshview.opening", "models"),
    "textures": ("mshview.opening", "textures"),
    "discard": ("mshview.opening", "discard"),
    "Resource": ("mshview.resource", "Resource"),
    "Archive": ("mshview.resource", "Archive"),
    "Model": ("mshview.model", "Model"),
    "Texture": ("mshview.texture", "Texture"),
    "Node": ("mshview.records", "Node"),
    "Batch": ("mshview.records", "Batch"),
    "Material": ("mshview.records", "Material"),
    "Clip": ("mshview.records", "Clip"),
    "Pose": ("mshview.records", "Pose"),
    "read_png": ("mshview.texture", "read_png"),
    "write_png": ("mshview.texture", "write_png"),
    "Error": ("viewer.errors", "MshviewError"),
}
"""The public names, loaded at their first use."""
__version__: Final = VERSION

__all__ = [
    "Archive",
    "Batch",
    "Clip",
    "Error",
    "Material",
    "Model",
    "Node",
    "Pose",
    "Resource",
    "Texture",
    "__version__",
    "discard",
    "models",
    "open",
    "read_png",
    "textures",
    "write_png",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'mshview' has no attribute {name!r}")
    module, attribute = _WHERE[name]
    value = globals()[name] = getattr(import_module(module), attribute)
    return value


def __dir__() -> list[str]:
    return [*__all__]
