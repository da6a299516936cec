"""What the consequences of changes are called on screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from viewer.model.edit.change import Topic
from viewer.translation import Message

TOPICS: Final[Mapping[Topic, Message]] = {
    Topic.BOUNDS: Message("slot bounds"),
    Topic.HEADER: Message("header"),
    Topic.NORMALS: Message("normals"),
    Topic.LINKS: Message("neighbor links"),
    Topic.VERTEX_COUNTS: Message("vertex counts"),
    Topic.ATTRIBUTES: Message("attributes"),
    Topic.FRAME_MAP: Message("frame map"),
    Topic.REFERENCES: Message("references"),
    Topic.DURATIONS: Message("durations"),
    Topic.COUNTS: Message("counts"),
}


def topic_text(topic: Topic) -> str:
    """What a consequence is called; by its own name if it is new."""
    return str(TOPICS.get(topic, topic.value))
