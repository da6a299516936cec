"""The manual inside the program: its pages in sections, which are read and searched one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, takewhile
from pathlib import Path
from typing import Final

from msgspec import Struct

_START: Final = "README.md"
"""The page that lists the others, in the order in which they are read."""


class ManualSection(Struct, frozen=True):
    """A piece of a page under one heading.

    Attributes
    ----------
    page
        Name of the file.
    title
        The heading, without the signs of Markdown.
    level
        1 for the start of a page, more for what is inside.
    text
        Markdown with the heading, up to the next one.
    """

    page: str
    title: str
    level: int
    text: str

    def has(self, words: str) -> bool:
        """Whether all words stand in it, in any order and case."""
        text = self.text.casefold()
        return all(word in text for word in words.casefold().split())


LONGEST: Final = 16_000
"""Characters that are shown at once; of what is longer a section at a time."""


def shown_text(section: ManualSection, sections: tuple[ManualSection, ...]) -> str:
    """Return a section with all that is inside it, or with links to that if it is long."""
    start = sections.index(section)
    after = islice(enumerate(sections), start + 1, None)
    # A page starts with a section of level 1, so this ends with the page.
    inside = [*takewhile(lambda it: it[1].level > section.level, after)]
    texts = [section.text, *(it.text for _, it in inside)]
    if sum(map(len, texts)) <= LONGEST:
        return "\n".join(texts)
    links = [f"{'  ' * (it.level - section.level - 1)}* [{it.title}]({number})" for number, it in inside]
    return "\n".join([section.text, *links])


def linked(link: str, sections: tuple[ManualSection, ...]) -> ManualSection | None:
    """Return the section that a link names: by its number, or a page; None if it leads out of the manual."""
    if link.isdecimal():
        return sections[int(link)]
    return next((it for it in sections if it.page == link.partition("#")[0]), None)


def read_manual(folder: Path) -> tuple[ManualSection, ...]:
    """Return all sections of the pages in a folder, in the order in which they are read."""
    start = (folder / _START).read_text("utf-8")
    # Pages are linked more than once; each stands where it is first named.
    names = dict.fromkeys([_START, *re.findall(r"\]\((\w[\w-]*\.md)\)", start)])
    return tuple(section for name in names for section in _sections(folder / name))


def _sections(path: Path) -> Iterator[ManualSection]:
    """The sections of a page, by its headings; `#` in a block of code is no heading."""
    title, level, lines, is_code = "", 1, [""], False
    for line in path.read_text("utf-8").splitlines():
        is_code ^= line.startswith("```")
        heading = None if is_code else re.match(r"(#{1,3}) (.*)", line)
        if heading:
            if title:
                yield ManualSection(path.name, title, level, "\n".join(lines))
            level, title, lines = len(heading[1]), heading[2].replace("`", ""), []
        # The program has no pictures of itself: those are for the pages outside.
        if not line.startswith("!["):
            lines.append(line)
    yield ManualSection(path.name, title, level, "\n".join(lines))
