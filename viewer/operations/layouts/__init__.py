"""The declared formats for other programs: Kaitai Struct and the patterns of ImHex."""
