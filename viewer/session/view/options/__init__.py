"""The options of a view, by subject: light, shading, background, overlays, section, textures, shown parts."""
