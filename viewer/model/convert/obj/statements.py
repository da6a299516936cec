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
from itertools import chain, groupby
from typing import Final

import numpy as np
import numpy.typing as npt

from viewer.errors import FormatError
from viewer.formats import wear
from viewer.formats.record import Bytes
from viewer.model.convert.obj.parts import FacePiece, Span, parted
from viewer.model.convert.obj.text import blocks, encoding_of, without_comment
from viewer.translation import Text, _

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
_IGNORED: Final = frozenset({"vp", "mg", "bevel", "c_interp", "d_interp", "lod", "shadow_obj"})
_MISSING: Final = {
    "vt": _("corners name texture coordinates that do not exist: {count}"),
    "vn": _("corners name normals that do not exist: {count}"),
}
_CUT: Final = _("numbers are read up to their second sign: {count}")
_ZEROED: Final = _("texture coordinates and normals that are not finite: {count}; they are 0")


class Statements:
    """The statements of a file, gathered in the order of its lines.

    Raises `FormatError` with the line for the first statement that makes no sense.

    Attributes
    ----------
    positions, uvs, normals
        (n, 3), (n, 2) and (n, 3) float64, as written.
    groups
        The triangles of each part with one material, in order.
    encoding
        Of the text.
    libraries
        Names of material libraries.
    losses
        What is not read, by the name of the statement and how often.
    oddities
        What is read in part, by the template of a sentence and how often.
    """

    def __init__(self, data: Bytes) -> None:
        self.encoding = encoding_of(data)
        self.libraries: list[str] = []
        self.losses: Counter[str] = Counter()
        self.oddities: Counter[str] = Counter()
        self._numbers: dict[str, array[float]] = {word: array("d") for word in _WIDTHS}
        self._counts = dict.fromkeys(_WIDTHS, 0)
        self._pieces: dict[tuple[Span, Span, str | None], FacePiece] = {}
        self._object = self._group = Span()
        self._named_groups: dict[str, Span] = {}
        self._material: str | None = None
        self._materials: set[str] = set()
        self._normal = NONE
        self._words: dict[str, Callable[[str], None]] = {
            "f": self._face,
            "g": self._start_group,
            "o": self._start_object,
            "s": self._smooth,
            "usemtl": self._use,
            "mtllib": self._add_libraries,
        }
        self._words |= {word: partial(self._vector, word) for word in _WIDTHS}
        self._read(data)
        self.positions, self.uvs, self.normals = (
            np.frombuffer(self._numbers[word]).reshape(-1, width) for word, width in _WIDTHS.items()
        )
        self.groups, odd = parted([it for it in self._pieces.values() if it.numbers], self.positions)
        self._pieces.clear()
        # + leaves out what is counted 0 times.
        self.oddities.update(+odd)

    def _read(self, data: Bytes) -> None:
        first = 1
        for lines in blocks(data, self.encoding):
            for word, run in _runs(lines):
                if word and not (len(run) >= FEW and self._is_read_at_once(word, run)):
                    for number, line in enumerate(run, first):
                        self._line(number, word, line)
                first += len(run)
        self._close(self._object)
        self._close(self._group)
        if self.losses and not any(self._counts.values()):
            raise FormatError("is not an OBJ file: no line has a vertex", table="line", index=1)

    def _is_read_at_once(self, word: str, lines: Sequence[str]) -> bool:
        """Whether lines were read together, as they are all alike; else nothing is read."""
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
        """Count the numbers of vertices after their coordinates."""
        if word == "v" and numbers > _WIDTHS[word]:
            self.losses["v w" if numbers == 4 else "v r g b"] += count

    def _add(self, word: str, values: npt.NDArray[np.float64]) -> None:
        self._numbers[word].frombytes(values.tobytes())
        self._counts[word] += len(values)

    def _faces(self, lines: Sequence[str], text: str) -> bool:
        """Whether faces were read, whose corners all have the same form."""
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
        piece = self._piece()
        piece.numbers.frombytes(corners.tobytes())
        piece.counts.frombytes(counts.astype(np.int32).tobytes())
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
        # Bounded, as a line may have megabytes: at most seven numbers follow "v", with a weight and a color.
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

    def _start_object(self, rest: str) -> None:
        self._check_groups()
        self._close(self._object)
        self._object = Span(rest.strip(), self._counts["v"])

    def _start_group(self, rest: str) -> None:
        self._check_groups()
        self._close(self._group)
        name = " ".join(rest.split())
        self._group = self._named_groups.setdefault(name, Span(name, self._counts["v"]))

    def _close(self, part: Span) -> None:
        """Close an object or group; one that goes on later has the vertices of its first time."""
        part.end = self._counts["v"] if part.end is None else part.end

    def _check_groups(self) -> None:
        if len(self._pieces) > MOST_GROUPS:
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

    def _piece(self) -> FacePiece:
        key = self._object, self._group, self._material
        piece = self._pieces.get(key)
        if piece is None:
            piece = self._pieces[key] = FacePiece(*key)
        return piece

    def _face(self, rest: str) -> None:
        # One word more than is possible is enough to refuse a face.
        words = rest.split(maxsplit=MOST_CORNERS)
        if not 3 <= len(words) <= MOST_CORNERS:
            raise FormatError(
                _("{count} corners, 3 to {limit} are possible", count=len(words), limit=MOST_CORNERS)
            )
        piece = self._piece()
        # An array makes room for its own numbers alone if it is extended by another one.
        piece.numbers.extend(array("i", chain.from_iterable(map(self._corner, words))))
        piece.counts.append(len(words))

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
        # Twenty characters are beyond any row, and Python refuses to read thousands of digits.
        number = int(text[:20])
        row = number - 1 if number > 0 else count + number
        if 0 <= row < count and number:
            return row
        if kind == "v":
            message = _("{kind} {number} of {count} so far", kind=kind, number=number, count=count)
            raise FormatError(message)
        self.oddities[_MISSING[kind]] += 1
        return None


def _runs(lines: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Lines that start with the same word and follow each other, at most `AT_ONCE`."""
    start = 0
    for word, run in groupby(lines, lambda line: line.partition(" ")[0]):
        end = start + sum(1 for _ignored in run)
        for at in range(start, end, AT_ONCE):
            yield word, lines[at : min(end, at + AT_ONCE)]
        start = end
