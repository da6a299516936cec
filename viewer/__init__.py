"""mshview: viewer, inspector, editor and converter for the models of Parkan: Iron Strategy."""
