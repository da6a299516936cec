"""The statements of an OBJ file, without meaning: numbers, faces, objects, materials.

The text is read a block at a time. Lines of one kind that follow each other are read together, as most of a
file are such runs; a run that is not as uniform as usual is read line by line, which also finds the line of a
mistake. What other programs leave out is left out and counted: unknown statements, and references of corners
to texture coordinates and normals that the file does not have.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import BufferedReader, RawIOBase, TextIOWrapper
from itertools import chain, groupby, pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from viewer.dataclass import dataclass, field
from viewer.errors import FormatError
from viewer.formats import wear
from viewer.formats.record import Bytes
from viewer.model.mesh.draws import Rows32
from viewer.translation import Text, _

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

BLOCK: Final = 1 << 20
"""Letters that are decoded together."""
MOST_JOINED: Final = 1 << 16
"""Most lines that backslashes join to one."""
_COMMENT: Final = re.compile(r"(^|\s+)#.*$")
"""Names may have the sign inside."""
_FILES: Final = ("mtllib ", "map_")
"""Statements that end in the name of a file, which may have the sign after a space too."""
NONE: Final = -1
"""The row of a texture coordinate or normal that a corner does not have."""
SMOOTH: Final = -2
"""The row of a normal that a corner does not have in a smoothing group."""
LARGEST: Final = 1e30
"""Numbers beyond this are refused: their products would not be finite."""
MOST_CORNERS: Final = 1 << 16
"""Most corners of one face."""
MOST_GROUPS: Final = 1 << 18
"""Most pairs of an object and a material."""
MOST_LIBRARIES: Final = 1 << 10
MOST_UNKNOWN: Final = 64
"""Most unknown statements with different names."""
AT_ONCE: Final = 1 << 14
"""Lines that are read together."""
FEW: Final = 4
"""Lines that are not worth it."""
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?(?=$|[+-])", re.ASCII | re.IGNORECASE)
"""A number; what follows from a second sign on is left out, as in ``3.1+e2``."""
_NOT_FINITE: Final = re.compile(r"[+-]?(nan|inf)", re.IGNORECASE)
_STATEMENT: Final = re.compile(r"[a-z]\w{0,19}", re.ASCII | re.IGNORECASE)
_WIDTHS: Final = {"v": 3, "vt": 2, "vn": 3}
_IGNORED: Final = frozenset({"g", "vp", "mg", "bevel", "c_interp", "d_interp", "lod", "shadow_obj"})
_MISSING: Final = {
    "vt": _("corners name texture coordinates that do not exist: {count}"),
    "vn": _("corners name normals that do not exist: {count}"),
}
_CUT: Final = _("numbers are read up to their second sign: {count}")
_ZEROED: Final = _("texture coordinates and normals that are not finite: {count}; they are 0")


@dataclass(slots=True)
class FaceGroup:
    """Faces of one object with one material."""

    name: str
    material: str | None
    numbers: array[int] = field(default_factory=lambda: array("i"))

    @property
    def corners(self) -> Rows32:
        """Vertex, texture coordinate and normal of each corner, (n, 3), three for each triangle."""
        return np.frombuffer(self.numbers, np.int32).reshape(-1, 3)


class Statements:
    """Everything that a file says, gathered in the order of its lines.

    Raises `FormatError` with the line for the first statement that makes no sense.

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
    oddities
        What is read in part, by the template of a sentence and how often.
    """

    def __init__(self, data: Bytes) -> None:
        self.starts: dict[str, int] = {}
        self.ends: dict[str, int] = {}
        self.libraries: list[str] = []
        self.losses: Counter[str] = Counter()
        self.oddities: Counter[str] = Counter()
        self._numbers: dict[str, array[float]] = {word: array("d") for word in _WIDTHS}
        self._counts = dict.fromkeys(_WIDTHS, 0)
        self._groups: dict[tuple[str, str | None], FaceGroup] = {}
        self._name = ""
        self._material: str | None = None
        self._materials: set[str] = set()
        self._normal = NONE
        self._words: dict[str, Callable[[str], None]] = {
            "f": self._face,
            "o": self._object,
            "s": self._smooth,
            "usemtl": self._use,
            "mtllib": self._add_libraries,
        }
        self._words |= {word: partial(self._vector, word) for word in _WIDTHS}
        self._read(data)
        self.positions, self.uvs, self.normals = (
            np.frombuffer(self._numbers[word]).reshape(-1, width) for word, width in _WIDTHS.items()
        )
        self.groups = [it for it in self._groups.values() if it.numbers]

    def _read(self, data: Bytes) -> None:
        first = 1
        for lines in blocks(data):
            for word, run in _runs(lines):
                if word and not (len(run) >= FEW and self._is_read_at_once(word, run)):
                    for number, line in enumerate(run, first):
                        self._line(number, word, line)
                first += len(run)
        self._close()
        if self.losses and not any(self._counts.values()):
            raise FormatError("is not an OBJ file: no line has a vertex", table="line", index=1)

    def _is_read_at_once(self, word: str, lines: Sequence[str]) -> bool:
        """Read lines together if they are all alike; else nothing is read."""
        if word not in _WIDTHS and word != "f":
            return False
        text = " ".join(lines)
        # Python reads 1_000 and digits of other scripts as numbers, other programs do not.
        if "_" in text or not text.isascii():  # which are digits to Python
            return False
        try:
            return self._faces(lines, text) if word == "f" else self._vectors(word, text.split(), len(lines))
        except (ValueError, OverflowError):
            return False

    def _vectors(self, word: str, words: list[str], count: int) -> bool:
        width, step = _WIDTHS[word], len(words) // count
        # Lines of equal length have their word at each step-th place: v 1 2 3 v 4 5 6 has "v" at 0 and 4.
        if step <= width or len(words) != step * count or words[::step] != [word] * count:
            return False
        values = np.array([[*map(float, words[1 + column :: step])] for column in range(width)])
        if not (np.abs(values) <= LARGEST).all():
            return False
        self._add(word, values.T)
        self._note_extra(word, step - 1, count)
        return True

    def _note_extra(self, word: str, numbers: int, count: int) -> None:
        """Count what vertices have after their coordinates."""
        if word == "v" and numbers > _WIDTHS[word]:
            self.losses["v w" if numbers == 4 else "v r g b"] += count

    def _add(self, word: str, values: npt.NDArray[np.float64]) -> None:
        self._numbers[word].frombytes(values.tobytes())
        self._counts[word] += len(values)

    def _faces(self, lines: Sequence[str], text: str) -> bool:
        """Read faces whose corners all have the same form."""
        words = text.split()
        starts = np.array([at for at, word in enumerate(words) if word == "f"])
        counts = np.diff(starts, append=len(words)) - 1
        if len(starts) != len(lines) or counts.min() < 3 or counts.max() > MOST_CORNERS:
            return False
        words = [word for word in words if word != "f"]
        slashes = {word.count("/") for word in words}
        if len(slashes) != 1 or not slashes <= {0, 1, 2}:
            return False
        is_empty = "//" in text
        numbers = np.array([*map(int, " ".join(words).replace("/", " ").split())], np.int64)
        # "1" has 1 number, "1/2" 2, "1/2/3" 3, and "1//3" two slashes but 2 numbers.
        width = 1 + slashes.pop() - is_empty
        if len(numbers) != width * counts.sum():
            return False
        corners = np.full((len(numbers) // width, 3), (NONE, NONE, self._normal), np.int32)
        columns = [0, 2] if is_empty else [*range(width)]
        missing: Counter[str] = Counter()
        for at, column in enumerate(columns):
            kind = (*_WIDTHS,)[column]
            own = numbers[at::width]
            # Numbers count from 1, below 0 from the end so far: -1 is the last one.
            rows = np.where(own > 0, own - 1, own + self._counts[kind])
            is_there = (own != 0) & (rows >= 0) & (rows < self._counts[kind])
            if kind == "v" and not is_there.all():
                return False
            missing[kind] = int((~is_there).sum())
            corners[:, column] = np.where(is_there, rows, corners[:, column])
        for kind, count in (+missing).items():
            self.oddities[_MISSING[kind]] += count
        self._group().numbers.frombytes(_fans(corners, counts).tobytes())
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
            raise FormatError(Text.of(error.message), table="line", index=number, field=word) from None
        except ValueError:
            message = _("has no numbers: {text}", text=rest[1:41])
            raise FormatError(message, table="line", index=number, field=word) from None

    def _pass(self, word: str, number: int) -> None:
        """Leave out and count a statement; raises `FormatError` for what is not a word, and for too many."""
        if word in _IGNORED:
            return
        is_new = word not in self.losses
        if not _STATEMENT.fullmatch(word) or (is_new and len(self.losses) == MOST_UNKNOWN):
            raise FormatError("is not a statement of OBJ", table="line", index=number, field=word[:20])
        self.losses[word] += 1

    def _vector(self, word: str, rest: str) -> None:
        width = _WIDTHS[word]
        numbers = rest.split(maxsplit=8)
        if word == "vt" and len(numbers) == 1:
            numbers = [*numbers, "0"]
        if len(numbers) < width:
            raise FormatError(_("{count} numbers, {width} are needed", count=len(numbers), width=width))
        values = np.array([[*map(self._number, numbers[:width])]])
        if not (np.abs(values) <= LARGEST).all():
            if word == "v":
                raise FormatError(_("is not a finite number below {limit}", limit=LARGEST))
            self.oddities[_ZEROED] += 1
            values[:] = 0
        self._add(word, values)
        self._note_extra(word, len(numbers), 1)

    def _number(self, text: str) -> float:
        """A number as other programs read it; raises `ValueError`."""
        if _NOT_FINITE.match(text):
            return np.nan
        found = _NUMBER.match(text)
        if found is None:
            raise ValueError(text)
        self.oddities.update([_CUT] if found[0] != text else ())
        return float(found[0])

    def _object(self, rest: str) -> None:
        self._close()
        self._check_groups()
        self._name = rest.strip()
        self.starts.setdefault(self._name, self._counts["v"])

    def _close(self) -> None:
        self.ends.setdefault(self._name, self._counts["v"])

    def _check_groups(self) -> None:
        if len(self._groups) > MOST_GROUPS:
            raise FormatError(_("more than {limit} objects with one material each", limit=MOST_GROUPS))

    def _smooth(self, rest: str) -> None:
        self._normal = NONE if rest.strip() in {"", "0", "off"} else SMOOTH

    def _use(self, rest: str) -> None:
        self._check_groups()
        self._material = rest.strip() or None
        self._materials.add(rest.strip())
        if len(self._materials) > wear.MAX_ROWS:
            raise FormatError(_("more than {limit} materials", limit=wear.MAX_ROWS))

    def _add_libraries(self, rest: str) -> None:
        name = rest.strip()
        name = name if name.lower().endswith(".mtl") else without_comment(name)
        # One name with spaces and `#` if it ends like a library, else several.
        self.libraries += [name] if name.lower().count(".mtl") == 1 else name.split()
        if len(self.libraries) > MOST_LIBRARIES:
            raise FormatError(_("more than {limit} libraries", limit=MOST_LIBRARIES))

    def _group(self) -> FaceGroup:
        key = self._name, self._material
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = FaceGroup(*key)
        return group

    def _face(self, rest: str) -> None:
        words = rest.split(maxsplit=MOST_CORNERS)
        if not 3 <= len(words) <= MOST_CORNERS:
            raise FormatError(
                _("{count} corners, 3 to {limit} are possible", count=len(words), limit=MOST_CORNERS)
            )
        first, *others = [self._corner(word) for word in words]
        corners = (corner for pair in pairwise(others) for corner in (first, *pair))
        # An array makes room for its own numbers alone if it is extended by another one.
        self._group().numbers.extend(array("i", chain.from_iterable(corners)))

    def _corner(self, word: str) -> tuple[int, int, int]:
        """Vertex, texture coordinate and normal, counted from 0; `NONE` or `SMOOTH` for a missing one."""
        if "/" not in word:
            return self._row("v", word) or 0, NONE, self._normal
        parts = word.split("/")
        if len(parts) > 3 or not parts[0]:
            raise FormatError(_("{word} is not a corner", word=word[:20]))
        vertex, uv, normal = (
            self._row(kind, text) if text else None
            for kind, text in zip(_WIDTHS, (*parts, "", "")[:3], strict=True)
        )
        return vertex or 0, NONE if uv is None else uv, self._normal if normal is None else normal

    def _row(self, kind: str, text: str) -> int | None:
        """The row that a number names; None for a missing one, which only vertices may not be."""
        count = self._counts[kind]
        if not text.lstrip("+-").isdecimal() or not text.isascii():
            raise ValueError(text)
        number = int(text[:20])
        row = number - 1 if number > 0 else count + number
        if 0 <= row < count and number:
            return row
        if kind == "v":
            message = _("{kind} {number} of {count} so far", kind=kind, number=number, count=count)
            raise FormatError(message)
        self.oddities[_MISSING[kind]] += 1
        return None


def _fans(corners: Rows32, counts: npt.NDArray[np.int64]) -> Rows32:
    """The corners of triangles, of faces with some corners each: all from the first one."""
    if (counts == 3).all():
        return corners
    # The first corner of each face: counts 4 3 5 begin at 0 4 7.
    first = np.cumsum(counts) - counts
    face = np.repeat(np.arange(len(counts)), counts - 2)
    # A face of n corners has n - 2 triangles: 0 1 2, 0 2 3, 0 3 4 for five corners.
    step = np.arange(len(face)) - np.repeat(np.cumsum(counts - 2) - (counts - 2), counts - 2)
    start = first[face]
    return corners[np.stack([start, start + step + 1, start + step + 2], axis=1).reshape(-1)]


def _runs(lines: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Lines that start with the same word and follow each other, at most `AT_ONCE`."""
    start = 0
    for word, run in groupby(lines, lambda line: line.partition(" ")[0]):
        end = start + sum(1 for _ignored in run)
        for at in range(start, end, AT_ONCE):
            yield word, lines[at : min(end, at + AT_ONCE)]
        start = end


class _Stream(RawIOBase):
    """Bytes as a stream that does not copy all of them, as `BytesIO` does."""

    def __init__(self, data: Bytes) -> None:
        self._left = memoryview(data)

    def readable(self) -> bool:
        """Whether the stream can be read from."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Put the next bytes into a buffer; return their number."""
        into = memoryview(buffer)
        count = min(len(into), len(self._left))
        into[:count], self._left = self._left[:count], self._left[count:]
        return count


def blocks(data: Bytes) -> Iterator[list[str]]:
    """The lines of a text without comments and tabs, some at a time, UTF-8 or UTF-16 with its mark.

    Those that go on are joined, the others of them are empty. Raises `FormatError` for too many of them.
    """
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    stream = TextIOWrapper(BufferedReader(_Stream(data)), encoding, "replace")
    while text := stream.read(BLOCK) + stream.readline():
        parts = [text]
        while parts[-1].rstrip().endswith("\\") and (following := stream.readline()):
            parts.append(following)
            if len(parts) > MOST_JOINED:
                raise FormatError(_("more than {limit} lines are joined", limit=MOST_JOINED), table="line")
        yield _cleaned("".join(parts).removesuffix("\n"))


def _cleaned(text: str) -> list[str]:
    """The lines of a text without comments, tabs and ends."""
    lines = [line.strip() for line in text.replace("\t", " ").split("\n")]
    if "\\" in text:
        # A joined line leaves empty ones, so that the numbers of lines in messages stay right.
        at = 0
        while at < len(lines):
            first, parts = at, [lines[at]]
            while parts[-1].endswith("\\") and at + 1 < len(lines):
                at += 1
                parts.append(lines[at])
                lines[at] = ""
            lines[first] = " ".join(part.removesuffix("\\") for part in parts).strip()
            at += 1
    if "#" in text:
        lines = [line if line.startswith(_FILES) else without_comment(line) for line in lines]
    return lines


def without_comment(line: str) -> str:
    """A line up to its comment."""
    return _COMMENT.sub("", line)
