"""The size of the pictures of sites, which is most of the time that their tests take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from viewer.cli.gallery import making

WHOLE: Final = making.SIZE, making.TURN_SIZE


@pytest.fixture(scope="package", autouse=True)
def _small_pictures() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making, "SIZE", (160, 120))
        patch.setattr(making, "TURN_SIZE", (60, 45))
        yield


@pytest.fixture
def _whole_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "SIZE", WHOLE[0])
    monkeypatch.setattr(making, "TURN_SIZE", WHOLE[1])
