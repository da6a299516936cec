"""What surfaces look like: paint, textures, materials and light."""
