"""What the driver is told, and who is left alone."""

from __future__ import annotations

import os

import pytest

from viewer.render import context


def test_the_driver_is_told_what_nobody_has_said(monkeypatch: pytest.MonkeyPatch) -> None:
    unset, taken = context.SETTINGS
    monkeypatch.delenv(unset, raising=False)
    monkeypatch.setenv(taken, "as the user wants it")
    context.prepare()
    assert os.environ[unset] == context.SETTINGS[unset]
    assert os.environ[taken] == "as the user wants it"
