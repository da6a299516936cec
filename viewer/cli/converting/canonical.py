"""The canonical JSON of any resource, for ``export`` and ``import``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from viewer.cli.converting.formats import Exported, Imported
from viewer.errors import UsageError
from viewer.model.convert.text.reading import resource_of
from viewer.model.convert.text.writing import text_of
from viewer.model.kinds.kind import Kind
from viewer.model.kinds.registry import promised_kind
from viewer.model.store.file_store import FileStore, Item


def declare_export(_: ArgumentParser) -> None:
    """Add nothing."""


def declare_import(_: ArgumentParser) -> None:
    """Add nothing."""


def holds(_: Kind) -> bool:
    """Whether resources of a kind can be exported: all."""
    return True


def exported(_options: Namespace, _store: FileStore, item: Item, _name: str) -> Exported:
    """Return the text of a resource."""
    texts = text_of(promised_kind(item), item.data, item.entry)
    return Exported(text.encode() for text in texts)


def imported(options: Namespace, _store: FileStore, item: Item, _template: Item | None) -> Imported:
    """Return the resource of a text; raises `FormatError`, or `UsageError` if a template is given."""
    if options.template is not None:
        raise UsageError("JSON holds every byte, so that it takes no template", source="--template")
    return Imported(resource_of(item.data, str(item.address)))
