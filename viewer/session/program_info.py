"""What the program is made of and runs on, for the about box and for bug reports."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Component:
    """A package, a font or the program itself.

    Attributes
    ----------
    version
        Empty if it has none of its own.
    license
        As its metadata names it; empty if they do not.
    """

    name: str
    version: str
    license: str

    def __str__(self) -> str:
        return " ".join(filter(None, (self.name, self.version, f"({self.license})" if self.license else "")))


@dataclass(frozen=True, slots=True)
class ProgramInfo:
    """The program, what it uses, and the system; nothing of it names a user or a path.

    Attributes
    ----------
    system
        Name and value of Python, the platform and OpenGL.
    shipped, used
        What the program contains, first itself, and the packages that it needs.
    """

    system: tuple[tuple[str, str], ...] = ()
    shipped: tuple[Component, ...] = ()
    used: tuple[Component, ...] = ()

    @property
    def text(self) -> str:
        """All of it as text for a bug report, in English."""
        lines = [f"{self.shipped[0]}"] if self.shipped else []
        lines += [f"{name}: {value}" for name, value in self.system]
        lines += [f"uses {component}" for component in self.used]
        return "\n".join((*lines, ""))
