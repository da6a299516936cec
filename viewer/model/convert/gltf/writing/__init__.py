"""The parts of a glTF file that is written."""
