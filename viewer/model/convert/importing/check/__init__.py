"""The check of an import: the edited model against the file again."""
