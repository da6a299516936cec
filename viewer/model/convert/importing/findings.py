"""What is said about an import."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Findings:
    """Sentences gathered while a scene is compared, each once.

    Attributes
    ----------
    losses
        What the file says and the model cannot hold.
    notes
        What the user should know of the changes.
    """

    losses: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def lose(self, text: str) -> None:
        """Add a loss."""
        if text not in self.losses:
            self.losses.append(text)

    def note(self, text: str) -> None:
        """Add a note."""
        if text not in self.notes:
            self.notes.append(text)
