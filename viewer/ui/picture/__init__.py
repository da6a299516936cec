"""One texture: its pixels, levels, channels, palette."""
