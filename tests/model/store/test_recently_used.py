"""A cache keeps what was used last, and never more than it states."""

from __future__ import annotations

from viewer.model.store.recently_used import RecentlyUsed


def test_what_was_not_used_for_the_longest_time_is_dropped() -> None:
    cache: RecentlyUsed[str, int] = RecentlyUsed(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]


def test_values_together_are_no_larger_than_the_capacity() -> None:
    cache: RecentlyUsed[str, bytes] = RecentlyUsed(99, 10, len)
    for key, size in (("a", 4), ("b", 4), ("a", 6), ("c", 3)):
        cache.put(key, bytes(size))
        assert cache.size <= 10
    assert "b" not in cache
    assert cache.size == 9
    cache.forget("a")
    cache.forget("a")
    assert (len(cache), cache.size) == (1, 3)


def test_what_was_used_last_stays_however_large_it_is() -> None:
    cache: RecentlyUsed[str, bytes] = RecentlyUsed(99, 10, len)
    cache.put("a", bytes(4))
    cache.put("b", bytes(50))
    assert "b" in cache
    assert len(cache) == 1
