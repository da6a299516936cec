"""Scripts that run in the environment of Kaitai Struct's runtime."""
