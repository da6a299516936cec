"""The sample game folder: shapes, textures, motion, and the models built from them."""
