"""The order of rows by a column: stable, rows without a value last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from viewer.model.query.table import NO_TEXT, Codes, Column, Texts


def ordered(column: Column, rows: npt.NDArray[np.int64], *, is_descending: bool = False) -> Codes:
    """Return `rows` sorted by their values; equal ones keep their order, those without a value are last.

    Texts are compared without case, arrays element by element.
    """
    values = column.values
    if isinstance(values, Texts):
        key = _ranks(values.labels)[values.codes[rows]]
        is_missing = values.codes[rows] == NO_TEXT
        keys: list[npt.NDArray[Any]] = [key]
    else:
        cells = values[rows].reshape(len(rows), np.prod(values.shape[1:], dtype=np.int64))
        is_missing = _is_missing(cells, column.none)
        keys = [*cells.T]
    present = np.flatnonzero(~is_missing)
    order = present[_argsort([key[present] for key in keys], is_descending=is_descending)]
    result: Codes = rows[np.concatenate([order, np.flatnonzero(is_missing)])]
    return result


def _is_missing(cells: npt.NDArray[Any], none: int | None) -> npt.NDArray[np.bool_]:
    """Whether the first element of each row, (n, k), is none or not a number."""
    first = cells[:, 0] if cells.shape[1] else np.zeros(len(cells))
    is_none: npt.NDArray[np.bool_] = np.isnan(first) if none is None else first == none
    return is_none


def _ranks(labels: Sequence[str]) -> Codes:
    """The rank of each label without case, and one for rows without a text; equal labels have equal ranks."""
    folded = np.array([label.casefold() for label in labels], object)
    distinct = {label: rank for rank, label in enumerate(sorted(set(folded)))}
    return np.array([*(distinct[label] for label in folded), 0], np.int64)


def _argsort(keys: Sequence[npt.NDArray[Any]], *, is_descending: bool) -> Codes:
    """The stable order by several keys, the first one weighing most; also stable if it descends."""
    if is_descending:
        backwards = _argsort([key[::-1] for key in keys], is_descending=False)[::-1]
        return len(backwards) - 1 - backwards
    if len(keys) == 1:
        return np.argsort(keys[0], kind="stable")
    order: Codes = np.lexsort([*keys][::-1]) if keys else np.arange(0)
    return order
