"""What the driver is told, and who is left alone."""

from __future__ import annotations

import os

import pytest

from viewer.app import driver


def test_the_driver_is_told_what_nobody_has_said(monkeypatch: pytest.MonkeyPatch) -> None:
    unset, taken = driver.SETTINGS
    monkeypatch.delenv(unset, raising=False)
    monkeypatch.setenv(taken, "as the user wants it")
    driver.prepare()
    assert os.environ[unset] == driver.SETTINGS[unset]
    assert os.environ[taken] == "as the user wants it"
