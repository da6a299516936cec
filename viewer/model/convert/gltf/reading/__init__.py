"""The parts of a glTF file, read as if each of them lied."""
