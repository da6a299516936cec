"""Make a texture redder, in a copy of its archive.

mshview run recolour_texture.py Textures.lib::HULL.0 new.lib
"""

from __future__ import annotations

import sys

import mshview

address, out = sys.argv[1:]
(texture,) = mshview.textures(address)
pixels = texture.pixels
pixels[..., 1:3] //= 2  # green and blue; red and alpha stay
texture.replace(pixels)
texture.save(out)
print(f"{texture.name}: {texture.size[0]} x {texture.size[1]} in {out}")
