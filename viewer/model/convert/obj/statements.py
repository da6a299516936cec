"""The statements of an OBJ file: numbers, and faces by object and material. Nothing is trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.errors import FormatError
from viewer.translation import Sentence

LARGEST: Final = 1e30
"""Numbers beyond this are refused: their products would not be finite."""
MOST_CORNERS: Final = 1 << 16
"""Most corners of one face."""
_IGNORED: Final = frozenset({"g", "s", "vp", "mg", "bevel", "c_interp", "d_interp", "lod", "shadow_obj"})
_LOST: Final = frozenset(
    {"p", "l", "curv", "curv2", "surf", "parm", "trim", "hole", "scrv", "sp", "end", "con", "cstype", "deg"}
    | {"bmat", "step", "call", "csh", "trace_obj", "ctech", "stech"}
)


@dataclass(slots=True)
class Group:
    """Faces of one object with one material.

    Attributes
    ----------
    corners
        Vertex, texture coordinate and normal of each corner, three corners for each triangle; -1 is none.
    """

    name: str
    material: str | None
    corners: list[tuple[int, int, int]] = field(default_factory=list)


@dataclass(slots=True)
class Statements:
    """Everything that a file says.

    Attributes
    ----------
    positions, uvs, normals
        (n, 3), (n, 2) and (n, 3) float64, as written.
    groups
        In order.
    starts
        The number of vertices before each object, by its name; the first of a name.
    ends
        The number of vertices where that object ends.
    libraries
        Names of material libraries.
    losses
        What is not read, by the name of the statement and how often.
    """

    positions: npt.NDArray[np.float64]
    uvs: npt.NDArray[np.float64]
    normals: npt.NDArray[np.float64]
    groups: list[Group]
    starts: dict[str, int]
    ends: dict[str, int]
    libraries: list[str]
    losses: Counter[str]


def parse(data: bytes) -> Statements:
    """Read all statements; raises `FormatError` with the line for the first that makes no sense."""
    return _Parser().read(data)


class _Parser:
    """Collects the statements of a file line by line."""

    def __init__(self) -> None:
        self._numbers: dict[str, list[float]] = {"v": [], "vt": [], "vn": []}
        self._widths = {"v": 3, "vt": 2, "vn": 3}
        self._groups: dict[tuple[str, str | None], Group] = {}
        self._name = ""
        self._material: str | None = None
        self._starts: dict[str, int] = {}
        self._ends: dict[str, int] = {}
        self._libraries: list[str] = []
        self._losses: Counter[str] = Counter()
        self._group: Group | None = None
        self._words: dict[str, Callable[[str], None]] = {
            "f": self._face,
            "o": self._object,
            "usemtl": self._use,
            "mtllib": lambda rest: self._libraries.extend(_file_names(rest)),
        }
        self._words |= {word: partial(self._vector, word) for word in self._numbers}

    def read(self, data: bytes) -> Statements:
        """All statements of a file."""
        for number, line in _lines(data):
            word, _, rest = line.partition(" ")
            read = self._words.get(word)
            if read is None:
                self._pass(word, number)
                continue
            try:
                read(rest)
            except FormatError as error:
                raise FormatError(
                    Sentence.of(error.message), table="line", index=number, field=word
                ) from None
            except (ValueError, OverflowError):
                raise _refused(number, word, Sentence("has no numbers: {text}", text=rest[:40])) from None
        self._close()
        made = {
            word: np.array(values, np.float64).reshape(-1, self._widths[word])
            for word, values in self._numbers.items()
        }
        for word, values in made.items():
            _check_finite(word, values)
        return Statements(
            made["v"],
            made["vt"],
            made["vn"],
            [it for it in self._groups.values() if it.corners],
            self._starts,
            self._ends,
            self._libraries,
            self._losses,
        )

    def _pass(self, word: str, number: int) -> None:
        """Leave out a statement; raises `FormatError` for one that no OBJ file has."""
        if word in _LOST:
            self._losses[word] += 1
        elif word not in _IGNORED:
            raise _refused(number, word[:20], "is not a statement of OBJ")

    def _vector(self, word: str, rest: str) -> None:
        numbers = rest.split()
        width = self._widths[word]
        if word == "vt" and len(numbers) == 1:
            numbers = [*numbers, "0"]
        if len(numbers) < width:
            raise FormatError(
                Sentence("{count} numbers, {width} are needed", count=len(numbers), width=width)
            )
        self._numbers[word] += map(float, numbers[:width])
        if word == "v" and len(numbers) > width:
            self._losses["v " + ("w" if len(numbers) == 4 else "r g b")] += 1

    def _object(self, rest: str) -> None:
        self._close()
        self._name, self._group = rest.strip(), None
        self._starts.setdefault(self._name, len(self._numbers["v"]) // 3)

    def _close(self) -> None:
        self._ends.setdefault(self._name, len(self._numbers["v"]) // 3)

    def _use(self, rest: str) -> None:
        self._material, self._group = rest.strip() or None, None

    def _face(self, rest: str) -> None:
        words = rest.split()
        if not 3 <= len(words) <= MOST_CORNERS:
            raise FormatError(
                Sentence("{count} corners, 3 to {limit} are possible", count=len(words), limit=MOST_CORNERS)
            )
        if self._group is None:
            key = self._name, self._material
            self._group = self._groups.setdefault(key, Group(*key))
        corners = [self._corner(word) for word in words]
        first = corners[0]
        for second, third in pairwise(corners[1:]):
            self._group.corners += (first, second, third)

    def _corner(self, word: str) -> tuple[int, int, int]:
        """Vertex, texture coordinate and normal, counted from 0; -1 for none."""
        parts = word.split("/")
        if len(parts) > 3 or not parts[0]:
            raise FormatError(Sentence("{word} is not a corner", word=word[:20]))
        found = [
            self._row(kind, text) if text else -1
            for kind, text in zip(("v", "vt", "vn"), (*parts, "", ""), strict=False)
        ]
        return found[0], found[1], found[2]

    def _row(self, kind: str, text: str) -> int:
        count = len(self._numbers[kind]) // self._widths[kind]
        number = int(text)
        row = number - 1 if number > 0 else count + number
        if not 0 <= row < count or not number:
            raise FormatError(
                Sentence("{kind} {number} of {count} so far", kind=kind, number=number, count=count)
            )
        return row


def _lines(data: bytes) -> Iterator[tuple[int, str]]:
    """Number, from 1, and text of each line that says something; lines that go on are joined."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    joined, first = "", 0
    for number, line in enumerate(chain(text.splitlines(), ("",)), 1):
        first = first or number
        joined += line
        if line.endswith("\\"):
            joined = joined[:-1] + " "
            continue
        said = joined.partition("#")[0].replace("\t", " ").strip()
        if said:
            yield first, said
        joined, first = "", 0


def _file_names(rest: str) -> list[str]:
    """The names after ``mtllib``: one name with spaces if it ends like a library, else several."""
    name = rest.strip()
    return [name] if name.lower().count(".mtl") == 1 else name.split()


def _check_finite(word: str, values: npt.NDArray[np.float64]) -> None:
    wrong = np.flatnonzero(~(np.abs(values) <= LARGEST).all(axis=1))
    if len(wrong):
        message = Sentence("is not a finite number below {limit}", limit=LARGEST)
        raise FormatError(message, table=word, index=int(wrong[0]) + 1)


def _refused(line: int, word: str, message: str) -> FormatError:
    return FormatError(message, table="line", index=line, field=word)
