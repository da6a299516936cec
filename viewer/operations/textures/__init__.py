"""All textures of a library as pictures in a folder, and back."""
