"""Names of the parts of the sample: the entries of ``objects.dlb``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from assets.sample.registered import four_letters
from viewer.formats.archive.nres import NewEntry

FILE = "objects.dlb"
_VALUES = ("UpgradeLevel", "ResearchEnergyCost", "ResearchOreCost", "BuildEnergyCost", "BuildOreCost")
_UNITS = {"weight": "t", "Frate": "1/s", "damage": "HP", "armor": "HP", "speed": "m/s"}


@dataclass(frozen=True)
class Description:
    """Description of a part for the game.

    Parameters
    ----------
    name, code
        Its name on screen and its short code, which may be empty.
    tab, level
        Its place in the catalog.
    kind
        Size, kind, mark.
    values
        Level of the upgrade, costs of research and of building.
    text
        Free text.
    rows
        Rows of its panel: the fields by their labels.
    """

    name: str
    code: str
    tab: int
    level: int
    kind: str
    values: tuple[int, int, int, int, int]
    text: str = ""
    rows: Mapping[str, str] = field(default_factory=dict)

    def bytes(self) -> bytes:
        """The lines."""
        lines = [f"//G{self.tab}:L{self.level}", f"//{self.kind}"]
        lines += [
            f"#{tag}{text}" for tag, text in (("1", self.code), ("2", self.name), ("3", self.text)) if text
        ]
        lines += [
            f"#{tag}{name}={value}" for tag, name, value in zip("6789A", _VALUES, self.values, strict=True)
        ]
        width = max(map(len, self.rows), default=0)
        lines += [
            f"@G@{label.ljust(width)} @B,{field},G,{_UNITS[field]},5,1@" for label, field in self.rows.items()
        ]
        return "".join(f"{line}\r\n" for line in lines).encode("cp1251")


PARTS = {
    "walker": Description(
        "Heron scout walker", "HRN-2", 2, 3, "M:SHS:MK2:A1", (1, 40, 60, 30, 80),
        "Two long legs, one short memory.", {"Weight": "weight", "Armor": "armor", "Speed": "speed"},
    ),
    "drone": Description("Survey drone", "SD-4", 2, 1, "T:SHS:MK1:A0", (1, 10, 10, 8, 6)),
    "crawler": Description(
        "Mole tracked carrier", "MTC-1", 2, 2, "M:SHS:MK1:A1", (1, 24, 30, 20, 44),
        "Turns where it stands, and says so.", {"Weight": "weight", "Armor": "armor", "Speed": "speed"},
    ),
    "tower": Description(
        "Border outpost", "OUTP", 1, 2, "B:BLD:BUN:TUR:MK1:A3", (1, 0, 0, 200, 260),
        "Keeps watch, and the coffee warm.",
    ),
    "e_tur_bt_01": Description(
        "Light sentry turret", "LST", 2, 2, "T:SHS:TUR:MK1:A1", (1, 12, 18, 14, 20), "", {"Weight": "weight"}
    ),
    "e_gun_tw_01": Description(
        "Twin cannon", "TW-30", 3, 2, "T:WPN:GUN:MK1:A1", (1, 18, 24, 16, 22), "",
        {"Weight": "weight", "Rate of fire": "Frate", "Damage": "damage"},
    ),
    "i_reactor_01": Description("Compact reactor", "", 4, 1, "T:DVC:BAT:MK1:A0", (1, 8, 8, 10, 4)),
}  # fmt: skip
"""By the keys of the registry."""


def description_entries() -> list[NewEntry]:
    """The entries of the file."""
    return [
        NewEntry(four_letters("DSCR"), described.bytes(), key.encode()) for key, described in PARTS.items()
    ]
