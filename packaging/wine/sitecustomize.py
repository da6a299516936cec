"""Process pools under Wine: Wine 8 loses empty messages of a pipe, so pools are woken with one byte."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec

TYPE_CHECKING = False  # `typing`, as `importlib.util`, would be loaded in every process: tests count modules
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any


def _wakeup(self: Any) -> None:
    if not self._closed:
        self._writer.send_bytes(b"x")


class _Finder:
    """Changes the module of process pools as soon as it is imported."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of the module, whose loader changes it afterwards; None for all others."""
        if fullname != "concurrent.futures.process":
            return None
        from importlib.util import find_spec  # noqa: PLC0415

        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                load(module)
                module._ThreadWakeup.wakeup = _wakeup  # noqa: SLF001 there is no other way

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


sys.meta_path.insert(0, _Finder())
