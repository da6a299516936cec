"""What the list of users says."""

from __future__ import annotations

import pytest

from viewer.model.references.users import User, Users
from viewer.model.store.place import Place
from viewer.ui.fields.user_list import summary, through_text

USER = User(Place("a.lib::M", "phases", 0, "texture"), "mat0")


@pytest.mark.parametrize(
    ("users", "words"),
    [
        (Users((), 1), "Nothing refers to it; 1 file searched."),
        (Users((USER,), 20), "1 reference; 20 files searched"),
        (Users((USER, USER), 20), "2 references; 20 files searched"),
    ],
)
def test_the_summary_counts_users_and_files(users: Users, words: str) -> None:
    assert summary(users) == words


@pytest.mark.parametrize(
    ("through", "words"),
    [("", ""), ("/game/static.rlb::tree.wea", "tree.wea (static.rlb)"), ("/game/Land1.wea", "Land1.wea")],
)
def test_a_detour_is_named_with_its_file(through: str, words: str) -> None:
    assert through_text(User(USER.place, USER.kind, through)) == words
