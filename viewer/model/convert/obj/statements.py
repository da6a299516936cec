"""The statements of an OBJ file, without meaning: numbers, faces, objects, materials.

Lines of one kind that follow each other are read together, as most of a file are such runs; a run that is not
as uniform as usual is read line by line, which also finds the line of a mistake.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.errors import FormatError
from viewer.translation import Sentence

Corners = npt.NDArray[np.int64]

LARGEST: Final = 1e30
"""Numbers beyond this are refused: their products would not be finite."""
MOST_CORNERS: Final = 1 << 16
"""Most corners of one face."""
AT_ONCE: Final = 1 << 14
"""Lines that are read together."""
FEW: Final = 4
"""Lines that are not worth it."""
_COMMENT: Final = re.compile(r"(^|\s+)#.*$")
"""Names may have the sign inside."""
_WIDTHS: Final = {"v": 3, "vt": 2, "vn": 3}
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
    pieces
        Vertex, texture coordinate and normal of each corner, (n, 3), three for each triangle; -1 is none.
    """

    name: str
    material: str | None
    pieces: list[Corners] = field(default_factory=list)

    @property
    def corners(self) -> Corners:
        """All pieces."""
        return np.concatenate([np.empty((0, 3), np.int64), *self.pieces])


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
    """Collects the statements of a file in the order of its lines."""

    def __init__(self) -> None:
        self._numbers: dict[str, list[npt.NDArray[np.float64]]] = {word: [] for word in _WIDTHS}
        self._counts = dict.fromkeys(_WIDTHS, 0)
        self._groups: dict[tuple[str, str | None], Group] = {}
        self._name = ""
        self._material: str | None = None
        self._starts: dict[str, int] = {}
        self._ends: dict[str, int] = {}
        self._libraries: list[str] = []
        self._losses: Counter[str] = Counter()
        self._words: dict[str, Callable[[str], None]] = {
            "f": self._face,
            "o": self._object,
            "usemtl": self._use,
            "mtllib": lambda rest: self._libraries.extend(_file_names(rest)),
        }
        self._words |= {word: partial(self._vector, word) for word in _WIDTHS}

    def read(self, data: bytes) -> Statements:
        """All statements of a file."""
        first = 1
        for word, lines in _runs(_lines(data)):
            if word and not (len(lines) >= FEW and self._is_read_at_once(word, lines)):
                for number, line in enumerate(lines, first):
                    self._line(number, word, line)
            first += len(lines)
        self._close()
        made = {
            word: np.concatenate([np.empty((0, _WIDTHS[word])), *pieces])
            for word, pieces in self._numbers.items()
        }
        for word, values in made.items():
            _check_finite(word, values)
        groups = [it for it in self._groups.values() if it.pieces]
        return Statements(
            made["v"], made["vt"], made["vn"], groups, self._starts, self._ends, self._libraries, self._losses
        )

    def _is_read_at_once(self, word: str, lines: Sequence[str]) -> bool:
        """Read lines together if they are all alike; else nothing is read."""
        try:
            if word in _WIDTHS:
                return self._vectors(word, lines)
            return word == "f" and self._faces(lines)
        except (ValueError, OverflowError):
            return False

    def _vectors(self, word: str, lines: Sequence[str]) -> bool:
        width = _WIDTHS[word]
        words = " ".join(lines).split()
        if {line.count(" ") for line in lines} != {width} or len(words) != (1 + width) * len(lines):
            return False
        del words[:: 1 + width]
        self._add(word, np.array([*map(float, words)]).reshape(-1, width))
        return True

    def _add(self, word: str, values: npt.NDArray[np.float64]) -> None:
        self._numbers[word].append(values)
        self._counts[word] += len(values)

    def _faces(self, lines: Sequence[str]) -> bool:
        """Read faces whose corners all have the same form."""
        counts = np.array([len(line.split()) - 1 for line in lines])
        if counts.min() < 3 or counts.max() > MOST_CORNERS:
            return False
        text = " ".join([line[2:] for line in lines])
        slashes = {word.count("/") for word in text.split()}
        if len(slashes) != 1 or not slashes <= {0, 1, 2}:
            return False
        is_empty = "//" in text
        numbers = np.array([*map(int, text.replace("/", " ").split())], np.int64)
        width = 1 + slashes.pop() - is_empty
        if len(numbers) != width * counts.sum():
            return False
        corners = np.full((len(numbers) // width, 3), -1, np.int64)
        columns = [0, 2] if is_empty else [*range(width)]
        for column, kind in zip(columns, ("v", "vn") if is_empty else _WIDTHS, strict=False):
            own = numbers[columns.index(column) :: width]
            rows = np.where(own > 0, own - 1, own + self._counts[kind])
            if not own.all() or rows.min() < 0 or rows.max() >= self._counts[kind]:
                return False
            corners[:, column] = rows
        self._group().pieces.append(_fans(corners, counts))
        return True

    def _line(self, number: int, word: str, line: str) -> None:
        """Read one line; raises `FormatError` with its number."""
        read = self._words.get(word)
        if read is None:
            self._pass(word, number)
            return
        rest = line[len(word) :]
        try:
            read(rest)
        except FormatError as error:
            raise FormatError(Sentence.of(error.message), table="line", index=number, field=word) from None
        except (ValueError, OverflowError):
            raise _refused(number, word, Sentence("has no numbers: {text}", text=rest[1:41])) from None

    def _pass(self, word: str, number: int) -> None:
        """Leave out a statement; raises `FormatError` for one that no OBJ file has."""
        if word in _LOST:
            self._losses[word] += 1
        elif word not in _IGNORED:
            raise _refused(number, word[:20], "is not a statement of OBJ")

    def _vector(self, word: str, rest: str) -> None:
        numbers = rest.split()
        width = _WIDTHS[word]
        if word == "vt" and len(numbers) == 1:
            numbers = [*numbers, "0"]
        if len(numbers) < width:
            raise FormatError(
                Sentence("{count} numbers, {width} are needed", count=len(numbers), width=width)
            )
        self._add(word, np.array([[*map(float, numbers[:width])]]))
        if word == "v" and len(numbers) > width:
            self._losses["v " + ("w" if len(numbers) == 4 else "r g b")] += 1

    def _object(self, rest: str) -> None:
        self._close()
        self._name = rest.strip()
        self._starts.setdefault(self._name, self._counts["v"])

    def _close(self) -> None:
        self._ends.setdefault(self._name, self._counts["v"])

    def _use(self, rest: str) -> None:
        self._material = rest.strip() or None

    def _group(self) -> Group:
        key = self._name, self._material
        return self._groups.setdefault(key, Group(*key))

    def _face(self, rest: str) -> None:
        words = rest.split()
        if not 3 <= len(words) <= MOST_CORNERS:
            raise FormatError(
                Sentence("{count} corners, 3 to {limit} are possible", count=len(words), limit=MOST_CORNERS)
            )
        corners = np.array([self._corner(word) for word in words], np.int64)
        self._group().pieces.append(_fans(corners, np.array([len(corners)])))

    def _corner(self, word: str) -> tuple[int, int, int]:
        """Vertex, texture coordinate and normal, counted from 0; -1 for none."""
        parts = word.split("/")
        if len(parts) > 3 or not parts[0]:
            raise FormatError(Sentence("{word} is not a corner", word=word[:20]))
        found = [
            self._row(kind, text) if text else -1
            for kind, text in zip(_WIDTHS, (*parts, "", ""), strict=False)
        ]
        return found[0], found[1], found[2]

    def _row(self, kind: str, text: str) -> int:
        count = self._counts[kind]
        number = int(text)
        row = number - 1 if number > 0 else count + number
        if not 0 <= row < count or not number:
            raise FormatError(
                Sentence("{kind} {number} of {count} so far", kind=kind, number=number, count=count)
            )
        return row


def _fans(corners: Corners, counts: npt.NDArray[np.int64]) -> Corners:
    """The corners of triangles, of faces with some corners each: all from the first one."""
    if (counts == 3).all():
        return corners
    first = np.cumsum(counts) - counts
    face = np.repeat(np.arange(len(counts)), counts - 2)
    step = np.arange(len(face)) - np.repeat(np.cumsum(counts - 2) - (counts - 2), counts - 2)
    start = first[face]
    return corners[np.stack([start, start + step + 1, start + step + 2], axis=1).reshape(-1)]


def _runs(lines: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Lines that start with the same word and follow each other, at most `AT_ONCE`."""
    start = 0
    for word, run in groupby(lines, _first_word):
        end = start + sum(1 for _ in run)
        for at in range(start, end, AT_ONCE):
            yield word, lines[at : min(end, at + AT_ONCE)]
        start = end


def _first_word(line: str) -> str:
    return line.partition(" ")[0]


def _lines(data: bytes) -> list[str]:
    """All lines without comments; those that go on are joined, the others of them are empty."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\t", " ")
    lines = [line.strip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    if "\\" in text:
        _join(lines)
    if "#" in text:
        lines = [line if line.startswith("mtllib ") else without_comment(line) for line in lines]
    return lines


def without_comment(line: str) -> str:
    """A line up to its comment."""
    return _COMMENT.sub("", line)


def _join(lines: list[str]) -> None:
    """Append to each line that ends in a backslash those that follow."""
    at = 0
    while at < len(lines):
        first, parts = at, [lines[at]]
        while parts[-1].endswith("\\") and at + 1 < len(lines):
            at += 1
            parts.append(lines[at])
            lines[at] = ""
        lines[first] = " ".join(part.removesuffix("\\") for part in parts).strip()
        at += 1


def _file_names(rest: str) -> list[str]:
    """The names after ``mtllib``: one name with spaces and ``#`` if it ends like a library, else several."""
    name = rest.strip()
    name = name if name.lower().endswith(".mtl") else without_comment(name)
    return [name] if name.lower().count(".mtl") == 1 else name.split()


def _check_finite(word: str, values: npt.NDArray[np.float64]) -> None:
    wrong = np.flatnonzero(~(np.abs(values) <= LARGEST).all(axis=1))
    if len(wrong):
        message = Sentence("is not a finite number below {limit}", limit=LARGEST)
        raise FormatError(message, table=word, index=int(wrong[0]) + 1)


def _refused(line: int, word: str, message: str) -> FormatError:
    return FormatError(message, table="line", index=line, field=word)
