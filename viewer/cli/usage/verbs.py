"""All verbs: what each does, examples, and what its exit status 1 means."""

from __future__ import annotations

from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, cast

from viewer.translation import _

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    class Module(Protocol):
        """The module of a verb."""

        def declare(self, parser: ArgumentParser) -> None:
            """Add the verb's arguments."""

        def run(self, options: Namespace) -> int:
            """Run the verb and return the exit status."""


DEFAULT_VERB: Final = "open"
RESULTS: Final = "--results"
"""The option of verbs that answer about several inputs."""
DONE: Final = 0
FOUND: Final = 1
FAILED: Final = 2
INTERRUPTED: Final = 130
READER_LEFT: Final = 141
"""Exit statuses; the last two are those that shells give a process that SIGINT or SIGPIPE has ended."""
STATUSES: Final = {
    DONE: _("done"),
    FOUND: _("done, but something is wrong or differs"),
    FAILED: _("wrong usage, unreadable input, or output that could not be written"),
    INTERRUPTED: _("interrupted by Ctrl+C"),
    READER_LEFT: _("the program that read the output has ended"),
}
"""The meaning of each exit status; what exactly `FOUND` means depends on the verb."""


class Verb(NamedTuple):
    """A verb as its help describes it.

    Parameters
    ----------
    room
        The folder of its module.
    summary
        What it does, in one line.
    examples
        Arguments of the verb, and what they do.
    found
        The meaning of exit status 1; empty if the verb never ends with it.
    """

    room: str
    summary: str
    examples: tuple[tuple[str, str], ...]
    found: str = ""

    @property
    def statuses(self) -> dict[int, str]:
        """The meaning of each exit status that the verb has."""
        found = {FOUND: self.found} if self.found else {}
        return {status: text for status, text in (STATUSES | found).items() if found or status != FOUND}


VERBS: Final = {
    "open": Verb(
        "picturing",
        "open the window on a model, an archive or a folder; without PATH on the bundled sample",
        (
            ("models.rlb", "show an archive"),
            ("models.rlb::walker.msh", "show one of its models"),
            ("models.rlb turrets.rlb", "show several files, each in a tab"),
            ("/games/parkan", "show a whole game as a tree of its archives"),
            ("pilot.msh --game /games/parkan", "look materials up in that folder"),
            ('--state "mshview:open?file=models.rlb&entry=walker.msh&lod=1"', "look as a copied link says"),
        ),
    ),
    "ls": Verb(
        "reading",
        "list an archive, a folder or a whole game, also with triangles, users and other columns",
        (
            ("models.rlb", "list an archive"),
            ("models.rlb::walker.msh --json", "list the tables of a model as JSON"),
            ("/games/parkan", "list the files of a folder"),
            ('"models.rlb::*.msh"', "list some entries of an archive"),
            ("-R /games/parkan", "list also what is in the folders and archives below"),
            ("old.rlb new.rlb --json", "list two archives in one document"),
            ("/games/parkan --columns triangles,used_by --where kind=msh --sort triangles --reverse",
             "list the heaviest models of the game first, and how many units use each"),
            ("models.rlb --columns kind,size --group-by kind",
             "list the entries of an archive by kind, with their sums"),
        ),
    ),
    "find": Verb(
        "corpus",
        "find names, types, texts, bytes, values of fields and users in files, archives and folders",
        (
            ("/games/parkan walker", "find it in names, texts and values"),
            ('models.rlb "batches.index_count>600"', "find rows whose fields fulfill a condition"),
            ('"models.rlb::*.msh" "hex:4D 53 ??"', "find bytes in the models of an archive"),
            ("/games/parkan users:HULL.0", "find what refers to a texture"),
            ("/games/parkan type:texm -l", "print the addresses of all textures"),
        ),
        "nothing was found",
    ),
    "stats": Verb(
        "corpus",
        "count the values of fields over all models: histogram, outliers, what holds for all rows",
        (
            ("/games/parkan", "sum up all fields of all tables"),
            ("models.rlb --field batches.flags", "count one field"),
            ('"models.rlb::*.msh" --field keys.time --where "time>100"', "count some rows of some models"),
            ("/games/parkan --field mat0.phases.power --json", "count a field of materials"),
        ),
    ),
    "readings": Verb(
        "reading",
        "say how disputed fields of models are read and why, the least sure models first",
        (
            ("models.rlb::walker.msh", "show both answers to each question about a model"),
            ("models.rlb", "rank the models of an archive"),
            ("/games/parkan --format csv", "rank all models as a table for programs"),
        ),
    ),
    "survey": Verb(
        "corpus",
        "measure on an install of the game what is open about the formats; the report holds no content of it",
        (
            ("/games/parkan -o report.json", "write the report"),
            ("/games/parkan --explain", "show all that a report would hold, and write nothing"),
            ("--compare mine.json theirs.json", "show two reports side by side, other answers first"),
        ),
        "two reports differ",
    ),
    "inspect": Verb(
        "reading",
        "show every field of a model, a texture, a material or another resource",
        (
            ("models.rlb::walker.msh", "show a model"),
            ("walker.msh --table nodes --json", "print one table as JSON"),
            ('walker.msh --at "nodes[3].parent"', "show one field: offset, type, value, meaning"),
            ("walker.msh --at 0x1A0", "show what an offset belongs to"),
        ),
    ),
    "draws": Verb(
        "reading",
        "list what one cell of a model draws, in order",
        (
            ("walker.msh --lod 1 --group 0", "list the draws of LOD 1, the damaged parts, in group 0, near"),
            ("walker.msh --lod auto --distance 80", "list those of the group that a distance chooses"),
        ),
    ),
    "triangles": Verb(
        "reading",
        "list the triangles that the engine's query by masks calls back, in its order, and their links",
        (
            ("walker.msh --require 0x2", "list the faces that can be walked on, in LOD 0, group 0"),
            ("walker.msh --forbid 0x4 --json", "leave out what a shot passes"),
            ("walker.msh --from 12 --walk", "go from descriptor 12 to all that links reach"),
        ),
    ),
    "materials": Verb(
        "reading",
        "show the material of every batch and how it was found",
        (("models.rlb::walker.msh --game /games/parkan", "look materials up in that folder"),),
    ),
    "clips": Verb(
        "reading",
        "list the clips and channels of a model, which its controller plays",
        (
            ("models.rlb::walker.msh", "list what the model can play"),
            ("walker.msh --game /games/parkan --json", "find its controller through that folder"),
        ),
    ),
    "pose": Verb(
        "reading",
        "show the position of every node at a time",
        (
            ("walker.msh --time 12.5", "show the pose at frame 12.5"),
            ("walker.msh --time 0 --time-b 30 --blend 0.25", "show a blend of two poses"),
            ("walker.msh --clip walk --clip-b run --blend 0.5 --time 0.3", "show a blend of two clips"),
            ("walker.msh --clip walk --time 0.25", "show the pose a quarter of a second into a clip"),
            ("tank.msh --time 0 --channel turret=0.5", "show the pose with the turret turned half way"),
        ),
    ),
    "render": Verb(
        "picturing",
        "render images of a model, without a window",
        (
            ("walker.msh -o walker.png --size 1920x1080", "render one image"),
            ("walker.msh -o turn.png --turntable 36", "write turn_0000.png to turn_0035.png"),
            ("walker.msh -o walk.png --frames 0:30:1 --transparent", "render an animation"),
            ("walker.msh -o run.png --clip run --frames 0:0.4:0.02", "render a clip in its own time"),
            ('/games/parkan -o "pictures/{archive}/{entry}.png"', "render every model of a game"),
        ),
    ),
    "thumbnail": Verb(
        "picturing",
        "write one small picture of a file, as file managers show it",
        (
            ("models.rlb -o models.png", "show the first model of an archive"),
            ("Textures.lib::HULL.0 -o hull.png --size 128", "show a texture in 128 pixels"),
        ),
    ),
    "effect": Verb(
        "reading",
        "show what an effect draws, lights and plays at a time",
        (
            ("effects.rlb::blast --time 0.5", "list the blocks of the effect after half a second"),
            ("effects.rlb::blast --time 0.5 --json", "print every sprite: center, axes, alpha, phase"),
            ("effects.rlb::plume --time 2 --strength 0.6", "play it at 0.6 of the speed that drives it"),
            ("--new explosion -o boom.fxid", "write a new effect to start from"),
        ),
    ),
    "why": Verb(
        "picturing",
        "show what one pixel of an image of a model is: its triangle, material, light, pose and bytes",
        (
            ("walker.msh --at 512,384", "explain the middle of the image that render makes"),
            ("walker.msh --at 40,60 --size 128x128 --yaw 0 --json", "that of another image, as JSON"),
        ),
    ),
    "validate": Verb(
        "checking",
        "check files, archives and whole folders against the rules of the formats",
        (
            ("models.rlb", "check everything in an archive"),
            ("/games/parkan --jobs 4 --json", "check a folder with four processes"),
            ("-", "check what another program writes"),
        ),
        "at least one file has errors",
    ),
    "edit": Verb(
        "editing",
        "change fields of a file or of an entry in it; every other byte stays as it is",
        (
            ('walker.msh --set "batches[3].flags=8" -o new.msh', "set a field of one row"),
            ('models.rlb::walker.msh --set "batches[index_count>300].opaque4=0" --in-place', "of many rows"),
            ('*.msh --set "nodes[name=turret].flags=0x40" --dry-run', "see what would change in many files"),
            ("walker.msh --script changes.json -o new.msh", "make the changes of a JSON file"),
        ),
        "the edit would add errors, so nothing was written",
    ),
    "copy": Verb(
        "editing",
        "decode and encode a file or an entry: byte-identical, or in canonical form",
        (
            ("models.rlb::walker.msh -o walker.msh", "write one entry to a file"),
            ("models.rlb::walker.msh -o - | mshview inspect -", "pass one entry on to another program"),
            ("models.rlb -o small.rlb --repack", "write an archive without gaps"),
        ),
    ),
    "extract": Verb(
        "editing",
        "write the payloads of an archive as files",
        (
            ("models.rlb -o models", "write all entries to a folder"),
            ('models.rlb walker.msh "#3" -o models', "write two of them"),
            ('"models.rlb::*.msh" -o models', "write its models"),
        ),
        "an entry could not be written, the others are",
    ),
    "pack": Verb(
        "editing",
        "make an archive from a folder that extract wrote",
        (
            ("models -o models.rlb", "make the archive again"),
            ("chosen --base models.rlb -o new.rlb", "replace chosen entries in a copy of their archive"),
        ),
    ),
    "diff": Verb(
        "comparing",
        "show what differs between two files, field by field, or between two folders, entry by entry",
        (
            ("old.msh new.msh", "list the fields that differ"),
            ("old.rlb new.rlb --stat", "count the rows that differ of each table"),
            ("old.rlb new.rlb --json", "list the fields as JSON"),
            ("/backup/parkan /games/parkan", "list the entries that differ between two folders"),
            ("/backup/parkan /games/parkan -o page", "write a page with pictures of both and the fields"),
        ),
        "the two differ",
    ),
    "repair": Verb(
        "editing",
        "list what can be repaired of a file and of what is in it, and repair it",
        (
            ("models.rlb", "list what can be repaired"),
            ("walker.msh -o repaired.msh", "repair all that leaves nothing empty or cut"),
            ("*.msh --only bounds --only links --in-place", "repair only bounds and links"),
        ),
        "something can be repaired, or a repair would add errors",
    ),
    "patch": Verb(
        "editing",
        "make, apply or show a patch: what differs between two files, without what both have",
        (
            ("make old.rlb new.rlb -o mod.json", "write what turns old.rlb into new.rlb"),
            ("apply mod.json old.rlb -o new.rlb", "make new.rlb again; other files are refused"),
            ("apply mod.json models.rlb --reverse --in-place", "undo the patch"),
            ("show mod.json", "list its changes"),
        ),
    ),
    "mod": Verb(
        "editing", "make, list, check, apply and take back mods: changes of a game, without its files",
        (
            ("make game changed -o mymod --name mine", "make a mod of what differs between two folders"),
            ("list mymod other.zip", "show what mods are called and need"),
            ("check game mymod other.zip --json", "list what conflicts, with both values and who wins"),
            ("apply game mymod other.zip -o modded", "make a copy of the game with both"),
            ("apply game mymod", "change the game itself"),
            ("revert game mine", "take one mod out; without a name all of them, byte for byte"),
        ), "mods conflict, need others, or were made of another game",
    ),
    "texture": Verb(
        "converting",
        "convert a texture to PNG, or an image to a texture; all textures of a library at once and back",
        (
            ("Textures.lib::HULL.0 -o hull.png", "decode a texture"),
            ("Textures.lib::HULL.0 -o - | display", "send the image to another program"),
            ("sign.b2.texm -o sign.png --game /games/parkan", "decode with a palette of the game"),
            ("hull.png -o hull.texm --like Textures.lib::HULL.0", "encode an image like another texture"),
            ('Textures.lib -o "textures/{entry}.png"', "decode all textures of an archive"),
            ("Textures.lib --all -o textures", "decode them with an index, to change them"),
            ("--all textures --into Textures.lib -o new.lib", "put back those that were changed"),
        ),
        "with --all a texture is damaged, so it has no picture",
    ),
    "export": Verb(
        "converting",
        "write a model for other programs, or any resource as JSON text that holds every byte of it",
        (
            ("models.rlb::walker.msh -o walker.glb", "write a model for Blender, with its animation"),
            ("models.rlb::walker.msh -o walker.gltf --cells all", "as text, with all stages and levels"),
            ('models.rlb -o "models/{entry}.glb"', "write all models of an archive"),
            ("walker.msh -o walker.json", "write a model as text"),
            ("models.rlb -o models.json", "write an archive with everything in it as one text"),
            ('models.rlb -o "texts/{entry}.json"', "write a text for each of its entries"),
            ("walker.msh --format json -o -", "print the text, as git needs it to show differences"),
        ),
    ),
    "import": Verb(
        "converting",
        "make a resource from a file that export wrote, or from a model of another program",
        (
            ("walker.json -o walker.msh", "make the model again: the same bytes"),
            ("walker.glb --template walker.msh -o new.msh", "change only what Blender changed"),
            ("crate.glb -o crate.msh --textures Textures.lib", "a new model, with wear table and libraries"),
            ("crate.glb --into models.rlb::crate.msh --textures --in-place", "the same, in an archive"),
            ("walker.json --into models.rlb::walker.msh --in-place", "replace an entry of an archive"),
            ("walker.json --into models.rlb::walker.msh --dry-run", "see what that would change"),
        ),
        "something would be lost with --exact, or errors added, so nothing was written",
    ),
    "gallery": Verb(
        "gallery",
        "write a static page with pictures of models, which turn in the browser",
        (
            ("models.rlb -o site", "show an archive: open site/index.html in a browser"),
            ("/games/parkan -o site --jobs 4", "show a whole game with four processes"),
            ("models.rlb -o new --reference site", "mark what differs from an earlier gallery"),
        ),
        "a model cannot be read, or differs from the earlier gallery",
    ),
    "run": Verb(
        "editing",
        "run a Python script with the library and the opened inputs as names",
        (
            ("count.py models.rlb", "run a script, in which inputs[0] is the archive"),
            ('recolor.py "models.rlb::*.msh" --game /games/parkan', "run it with every model opened"),
        ),
        "the script has failed; otherwise the status with which it ends",
    ),
    "bench": Verb(
        "bench",
        "measure the speed of this program on this machine",
        (
            ("", "measure everything"),
            ("--only parse_400,list_400 --json", "measure two operations"),
        ),
    ),
    "selfcheck": Verb(
        "checking",
        "compute the test vectors of the specification with this installation",
        (("", "print each of them with its result"),),
        "a value is not what the specification states",
    ),
    "report": Verb(
        "picturing",
        "write a zip for a bug report: link, picture, versions, log, and of a file only what is wrong",
        (
            ("models.rlb::walker.msh -o report.zip", "report a model"),
            ("models.rlb::walker.msh -o report.zip --dry-run", "see what would be in it"),
            ('--state "mshview:open?file=..." -o report.zip', "report what is looked at"),
        ),
    ),
    "help": Verb(
        "usage", "show the help of a verb",
        (("render", "show the help of render"),),
    ),
    "completion": Verb(
        "usage", "print the script with which a shell completes verbs, options and their values",
        (
            ("bash > ~/.local/share/bash-completion/completions/mshview", "install it for bash"),
            ("zsh > ~/.zfunc/_mshview", "install it for zsh, with ~/.zfunc in fpath"),
            ("fish > ~/.config/fish/completions/mshview.fish", "install it for fish"),
            ("powershell | Out-String | Invoke-Expression", "use it in PowerShell"),
        ),
    ),
    "complete": Verb(
        "usage", "print what a word of a command line may become, for the scripts that completion prints",
        (
            ("address models.rlb::wal", "list the entries whose names begin so"),
            ('clip "" models.rlb::walker.msh', "list all clips of a model"),
        ),
    ),
    "install-desktop": Verb(
        "usage", "add the program to the menus and file managers of Linux, with thumbnails, and of Windows",
        (
            ("", "do it for this user"),
            ("--remove", "undo it"),
            ("--to debian/mshview/usr/share", "write the files into a package"),
        ),
    ),
    "schema": Verb(
        "usage",
        "print the JSON Schema of what a verb prints or writes, or write the formats for other programs",
        (
            ("inspect > inspect.schema.json", "write the schema of inspect"),
            ("script", "show every change that edit --script reads, with its fields"),
            ("--kaitai -o formats", "write all formats of the game for Kaitai Struct"),
            ("--imhex -o patterns", "write them as patterns of ImHex"),
        ),
    ),
    "man": Verb(
        "usage", "print the manual page", (("> mshview.1", "write the page, which man -l mshview.1 shows"),)
    ),
}  # fmt: skip


def module_of(name: str) -> Module:
    """Load the module of a verb; that of a word of the language ends in an underscore."""
    module = f"{name}_" if iskeyword(name) else name.replace("-", "_")
    return cast("Module", import_module(f"viewer.cli.{VERBS[name].room}.{module}"))
