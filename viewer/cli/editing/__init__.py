"""The verbs that write files of the game: changed, repaired, patched, copied, unpacked and packed."""
