"""glTF 2.0: a scene to GLB or text, and back."""
